/** Times of nearest-neighbor searches by all pairs, k-d tree and NN-descent. Building the tree is included. */

import { loadMnist, texts } from '../../datasets/index.ts';
import { Random } from '../../lib/core/random.ts';
import { nearestNeighbors, type NeighborMethod, type Neighbors } from '../../lib/graph/neighbors/neighbors.ts';
import { SpectralEmbedding } from '../../lib/embedding/spectral-embedding.ts';
import { toDense } from '../../lib/sparse/inspect.ts';
import { type Points } from '../../lib/sparse/points.ts';
import { type Tensor, zeros } from '../../lib/tensor/tensor.ts';
import { setThreads } from '../../lib/wasm/set-threads.ts';
import { processors } from '../../lib/wasm/threads/worker.ts';
import { sequentially } from '../sequentially.ts';
import type { Competitor } from '../measure.ts';
import type { PythonCase } from '../competitors/python.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';

const neighbors = 16;
/** The recall from which an approximate search counts as correct. */
const goodRecall = 0.95;

export const neighborSearch: Group = async (context) => {
  // One search takes seconds, so it runs only once or twice.
  const patient = { ...context, pace: { rounds: context.quick ? 1 : 2, milliseconds: 0 } };
  const images = (await loadMnist()).train.points;
  const threads = processors();
  const exact = await measureExact(patient, images.rowRange(0, context.quick ? 5000 : 20_000), threads);
  const sizes = context.quick ? [20_000] : [100_000, 1_000_000];
  const trees = await sequentially(sizes, (size) => measureTree(patient, size, threads));
  const once = { ...context, pace: { rounds: 1, milliseconds: 0 } };
  const descent = await measureDescent(once, images.rowRange(0, context.quick ? 10_000 : 60_000), threads);
  const text = await measureText(patient, context.quick ? 1000 : 5000, threads);
  context.note(`"ours" has ${threads} threads; the others have one, except where noted.`);
  return [exact, ...trees, descent, text];
};

async function measureExact(context: Context, points: Tensor, threads: number): Promise<Row> {
  const size = `MNIST ${points.rows}×${points.cols}, k = ${neighbors}`;
  const competitors = [
    search('ours', points, 'brute', threads),
    search('ours, 1 thread', points, 'brute', 1),
    await python(context, 'numpy', 'all pairs', points),
  ];
  return measureRow(context, 'all pairs', size, workOf(points), competitors);
}

async function measureTree(context: Context, rows: number, threads: number): Promise<Row> {
  const points = zeros([rows, 3]);
  new Random('neighbors').fillUniform(points.data);
  const competitors = [
    search('ours', points, 'tree', threads),
    search('ours, 1 thread', points, 'tree', 1),
    await python(context, 'scipy cKDTree', 'tree', points),
  ];
  return measureRow(context, 'k-d tree', `${rows}×3, k = ${neighbors}`, workOf(points), competitors);
}

/** NN-descent is approximate. Both competitors answer with its recall, which counts as 1 from goodRecall on. */
async function measureDescent(context: Context, points: Tensor, threads: number): Promise<Row> {
  const truth = search('all pairs', points, 'brute', threads);
  const found = search('ours', points, 'descent', threads);
  await truth.answer();
  const descent: Competitor = {
    ...found,
    async answer() {
      await found.answer();
      const recall = recallOf(found.last()!, truth.last()!);
      context.note(`Recall of the descent through ${points.rows} images: ${recall.toFixed(4)} over all of them.`);
      return [recall >= goodRecall ? 1 : recall];
    },
  };
  const size = `MNIST ${points.rows}×${points.cols}, k = ${neighbors}`;
  return measureRow(context, 'NN-descent', size, workOf(points), [descent, { ...truth, answer: async () => [1] }]);
}

/** An embedding of sparse text under cosine, and of the same rows written out. Both have the same coordinates. */
async function measureText(context: Context, rows: number, threads: number): Promise<Row> {
  const { points } = texts({ n: rows });
  const dense = toDense(points);
  const size = `text ${rows}×${points.cols}, ${points.nonzeros} nonzeros`;
  const competitors = [fit('ours', points, threads), fit('written out', dense, threads)];
  return measureRow(context, 'fit', size, workOf(dense), competitors);
}

/** One call is one fit. The answer is the coordinates. */
function fit(name: string, points: Points, threads: number): Competitor {
  let coordinates = new Float32Array(0);
  const run = async (): Promise<number> => {
    setThreads(threads);
    const start = performance.now();
    const options = { metric: 'cosine', components: 9, graph: { kind: 'knn', method: 'brute' } } as const;
    coordinates = Float32Array.from((await new SpectralEmbedding(options).fit(points)).embedding.data);
    return performance.now() - start;
  };
  return {
    name,
    async answer() {
      await run();
      return coordinates;
    },
    async time() {
      const time = await run();
      return { median: time, min: time };
    },
    checksum: () => coordinates.reduce((sum, value) => sum + value, 0),
  };
}

/** The operations of computing every pairwise distance once. */
function workOf({ rows, cols }: Tensor): { amount: number; unit: 'flop' } {
  return { amount: rows * rows * cols, unit: 'flop' };
}

/** One call is one search. The answer is the distances, because neighbors at equal distance may come in any order. */
function search(
  name: string,
  points: Tensor,
  method: NeighborMethod,
  threads: number,
): Competitor & { last(): Neighbors | null } {
  let last: Neighbors | null = null;
  const run = async (): Promise<number> => {
    setThreads(threads);
    const start = performance.now();
    last = await nearestNeighbors(points, { neighbors, method });
    return performance.now() - start;
  };
  return {
    name,
    last: () => last,
    async answer() {
      await run();
      return last!.squaredDistances;
    },
    async time() {
      const time = await run();
      return { median: time, min: time };
    },
    checksum: () => last!.indices.reduce((sum, index) => sum + index, 0),
  };
}

async function python(
  context: Context,
  name: string,
  kind: PythonCase['case'],
  points: Tensor,
): Promise<Competitor | null> {
  const { rows, cols } = points;
  const input = { case: kind, sizes: { rows, cols, neighbors }, arrays: { x: points.data.slice() } };
  const competitor = await context.python?.competitor(name, input);
  return competitor ? { ...competitor, time: (milliseconds) => competitor.time(milliseconds, false) } : null;
}

/** The fraction of found neighbors that are no farther away than the last true neighbor. */
function recallOf(found: Neighbors, truth: Neighbors): number {
  let hits = 0;
  found.squaredDistances.forEach((distance, e) => {
    const row = Math.floor(e / neighbors);
    if (distance <= truth.squaredDistances[row * neighbors + neighbors - 1]) hits++;
  });
  return hits / found.squaredDistances.length;
}
