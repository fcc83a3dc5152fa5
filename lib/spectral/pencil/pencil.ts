/** The eigenproblem: (W, D), eq:evp, or (D^-½WD^-½, I), eq:specnet1, which has the same eigenvalues. */

import { badValue } from '../../core/check.ts';
import { checkDegrees, type Graph } from '../../graph/graph.ts';
import { kernels, plainTable } from '../../kernels/table.ts';
import { reduceKernels } from '../../wasm/families.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { copyToKernelMemory } from '../../tensor/kernel-memory.ts';
import { type Precision, Tensor } from '../../tensor/tensor.ts';

export const pencilKinds = ['random-walk', 'symmetric'] as const;

/** Which eigenproblem: (W, D), 'random-walk', or (D^-½WD^-½, I), 'symmetric'. */
export type PencilKind = (typeof pencilKinds)[number];

export interface Pencil {
  readonly kind: PencilKind;
  readonly size: number;
  /** W, or D^-½WD^-½. */
  readonly weights: CsrMatrix;
  /** The diagonal of D, or ones. */
  readonly mass: Float64Array;
  /** η = d/‖√d‖, or √d/‖√d‖: the deflated matrix is W − ηηᵀ, eq:uopt2. Null if the trivial pair is kept. */
  readonly eta: Float64Array | null;
  readonly graph: Graph;
  /** W of the graph in the solver's precision. */
  readonly affinity: CsrMatrix;
}

export function pencilOf(
  caller: string,
  graph: Graph,
  kind: PencilKind,
  deflate: boolean,
  precision: Precision,
): Pencil {
  checkDegrees(caller, graph);
  const { size, degrees, volume } = graph;
  const affinity = weightsOf(caller, graph.weights, precision);
  const walk = kind === 'random-walk';
  return {
    kind,
    size,
    weights: walk ? affinity : normalized(affinity, degrees),
    mass: inKernelMemory(walk ? degrees : new Float64Array(size).fill(1)),
    eta: deflate ? inKernelMemory(etaOf(kind, degrees, volume)) : null,
    graph,
    affinity,
  };
}

function inKernelMemory(numbers: Float64Array): Float64Array {
  return copyToKernelMemory(new Tensor(numbers, [numbers.length])).data;
}

/** η of rows of these degrees, in a new array or in `out`. */
export function etaOf(
  kind: PencilKind,
  degrees: Float64Array,
  volume: number,
  out: Float64Array = new Float64Array(degrees.length),
): Float64Array {
  const norm = Math.sqrt(volume);
  for (let i = 0; i < degrees.length; i++)
    out[i] = (kind === 'random-walk' ? degrees[i] : Math.sqrt(degrees[i])) / norm;
  return out;
}

/** product[n×width] = (W − ηηᵀ)·y in Float64, also for weights of Float32. O(nonzeros·width). */
export function applyPencil(pencil: Pencil, width: number, y: Float64Array, product: Float64Array): void {
  const { size, eta } = pencil;
  const { starts, columns, values } = pencil.weights;
  // Only the plain twin takes weights and rows of different precisions.
  const { csrMatmul } = values instanceof Float64Array ? kernels : plainTable;
  csrMatmul(size, width, starts, columns, values, y, product, false);
  if (!eta) return;
  const mean = new Float64Array(width);
  reduceKernels().weightedColumnSums(size, width, eta, y, mean);
  for (let i = 0, at = 0; i < size; i++) for (let j = 0; j < width; j++, at++) product[at] -= eta[i] * mean[j];
}

/** Projects the trivial vector out of y[n×width], in the inner product of D. Does nothing if the trivial pair is kept. */
export function removeTrivial({ size, mass, eta }: Pencil, width: number, y: Float64Array): void {
  if (!eta) return;
  // The vector is D⁻¹η, of unit length, and its inner products are ηᵀy.
  const mean = new Float64Array(width);
  reduceKernels().weightedColumnSums(size, width, eta, y, mean);
  for (let i = 0, at = 0; i < size; i++) for (let j = 0; j < width; j++, at++) y[at] -= (eta[i] / mass[i]) * mean[j];
}

/** Refuses weights that underflow to 0 in single precision, because the edge would be lost. */
function weightsOf(caller: string, weights: CsrMatrix, precision: Precision): CsrMatrix {
  if (weights.precision === precision) return weights;
  const copy = weights.copy(precision);
  const lost = copy.values.findIndex((value) => value === 0);
  if (lost < 0) return copy;
  const remedy = "Leave out edges as weak as that, or choose precision 'double'.";
  throw badValue(caller, 'weights that single precision can hold', weights.values[lost], remedy);
}

function normalized(affinity: CsrMatrix, degrees: Float64Array): CsrMatrix {
  const { rows, cols, starts, columns } = affinity;
  const values = affinity.values.slice();
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) values[e] /= Math.sqrt(degrees[i]) * Math.sqrt(degrees[columns[e]]);
  }
  return new CsrMatrix(rows, cols, starts, columns, values);
}
