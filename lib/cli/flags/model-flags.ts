/** Flags that determine how eigenvectors, models and clusters are computed. */

import {
  booleanFlag,
  choiceFlag,
  countFlag,
  fileFlag,
  type Flag,
  type FlagTable,
  orAuto,
  positiveFlag,
} from './kinds.ts';

/** How a model is learned. */
export const modelTable = {
  components: {
    ...countFlag('components', 'K', 1, 'number of nontrivial components; default: 2'),
    short: 'k',
  },
  method: choiceFlag(
    ['regression', 'ritz', 'specnet1', 'specnet2', 'eigen'],
    'default: regression; ritz: no eigensolver; specnet1|2: as in the paper; eigen: no model',
  ),
  landmarks: orAuto(
    'auto|M',
    'number of landmarks; default: auto, chosen by the error on held-out points',
    countFlag('landmarks', 'M', 2, ''),
  ),
  hidden: {
    value: 'H1,H2,…',
    help: 'units of the hidden layers; default: 128; regression, ritz: landmarks, no network',
    read: (caller: string, text: string) =>
      text.split(',').map((units) => countFlag('units of a hidden layer', 'H', 1, '').read(caller, units)),
  } as Flag<number[]>,
  scheme: choiceFlag(
    ['local', 'full', 'neighbor', 'edges'],
    'rows of a step: the batch, all, the batch and its neighbors (default), or ends of edges',
  ),
  moments: choiceFlag(
    ['tracked', 'corrected'],
    'sums YᵀDY of specnet2: tracked, as in the paper, or corrected without bias (default)',
  ),
  batch: countFlag('batch', 'B', 1, 'batch size; default: specnet1 max(4, n/500), edges 128, else 64 or less'),
  rate: positiveFlag(
    'rate',
    'R',
    'Adam rate; default: specnet1 1e-4; falling: specnet2 and regression ≤3e-3, ritz 1e-3',
  ),
  epochs: countFlag(
    'epochs',
    'E',
    0,
    'epochs; default: 100 (specnet1), or 20 and at least 6,000 steps (specnet2 12,000)',
  ),
  model: fileFlag('save the model for transform, as a .specnet file'),
  checkpoint: fileFlag('save the training state after every epoch, and resume from it; with --stored, a folder'),
} satisfies FlagTable;

/** How eigenvectors are computed without a model. */
export const solverTable = {
  laplacian: choiceFlag(
    ['random-walk', 'symmetric', 'unnormalized'],
    'D⁻¹W (default), eigenvalues descend from 1; I − D^-½WD^-½ or D − W, ascend from 0',
  ),
  solver: choiceFlag(
    ['auto', 'lanczos', 'multilevel', 'direct'],
    'eigensolver; default: auto, the one that is predicted to be the fastest',
  ),
  certify: booleanFlag('prove by a factorization that no eigenvalue is missing; default: where it is cheap'),
  step: orAuto(
    'auto|X',
    'default: auto, which needs no tuning; or a constant step size, as in the paper',
    positiveFlag('step', 'X', ''),
  ),
  precision: choiceFlag(['single', 'double'], 'floating-point precision; default: double'),
} satisfies FlagTable;

/** How clusters are found. */
export const clusterTable = {
  clusters: orAuto(
    'C|auto',
    'number of clusters, or auto to choose it by eigengap and silhouette; required',
    countFlag('clusters', 'C', 1, ''),
  ),
  'most-clusters': countFlag('most-clusters', 'C', 2, 'largest number that --clusters auto considers; default: 10'),
  assign: choiceFlag(
    ['k-means', 'cluster-qr', 'discretize'],
    'how coordinates become clusters: k-means (default), or a rotation toward indicators',
  ),
} satisfies FlagTable;
