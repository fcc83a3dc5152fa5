/** Times of training steps with Adam, as in the paper: SpecNet2-neighbor against the same steps in tfjs, and all other schemes. */

import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../lib/core/random.ts';
import { batchNeighbors } from '../../lib/graph/batch-neighbors.ts';
import { batchesOf } from '../../lib/spectral/descent/batches.ts';
import { methods } from '../../lib/spectral/descent/objective.ts';
import { schemes } from '../../lib/spectral/descent/view.ts';
import { setThreads } from '../../lib/wasm/set-threads.ts';
import { bothTwins } from '../loads/data.ts';
import { sequentially } from '../sequentially.ts';
import { type Load, mnistLoad, moonLoad, rollLoad, seed, sizeOf, stepsOf } from '../loads/loads.ts';
import { type Competitor, local } from '../measure.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';
import { tfjsTraining } from '../competitors/tfjs-training.ts';

/**
 * A step of tfjs consists of dozens of operations, and the engine compiles them only after hundreds of steps: rounds
 * are this many times longer.
 */
const patience = 10;
/** Rounds with threads are this many times as many and this many times shorter. */
const shorter = 4;
/** Milliseconds until the workers have started, and until the engine has compiled their code. */
const [startUp, warmUp] = [100, 200];

/** The six configurations of the paper. */
const allSchemes = methods.flatMap((method) => schemes.map((scheme) => ({ method, scheme })));
/** Those whose steps do not evaluate all images, at the batch of the paper's local scheme. */
const partialSchemes = allSchemes.filter(({ scheme }) => scheme !== 'full');
const wideBatch = 45;

export const train: Group = async (given) => {
  const { rounds, milliseconds } = given.pace;
  const context = { ...given, pace: { rounds, milliseconds: patience * milliseconds } };
  bothTwins();
  const moon = await moonLoad();
  const rows = [await measureEpoch(context, moon), await measureStep(context, moon)];
  rows.push(...(await sequentially(allSchemes, (each) => measureScheme(context, moon, each))));
  context.say('the graph of MNIST');
  const mnist = await mnistLoad(context.quick ? 5000 : 20_000);
  const ofEight = { ...mnist, batch: 8 };
  rows.push(...(await sequentially([mnist, ofEight], (load) => measureStep(context, load))));
  const wide = { ...mnist, batch: wideBatch };
  rows.push(...(await sequentially(partialSchemes, (each) => measureScheme(context, wide, each))));
  rows.push(...(await sequentially([moon, mnist, ofEight], (load) => measureThreads(context, load))));
  context.say('a large graph');
  rows.push(await measureThreads(context, await rollLoad(context.quick ? 100_000 : 1_000_000)));
  setThreads(1);
  context.note(
    'A step is forward over N(B), the seed gradient by tracked moments, backward over B, and Adam. Rates count zeros.',
  );
  return rows;
};

/** Draws the same batches as the trainer. */
function batchesLikeOurs({ graph, batch }: Load): () => Int32Array {
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

async function measureStep(context: Context, load: Load): Promise<Row> {
  const { step, parameters } = stepsOf(load);
  const tf = await context.peers.tfjs();
  const rivals: Competitor[] = tf
    ? await sequentially(['wasm', 'cpu'] as const, (backend) => tfjsTraining(tf, backend, load, batchesLikeOurs(load)))
    : [];
  return measureRow(context, 'step', sizeOf(load), workOf(load, 1), [local('ours', step, parameters), ...rivals]);
}

/**
 * Compares the same training on two threads and on the caller's thread alone. Rounds are more and shorter, because all
 * processors are rarely idle at the same time, and never for long.
 */
async function measureThreads(given: Context, load: Load): Promise<Row> {
  const { rounds, milliseconds } = given.pace;
  const context = { ...given, pace: { rounds: shorter * rounds, milliseconds: milliseconds / shorter } };
  const threaded = (name: string, threads: number): Competitor => {
    const { step, parameters } = stepsOf(load);
    let calls = 0;
    return local(name, step, parameters, async () => {
      setThreads(threads);
      step();
      if (threads > 1) await pause(startUp);
      // In the first round no extra steps run, because parameters are compared. Later rounds let new workers warm up first.
      const end = performance.now() + (calls++ > 0 ? warmUp : 0);
      do step();
      while (performance.now() < end);
    });
  };
  const competitors = [threaded('ours', 2), threaded('1 thread', 1)];
  return measureRow(context, 'step, 2 threads', sizeOf(load), workOf(load, 1), competitors);
}

/** A step of a method by a scheme. Rates of work are not comparable between schemes, so none is given. */
async function measureScheme(
  context: Context,
  load: Load,
  { method, scheme }: (typeof allSchemes)[number],
): Promise<Row> {
  // At the usual rate, some of these trainings collapse within the many steps of a measurement.
  const { step, parameters } = stepsOf({ ...load, rate: 1e-7 }, { method, scheme });
  const { rate: _, ...row } = await measureRow(context, `step, ${method} ${scheme}`, sizeOf(load), workOf(load, 1), [
    local('ours', step, parameters),
  ]);
  return { ...row, rate: null };
}

async function measureEpoch(context: Context, load: Load): Promise<Row> {
  const { step, parameters } = stepsOf(load);
  const steps = Math.ceil(load.graph.size / load.batch);
  const epoch = (): void => {
    for (let k = 0; k < steps; k++) step();
  };
  const size = `${load.name}, ${steps} steps`;
  return measureRow(context, 'epoch', size, workOf(load, steps), [local('ours', epoch, parameters)]);
}

/** Operations of a forward pass over N(B), and of a backward pass over B at twice the cost per row. */
function workOf({ graph, network, batch }: Load, steps: number) {
  const weights = network.layers.reduce((sum, layer) => sum + layer.weights.size, 0);
  const [rows] = batchNeighbors(graph, [batch]);
  return { amount: 2 * steps * weights * (rows + 2 * batch), unit: 'flop' } as const;
}
