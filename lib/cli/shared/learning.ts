/** The part of `embed` and `cluster` that learns a model: options from flags, checkpoints and progress. */

import type { ModelOptions } from '../../embedding/model-options.ts';
import type { FitOptions } from '../../embedding/spectral-embedding.ts';
import type { LandmarkReport } from '../../spectral/regression/choose-landmarks.ts';
import { formatNumber } from '../../charts/table.ts';
import type { EpochState } from '../../spectral/train/options.ts';
import { UsageError } from './arguments.ts';
import { Checkpoint } from './checkpoint.ts';
import type { Call } from './command.ts';
import { type FlagName, type Flags, modelFlags } from '../flags/flags.ts';
import { oneOf } from '../flags/kinds.ts';

export type LearnedMethod = NonNullable<ModelOptions['method']>;
export type EmbedMethod = NonNullable<Flags['method']>;

/** The flags that each method accepts. */
const flagsOfMethod: Record<EmbedMethod, readonly FlagName[]> = {
  eigen: ['components'],
  regression: modelFlags.filter((name) => name !== 'scheme' && name !== 'moments'),
  ritz: modelFlags.filter((name) => name !== 'scheme' && name !== 'moments'),
  specnet1: modelFlags.filter((name) => name !== 'landmarks' && name !== 'moments'),
  specnet2: modelFlags.filter((name) => name !== 'landmarks'),
};

/** The flags of training. A model on landmarks is not trained and accepts none of them. */
const trainingFlags = ['batch', 'rate', 'epochs', 'checkpoint'] as const;

/** Rejects flags that do not apply to the method. */
export function checkMethodFlags(method: EmbedMethod, flags: Flags): void {
  const unsupported = modelFlags.find(
    (name) => name !== 'method' && flags[name] !== undefined && !flagsOfMethod[method].includes(name),
  );
  if (!unsupported) {
    if (flags.landmarks !== undefined && flags.hidden) {
      throw new UsageError('expected --landmarks without --hidden, got both. A network has no landmarks.');
    }
    const unused = trainingFlags.find((name) => flags[name] !== undefined);
    if ((method !== 'regression' && method !== 'ritz') || flags.hidden || !unused) return;
    throw new UsageError(`expected --${unused} with --hidden, or with --method specnet1 or specnet2, got neither.`);
  }
  const accepting = Object.entries(flagsOfMethod).flatMap(([other, names]) =>
    names.includes(unsupported) ? [other] : [],
  );
  throw new UsageError(`expected --${unsupported} with --method ${oneOf(accepting)}, got ${method}.`);
}

/** Whether a network is trained. The hidden layers of a Ritz head are trained only if a flag of training is given. */
function trainsNetwork(method: LearnedMethod, flags: Flags): boolean {
  if (method === 'specnet1' || method === 'specnet2') return true;
  if (!flags.hidden) return false;
  return method === 'regression' || trainingFlags.some((name) => flags[name] !== undefined);
}

/** The options of an estimator, and the measurements of its training. */
export interface Learning {
  readonly options: ModelOptions;
  readonly fitOptions: Pick<FitOptions, 'progress' | 'signal'>;
  /** The training steps of this run, and the seconds from `prepareLearning` to the last of them. */
  trainingSteps(): { readonly steps: number; readonly seconds: number };
  /** Resolves as `fitting` does, after the last checkpoint is on disk. */
  finish<T>(fitting: Promise<T>): Promise<T>;
}

/** Opens the checkpoint that the flags name. Undefined if they name none. */
export async function openCheckpoint(method: EmbedMethod, flags: Flags): Promise<Checkpoint | undefined> {
  const { scheme = 'neighbor', checkpoint: path } = flags;
  if (path === undefined || method === 'eigen') return undefined;
  const hasScheme = method === 'specnet1' || method === 'specnet2';
  return Checkpoint.open(path, hasScheme ? { method, scheme } : { method, scheme: null });
}

/** Derives the options from the flags. Starts the clock of training. */
export function prepareLearning(method: LearnedMethod, call: Call, checkpoint: Checkpoint | undefined): Learning {
  const { flags, progress } = call;
  const isTrained = trainsNetwork(method, flags);
  const { components, landmarks, hidden, scheme, moments, batch, rate, epochs, seed = 0 } = flags;
  const earlierSteps = checkpoint?.resumeFrom?.optimizer.steps ?? 0;
  const start = call.seconds();
  let trainingSteps = { steps: 0, seconds: 0 };
  let epochsDone = checkpoint?.resumeFrom?.epoch ?? 0;
  const onEpoch = ({ epoch, steps, state }: EpochState): void => {
    epochsDone = epoch;
    trainingSteps = { steps: steps - earlierSteps, seconds: call.seconds() - start };
    checkpoint?.save(state());
  };
  const training = {
    onEpoch,
    ...(scheme && { scheme }),
    ...(moments && { moments }),
    ...(batch !== undefined && { batch }),
    ...(rate !== undefined && { rate }),
    ...(epochs !== undefined && { epochs }),
    ...(checkpoint?.resumeFrom && { from: checkpoint.resumeFrom }),
  };
  return {
    options: {
      method,
      seed,
      ...(components !== undefined && { components }),
      ...(landmarks !== undefined && { landmarks }),
      ...(hidden && { hidden }),
      ...(isTrained && { training }),
    },
    fitOptions: {
      progress: (fraction) => {
        const position = !isTrained ? '' : `, epoch ${epochsDone + 1}`;
        progress.show(`learning by ${method}${position} … ${Math.round(100 * fraction)} %`);
      },
      signal: checkpoint?.signal,
    },
    trainingSteps: () => trainingSteps,
    finish: async (fitting) => {
      try {
        return await fitting;
      } finally {
        await checkpoint?.close();
      }
    },
  };
}

const reasons: Record<LandmarkReport['reason'], string> = {
  given: 'as requested',
  all: 'all points',
  fraction: 'half of the points, at most 2,048',
  accurate: 'enough for a small error',
  'no gain': 'twice as many would hardly lower the error',
  budget: 'more would exceed the budget of time and memory',
};

/** How many landmarks there are, why, and the error on held-out points, as a sentence without its period. */
export function describeLandmarks({ count, reason, stages }: LandmarkReport): string {
  const last = stages.at(-1);
  const error = last?.count === count ? `, error on held-out points ${formatNumber(last.error)}` : '';
  return `${count} (${reasons[reason]})${error}`;
}
