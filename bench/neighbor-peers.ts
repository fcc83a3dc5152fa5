/**
 * `npm run bench:neighbors`: approximate neighbors of all images, by our NN-descent, hnswlib-node and usearch: recall against time, in one run.
 * The libraries build an index and then search it for every point; the time of these searches is that of a sample, times the number of points
 * over its size. `-- --rows N`: the number of images; `--data mnist`; `--folder F`: the folder of the IDX files; `--record` puts the table into docs/graph.md.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadFashionMnist, loadMnist } from '../datasets/index.ts';
import { formatTable } from '../lib/charts/table.ts';
import { Random } from '../lib/core/random.ts';
import { nearestAmong, nearestNeighbors } from '../lib/graph/neighbors/neighbors.ts';
import { squaredDistance } from '../lib/graph/neighbors/points.ts';
import { takePoints } from '../lib/sparse/points.ts';
import type { Tensor } from '../lib/tensor/tensor.ts';
import { processors } from '../lib/wasm/threads/worker.ts';
import { neighborLibraries, type NeighborLibrary } from './competitors/neighbor-libraries.ts';
import { table } from './report/document-tables.ts';

/** The point itself is one of its neighbors. */
const count = 16;
const sampleSize = 1000;
/** Candidates that are kept in a search. */
const breadths = [16, 32, 64, 128];

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '60000' },
    data: { type: 'string', default: 'fashion' },
    folder: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const loadImages = flags.data === 'mnist' ? loadMnist : loadFashionMnist;
const images = await loadImages({
  train: Number(flags.rows),
  test: 1,
  ...(flags.folder ? { folder: flags.folder } : {}),
});
const points = images.train.points as Tensor;
const sample = new Random('sample').permutation(points.rows).slice(0, sampleSize);
const truth = await nearestAmong(points, takePoints(points, sample), { neighbors: count, method: 'brute' });

interface Time {
  /** Seconds, of the clock and of all processors. */
  readonly wall: number;
  readonly processor: number;
}

const header = ['method', 'threads', 'seconds', 'processor seconds', 'recall'];
const [loadBefore] = loadavg();
const rows = [await measureOurs(), ...neighborLibraries(processors(), console.error).flatMap(measureLibrary)];
const [loadAfter] = loadavg();
const about =
  `${flags.data === 'mnist' ? 'MNIST' : 'Fashion-MNIST'}, ${points.rows} × ${points.cols}, ${count} neighbors, the point itself counted. ` +
  `Recall of ${sample.length} points. Load of the machine, ${processors()} cores: ${loadBefore.toFixed(1)} at the start, ${loadAfter.toFixed(1)} at the end; ` +
  `above ${processors()}, compare processor seconds.`;
console.log(`${formatTable(header, rows, 1)}\n${about}`);
if (flags.record) record(`${about}\n\n${table(header, rows)}`);

async function measureOurs(): Promise<string[]> {
  const start = now();
  const found = await nearestNeighbors(points, { neighbors: count, method: 'descent' });
  const time = since(start);
  const indices = Array.from(sample, (row) => [...found.indices.subarray(row * count, (row + 1) * count)]).flat();
  return rowOf('NN-descent', processors(), time, Int32Array.from(indices));
}

/** A row for each breadth: the time to build the index and to search it for every point. */
function measureLibrary({ name, version, threads, prepare }: NeighborLibrary): string[][] {
  const index = prepare(points);
  const start = now();
  index.build();
  const building = since(start);
  return breadths.map((breadth) => {
    index.setBreadth(breadth);
    const begin = now();
    const found = index.search(sample, count);
    const searching = since(begin);
    const factor = points.rows / sample.length;
    const time = {
      wall: building.wall + factor * searching.wall,
      processor: building.processor + factor * searching.processor,
    };
    return rowOf(`${name} ${version}, breadth ${breadth}`, threads, time, found);
  });
}

function rowOf(name: string, threads: number, { wall, processor }: Time, found: Int32Array): string[] {
  return [name, `${threads}`, wall.toFixed(1), processor.toFixed(1), recallOf(found).toFixed(4)];
}

/** The fraction of the found points that are no farther than the last true neighbor. */
function recallOf(found: Int32Array): number {
  let hits = 0;
  found.forEach((index, e) => {
    const k = Math.floor(e / count);
    const distance = Math.fround(squaredDistance(points, sample[k], points, index));
    if (distance <= truth.squaredDistances[(k + 1) * count - 1]) hits++;
  });
  return hits / (sample.length * count);
}

function now(): Time {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now() / 1000, processor: (user + system) / 1e6 };
}

function since(start: Time): Time {
  const end = now();
  return { wall: end.wall - start.wall, processor: end.processor - start.processor };
}

/** Replaces what is between the marks in docs/graph.md. */
function record(text: string): void {
  const path = fileURLToPath(new URL('../docs/graph.md', import.meta.url));
  const [begin, end] = ['<!-- bench:neighbors -->', '<!-- end of bench:neighbors -->'];
  const page = readFileSync(path, 'utf8');
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`bench:neighbors: expected the marks ${begin} and ${end} in ${path}.`);
  writeFileSync(path, `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`);
}
