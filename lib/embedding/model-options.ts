/** The options of models that are learned, their checks, and the result of a fit. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import type { Seed } from '../core/random.ts';
import { type MetricOptions, metricRules, resolveMetric } from '../graph/neighbors/metric.ts';
import type { MlpOptions } from '../network/bodies/mlp.ts';
import { activations, checkMemory } from '../network/bodies/network.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import type { LandmarkReport } from '../spectral/regression/choose-landmarks.ts';
import { trainingRules, type TrainOptions } from '../spectral/train/options.ts';
import type { LandmarkModel, NetworkModel } from './model/model.ts';
import {
  checkPreprocessing,
  type PreprocessingOptions,
  preprocessingRules,
} from './preprocessing/fit-preprocessing.ts';

/** How coordinates are learned as a function of the point. */
export interface ModelOptions extends MetricOptions, PreprocessingOptions {
  /** The number of coordinates. Default: 2. */
  readonly components?: number;
  /**
   * 'regression' computes the eigenvectors of the graph and fits landmark features or, if `hidden` is given, a network to
   * them by least squares. 'ritz' computes the linear layer on landmark features, or on a network, that minimizes f2. The
   * network is untrained or, if `training` is given, its hidden layers train alternately with that layer. 'ritz' needs no
   * eigenvector of the graph. 'specnet1' and 'specnet2' train a network by the
   * methods of the paper. Default: 'regression'.
   */
  readonly method?: (typeof methods)[number];
  /**
   * The number of landmarks, the points by whose distances all points are described. 'auto' takes all points up to 4,096.
   * Of more points it doubles the number from 1,024 on until the error on held-out points is small or falls no further, within
   * a budget: at most 16,384 landmarks. For 'ritz' it takes half of the points, at most 2,048. `diagnostics.landmarks` tells
   * the number and the reason. Not for networks. Default: 'auto'.
   */
  readonly landmarks?: number | 'auto';
  /** The units of each hidden layer of a network. Default: [128]. [] makes the network a linear function of the point. */
  readonly hidden?: readonly number[];
  /** The activation of the hidden layers of a network. */
  readonly activation?: MlpOptions['activation'];
  /**
   * How a network is trained. The default of its `scale` is 'calibrated' for SpecNet1 and SpecNet2, and that of its `moments`
   * 'corrected' for SpecNet2 with the neighbor scheme, unless `order` is 'cyclic'.
   */
  readonly training?: Omit<TrainOptions, 'method' | 'seed' | 'progress' | 'signal'>;
  /** Default: 0. */
  readonly seed?: Seed;
}

export interface FittedModel extends FitFindings {
  /** The model without the center, the metric and the preprocessing of the points. */
  readonly model: Uncentered;
  /** The landmark features of the points, if the method computed them, for reuse. */
  readonly features?: CsrMatrix;
}

/** What a fit found besides the model. */
export interface FitFindings {
  /** Whether every solver reached its tolerance. */
  readonly converged: boolean;
  /** The leading nontrivial eigenvalues of the graph, if the method computes them; else null. */
  readonly truth: Float64Array | null;
  /** How many landmarks there are, and why; null for a network. */
  readonly landmarks: LandmarkReport | null;
}

/** A model without the center and the metric of the points. */
export type Uncentered = Omit<LandmarkModel, 'center' | 'metric'> | Omit<NetworkModel, 'center' | 'metric'>;

export const methods = ['regression', 'ritz', 'specnet1', 'specnet2'] as const;
export const defaultMethod = 'regression';

export const modelRules = {
  components: 'number',
  method: methods,
  landmarks: checkLandmarks,
  hidden: 'array',
  activation: activations,
  training: trainingRules,
  seed: 'seed',
  ...metricRules,
  ...preprocessingRules,
} as const satisfies Rules<ModelOptions>;

/** Refuses anything but the options of an estimator, given the rules for all of them. */
export function checkModelOptions<Options extends ModelOptions>(
  caller: string,
  options: Options,
  rules: Rules<Options>,
): void {
  checkOptions(caller, options, rules);
  checkCount(caller, 'components', options.components ?? 2, 1);
  for (const units of options.hidden ?? []) checkCount(caller, 'units of a hidden layer', units, 1);
  resolveMetric(caller, options);
  checkPreprocessing(caller, options);
  if (options.hidden) checkMemory(caller, [1, ...options.hidden, options.components ?? 2]);
  checkApplicable(caller, options);
}

function checkLandmarks(caller: string, name: string, landmarks: number | 'auto'): void {
  if (landmarks === 'auto') return;
  if (typeof landmarks !== 'number') throw badKind(caller, `${name} to be a number or 'auto'`, landmarks);
  checkCount(caller, name, landmarks, 2);
}

/** Throws if an option does not apply to the method. */
function checkApplicable(caller: string, options: ModelOptions): void {
  const { method = defaultMethod, hidden, landmarks } = options;
  if (usesLandmarks(options)) {
    const unused = (['training', 'activation'] as const).find((name) => options[name] !== undefined);
    const remedy = `Pass hidden, for example [128], or omit ${unused}.`;
    if (unused) throw badValue(caller, `${unused} together with hidden`, 'no hidden', remedy);
    return;
  }
  if (landmarks === undefined) return;
  if (hidden)
    throw badValue(caller, 'landmarks without hidden', landmarks, 'A network has no landmarks. Omit one of the two.');
  throw badValue(caller, "method 'regression' or 'ritz' with landmarks", `'${method}'`, 'Omit landmarks.');
}

/** Whether the model is one of landmarks, not a network. */
export function usesLandmarks({ method = defaultMethod, hidden }: ModelOptions): boolean {
  return (method === 'ritz' || method === 'regression') && !hidden;
}
