/** Eigenvectors of a graph as the targets of a regression. */

import { badValue } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { reduceKernels } from '../../wasm/families.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { columns, constantFirst, spectrumSteps } from '../spectrum/spectrum.ts';

export interface Targets {
  /** n×components: the nontrivial eigenvectors ψ of D⁻¹W, with Σ dᵢψᵢ² = Σ dᵢ. */
  readonly rows: Tensor<Float64Array>;
  /** Their eigenvalues. */
  readonly values: Float64Array;
  readonly converged: boolean;
  /** The largest residual, and the products with the graph's operator it took. */
  readonly residual: number;
  readonly products: number;
}

/** Relative, for the eigenvectors: what a function of the point misses is at least a hundred times as much. */
const tolerance = 1e-6;

/** A function of the graph alone, so that a training that is continued has the same targets. */
export function* eigenvectorTargetsSteps(graph: Graph, components: number): Task<Targets> {
  const { values, vectors, ...found } = yield* spectrumSteps(graph, { count: components + 1, tolerance });
  const rows = columns(constantFirst(graph, vectors), 1, components + 1);
  removeMeans(graph, rows);
  const { residuals, products, converged } = found;
  return { rows, values: values.slice(1, components + 1), converged, residual: Math.max(...residuals), products };
}

/** `eigenvectorTargetsSteps` for a training, which needs all of them. */
export function* trainingTargetsSteps(caller: string, graph: Graph, components: number): Task<Targets> {
  const targets = yield* eigenvectorTargetsSteps(graph, components);
  if (targets.converged) return targets;
  const got = `a residual of ${targets.residual} after ${targets.products} products`;
  throw badValue(caller, 'a graph whose eigenvectors Lanczos finds', got, "Methods 'specnet2' and 'ritz' need none.");
}

/** In a graph of more parts than eigenvectors, the constant need not be among those found: its share is removed. */
function removeMeans({ degrees, volume }: Graph, { rows, cols, data }: Tensor<Float64Array>): void {
  const means = new Float64Array(cols);
  reduceKernels().weightedColumnSums(rows, cols, degrees, data, means);
  for (let at = 0; at < data.length; at++) data[at] -= means[at % cols] / volume;
}
