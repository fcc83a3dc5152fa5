/** The training loads of the benches: the paper's one moon, its MNIST, and a graph that exceeds every cache. */

import { loadMnist, oneMoon, swissRoll } from '../../datasets/index.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { runSync } from '../../lib/core/task.ts';
import { evaluateLayersSteps } from '../../lib/network/bodies/network.ts';
import type { TrainOptions } from '../../lib/spectral/train/options.ts';
import { trainSteps } from '../../lib/spectral/train/train.ts';
import { joined, type TrainingCase } from '../competitors/tfjs-training.ts';

export interface Load extends TrainingCase {
  readonly name: string;
  readonly batch: number;
}

const someRows = 1000;
/** Seed of points, networks and batches. */
export const seed = 1;
/** As in the paper. */
const rate = 1e-3;
const mnistRate = 1e-4;

/** The neighborhood of a batch has about 610 rows. */
export async function moonLoad(): Promise<Load> {
  const { points } = oneMoon({ seed });
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  return { name: 'one moon 2000, 2-128-2', graph, points, network: new Mlp([2, 128, 2], { seed }), batch: 4, rate };
}

export async function mnistLoad(n: number, batch = 2): Promise<Load> {
  const { points } = (await loadMnist({ train: n, test: 1, seed })).train;
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
  const network = new Mlp([784, 256, 256, 6], { seed });
  return { name: `MNIST ${n}, 784-256-256-6`, graph, points, network, batch, rate: mnistRate };
}

export async function rollLoad(n: number): Promise<Load> {
  const { points } = swissRoll({ n, seed });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
  const network = new Mlp([3, 256, 256, 8], { seed });
  return { name: `Swiss roll ${n}, 3-256-256-8`, graph, points, network, batch: 256, rate };
}

export function sizeOf({ name, batch }: Load): string {
  return `${name}, batch ${batch}`;
}

/** Training steps on a fresh copy of the network. The trainer itself makes them and yields after each step. */
export function stepsOf(
  { graph, points, network, batch, rate: speed }: Load,
  options: Pick<TrainOptions, 'method' | 'scheme'> = {},
): {
  step(): void;
  parameters(): Float32Array;
  /** The fraction of nonzero outputs of the first hidden layer after ReLU, on some of the points. */
  left(): number;
} {
  const own = network.copy();
  const work = trainSteps(graph, own, points, { batch, rate: speed, seed, epochs: 2 ** 31 - 1, ...options });
  return {
    step: () => void work.next(),
    parameters: () => joined(own.parameters.map(({ data }) => data)),
    left: () => {
      const first = evaluateLayersSteps('bench', own.layers.slice(0, 1), points.rowRange(0, someRows));
      const { data } = runSync(first);
      return Array.from(data).filter((value) => value > 0).length / data.length;
    },
  };
}
