/** Trains a network with measurements and a saved state after every epoch, for all data sets. */

import { loadTraining, saveTraining } from '../../embedding/model/model-file.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Points } from '../../network/layers/inputs.ts';
import type { Rate } from '../../network/optimizer/schedule.ts';
import { Mlp } from '../../network/bodies/mlp.ts';
import type { MomentKind } from '../../spectral/descent/moments.ts';
import type { Method } from '../../spectral/descent/objective.ts';
import { train } from '../../spectral/train/train.ts';
import type { TrainOptions } from '../../spectral/train/options.ts';
import type { Scheme } from '../../spectral/descent/view.ts';
import type { JobContext } from './experiment.ts';
import { roundSeconds, roundDigits } from './statistics.ts';

/** The settings of a training, as JSON values. */
export interface TrainingTask {
  readonly method: Method;
  readonly scheme: Scheme;
  readonly batch: number;
  readonly rate: Rate;
  /** Default: 'tracked', as in the paper. */
  readonly moments?: MomentKind;
  /** Default: 'plain', as in the paper. */
  readonly scale?: 'plain' | 'calibrated';
  readonly hidden: readonly number[];
  readonly epochs: number;
  /** The seed of the initial weights and of the batches. */
  readonly start: number;
  readonly pencil: 'random-walk' | 'symmetric';
  /** Whether the result includes coordinates for a figure. */
  readonly shown: boolean;
}

/** Digits of errors and accuracies, which change by more than that from one epoch to the next. */
const digits = 5;

/** The saved state: everything that the rest of the job depends on. */
interface SavedTraining {
  readonly training: Uint8Array;
  readonly rows: number[][];
  readonly seconds: number[];
}

export interface Trained {
  readonly network: Mlp;
  /** The values of `measure` after each epoch. */
  readonly rows: readonly (readonly number[])[];
  /** The total training time after each epoch, without measurements. */
  readonly seconds: readonly number[];
}

/**
 * Trains with as many outputs as in the paper: SpecNet1 has one more output, for the trivial vector, and SpecNet2 deflates W. `measure` is called
 * after every epoch; its time is not counted.
 */
export async function trainAndMeasure(
  graph: Graph,
  points: Points,
  components: number,
  task: TrainingTask,
  context: JobContext,
  measure: (network: Mlp) => ArrayLike<number>,
): Promise<Trained> {
  const { method, scheme, batch, rate, hidden, epochs, start, pencil, moments, scale } = task;
  const network = networkFor(points.cols, hidden, method, components, start);
  const saved = context.savedState as SavedTraining | undefined;
  const [rows, seconds] = [saved?.rows ?? [], saved?.seconds ?? []];
  const from = saved && loadTraining(saved.training);
  const earlierSeconds = seconds.at(-1) ?? 0;
  const startTime = context.now();
  let measuringSeconds = 0;
  const options: TrainOptions = {
    method,
    scheme,
    batch,
    rate,
    epochs,
    pencil,
    ...(moments && { moments }),
    ...(scale && { scale }),
    // As in the paper, also where the defaults of corrected moments differ.
    ...(method === 'specnet2' && { weighted: false }),
    optimizer: { kind: 'adam' },
    deflate: trivialOutputs[method] === 0,
    seed: start,
    ...(from && { from }),
    onEpoch({ epoch, state }) {
      const pauseTime = context.now();
      seconds.push(roundSeconds(earlierSeconds + pauseTime - startTime - measuringSeconds));
      rows.push(roundDigits(measure(network), digits));
      context.saveState({ training: saveTraining(state()), rows, seconds } satisfies SavedTraining);
      context.progress(epoch / epochs);
      measuringSeconds += context.now() - pauseTime;
    },
  };
  await train(graph, network, points, options);
  return { network, rows, seconds };
}

/** The number of outputs for trivial vectors. */
export const trivialOutputs: Record<Method, 0 | 1> = { specnet1: 1, specnet2: 0 };

function networkFor(inputs: number, hidden: readonly number[], method: Method, components: number, start: number): Mlp {
  return new Mlp([inputs, ...hidden, components + trivialOutputs[method]], { seed: start });
}
