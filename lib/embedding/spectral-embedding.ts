/** How do points get coordinates, and points never seen the same ones? `fit` learns the function, `transform` applies it. */

import { badValue, checkOptions } from '../core/check.ts';
import { type ProgressOptions, runAsync, subtask, type Task } from '../core/task.ts';
import { type GraphRecipe, buildGraphSteps } from '../graph/build-graph.ts';
import { checkDegrees, checkGraph, type Graph } from '../graph/graph.ts';
import type { Points } from '../network/layers/inputs.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { optimum } from '../spectral/ritz/quality.ts';
import { toDense } from '../sparse/inspect.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkApart } from './apart.ts';
import { settleRecipe } from './default-neighbors.ts';
import { checkModelOptions, fitModel, type ModelOptions } from './fit-model.ts';
import { applyHead, applyModel, applyModelSteps, type Model } from './model/model.ts';
import { centerOf, pointsFrom, type PointSource, roundAround } from './model/point-table.ts';

/** How points become a graph, and how their coordinates are learned. */
export interface SpectralEmbeddingOptions extends ModelOptions {
  /** How points become a graph: the 16 nearest neighbours, the point itself counted, or all if there are fewer, unless said. */
  readonly graph?: GraphRecipe;
}

/** A graph of your own, and how the work is followed and stopped. */
export interface FitOptions extends ProgressOptions {
  /** A graph of the user's own, with a node for every point, in place of one made of the points. */
  readonly graph?: Graph | undefined;
}

/** How small the objectives of the paper have become. */
export interface Diagnostics {
  /** Of the coordinates: K − Σθ of their quotients θ. */
  readonly f1: number;
  /** Of the coordinates at their best scale: −Σ max(θ, 0)². */
  readonly f2: number;
  /** Above those of the leading eigenvectors, where `fit` had to find these, for 'regression'; else null. */
  readonly gap: { readonly f1: number; readonly f2: number } | null;
}

/** From quotients, and the eigenvalues that they stand for. */
export function diagnosticsOf(quotients: Float64Array, truth: Float64Array | null): Diagnostics {
  const { f1, f2 } = optimum(quotients);
  const best = truth && optimum(truth);
  return { f1, f2, gap: best && { f1: f1 - best.f1, f2: f2 - best.f2 } };
}

/** What `fit` returns, complete. */
export class FittedEmbedding {
  readonly graph: Graph;
  readonly model: Model;
  /** n×components: what `transform` gives for the points of `fit`. */
  readonly embedding: Tensor;
  /** Rayleigh quotients of its columns, descending; at most the eigenvalues of D⁻¹W they approximate. */
  readonly eigenvalues: Float64Array;
  /** Whether all that was to be solved was, to its tolerance. How near the coordinates come to the eigenvectors is another question. */
  readonly converged: boolean;
  readonly diagnostics: Diagnostics;

  constructor(graph: Graph, model: Model, embedding: Tensor, converged: boolean, truth: Float64Array | null) {
    this.graph = graph;
    this.model = model;
    this.embedding = embedding;
    this.eigenvalues = model.eigenvalues;
    this.converged = converged;
    this.diagnostics = diagnosticsOf(model.eigenvalues, truth);
  }

  /** The coordinates of any points, one row each, new. */
  transform(points: PointSource): Tensor {
    const caller = 'SpectralEmbedding.transform';
    return applyModel(caller, this.model, pointsFrom(caller, points));
  }
}

/** The leading nontrivial eigenvectors of D⁻¹W of a graph of points, as functions of the point. */
export class SpectralEmbedding {
  readonly options: SpectralEmbeddingOptions;

  constructor(options: SpectralEmbeddingOptions = {}) {
    checkModelOptions('SpectralEmbedding', options);
    this.options = options;
  }

  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedEmbedding> {
    checkOptions('SpectralEmbedding.fit', options);
    return runAsync(fitEmbeddingSteps('SpectralEmbedding.fit', points, this.options, options.graph), options);
  }
}

/** `SpectralEmbedding.fit` as a task, with errors in the name of `caller`. */
export function* fitEmbeddingSteps(
  caller: string,
  source: PointSource,
  options: SpectralEmbeddingOptions,
  given: Graph | undefined,
): Task<FittedEmbedding> {
  const points = pointsFrom(caller, source);
  const share = options.method === 'specnet1' || options.method === 'specnet2' ? 0.1 : 0.4;
  const recipe = settleRecipe(points.rows, options.graph);
  const graph = given ?? (yield* subtask(buildGraphSteps(tableOf(points), recipe), 0, share));
  checkGraph(caller, graph);
  if (graph.size !== points.rows) {
    throw badValue(caller, `a graph of ${points.rows} nodes, one for each point`, graph.size);
  }
  checkDegrees(caller, graph);
  const center = centerOf(points);
  const rounded = roundAround(caller, center, points);
  checkApart(caller, graph, points, rounded);
  const learned = yield* subtask(fitModel(caller, graph, rounded, options), share, 0.95);
  const { converged, features, truth } = learned;
  const model: Model = { ...learned.model, center };
  const isKnown = model.kind === 'landmarks' && features;
  const embedding = isKnown ? applyHead(model, features) : yield* subtask(applyModelSteps(model, rounded), 0.95, 1);
  return new FittedEmbedding(graph, model, embedding, converged, truth);
}

function tableOf(points: Points): Tensor {
  return points instanceof CsrMatrix ? toDense(points) : points;
}
