/** The Nyström extension: coordinates of new points from the eigenvectors of a graph, without a new eigenproblem. */

import { badKind, badValue, checkFinite, showShape } from '../../core/check.ts';
import { checkOptions } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { affinityAmongSteps } from '../../graph/affinity-among.ts';
import type { GraphRecipe } from '../../graph/build-graph.ts';
import type { NormalizedRows } from '../../graph/density.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Points } from '../../sparse/points.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';

/** The points, their graph, and its eigenvectors as `laplacianEigenmap`, `diffusionMap` and others return them. */
export interface NystromSource {
  /** n×d, dense or sparse, in the order of the graph's nodes. */
  readonly points: Points;
  /** The options that `buildGraph` was called with. */
  readonly recipe: GraphRecipe;
  readonly graph: Graph;
  /** n×k: eigenvectors of D⁻¹W. Each column may have any scale. */
  readonly embedding: Tensor;
  /** The k eigenvalues of these columns. */
  readonly eigenvalues: ArrayLike<number>;
}

/** The eigensolver does not distinguish smaller eigenvalues from 0. Division by one would give noise. */
const smallest = 1e-10;

/**
 * The coordinates of new points, m×k: ψ(x) = λ⁻¹·Σ w(x, xⱼ)·ψ(xⱼ) / Σ w(x, xⱼ), with the weights of the graph's recipe.
 * Eigenvectors satisfy this equation themselves, so that the points of the graph get their own rows back.
 */
export async function nystrom(
  source: NystromSource,
  points: Points,
  options: ProgressOptions = {},
): Promise<Tensor<Float64Array>> {
  checkOptions(caller, options, progressRules);
  return runAsync(nystromSteps(source, points), options);
}

/** The coordinates of new points, m×k, as `nystrom` computes them. */
export type NystromExtension = (points: Points, options?: ProgressOptions) => Promise<Tensor<Float64Array>>;

/** `nystrom` for one batch of new points after another. What depends on the points of the graph alone is computed once. */
export async function nystromExtension(
  source: NystromSource,
  options: ProgressOptions = {},
): Promise<NystromExtension> {
  checkOptions('nystromExtension', options, progressRules);
  const extendSteps = await runAsync(prepareSteps(source), options);
  return async (points, own = {}) => {
    checkOptions(caller, own, progressRules);
    return runAsync(extendSteps(points), own);
  };
}

/** `nystrom` as a task. */
function* nystromSteps(source: NystromSource, queries: Points): Task<Tensor<Float64Array>> {
  const extendSteps = yield* subtask(prepareSteps(source), 0, 0.2);
  return yield* subtask(extendSteps(queries), 0.2, 1);
}

/** `nystromExtension` as a task, which returns a task. */
function* prepareSteps(source: NystromSource): Task<(queries: Points) => Task<Tensor<Float64Array>>> {
  if (typeof source !== 'object' || source === null)
    throw badKind(caller, 'an object { points, recipe, graph, embedding, eigenvalues }', source);
  const { points, recipe, graph, embedding, eigenvalues } = source;
  checkEmbedding(graph, embedding, eigenvalues);
  const weightsSteps = yield* affinityAmongSteps(caller, points, recipe, graph);
  return function* extendSteps(queries) {
    return average(yield* weightsSteps(queries), embedding, eigenvalues);
  };
}

const caller = 'nystrom';

/**
 * λ⁻¹ times the weighted means of the rows of `embedding`, summed in Float64. The loop l(x) of a new point at itself enters as
 * λ·(d + l)·ψ = Σ w·ψ + l·ψ, which is solved for ψ.
 */
function average(
  { weights, loops }: NormalizedRows,
  embedding: Tensor,
  eigenvalues: ArrayLike<number>,
): Tensor<Float64Array> {
  const { rows, starts, columns, values } = weights;
  const k = embedding.cols;
  const result = zeros([rows, k], 'double');
  const [sums, vectors] = [result.data, embedding.data];
  const isolated: number[] = [];
  const unresolved: number[] = [];
  for (let i = 0; i < rows; i++) {
    let degree = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      degree += values[e];
      for (let c = 0, to = i * k, from = columns[e] * k; c < k; c++) sums[to + c] += values[e] * vectors[from + c];
    }
    if (degree === 0) isolated.push(i);
    const loop = loops ? loops[i] : 0;
    let least = Infinity;
    for (let c = 0; c < k; c++) {
      const divisor = degree * eigenvalues[c] - loop * (1 - eigenvalues[c]);
      sums[i * k + c] /= divisor;
      least = Math.min(least, divisor);
    }
    if (!(least >= smallest * degree)) unresolved.push(i);
  }
  if (isolated.length > 0) {
    const remedy = 'Remove them, or build a graph with a wider kernel or of nearest neighbors.';
    const rule = 'every new point to have a neighbor among the points of the graph';
    throw badValue(caller, rule, `${isolated.length} of ${rows} without one (${listRows(isolated)})`, remedy);
  }
  if (unresolved.length > 0) {
    const got = `${unresolved.length} of ${rows} where they are too few for ${k} components (${listRows(unresolved)})`;
    const remedy = 'Remove these points, or extend fewer components.';
    throw badValue(caller, 'every new point to be where points of the graph are near enough', got, remedy);
  }
  return result;
}

/** `row 1, 2, …`. */
function listRows(rows: readonly number[]): string {
  return `row ${rows.slice(0, 5).join(', ')}${rows.length > 5 ? ', …' : ''}`;
}

function checkEmbedding(graph: Graph, embedding: Tensor, eigenvalues: ArrayLike<number>): void {
  if (!(embedding instanceof Tensor)) throw badKind(caller, 'the embedding as a tensor', embedding);
  if (embedding.shape.length !== 2 || embedding.rows !== graph.size) {
    const rule = `an embedding with ${graph.size} rows, one for each node`;
    throw badValue(caller, rule, `shape ${showShape(embedding.shape)}`);
  }
  if (eigenvalues.length !== embedding.cols) {
    throw badValue(caller, `${embedding.cols} eigenvalues, one for each column`, eigenvalues.length);
  }
  checkFinite(caller, 'the embedding', embedding.data, embedding.cols);
  checkFinite(caller, 'the eigenvalues', eigenvalues);
  const bad = Array.from(eigenvalues).findIndex((value) => value < smallest);
  if (bad < 0) return;
  const remedy = `Only the first ${bad} components can be extended.`;
  throw badValue(caller, `eigenvalues of at least ${smallest}`, `${eigenvalues[bad]} of component ${bad}`, remedy);
}
