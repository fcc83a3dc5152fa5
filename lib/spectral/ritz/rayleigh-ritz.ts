/** Rayleigh-Ritz on given rows (eq:decouple): their eigenpairs, and how good the rows are as a minimizer. */

import { badValue } from '../../core/check.ts';
import { checkGraph, type Graph } from '../../graph/graph.ts';
import { checkMatrix } from '../../linalg/matrix.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { type Pencil, type PencilKind, pencilOf } from '../pencil/pencil.ts';
import { checkReference, coordinates, errorsOf, measure, optimum } from './quality.ts';
import { ritzPairs, type RitzPairs } from './ritz.ts';
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

/** The best eigenpairs within the span of given columns, and how good those are as a minimizer. */
export interface RayleighRitz {
  /** Descending, of D⁻¹W. */
  readonly eigenvalues: Float64Array;
  /** n×K with UᵀDU = n²I. */
  readonly eigenvectors: Tensor<Float64Array>;
  /** ‖D^-½(Wx − λDx)‖ for xᵀDx = 1. */
  readonly residuals: Float64Array;
  /** K − Σ eigenvalues: f1 of the rows made orthonormal. */
  readonly f1: number;
  /** Of the rows as they are. */
  readonly f2: number;
  /** Above the optimum K − Σλ or −Σ max(λ, 0)²; null without a reference. */
  readonly gap: { readonly f1: number; readonly f2: number } | null;
  /** Each vector's distance from the true ones of its eigenvalue, relative, in the norm √(xᵀDx); null without a reference. */
  readonly errors: Float64Array | null;
}

/** One Rayleigh-Ritz step on the columns of y[n×K], which must be independent: eq:decouple. One product with W. */
export function rayleighRitz(graph: Graph, y: Tensor, options: RayleighRitzOptions = {}): RayleighRitz {
  const caller = 'rayleighRitz';
  const { pencil: kind = 'random-walk', deflate = true, reference } = options;
  checkGraph(caller, graph);
  checkMatrix(caller, 'y', y);
  if (y.rows !== graph.size) throw badValue(caller, `${graph.size} rows, one for each node`, y.rows);
  const pencil = pencilOf(caller, graph, kind, deflate, graph.weights.precision);
  const first = Number(deflate);
  if (reference) checkReference(caller, graph, first, y.cols, reference);
  const pairs = ritzPairs(caller, pencil, y);
  const { f2 } = measure(pencil, 'specnet1', pairs, coordinates(pencil, pairs, y));
  const { f1 } = optimum(pairs.values);
  const eigenvectors = vectorsOf(pencil, pairs);
  const best = reference && optimum(reference.values.subarray(first, first + y.cols));
  return {
    eigenvalues: pairs.values,
    eigenvectors,
    residuals: pairs.residuals,
    f1,
    f2,
    gap: best ? { f1: f1 - best.f1, f2: f2 - best.f2 } : null,
    errors: reference ? errorsOf(graph.degrees, eigenvectors, reference, first) : null,
  };
}

/** The pairs' vectors as those of D⁻¹W with UᵀDU = n²I, new. */
export function vectorsOf({ kind, size, graph }: Pencil, { rows }: RitzPairs): Tensor<Float64Array> {
  const vectors = zeros(rows.shape, 'double');
  for (let i = 0, at = 0; i < size; i++) {
    const factor = kind === 'symmetric' ? size / Math.sqrt(graph.degrees[i]) : size;
    for (let j = 0; j < rows.cols; j++, at++) vectors.data[at] = factor * rows.data[at];
  }
  return vectors;
}
