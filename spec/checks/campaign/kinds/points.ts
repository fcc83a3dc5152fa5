/** Tries of estimators: hostile points, all methods, all kinds of graphs. What is accepted must be finite and repeat to the bit. */

import {
  DiffusionMap,
  FittedClustering,
  type FittedDiffusionMap,
  type FittedEmbedding,
  type GraphRecipe,
  loadModel,
  type Random,
  saveModel,
  SpectralClustering,
  SpectralEmbedding,
  type SpectralEmbeddingOptions,
  type Tensor,
  transform,
} from '../../../../lib/index.ts';
import { attempted, type Kind, Misread, pick, requireSame } from '../kind.ts';
import { hostilePoints } from './hostile-points.ts';

export async function openPoints(): Promise<Kind> {
  return {
    async attempt(random) {
      const points = hostilePoints(random);
      const options = anyEmbedding(random, points);
      const fit = pick(random, [embed, embed, embed, diffuse, cluster]);
      const fitted = await attempted(() => fit(points, options));
      if (!fitted) return 'refused';
      checkFitted(fitted, points);
      if (random.integer(8) === 0) {
        const again = await fit(points, options);
        requireSame(again.embedding.data, fitted.embedding.data, 'the same fit again');
      }
      return 'accepted';
    },
  };
}

async function embed(points: Tensor, options: SpectralEmbeddingOptions): Promise<FittedEmbedding> {
  return new SpectralEmbedding(options).fit(points);
}

async function diffuse(points: Tensor, options: SpectralEmbeddingOptions): Promise<FittedEmbedding> {
  const fitted: FittedDiffusionMap = await new DiffusionMap({ ...options, time: 2 }).fit(points);
  requireSame(fitted.transform(points).data, fitted.embedding.data, 'transform of a diffusion map');
  return fitted.base;
}

async function cluster(points: Tensor, options: SpectralEmbeddingOptions): Promise<FittedEmbedding> {
  const fitted: FittedClustering = await new SpectralClustering({ ...options, clusters: 2 }).fit(points);
  requireSame(fitted.predict(points), fitted.labels, 'prediction');
  return fitted.base;
}

/** Finite coordinates, the same from `transform` and from the saved model, and quotients in their range. */
function checkFitted({ embedding, eigenvalues, model, diagnostics }: FittedEmbedding, points: Tensor): void {
  if (embedding.rows !== points.rows || !embedding.data.every(Number.isFinite))
    throw new Misread('no finite coordinates');
  const isInRange = eigenvalues.every(
    (value, k) => Math.abs(value) <= 1 + 1e-6 && (k === 0 || value <= eigenvalues[k - 1]),
  );
  if (!isInRange) throw new Misread(`quotients ${eigenvalues.join()}`);
  const { f1, f2, gap } = diagnostics;
  if (![f1, f2, gap?.f1 ?? 0, gap?.f2 ?? 0].every(Number.isFinite)) throw new Misread(`diagnostics ${f1}, ${f2}`);
  if (gap && (gap.f1 < -1e-5 || gap.f2 < -1e-5)) throw new Misread(`a negative gap: ${gap.f1}, ${gap.f2}`);
  requireSame(transform(model, points).data, embedding.data, 'transform');
  requireSame(transform(loadModel(saveModel(model)), points).data, embedding.data, 'transform of the saved model');
}

function anyEmbedding(random: Random, { rows }: Tensor): SpectralEmbeddingOptions {
  const method = pick(random, ['regression', 'regression', 'ritz', 'specnet1', 'specnet2'] as const);
  const isNetwork = method.startsWith('specnet') || random.integer(3) === 0;
  const hidden = pick(random, [[], [3], [4, 3]]);
  const activation = pick(random, ['relu', 'tanh', 'softplus', 'sigmoid'] as const);
  const training = { epochs: 1 + random.integer(2), batch: Math.min(rows, 8) };
  const isTrained = method !== 'ritz' || random.integer(2) === 0;
  return {
    method,
    components: pick(random, [1, 1, 2, 3]),
    seed: random.integer(100),
    ...(isNetwork && { hidden, activation, ...(isTrained && { training }) }),
    ...(random.integer(2) === 0 && { graph: anyRecipe(random, rows) }),
  };
}

function anyRecipe(random: Random, rows: number): GraphRecipe {
  const neighbors = Math.max(2, Math.min(rows, pick(random, [2, 3, 5, 16])));
  const sigma = pick(random, [1, 0.1, 1e-3, 1e10, 1e-20]);
  const method = pick(random, ['auto', 'tree', 'brute', 'descent'] as const);
  return pick<GraphRecipe>(random, [
    { kind: 'knn', neighbors, method },
    { kind: 'knn-gaussian', neighbors },
    { kind: 'knn-gaussian', neighbors, sigma },
    { kind: 'self-tuned', neighbors },
    { kind: 'gaussian', sigma },
    { kind: 'indicator', radius: sigma },
    { kind: 'kernel', kernel: (squared) => 1 / (1 + squared), sigma, radius: 3 },
  ]);
}
