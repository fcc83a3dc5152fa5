/** Small models of every kind, trained here, each with points that are not in its training set. */

import { loadMnist, oneMoon, twoMoons } from '../../datasets/index.ts';
import { sequentially } from '../../bench/sequentially.ts';
import { type Model, Random, SpectralEmbedding, type SpectralEmbeddingOptions, type Tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';

export interface Case {
  readonly name: string;
  readonly model: Model;
  /** The first two thirds are the points of `fit`. */
  readonly points: Tensor;
}

/** A model of each kind, for a quick comparison. */
export const fewModels: readonly string[] = [
  'landmarks, two moons',
  'landmarks, far from 0',
  'landmarks, principal component',
  'relu, as drawn',
  'tanh, as drawn',
  'softplus, trained',
];

/** The models of these names. Default: all. */
export async function learnModels(names?: readonly string[]): Promise<Case[]> {
  const moons = twoMoons({ n: 1500, seed: 1 }).points;
  const moon = oneMoon({ n: 900, seed: 2 }).points;
  const digits = names ? null : (await loadMnist({ train: 2400, seed: 1 })).train.points;
  const trained = { method: 'specnet2', hidden: [64, 32], training: { epochs: 3, batch: 8 } } as const;
  const drawn = { method: 'ritz' } as const;
  const wanted: [name: string, points: Tensor, options: SpectralEmbeddingOptions][] = [
    ['landmarks, two moons', moons, { components: 3 }],
    ['landmarks, 12 points', oneMoon({ n: 18, seed: 3 }).points, {}],
    ['landmarks, 2 points', oneMoon({ n: 3, seed: 3 }).points, { components: 1 }],
    ['landmarks, points that repeat', repeated(), { components: 3 }],
    ['landmarks, far from 0', shifted(moons), {}],
    ['landmarks, standard scale', shifted(moons), { scale: 'standard' }],
    ['landmarks, rows of length one', moons, { scale: 'unit', components: 1 }],
    ['landmarks, principal component', moons, { scale: 'robust', pca: 1, components: 1 }],
    ['relu, as drawn', moons, { ...drawn, hidden: [128] }],
    ['relu, range', shifted(moon), { ...drawn, hidden: [64], scale: 'range', pca: 2 }],
    ['softplus, as drawn', moons, { ...drawn, hidden: [64, 64], activation: 'softplus' }],
    ['tanh, as drawn', moons, { ...drawn, hidden: [64], activation: 'tanh' }],
    ['sigmoid, as drawn', moon, { ...drawn, hidden: [32], activation: 'sigmoid' }],
    ['no hidden layer', moon, { ...drawn, hidden: [] }],
    ['relu, trained', moon, trained],
    ['softplus, trained', moon, { ...trained, activation: 'softplus' }],
    ['tanh, trained, far from 0', shifted(moon), { ...trained, activation: 'tanh' }],
  ];
  if (digits) {
    wanted.push(['landmarks, MNIST', digits, { components: 6 }]);
    wanted.push(['relu, MNIST', digits, { ...drawn, components: 6, hidden: [256, 256] }]);
  }
  const chosen = wanted.filter(([name]) => names?.includes(name) ?? true);
  return sequentially(chosen, async ([name, points, options]) => {
    const seen = points.rowRange(0, Math.ceil((2 * points.rows) / 3));
    const { model } = await new SpectralEmbedding({ seed: 1, ...options }).fit(seen);
    return { name, model, points };
  });
}

/** In double precision: rounded to single precision, only a few of these points would differ. */
function shifted(points: Tensor): Tensor {
  const far = points.copy('double');
  for (let i = 0; i < far.size; i++) far.data[i] += i % far.cols === 0 ? 1e7 : -3e6;
  return far;
}

/** On a grid, with every fourth point at one place: many landmarks at equal distances, and more at one place than count. */
function repeated(): Tensor {
  const random = new Random(5);
  const points = zeros([900, 2]);
  for (let i = 0; i < points.size; i++) points.data[i] = (i >> 1) % 4 === 0 ? 0.3 : 0.1 * random.integer(12);
  return points;
}
