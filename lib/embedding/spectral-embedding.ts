/** The estimator `SpectralEmbedding`: `fit` learns coordinates as a function of the point, `transform` applies it. */

import { badValue } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task, type WaitingTask } from '../core/task.ts';
import { buildGraphSteps, checkRecipe, type GraphRecipe } from '../graph/build-graph.ts';
import { checkDegrees, checkGraph, type Graph } from '../graph/graph.ts';
import { encodedNames, isTable } from '../formats/table/columns/encoding.ts';
import type { Points } from '../network/layers/inputs.ts';
import { isSparse } from '../sparse/points.ts';
import { optimum } from '../spectral/ritz/quality.ts';
import type { LandmarkReport } from '../spectral/regression/choose-landmarks.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { metricOptions, metricRows } from '../graph/neighbors/metric.ts';
import type { PrecomputedNeighbors } from '../graph/neighbors/precomputed.ts';
import { metricOfFit, recipeUnder, resolveRecipe } from './default-recipe.ts';
import { describeParts } from './graph-parts.ts';
import { fitModelSteps } from './fit-model.ts';
import { checkModelOptions, type FitFindings, type ModelOptions, modelRules } from './model-options.ts';
import { applyHead, applyModel, applyModelSteps, type Model } from './model/model.ts';
import { centerAndRound, centerOf, pointsFrom, pointsOf, type PointSource } from './model/point-table.ts';
import { fitPreprocessingSteps } from './preprocessing/fit-preprocessing.ts';
import { checkCoordinates, checkDistinct, checkRounding } from './rounding-check.ts';

/** How the graph of the points is built, and how their coordinates are learned. */
export interface SpectralEmbeddingOptions extends ModelOptions {
  /** How the graph is built. Default: the 16 nearest neighbors, including the point itself, or all if there are fewer. */
  readonly graph?: GraphRecipe;
}

export const embeddingRules = { ...modelRules, graph: checkRecipe } as const satisfies Rules<SpectralEmbeddingOptions>;

/** A graph of the user's own or what to build it from, progress and an abort signal. At most one of the first three. */
export interface FitOptions extends ProgressOptions {
  /** A graph with a node for every point. Default: built from the points. */
  readonly graph?: Graph | undefined;
  /** The distances between all points, n×n, from which the graph is built. A sparse matrix holds those that are known. */
  readonly distances?: Points | undefined;
  /** The neighbors of every point, from which the graph is built. */
  readonly neighbors?: PrecomputedNeighbors | undefined;
}

export const fitRules: Rules<FitOptions> = {
  ...progressRules,
  graph: 'object',
  distances: 'object',
  neighbors: 'object',
};

/** The values of the paper's objectives at the coordinates. */
export interface Diagnostics {
  /** K − Σθ, where θ are the Rayleigh quotients of the coordinates. */
  readonly f1: number;
  /** −Σ max(θ, 0)², for coordinates at their best scale. */
  readonly f2: number;
  /** The excess over the values at the leading eigenvectors, if `fit` computed these, for 'regression'; else null. */
  readonly gap: { readonly f1: number; readonly f2: number } | null;
}

/** The diagnostics of a fit: the objectives, the parts of the graph, and what deserves attention. */
export interface FitDiagnostics extends Diagnostics {
  /** The sizes of the parts into which the graph falls, or fell before they were joined, the largest first. */
  readonly parts: readonly number[];
  /** How many landmarks there are, why, and the errors on held-out points; null for a network. */
  readonly landmarks: LandmarkReport | null;
  /** Sentences for the user, each with a way out. Empty if nothing is unusual. */
  readonly warnings: readonly string[];
}

/** From Rayleigh quotients and, if known, the eigenvalues that they approximate. */
export function diagnosticsOf(quotients: Float64Array, truth: Float64Array | null): Diagnostics {
  const { f1, f2 } = optimum(quotients);
  const best = truth && optimum(truth);
  return { f1, f2, gap: best && { f1: f1 - best.f1, f2: f2 - best.f2 } };
}

/** The result of `SpectralEmbedding.fit`. */
export class FittedEmbedding {
  readonly graph: Graph;
  readonly model: Model;
  /** n×components: the coordinates of the points of `fit`, as `transform` computes them. */
  readonly embedding: Tensor;
  /** The Rayleigh quotients of its columns, descending. Each is at most the eigenvalue of D⁻¹W that it approximates. */
  readonly eigenvalues: Float64Array;
  /** Whether every solver reached its tolerance. This does not say how close the coordinates are to the eigenvectors. */
  readonly converged: boolean;
  readonly diagnostics: FitDiagnostics;

