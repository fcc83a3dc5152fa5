/** The Nyström extension: coordinates of new points from the eigenvectors of a graph, without a new eigenproblem. */

import { badKind, badValue, checkFinite, showShape } from '../../core/check.ts';
import { checkOptions } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { affinityAmongSteps } from '../../graph/affinity-among.ts';
import type { GraphRecipe } from '../../graph/build-graph.ts';
import type { NormalizedRows } from '../../graph/density.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Floats } from '../../kernels/types.ts';
import type { Points } from '../../sparse/points.ts';
import { allocate, Tensor, zeros } from '../../tensor/tensor.ts';
import { extensionKernels } from '../../wasm/families.ts';

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
    const means = new Means(queries.rows, embedding, eigenvalues);
    yield* weightsSteps(queries, (rows, weights) => means.add(rows, weights));
    return means.result();
  };
}

const caller = 'nystrom';

/**
 * λ⁻¹ times the weighted means of the rows of `embedding`, summed in Float64. The loop l(x) of a new point at itself enters as
 * λ·(d + l)·ψ = Σ w·ψ + l·ψ, which is solved for ψ.
 */
class Means {
  readonly #means: Tensor<Float64Array>;
  /** The rows of the embedding, with zeros up to a whole number of fours. */
  readonly #vectors: Float64Array;
  readonly #stride: number;
  readonly #eigenvalues: Float64Array;
  readonly #isolated: number[] = [];
  readonly #unresolved: number[] = [];

  constructor(rows: number, embedding: Tensor, eigenvalues: ArrayLike<number>) {
    this.#means = zeros([rows, embedding.cols], 'double');
    this.#stride = 4 * Math.ceil(embedding.cols / 4);
    this.#vectors = allocate(embedding.rows * this.#stride, 'double');
    const { rows: count, cols, data } = embedding;
    if (cols === this.#stride) this.#vectors.set(data);
    else this.#pad(count, cols, data);
    this.#eigenvalues = Float64Array.from(eigenvalues);
  }

  #pad(rows: number, cols: number, data: Floats): void {
    const [vectors, stride] = [this.#vectors, this.#stride];
    for (let i = 0, from = 0; i < rows; i++) {
      for (let to = i * stride, end = to + cols; to < end; to++, from++) vectors[to] = data[from];
    }
  }

  /** Computes the means of some rows: row i of the weights belongs to row rows[i]. */
  add(rows: Int32Array, { weights, loops }: NormalizedRows): void {
    const [eigenvalues, means] = [this.#eigenvalues, this.#means.data];
    const k = eigenvalues.length;
    const width = this.#stride;
    const { starts, columns, values } = weights;
    const degrees = allocate(rows.length, 'double');
    const sums = allocate(rows.length * width, 'double');
    extensionKernels().weightedSums(rows.length, width, starts, columns, values, this.#vectors, degrees, sums);
    for (let i = 0; i < rows.length; i++) {
      const degree = degrees[i];
      if (degree === 0) this.#isolated.push(rows[i]);
      const loop = loops ? loops[i] : 0;
      let least = Infinity;
      for (let c = 0; c < k; c++) {
        const divisor = degree * eigenvalues[c] - loop * (1 - eigenvalues[c]);
        means[rows[i] * k + c] = sums[i * width + c] / divisor;
        least = Math.min(least, divisor);
      }
      if (!(least >= smallest * degree)) this.#unresolved.push(rows[i]);
    }
  }

  /** All means. Refuses rows that have none. */
  result(): Tensor<Float64Array> {
    const [means, isolated, unresolved] = [this.#means, this.#isolated, this.#unresolved];
    if (isolated.length > 0) {
      const remedy = 'Remove them, or build a graph with a wider kernel or of nearest neighbors.';
      const rule = 'every new point to have a neighbor among the points of the graph';
      const got = `${isolated.length} of ${means.rows} without one (${listRows(isolated)})`;
      throw badValue(caller, rule, got, remedy);
    }
    if (unresolved.length > 0) {
      const where = `where they are too few for ${means.cols} components (${listRows(unresolved)})`;
      const rule = 'every new point to be where points of the graph are near enough';
      const remedy = 'Remove these points, or extend fewer components.';
      throw badValue(caller, rule, `${unresolved.length} of ${means.rows} ${where}`, remedy);
    }
    return means;
  }
}

/** `row 1, 2, …`. */
function listRows(rows: readonly number[]): string {
  const sorted = rows.toSorted((a, b) => a - b);
  return `row ${sorted.slice(0, 5).join(', ')}${rows.length > 5 ? ', …' : ''}`;
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
