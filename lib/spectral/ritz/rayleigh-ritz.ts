/** `rayleighRitz` on given rows (eq:decouple): the eigenpairs in their span, and the quality of the rows as a minimizer. */

import { badValue } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../graph/graph.ts';
import { checkMatrix } from '../../linalg/matrix.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type PencilKind, pencilKinds, pencilOf } from '../pencil/pencil.ts';
import { checkReference, coordinates, measure, type Quality, qualityOf, vectorsOf } from './quality.ts';
import { ritzPairs } from './ritz.ts';
import type { Spectrum } from '../spectrum/spectrum.ts';

/** The eigenproblem of the rows, and the exact eigenpairs if they are known. */
export interface RayleighRitzOptions {
  /** The eigenproblem of the rows. Default: 'random-walk', (W, D). */
  readonly pencil?: PencilKind;
  /** Deflate the trivial pair. Default: true. */
  readonly deflate?: boolean;
  /** The exact eigenpairs, from `spectrum(graph, …)`, for `gap` and `errors`. */
  readonly reference?: Spectrum;
}

const rules: Rules<RayleighRitzOptions> = { pencil: pencilKinds, deflate: 'boolean', reference: 'object' };

/** Eigenpairs of D⁻¹W. */
export interface Eigenpairs {
  /** Descending. */
  readonly eigenvalues: Float64Array;
  /** n×K with UᵀDU = n²I. */
  readonly eigenvectors: Tensor<Float64Array>;
  /** ‖D^-½(Wx − λDx)‖ for xᵀDx = 1. */
  readonly residuals: Float64Array;
}

/** The best eigenpairs in the span of given columns, and the quality of the columns as a minimizer. */
export interface RayleighRitz extends Eigenpairs, Quality {}

/** One Rayleigh-Ritz step on the columns of y[n×K], which must be independent: eq:decouple. One product with W. */
export function rayleighRitz(graph: Graph, y: Tensor, options: RayleighRitzOptions = {}): RayleighRitz {
  const caller = 'rayleighRitz';
  checkOptions(caller, options, rules);
  const { pencil: kind = 'random-walk', deflate = true, reference } = options;
  checkGraph(caller, graph);
  checkMatrix(caller, 'y', y);
  if (y.rows !== graph.size) throw badValue(caller, `${graph.size} rows, one for each node`, y.rows);
  const pencil = pencilOf(caller, graph, kind, deflate, graph.weights.precision);
  if (reference) checkReference(caller, pencil, y.cols, reference);
  const pairs = ritzPairs(caller, pencil, y);
  const { f2 } = measure(pencil, 'specnet1', pairs, coordinates(pencil, pairs, y));
  return {
    eigenvalues: pairs.values,
    eigenvectors: vectorsOf(pencil, pairs),
    residuals: pairs.residuals,
    ...qualityOf(pencil, pairs, f2, reference),
  };
}
