/** Training of a network by SpecNet1 or SpecNet2: assembles the parts of a step and runs it in the loop. */

import { badValue } from '../../core/check.ts';
import { defined } from '../../core/options.ts';
import { subtask, type Task } from '../../core/task.ts';
import { type Graph, scaledGraph } from '../../graph/graph.ts';
import { evaluateLayersSteps } from '../../network/bodies/network.ts';
import { chainOf } from '../../network/layers/chain.ts';
import { takerOf, toKernelFormat } from '../../network/layers/inputs.ts';
import { batchesOf } from '../descent/batches.ts';
import { Descent } from '../descent/descent.ts';
import { inclusionIn } from '../descent/inclusion.ts';
import { correctedMoments, measureGroups, measuredMoments, type MomentSource } from '../descent/moments.ts';
import { trackedMoments, zeroMoments } from '../descent/moments.ts';
import { NetworkRows, type NetworkRowsOptions } from '../descent/rows/network-rows.ts';
import { leastBatch, type Method, objectives } from '../descent/objective.ts';
import { stepperOf } from '../descent/step-rule.ts';
import { networkViewers, type Scheme, type Viewer } from '../descent/view.ts';
import { type Pencil, pencilOf } from '../pencil/pencil.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { checkCorrected, type CorrectedSource, correctedSettings, leastDefaultBatch } from './corrected.ts';
import { type Procedure, sourceOf, stepsOnly, TrainingLoop } from './loop.ts';
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
  checkShared(training);
  const { graph, network, points, options } = training;
  const settings = resolveSpecnet(training, {
    inclusion: () => inclusionIn(graph.weights),
    take: (rows) => takerOf(points)(rows),
  });
  const { scheme } = settings;
  checkState(training, settings, scheme);
  const { outputs: width, precision } = network;
  const scaled = settings.scale === 'calibrated' ? scaledGraph(graph, graph.size ** 2 / graph.volume) : graph;
  const pencil = pencilOf(caller, scaled, settings.pencil, settings.deflate, precision);
  const input = toKernelFormat(points);
  const loop = new TrainingLoop(training, settings, sourceOf(graph, input));
  // The neighbor scheme keeps all rows as they were last computed (Y₀ of the paper), and their moments. The loop has restored the
  // parameters that they are computed with.
  const firstSteps = (): Task<Tensor> => evaluateLayersSteps(caller, network.layers, input);
  const table = scheme === 'neighbor' ? (options.from?.rows?.copy() ?? (yield* subtask(firstSteps(), 0, 0))) : null;
  const record = zeroMoments(width);
  const chain = chainOf(caller, network.layers, input);
  const parts = {
    size: graph.size,
    look: networkViewers[scheme](pencil),
    chain,
    table,
    moments: table ? momentSources[settings.moments](record, table, pencil) : measuredMoments(width),
    measure() {
      if (table) measureGroups(graph.size, rowsOf(pencil, width, table), record);
    },
    state: () => ({ scheme, rows: table?.copy() ?? null }),
  };
  parts.measure();
  return yield* loop.runSteps(specnetProcedure(training, settings, loop, parts));
}

/** Rows from … to − 1 of a table, with their D and η. */
function rowsOf({ mass, eta }: Pencil, width: number, { data }: Tensor) {
  return (from: number, to: number) => ({
    supportMass: mass.subarray(from, to),
    supportEta: eta && eta.subarray(from, to),
    data: data.subarray(from * width, to * width),
  });
}

/** The parts of a training by SpecNet that depend on where the graph and the points are: in memory or in files. */
export interface SpecnetParts extends Pick<NetworkRowsOptions, 'chain' | 'table'>, Pick<Procedure, 'state'> {
  readonly size: number;
  readonly look: Viewer;
  readonly moments: MomentSource;
  /** Measures the record of the moments anew, so that rounding does not accumulate in it. */
  measure(): void;
}

/** The procedure that makes the steps of SpecNet1 and SpecNet2. */
export function specnetProcedure(
  { network, options }: Pick<Training, 'network' | 'options'>,
  settings: SpecnetSettings,
  { optimizer }: TrainingLoop,
  { size, look, chain, table, moments, measure, state }: SpecnetParts,
): Procedure {
  const { outputs: width, precision } = network;
  const { method, scheme, through, rate, weighted } = settings;
  const descent = new Descent({
    caller,
    look,
    rows: new NetworkRows({ width, precision, chain, optimizer, rate, through, table }),
    moments,
    objective: objectives[method],
    stepper: stepperOf(caller, { precondition: weighted ? 'degree' : 'none', length: 1 }, width, precision),
    rotation: { orthogonalize: 'gram', rotate: 'before' },
    from: { growth: 0, flops: options.from?.flops ?? 0 },
  });
  return {
    ...stepsOnly,
    batches: (random) => batchesOf(size, settings.batch, settings.order, random, leastBatch(method, scheme, width)),
    step: (batch) => descent.step(batch),
    finish: measure,
    get flops() {
      return descent.counters.flops;
    },
    state,
  };
}

/** A training on a graph in memory or in files. */
type SpecnetTraining = Pick<Training, 'network' | 'options'> & { readonly graph: Pick<Graph, 'size'> };
export type SpecnetSettings = ReturnType<typeof resolveSpecnet>;

/** The settings of a training. Defaults of corrected moments depend on the source. */
export function resolveSpecnet(training: SpecnetTraining, source: CorrectedSource) {
  const { graph, network, options } = training;
  refuse(options, ['refresh']);
  const given = defined(options) as Training['options'] & { readonly method?: Method; readonly scheme?: Scheme };
  const usual =
    given.moments === 'corrected' ? correctedSettings(source, graph, given) : paperSettings(graph.size, given);
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
  if (method === 'specnet1') refuse(options, ['weighted'], 'SpecNet1, whose gradients are divided by degrees already');
  checkOutputs(training, all.deflate);
  return settings;
}

function paperSettings(size: number, { method = defaults.method }: { readonly method?: Method }) {
  return { batch: Math.min(size, Math.max(leastDefaultBatch, Math.ceil(size / usualSteps))), rate: rates[method] };
}
