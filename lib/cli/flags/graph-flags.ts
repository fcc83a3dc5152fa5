/** Flags that determine how a graph is built from points. */

import { booleanFlag, choiceFlag, countFlag, type FlagTable, fractionFlag, orAuto, positiveFlag } from './kinds.ts';

/** Preprocessing, metric, neighbors and weights. */
export const graphTable = {
  graph: choiceFlag(
    ['gaussian', 'knn', 'knn-gaussian', 'self-tuned', 'given'],
    'how to build a graph from points; default: knn; given for graph files',
  ),
  sigma: orAuto(
    'S|auto',
    'width S of exp(−‖x−y‖²/(2S²)); auto chooses it; for gaussian and knn-gaussian',
    positiveFlag('sigma', 'S', ''),
  ),
  alpha: fractionFlag('alpha', 'A', 'density normalization D^-A·W·D^-A; default: 0; 1 removes the effect of density'),
  bandwidth: choiceFlag(
    ['fixed', 'variable'],
    'one width everywhere (default), or wider where points are few; for knn-gaussian',
  ),
  threshold: positiveFlag('threshold', 'T', 'smaller weights are dropped, for gaussian; default: 0.01'),
  neighbors: countFlag(
    'neighbors',
    'K',
    1,
    'nearest neighbors, for knn, knn-gaussian, self-tuned; default: 16, fewer below 32 points',
  ),
  'exclude-self': booleanFlag('do not count a point as its own neighbor'),
  metric: choiceFlag(
    ['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'minkowski'],
    'distance between points; default: euclidean; cosine for text',
  ),
  'minkowski-power': positiveFlag('minkowski-power', 'P', 'P of (Σ|x−y|^P)^(1/P), at least 1, for --metric minkowski'),
  mutual: booleanFlag('join two points only if each is a neighbor of the other'),
  'least-weight': fractionFlag(
    'least-weight',
    'W',
    'smallest weight of a neighbor; default: self-tuned 0.05, knn-gaussian 0',
  ),
  connect: choiceFlag(
    ['none', 'join'],
    'join: add the shortest edges between parts; default: join for embed and cluster',
  ),
  scale: choiceFlag(
    ['none', 'standard', 'robust', 'range', 'unit'],
    'common spread of columns, or rows of length one (unit); default: none',
  ),
  pca: countFlag('pca', 'N', 1, 'replace the columns by N principal components, after --scale; the model keeps them'),
  points: booleanFlag('a .npz or .mtx file holds sparse points, one per row; default if it is not square'),
  affinity: booleanFlag('a .npz or .mtx file holds the weights of a graph; default if it is square'),
} satisfies FlagTable;
