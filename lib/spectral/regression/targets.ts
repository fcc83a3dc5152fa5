/** Eigenvectors of a graph as the targets of a regression. */

import { badValue } from '../../core/check.ts';
import type { WaitingTask } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { reduceKernels } from '../../wasm/families.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { columns, constantFirst, type Spectrum, spectrumSteps, type WeightedNodes } from '../spectrum/spectrum.ts';

export interface Targets {
  /** n×components: the nontrivial eigenvectors ψ of D⁻¹W, with Σ dᵢψᵢ² = Σ dᵢ. */
  readonly rows: Tensor<Float64Array>;
  /** Their eigenvalues. */
  readonly values: Float64Array;
  readonly converged: boolean;
  /** The largest residual, and the number of products with the operator of the graph. */
  readonly residual: number;
  readonly products: number;
}

/** The relative tolerance of the eigensolver. The error of a fitted function is at least a hundred times as large. */
export const targetTolerance = 1e-6;

/** Depends only on the graph, so that a continued training has the same targets. */
export function* eigenvectorTargetsSteps(graph: Graph, components: number): WaitingTask<Targets> {
  return targetsOf(graph, yield* spectrumSteps(graph, { count: components + 1, tolerance: targetTolerance }));
}

/** The targets among these eigenvectors, of which one is trivial. Overwrites them. */
export function targetsOf(
  graph: WeightedNodes,
  {
    values,
    vectors,
    residuals,
    products,
    converged,
  }: Pick<Spectrum, 'values' | 'vectors' | 'residuals' | 'products' | 'converged'>,
): Targets {
  const rows = columns(constantFirst(graph, vectors), 1, vectors.cols);
  removeMeans(graph, rows);
  return { rows, values: values.slice(1, vectors.cols), converged, residual: Math.max(...residuals), products };
}

/** `eigenvectorTargetsSteps` for a training. Throws if they do not converge. */
export function* trainingTargetsSteps(caller: string, graph: Graph, components: number): WaitingTask<Targets> {
  const targets = yield* eigenvectorTargetsSteps(graph, components);
  if (targets.converged) return targets;
  const got = `a residual of ${targets.residual} after ${targets.products} products`;
  throw badValue(
    caller,
    'the eigenvectors of this graph to converge',
    got,
    "Methods 'specnet2' and 'ritz' need no eigenvectors.",
  );
}

/** If a graph has more parts than eigenvectors are computed, they need not include the constant. Its component is removed. */
function removeMeans({ degrees, volume }: WeightedNodes, { rows, cols, data }: Tensor<Float64Array>): void {
  const means = new Float64Array(cols);
  reduceKernels().weightedColumnSums(rows, cols, degrees, data, means);
  for (let at = 0; at < data.length; at++) data[at] -= means[at % cols] / volume;
}
