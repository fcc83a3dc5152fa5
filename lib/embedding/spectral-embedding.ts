/** How do points get coordinates, and points never seen the same ones? `fit` learns the function, `transform` applies it. */

import { badValue, checkCount, checkOptions } from '../core/check.ts';
import { carryOut, part, type Watch, type Work } from '../core/pace.ts';
import { Random, type Seed } from '../core/random.ts';
import { type GraphRecipe, makeGraph } from '../graph/build-graph.ts';
import { checkGraph, type Graph } from '../graph/graph.ts';
import type { Points } from '../network/inputs.ts';
import { chooseLandmarks } from '../network/landmarks.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { toDense } from '../sparse/inspect.ts';
import { ritzHead } from '../spectral/ritz-head.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { applyModel, type Model } from './model.ts';
import { pointsFrom, type PointSource } from './point-table.ts';

export interface SpectralEmbeddingOptions {
  /** How many coordinates; 2 unless said. */
  readonly components?: number;
  /** How points become a graph: the 16 nearest neighbours, the point itself counted, unless said. */
  readonly graph?: GraphRecipe;
  /** How many points describe all others; a quarter of them, at least 256 and at most 2,048, unless said. */
  readonly landmarks?: number;
  readonly seed?: Seed;
}

export interface FitOptions extends Watch {
  /** A graph of the user's own, with a node for every point, in place of one made of the points. */
  readonly graph?: Graph | undefined;
}

/** What `fit` returns, complete. */
export class FittedEmbedding {
  readonly graph: Graph;
  readonly model: Model;
  /** n×components: what `transform` gives for the points of `fit`. */
  readonly embedding: Tensor;
  /** Rayleigh quotients of its columns, descending; at most the eigenvalues of D⁻¹W they approximate. */
  readonly eigenvalues: Float64Array;
  /** Whether the small eigenproblem was solved to the end. */
  readonly converged: boolean;

  constructor(graph: Graph, model: Model, embedding: Tensor, converged: boolean) {
    this.graph = graph;
    this.model = model;
    this.embedding = embedding;
    this.eigenvalues = model.eigenvalues;
    this.converged = converged;
  }

  /** The coordinates of any points, one row each, new. */
  transform(points: PointSource): Tensor {
    const caller = 'SpectralEmbedding.transform';
    return applyModel(caller, this.model, pointsFrom(caller, points));
  }
}

const defaultRecipe: GraphRecipe = { kind: 'knn', neighbors: 16 };
const landmarkRange = { share: 1 / 4, least: 256, most: 2048 };

/** The leading nontrivial eigenvectors of D⁻¹W of a graph of points, as functions of the point. */
export class SpectralEmbedding {
  readonly options: SpectralEmbeddingOptions;

  constructor(options: SpectralEmbeddingOptions = {}) {
    const caller = 'SpectralEmbedding';
    checkOptions(caller, options);
    checkCount(caller, 'components', options.components ?? 2, 1);
    if (options.landmarks !== undefined) checkCount(caller, 'landmarks', options.landmarks, 2);
    this.options = options;
  }

  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedEmbedding> {
    checkOptions('SpectralEmbedding.fit', options);
    return carryOut(fit('SpectralEmbedding.fit', points, this.options, options.graph), options);
  }
}

/** `SpectralEmbedding.fit` as a part of other work, its errors in the name of `caller`. */
export function* fit(
  caller: string,
  source: PointSource,
  options: SpectralEmbeddingOptions,
  given: Graph | undefined,
): Work<FittedEmbedding> {
  const points = pointsFrom(caller, source);
  const { components = 2, seed = 0 } = options;
  const graph = given ?? (yield* part(makeGraph(tableOf(points), options.graph ?? defaultRecipe), 0, 0.6));
  checkGraph(caller, graph);
  if (graph.size !== points.rows) {
    throw badValue(caller, `a graph of ${points.rows} nodes, one for each point`, graph.size);
  }
  const random = new Random(seed);
  const count = Math.min(options.landmarks ?? usualLandmarks(points.rows), points.rows);
  if (components >= count) {
    throw badValue(caller, `components below ${count}, the number of landmarks`, components, 'Ask for more landmarks.');
  }
  const landmarks = chooseLandmarks(points, { count, seed: random.fork('landmarks').seed });
  yield 0.65;
  const { weights, bias, eigenvalues, converged } = ritzHead(graph, landmarks, points, {
    components,
    seed: random.fork('ritz').seed,
  });
  yield 0.95;
  const model: Model = { kind: 'landmarks', landmarks, head: { weights, bias }, eigenvalues };
  return new FittedEmbedding(graph, model, applyModel(caller, model, points), converged);
}

function usualLandmarks(points: number): number {
  const { share, least, most } = landmarkRange;
  return Math.max(least, Math.min(most, Math.round(points * share)));
}

function tableOf(points: Points): Tensor {
  return points instanceof CsrMatrix ? toDense(points) : points;
}
