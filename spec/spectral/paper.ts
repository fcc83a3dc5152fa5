/** The paper's six updates, transcribed: dense, naive, one step at a time. They define what the solver must compute. */

import { type Graph, graphFrom, Random } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';

export type Dense = number[][];

const zeros = (rows: number, cols: number): Dense =>
  Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
export const transposed = (a: Dense): Dense => a[0].map((_, j) => a.map((row) => row[j]));
export const times = (a: Dense, b: Dense): Dense =>
  a.map((row) => b[0].map((_, j) => row.reduce((sum, x, p) => sum + x * b[p][j], 0)));
export const plus = (a: Dense, b: Dense, factor: number): Dense =>
  a.map((row, i) => row.map((x, j) => x + factor * b[i][j]));
const block = (a: Dense, rows: number[], cols: number[]): Dense => rows.map((i) => cols.map((j) => a[i][j]));
export const diagonal = (d: number[]): Dense => d.map((x, i) => d.map((_, j) => (i === j ? x : 0)));

/** (W, D, η) of a graph, or of a part of it; or (D^-½WD^-½, I, √d/‖√d‖). */
export interface DensePencil {
  w: Dense;
  d: number[];
  eta: number[];
}

export function pencil(w: Dense, kind: 'random-walk' | 'symmetric', deflate: boolean): DensePencil {
  const degrees = w.map((row) => row.reduce((sum, x) => sum + x, 0));
  const norm = Math.sqrt(degrees.reduce((sum, x) => sum + x, 0));
  const trivial = degrees.map((x) => (kind === 'symmetric' ? Math.sqrt(x) : x) / norm);
  return {
    w: kind === 'symmetric' ? w.map((row, i) => row.map((x, j) => x / Math.sqrt(degrees[i] * degrees[j]))) : w,
    d: kind === 'symmetric' ? degrees.map(() => 1) : degrees,
    eta: deflate ? trivial : trivial.map(() => 0),
  };
}

/** R of D^½Y = QR with a positive diagonal, by Gram-Schmidt. */
function factorR(d: number[], y: Dense): Dense {
  const columns = transposed(y.map((row, i) => row.map((x) => x * Math.sqrt(d[i]))));
  const r = zeros(columns.length, columns.length);
  const q: number[][] = [];
  for (const [j, column] of columns.entries()) {
    let rest = column;
    for (const [p, unit] of q.entries()) {
      const product = unit.reduce((sum, x, i) => sum + x * rest[i], 0);
      r[p][j] = product;
      rest = rest.map((x, i) => x - product * unit[i]);
    }
    r[j][j] = Math.hypot(...rest);
    q.push(rest.map((x) => x / r[j][j]));
  }
  return r;
}

/** Y·R⁻¹, column by column from the left. */
function divideRight(y: Dense, r: Dense): Dense {
  return y.map((row) => {
    const solved: number[] = [];
    for (let j = 0; j < row.length; j++) {
      solved.push((row[j] - solved.reduce((sum, x, p) => sum + x * r[p][j], 0)) / r[j][j]);
    }
    return solved;
  });
}

/** W − ηηᵀ on rows × columns. */
function deflated({ w, eta }: DensePencil, rows: number[], cols: number[]): Dense {
  return rows.map((i) => cols.map((j) => w[i][j] - eta[i] * eta[j]));
}

export interface PaperStep {
  method: 'specnet1' | 'specnet2';
  scheme: 'local' | 'full' | 'neighbor';
  step: number;
  kind: 'random-walk' | 'symmetric';
  deflate: boolean;
  orthogonalize?: 'gram' | 'support';
  rotate?: 'before' | 'after';
}

/** Y after one step on a batch of the graph with weights w. Does not change y. */
export function paperStep(w: Dense, y: Dense, batch: number[], options: PaperStep): Dense {
  const { method, scheme, step, kind, deflate } = options;
  const local = scheme === 'local';
  const all = y.map((_, i) => i);
  const part = local ? pencil(block(w, batch, batch), kind, deflate) : pencil(w, kind, deflate);
  const rows = local ? batch.map((_, i) => i) : batch;
  // Entries of W outside N(B) are zero: 'full' and 'neighbor' differ in which of them they read.
  const near = all.filter((j) => batch.includes(j) || batch.some((i) => w[i][j] !== 0));
  const seen = scheme === 'full' ? all : scheme === 'neighbor' ? near : rows;
  const population = local ? batch.length : y.length;

  const orthogonal = (from: Dense): Dense => {
    const support = local ? batch : options.orthogonalize === 'support' && scheme === 'neighbor' ? near : all;
    const d = local ? part.d : support.map((i) => part.d[i]);
    const r = factorR(
      d,
      support.map((i) => from[i]),
    );
    return divideRight(from, r).map((row) => row.map((x) => population * x));
  };
  const start = method === 'specnet1' && options.rotate === 'before' ? orthogonal(y) : y;

  const of = (i: number): number[] => (local ? start[batch[i]] : start[i]);
  const yBatch = rows.map(of);
  const range = local ? rows : all;
  const yAll = range.map(of);
  const affinity = times(block(part.w, rows, seen), seen.map(of));
  const mean = part.eta.reduce<number[]>(
    (sum, eta, i) => sum.map((x, j) => x + eta * yAll[i][j]),
    new Array<number>(y[0].length).fill(0),
  );
  const product = affinity.map((row, i) => row.map((x, j) => x - part.eta[rows[i]] * mean[j]));
  const dBatch = rows.map((i) => part.d[i]);
  let gradient: Dense;
  if (method === 'specnet2') {
    const gram = times(transposed(yAll), times(diagonal(part.d), yAll));
    const massPart = times(times(diagonal(dBatch), yBatch), gram);
    gradient = product.map((row, i) =>
      row.map((x, j) => (-4 / population) * x + (4 / population ** 3) * massPart[i][j]),
    );
  } else {
    gradient = product.map((row, i) => row.map((x, j) => 2 * (yBatch[i][j] - x / dBatch[i])));
  }
  const moved = start.map((row) => row.slice());
  const change = plus(yBatch, gradient, -step);
  batch.forEach((i, k) => (moved[i] = change[k]));
  return method === 'specnet1' && options.rotate !== 'before' ? orthogonal(moved) : moved;
}

/** f2 of the whole graph, dense. */
export function paperF2(part: DensePencil, y: Dense): number {
  const n = y.length;
  const all = y.map((_, i) => i);
  const first = times(transposed(y), times(deflated(part, all, all), y));
  const gram = times(transposed(y), times(diagonal(part.d), y));
  const square = times(gram, gram);
  return first.reduce((sum, row, i) => sum - 2 * row[i] + square[i][i] / n / n, 0) / n / n;
}

/** A connected random graph with self-loops and a few neighbors per node, in Float64. */
export function randomGraph(seed: string, n: number): { graph: Graph; w: Dense } {
  const random = new Random(seed);
  const w = zeros(n, n);
  for (let i = 0; i < n; i++) {
    w[i][i] = random.uniform(0.5, 1);
    for (const j of [(i + 1) % n, random.integer(n), random.integer(n)]) {
      const weight = random.uniform(0.1, 1);
      w[i][j] = weight;
      w[j][i] = weight;
    }
  }
  const entries = w.flatMap((row, i) => row.map((x, j) => [i, j, x] as const)).filter(([, , x]) => x !== 0);
  const triplets = {
    rows: entries.map(([i]) => i),
    columns: entries.map(([, j]) => j),
    values: entries.map(([, , x]) => x),
  };
  return { graph: graphFrom(fromTriplets(triplets, [n, n], 'double')), w };
}