  /** `warnings`: those about the points, beside those about the graph. */
  constructor(
    graph: Graph,
    model: Model,
    embedding: Tensor,
    { converged, truth, landmarks }: FitFindings,
    warnings: readonly string[] = [],
  ) {
    this.graph = graph;
    this.model = model;
    this.embedding = embedding;
    this.eigenvalues = model.eigenvalues;
    this.converged = converged;
    const { parts, warnings: ofGraph } = describeParts(graph);
    const objectives = diagnosticsOf(model.eigenvalues, truth);
    this.diagnostics = { ...objectives, parts, warnings: [...ofGraph, ...warnings], landmarks };
  }

  /** The coordinates of any points, one row each, in a new tensor. */
  transform(points: PointSource): Tensor {
    const caller = 'SpectralEmbedding.transform';
    return applyModel(caller, this.model, pointsOf(points, this.model.columns));
  }
}

/** Learns the leading nontrivial eigenvectors of D⁻¹W of a graph of points, as functions of the point. */
export class SpectralEmbedding {
  readonly options: SpectralEmbeddingOptions;

  constructor(options: SpectralEmbeddingOptions = {}) {
    checkModelOptions('SpectralEmbedding', options, embeddingRules);
    this.options = options;
  }

  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedEmbedding> {
    checkOptions('SpectralEmbedding.fit', options, fitRules);
    return runAsync(fitEmbeddingSteps('SpectralEmbedding.fit', points, this.options, options), options);
  }
}

/** `SpectralEmbedding.fit` as a task, with errors in the name of `caller`. */
export function* fitEmbeddingSteps(
  caller: string,
  source: PointSource,
  options: SpectralEmbeddingOptions,
  given: FitOptions,
): WaitingTask<FittedEmbedding> {
  const raw = pointsFrom(caller, source);
  const graphDone = options.method === 'specnet1' || options.method === 'specnet2' ? 0.1 : 0.4;
  const begin = options.pca === undefined ? 0 : graphDone / 2;
  const names = isTable(source) ? encodedNames(source.encoding) : undefined;
  const prepared = yield* subtask(fitPreprocessingSteps(caller, raw, options, names), 0, begin);
  const { points, preprocessing, warnings } = prepared;
  checkDistinct(caller, points);
  const metric = metricOfFit(caller, options, given.graph);
  const graph = yield* subtask(graphOfFitSteps(caller, points, options, given), begin, graphDone);
  checkGraph(caller, graph);
  if (graph.size !== points.rows) {
    throw badValue(caller, `a graph of ${points.rows} nodes, one for each point`, graph.size);
  }
  checkDegrees(caller, graph);
  const rows = metricRows(caller, metric, points);
  const center = centerOf(rows);
  const rounded = centerAndRound(caller, center, rows);
  // Sparse rows of length one were computed, and need not differ in single precision.
  if (rows === raw || !isSparse(rows)) checkRounding(caller, graph, rows, rounded);
  const stated = metricOptions(metric);
  const learned = yield* subtask(fitModelSteps(caller, graph, rounded, { ...options, ...stated }), graphDone, 0.95);
  const { features } = learned;
  const model: Model = {
    ...learned.model,
    center,
    ...(stated.metric && { metric: stated }),
    ...(preprocessing && { preprocessing }),
    ...(isTable(source) && { columns: source.encoding }),
  };
  const hasFeatures = model.kind === 'landmarks' && features;
  const embedding = hasFeatures ? applyHead(model, features) : yield* subtask(applyModelSteps(model, rounded), 0.95, 1);
  checkCoordinates(caller, graph, embedding);
  return new FittedEmbedding(graph, model, embedding, learned, warnings);
}

/** The given graph, or one built from given distances, from given neighbors, or from the points. */
export function* graphOfFitSteps(
  caller: string,
  points: Points,
  options: SpectralEmbeddingOptions,
  { graph, distances, neighbors }: FitOptions,
): Task<Graph> {
  const given = [graph, distances, neighbors].filter((each) => each !== undefined);
  if (given.length > 1) throw badValue(caller, 'one of graph, distances and neighbors', `${given.length} of them`);
  if (graph) return graph;
  const recipe = resolveRecipe(points.rows, options.graph);
  if (distances) return yield* buildGraphSteps(distances, { ...recipe, metric: 'precomputed' });
  // The lists say how many neighbors there are, and hold no distance by which parts could be joined.
  if (neighbors) return yield* buildGraphSteps(neighbors, { connect: 'none', ...(options.graph ?? { kind: 'knn' }) });
  return yield* buildGraphSteps(points, recipeUnder(metricOfFit(caller, options, graph), recipe));
}
