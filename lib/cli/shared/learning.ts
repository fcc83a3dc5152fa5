/** How do flags say what is learned, and how? What `embed` and `cluster` have in common. */

import type { ModelOptions } from '../../embedding/fit-model.ts';
import type { FitOptions } from '../../embedding/spectral-embedding.ts';
import type { EpochState } from '../../spectral/train/options.ts';
import { UsageError } from './arguments.ts';
import { Checkpoint } from './checkpoint.ts';
import type { Call } from './command.ts';
import { type FlagName, type Flags, modelFlags, oneOf } from './flags.ts';

export type LearnedMethod = NonNullable<ModelOptions['method']>;
export type EmbedMethod = NonNullable<Flags['method']>;

/** Which flags go with which method. */
const ownFlags: Record<EmbedMethod, readonly FlagName[]> = {
  eigen: ['components'],
  regression: modelFlags.filter((name) => name !== 'scheme'),
  ritz: modelFlags.filter((name) => name !== 'scheme'),
  specnet1: modelFlags,
  specnet2: modelFlags,
};

/** On landmarks nothing is trained. */
const trainingFlags = ['batch', 'rate', 'epochs', 'checkpoint'] as const;

/** A flag that does not belong to the method is refused, not ignored. */
export function checkMethodFlags(method: EmbedMethod, flags: Flags): void {
  const stray = modelFlags.find(
    (name) => name !== 'method' && flags[name] !== undefined && !ownFlags[method].includes(name),
  );
  if (!stray) {
    const idle = trainingFlags.find((name) => flags[name] !== undefined);
    if ((method !== 'regression' && method !== 'ritz') || flags.hidden || !idle) return;
    throw new UsageError(`expected --${idle} with --hidden, for a network, or with --method specnet2, got neither.`);
  }
  const fitting = Object.entries(ownFlags).flatMap(([other, own]) => (own.includes(stray) ? [other] : []));
  throw new UsageError(`expected --${stray} with --method ${oneOf(fitting)}, got ${method}.`);
}

/** The network of a Ritz head learns where a flag says how long or how fast, else it is left as it is drawn. */
function isTrainedBy(method: LearnedMethod, flags: Flags): boolean {
  if (method === 'specnet1' || method === 'specnet2') return true;
  if (!flags.hidden) return false;
  return method === 'regression' || trainingFlags.some((name) => flags[name] !== undefined);
}

/** What an estimator is given, and what it did with it. */
export interface Learning {
  readonly options: ModelOptions;
  readonly watch: Pick<FitOptions, 'progress' | 'signal'>;
  /** Steps of this run, and the seconds from now until the last of them. */
  pace(): { readonly steps: number; readonly seconds: number };
  /** What the estimator's promise gives, once the state of training is on disk as well, if that was asked for. */
  finish<T>(fitting: Promise<T>): Promise<T>;
}

/** Reads the checkpoint where there is one. To be called when training begins: its clock starts here. */
export async function prepareLearning(method: LearnedMethod, call: Call): Promise<Learning> {
  const { flags, progress } = call;
  const isTrained = isTrainedBy(method, flags);
  const { components, hidden, scheme, batch, rate, epochs, checkpoint: path, seed = 0 } = flags;
  const isTaught = method === 'regression' || method === 'ritz';
  const way = isTaught ? ({ method, scheme: null } as const) : { method, scheme: scheme ?? ('neighbor' as const) };
  const checkpoint = path === undefined ? undefined : await Checkpoint.open(path, way);
  const earlier = checkpoint?.from?.optimizer.steps ?? 0;
  const start = call.seconds();
  let pace = { steps: 0, seconds: 0 };
  let epochsDone = checkpoint?.from?.epoch ?? 0;
  const onEpoch = ({ epoch, steps, state }: EpochState): void => {
    epochsDone = epoch;
    pace = { steps: steps - earlier, seconds: call.seconds() - start };
    checkpoint?.keep(state());
  };
  const training = {
    onEpoch,
    ...(scheme && { scheme }),
    ...(batch !== undefined && { batch }),
    ...(rate !== undefined && { rate }),
    ...(epochs !== undefined && { epochs }),
    ...(checkpoint?.from && { from: checkpoint.from }),
  };
  return {
    options: {
      method,
      seed,
      ...(components !== undefined && { components }),
      ...(hidden && { hidden }),
      ...(isTrained && { training }),
    },
    watch: {
      progress: (fraction) => {
        const where = !isTrained ? '' : `, epoch ${epochsDone + 1}`;
        progress.show(`learning by ${method}${where} … ${Math.round(100 * fraction)} %`);
      },
      signal: checkpoint?.signal,
    },
    pace: () => pace,
    finish: async (fitting) => {
      try {
        return await fitting;
      } finally {
        await checkpoint?.close();
      }
    },
  };
}
