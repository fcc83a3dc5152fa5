/** Training of a network by SpecNet1 or SpecNet2: assembles the parts of a step and runs it in the loop. */

import { badValue } from '../../core/check.ts';
import { defined } from '../../core/options.ts';
import type { Task } from '../../core/task.ts';
import { type Graph, scaledGraph } from '../../graph/graph.ts';
import { chainOf } from '../../network/layers/chain.ts';
import { batchesOf } from '../descent/batches.ts';
import { Descent } from '../descent/descent.ts';
import { Inclusion } from '../descent/inclusion.ts';
import { correctedMoments, measureAll, measuredMoments, trackedMoments, zeroMoments } from '../descent/moments.ts';
import { NetworkRows } from '../descent/rows/network-rows.ts';
import { leastBatch, type Method, objectives } from '../descent/objective.ts';
import { stepperOf } from '../descent/step-rule.ts';
import { networkViewers, type Scheme } from '../descent/view.ts';
import { pencilOf } from '../pencil/pencil.ts';
import { stepsOnly, TrainingLoop } from './loop.ts';
import { caller, checkLoop, checkOutputs, checkShared, checkState, fallingRate, refuse } from './options.ts';
import { type Training, type TrainingState, usualEpochs, usualLength } from './options.ts';

const rates: Record<Method, number> = { specnet1: 1e-4, specnet2: 1e-3 };
const defaults = {
  method: 'specnet2',
  scheme: 'neighbor',
  moments: 'tracked',
  order: 'shuffled',
  epochs: 100,
  optimizer: { kind: 'adam' },
  weighted: false,
  scale: 'plain',
  pencil: 'random-walk',
  deflate: true,
  seed: 0,
} as const;
const momentSources = { tracked: trackedMoments, corrected: correctedMoments } as const;
/** The default batch has at least 4 rows, and an epoch has at most 500 steps. */
const batchDefaults = { least: 4, stepsPerEpoch: 500 } as const;
/**
 * Defaults for corrected moments. Larger batches have less noise, and the falling rate averages out most of the rest. A batch sees
 * at most the fraction `mostSeen` of all rows: more rows would add work but hardly any information. docs/embedding.md has the figures.
 */
const correctedDefaults = { scale: 'calibrated', batch: 64, mostSeen: 3 / 4, rate: { from: 4e-3, to: 1e-5 } } as const;

export function* trainSpecnetSteps(training: Training): Task<TrainingState> {
  const settings = resolveSpecnet(training);
  const { graph, network, options } = training;
  const { method, scheme, weighted } = settings;
  const { outputs: width, precision } = network;
  const scaled = settings.scale === 'calibrated' ? scaledGraph(graph, graph.size ** 2 / graph.volume) : graph;
  const pencil = pencilOf(caller, scaled, settings.pencil, settings.deflate, precision);
  const { from } = options;
  const loop = new TrainingLoop(training, settings);
  const { input, optimizer } = loop;
  // The neighbor scheme keeps all rows as they were last computed (Y₀ of the paper), and their moments.
  const table = scheme === 'neighbor' ? (from?.rows?.copy() ?? network.evaluate(input)) : null;
  const record = zeroMoments(width);
  if (table) measureAll(pencil, table.data, record);
  const chain = chainOf(caller, network.layers, input);
  const { through, rate } = settings;
  const descent = new Descent({
    caller,
    look: networkViewers[scheme](pencil),
    rows: new NetworkRows({ width, precision, chain, optimizer, rate, through, table }),
    moments: table ? momentSources[settings.moments](record, table, pencil) : measuredMoments(width),
    objective: objectives[method],
    stepper: stepperOf({ precondition: weighted ? 'degree' : 'none', length: 1 }, width, precision),
    rotation: { orthogonalize: 'gram', rotate: 'before' },
    from: { growth: 0, flops: from?.flops ?? 0 },
  });
  return yield* loop.runSteps({
    ...stepsOnly,
    batches: (random) =>
      batchesOf(graph.size, settings.batch, settings.order, random, leastBatch(method, scheme, width)),
    step: (batch) => descent.step(batch),
    // The moments are measured anew, so that rounding does not accumulate in the record.
    finish() {
      if (table) measureAll(pencil, table.data, record);
    },
    get flops() {
      return descent.counters.flops;
    },
    state: () => ({ scheme, rows: table?.copy() ?? null }),
  });
}

function resolveSpecnet(training: Training) {
  const { graph, network, options } = training;
  checkShared(training);
  refuse(options, ['refresh']);
  const given = defined(options) as Training['options'] & { readonly method?: Method; readonly scheme?: Scheme };
  const usual = given.moments === 'corrected' ? correctedSettings(graph, given) : paperSettings(graph.size, given);
  const all = { ...defaults, ...usual, ...given };
  const { method, scheme } = all;
  const { through = method === 'specnet1' && scheme !== 'neighbor' } = options;
  const settings = { ...all, through };
  checkLoop(graph, settings);
  if (all.batch < leastBatch(method, scheme, network.outputs)) {
    throw badValue(caller, `batches of at least ${network.outputs} rows, one for each output`, all.batch);
  }
  if (through && scheme === 'neighbor') {
    throw badValue(caller, 'through with the local or the full scheme', "'neighbor'");
  }
  if (all.moments === 'corrected') checkCorrected(all);
  checkOutputs(training, all.deflate);
  checkState(training, settings, scheme);
  return settings;
}

function paperSettings(size: number, { method = defaults.method }: { readonly method?: Method }) {
  const { least, stepsPerEpoch } = batchDefaults;
  return { batch: Math.min(size, Math.max(least, Math.ceil(size / stepsPerEpoch))), rate: rates[method] };
}

function correctedSettings(graph: Graph, given: Training['options']) {
  const { scale, rate } = correctedDefaults;
  const { batch = correctedBatch(graph) } = given;
  const { epochs = usualEpochs(graph, batch, usualLength) } = given;
  return { scale, batch, epochs, rate: fallingRate(graph, rate, batch, epochs) };
}

/** 64 rows, halved until a batch sees few enough rows or has the least default size. */
function correctedBatch(graph: Graph): number {
  const inclusion = new Inclusion(graph.weights);
  let batch = Math.min(graph.size, correctedDefaults.batch);
  while (batch > batchDefaults.least && inclusion.expectedSupport(batch) > correctedDefaults.mostSeen * graph.size) {
    batch = Math.max(batchDefaults.least, Math.floor(batch / 2));
  }
  return batch;
}

/** Refuses settings whose batches have no known probabilities, or for which the correction is of no use. */
function checkCorrected({ method, scheme, order }: { method: string; scheme: string; order: string }): void {
  const rule = (text: string, got: string): RangeError =>
    badValue(caller, `corrected moments with ${text}`, `'${got}'`);
  if (scheme !== 'neighbor') throw rule("scheme 'neighbor'; the others measure their moments", scheme);
  if (order === 'cyclic') throw rule("order 'random' or 'shuffled', whose batches have known probabilities", order);
  // SpecNet1 takes the Cholesky factor of the moments, and an unbiased estimate of a Gram matrix need not have one.
  if (method !== 'specnet2') throw rule("method 'specnet2'", method);
}
