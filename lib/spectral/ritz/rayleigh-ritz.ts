/** Rayleigh-Ritz on given rows (eq:decouple): their eigenpairs, and how good the rows are as a minimizer. */

import { badValue } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { checkGraph, type Graph } from '../../graph/graph.ts';
import { checkMatrix } from '../../linalg/matrix.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type PencilKind, pencilKinds, pencilOf } from '../pencil/pencil.ts';
import { checkReference, coordinates, measure, type Quality, qualityOf, vectorsOf } from './quality.ts';
import { ritzPairs } from './ritz.ts';
import type { Spectrum } from '../spectrum/spectrum.ts';

/** Which eigenproblem the rows are for, and the truth where it is known. */
export interface RayleighRitzOptions {
  /** The problem that the rows belong to. Default: 'random-walk', (W, D). */
  readonly pencil?: PencilKind;
  /** Deflate the trivial pair. Default: true. */
  readonly deflate?: boolean;
  /** Truth, by `spectrum(graph, …)`, for `gap` and `errors`. */
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

/** The best eigenpairs within the span of given columns, and how good those are as a minimizer. */
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
