/** How is a training watched, kept after every epoch, and taken up again? The same for all data. */

import { loadTraining, saveTraining } from '../../embedding/model/model-file.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Points } from '../../network/layers/inputs.ts';
import { Mlp } from '../../network/bodies/mlp.ts';
import type { Method } from '../../spectral/descent/objective.ts';
import { train } from '../../spectral/train/train.ts';
import type { TrainOptions } from '../../spectral/train/options.ts';
import type { Scheme } from '../../spectral/descent/view.ts';
import type { JobContext } from './experiment.ts';
import { rounded, shortened } from './statistics.ts';

/** The paper's way to train, in values that JSON holds. */
export interface TrainingTask {
  readonly method: Method;
  readonly scheme: Scheme;
  readonly batch: number;
  readonly rate: number;
  readonly hidden: readonly number[];
  readonly epochs: number;
  /** Of the network's first weights and of the batches. */
  readonly start: number;
  readonly pencil: 'random-walk' | 'symmetric';
  /** Whether coordinates are kept for a picture. */
  readonly shown: boolean;
}

/** Of errors and accuracies of a training, which change more than that from one epoch to the next. */
const digits = 5;

/** What is kept: all that the rest of the job depends on. */
interface Kept {
  readonly training: Uint8Array;
  readonly rows: number[][];
  readonly seconds: number[];
}

export interface Trained {
  readonly network: Mlp;
  /** What `look` has seen after each epoch. */
  readonly rows: readonly (readonly number[])[];
  /** Of training alone, so far, after each epoch. */
  readonly seconds: readonly number[];
}

/**
 * As in the paper, SpecNet1 learns one output more, for it keeps the trivial vector, and SpecNet2 has it taken out of W.
 * `look` says what there is to see in the network after an epoch; its time does not count.
 */
export async function trainAndLook(
  graph: Graph,
  points: Points,
  components: number,
  task: TrainingTask,
  context: JobContext,
  look: (network: Mlp) => ArrayLike<number>,
): Promise<Trained> {
  const { method, scheme, batch, rate, hidden, epochs, start, pencil } = task;
  const network = networkFor(points.cols, hidden, method, components, start);
  const kept = context.savedState as Kept | undefined;
  const [rows, seconds] = [kept?.rows ?? [], kept?.seconds ?? []];
  const from = kept && loadTraining(kept.training);
  const earlier = seconds.at(-1) ?? 0;
  const began = context.now();
  let looking = 0;
  const options: TrainOptions = {
    method,
    scheme,
    batch,
    rate,
    epochs,
    pencil,
    deflate: keepsTrivial[method] === 0,
    seed: start,
    ...(from && { from }),
    onEpoch({ epoch, state }) {
      const paused = context.now();
      seconds.push(rounded(earlier + paused - began - looking));
      rows.push(shortened(look(network), digits));
      context.saveState({ training: saveTraining(state()), rows, seconds } satisfies Kept);
      context.progress(epoch / epochs);
      looking += context.now() - paused;
    },
  };
  await train(graph, network, points, options);
  return { network, rows, seconds };
}

/** How many outputs more than wanted components. */
export const keepsTrivial: Record<Method, 0 | 1> = { specnet1: 1, specnet2: 0 };

function networkFor(inputs: number, hidden: readonly number[], method: Method, components: number, start: number): Mlp {
  return new Mlp([inputs, ...hidden, components + keepsTrivial[method]], { seed: start });
}
