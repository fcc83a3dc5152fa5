/** Training of a network by SpecNet1 or SpecNet2: assembles the parts of a step and runs it in the loop. */

import { badValue } from '../../core/check.ts';
import { defined } from '../../core/options.ts';
import type { Task } from '../../core/task.ts';
import { scaledGraph } from '../../graph/graph.ts';
import { chainOf } from '../../network/layers/chain.ts';
import { batchesOf } from '../descent/batches.ts';
import { Descent } from '../descent/descent.ts';
import { correctedMoments, measureAll, measuredMoments, trackedMoments, zeroMoments } from '../descent/moments.ts';
import { NetworkRows } from '../descent/rows/network-rows.ts';
import { leastBatch, type Method, objectives } from '../descent/objective.ts';
import { stepperOf } from '../descent/step-rule.ts';
import { networkViewers, type Scheme } from '../descent/view.ts';
import { pencilOf } from '../pencil/pencil.ts';
import { checkCorrected, correctedSettings, leastDefaultBatch } from './corrected.ts';
import { stepsOnly, TrainingLoop } from './loop.ts';
import { caller, checkLoop, checkOutputs, checkShared, checkState, refuse } from './options.ts';
import type { Training, TrainingState } from './options.ts';

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
/** An epoch has at most this many steps by default. */
const usualSteps = 500;

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
  const usual = given.moments === 'corrected' ? correctedSettings(training) : paperSettings(graph.size, given);
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
  return { batch: Math.min(size, Math.max(leastDefaultBatch, Math.ceil(size / usualSteps))), rate: rates[method] };
}
