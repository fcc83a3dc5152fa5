/** Options and results of `fitStored`. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import type { Seed } from '../../core/random.ts';
import { type ProgressOptions, progressRules } from '../../core/task.ts';
import type { MlpOptions } from '../../network/bodies/mlp.ts';
import { activations } from '../../network/bodies/network.ts';
import { trainingRules, type TrainOptions } from '../../spectral/train/options.ts';
import type { CacheStatistics } from '../../storage/arrays/page-cache.ts';
import type { Model } from './model.ts';

/** How a model is fitted to a stored graph, and how much memory that takes. */
export interface StoredFitOptions extends ProgressOptions {
  /** The number of coordinates. Default: 2. */
  readonly components?: number;
  /**
   * 'ritz': the Ritz head on landmarks. 'regression': regression on landmarks, whose targets are eigenvectors; some 50 vectors with a
   * number for each point must fit in half of the memory. 'specnet1' and 'specnet2': a network, trained with the scheme
   * 'neighbor' or 'edges'. Default: 'ritz'.
   */
  readonly method?: 'ritz' | 'regression' | 'specnet1' | 'specnet2';
  /** The number of landmarks, for 'ritz' and 'regression'. Default: half of the points, at most 2,048. */
  readonly landmarks?: number;
  /** The units of each hidden layer of a network. Default: [128]. */
  readonly hidden?: readonly number[];
  /** The activation of the hidden layers of a network. */
  readonly activation?: MlpOptions['activation'];
  /** How a network is trained, with the defaults of `SpectralEmbedding`. */
  readonly training?: Omit<TrainOptions, 'method' | 'seed' | 'progress' | 'signal' | 'from'>;
  /**
   * A folder for the state of the training of a network. It is saved at most eight times in an epoch, and at the end. The same call
   * after a kill continues from it, with the same bits. It stays there until you delete it.
   */
  readonly checkpoint?: string;
  /** Default: 0. */
  readonly seed?: Seed;
  /**
   * The memory for pages and blocks in bytes, approximately. Each point takes 4 bytes more, with corrected moments 8, and each
   * pair of landmarks 16, for the two matrices of the Ritz problem. Default: 256 MiB.
   */
  readonly memory?: number;
}

/** A training on files continues from its checkpoint. */
const { from: _from, ...storedTrainingRules } = trainingRules;

/** The kinds of all options. */
export const fitRules: Rules<StoredFitOptions> = {
  ...progressRules,
  components: 'number',
  method: ['ritz', 'regression', 'specnet1', 'specnet2'],
  landmarks: 'number',
  hidden: 'array',
  activation: activations,
  training: storedTrainingRules,
  checkpoint: 'string',
  seed: 'seed',
  memory: 'number',
};

/** A model and what reading cost. */
export interface StoredFit {
  readonly model: Model;
  readonly converged: boolean;
  /** The pages of the graph, of the points, and of the features of landmarks or the rows of a network. */
  readonly statistics: Readonly<Record<string, CacheStatistics>>;
}

export const caller = 'fitStored';

/** Refuses options that do not belong to the method. */
export function checkApplicable(options: StoredFitOptions): void {
  checkOptions(caller, options, fitRules);
  const { method = 'ritz' } = options;
  const others =
    method === 'ritz' || method === 'regression'
      ? (['hidden', 'activation', 'training', 'checkpoint'] as const)
      : ['landmarks' as const];
  const stray = others.find((name) => options[name] !== undefined);
  if (stray) throw badValue(caller, `no ${stray} for method '${method}'`, JSON.stringify(options[stray]));
  for (const units of options.hidden ?? []) checkCount(caller, 'units of a hidden layer', units, 1);
}
