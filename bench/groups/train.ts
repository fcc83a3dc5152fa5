/** How long does a network learn? Steps of SpecNet2-neighbor with Adam, as in the paper, against the same steps in tfjs. */

import { loadMnist, oneMoon } from '../../datasets/index.ts';
import { Random } from '../../lib/core/random.ts';
import { batchNeighbors } from '../../lib/graph/batch-neighbors.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { Mlp } from '../../lib/network/mlp.ts';
import { batchesOf } from '../../lib/spectral/batches.ts';
import { training } from '../../lib/spectral/train.ts';
import { bothTwins } from '../data.ts';
import { inTurn } from '../in-turn.ts';
import { type Competitor, local } from '../measure.ts';
import { type Context, type Group, measureRow, type Row } from '../row.ts';
import { joined, tfjsTraining, type TrainingCase } from '../tfjs-training.ts';

interface Setting extends TrainingCase {
  readonly name: string;
  readonly batch: number;
}

const seed = 1;
const rate = 1e-3;

/** A step of tfjs is dozens of operations, which the engine takes some hundreds of steps to make fast: longer rounds. */
const patience = 10;

export const train: Group = async (given) => {
  const { rounds, milliseconds } = given.pace;
  const context = { ...given, pace: { rounds, milliseconds: patience * milliseconds } };
  bothTwins();
  const moon = await onMoon();
  const rows = [await measureEpoch(context, moon), await measureStep(context, moon)];
  context.say('the graph of MNIST');
  rows.push(await measureStep(context, await onMnist(context.quick ? 5000 : 20_000)));
  context.note(
    'A step is forward over N(B), the seed gradient by tracked moments, backward over B, and Adam. Rates count zeros.',
  );
  return rows;
};

async function onMoon(): Promise<Setting> {
  const { points } = oneMoon({ seed });
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  return { name: 'one moon 2000, 2-128-2', graph, points, network: new Mlp([2, 128, 2], { seed }), batch: 4, rate };
}

async function onMnist(n: number): Promise<Setting> {
  const { points } = (await loadMnist({ train: n, test: 1, seed })).train;
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
  const network = new Mlp([784, 256, 256, 6], { seed });
  return { name: `MNIST ${n}, 784-256-256-6`, graph, points, network, batch: 2, rate };
}

/** The work of the trainer itself, which lets others in after each step. */
function stepper({ graph, points, network, batch }: Setting): { step(): void; parameters(): Float32Array } {
  const own = network.copy();
  const work = training(graph, own, points, { batch, rate, seed, epochs: 2 ** 31 - 1 });
  return {
    step: () => void work.next(),
    parameters: () => joined(own.parameters.map(({ data }) => data)),
  };
}

/** Batches as the trainer draws them. */
function batchesLikeOurs({ graph, batch }: Setting): () => Int32Array {
  const random = new Random(seed).fork('batches');
  const epoch = (): Generator<Int32Array> => batchesOf(graph.size, batch, 'shuffled', random);
  let batches = epoch();
  return () => {
    let next = batches.next();
    if (next.done) {
      batches = epoch();
      next = batches.next();
    }
    return next.value as Int32Array;
  };
}

async function measureStep(context: Context, setting: Setting): Promise<Row> {
  const { step, parameters } = stepper(setting);
  const tf = await context.peers.tfjs();
  const rivals: Competitor[] = tf
    ? await inTurn(['wasm', 'cpu'] as const, (backend) => tfjsTraining(tf, backend, setting, batchesLikeOurs(setting)))
    : [];
  const size = `${setting.name}, batch ${setting.batch}`;
  return measureRow(context, 'step', size, workOf(setting, 1), [local('ours', step, parameters), ...rivals]);
}

async function measureEpoch(context: Context, setting: Setting): Promise<Row> {
  const { step, parameters } = stepper(setting);
  const steps = Math.ceil(setting.graph.size / setting.batch);
  const epoch = (): void => {
    for (let k = 0; k < steps; k++) step();
  };
  const size = `${setting.name}, ${steps} steps`;
  return measureRow(context, 'epoch', size, workOf(setting, steps), [local('ours', epoch, parameters)]);
}

/** Forward over N(B), twice as much over B backward. */
function workOf({ graph, network, batch }: Setting, steps: number) {
  const weights = network.layers.reduce((sum, layer) => sum + layer.weights.size, 0);
  const [rows] = batchNeighbors(graph, [batch]);
  return { amount: 2 * steps * weights * (rows + 2 * batch), unit: 'flop' } as const;
}
