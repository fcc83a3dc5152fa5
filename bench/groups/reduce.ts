/** Times of Gram matrices, squared distances, and copies of whole rows. */

import { bothTwins, normals, positives, someRows, zeros } from '../loads/data.ts';
import { sequentially } from '../sequentially.ts';
import { local } from '../measure.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';

type Sizes = readonly [number, number, number];

const grams: readonly (readonly [rows: number, cols: number])[] = [
  [2000, 2],
  [20000, 6],
  [20000, 257],
];

const distances: readonly Sizes[] = [
  [512, 512, 784],
  [2000, 2000, 2],
];

/** The rows of a batch and its neighbors, out of all rows: one moon, MNIST, and a size that exceeds the caches. */
const selections: readonly Sizes[] = [
  [620, 2000, 2],
  [182, 20000, 784],
  [20000, 60000, 256],
];

export const reduce: Group = async (context) => {
  const rows = [
    await sequentially(grams, (size) => measureGram(context, size)),
    await sequentially(distances, (size) => measureDistances(context, size)),
    await sequentially(selections, (size) => measureListed(context, 'gatherRows', size)),
    await sequentially(selections, (size) => measureListed(context, 'scatterAddRows', size)),
  ];
  context.note('numpy widens to Float64 within its time, since ours sums in Float64 too; cdist does so by itself.');
  return rows.flat();
};

/** aᵀ·diag(weights)·a. The rate counts one triangle only. */
async function measureGram(context: Context, [count, cols]: readonly [number, number]): Promise<Row> {
  const { simd, plain } = bothTwins();
  const a = normals('a', count * cols);
  const weights = positives('weights', count);
  const out = { ours: new Float64Array(cols * cols), heap: new Float64Array(cols * cols) };
  const arrays = { a: a.heap, weights: weights.heap };
  const competitors = [
    local(
      'ours',
      () => simd.gram(count, cols, cols, weights.ours, a.ours, a.ours, out.ours),
      () => out.ours,
    ),
    local(
      'plain',
      () => plain.gram(count, cols, cols, weights.heap, a.heap, a.heap, out.heap),
      () => out.heap,
    ),
    (await context.python?.competitor('numpy', { case: 'gram', sizes: { rows: count, cols }, arrays })) ?? null,
  ];
  const work = { amount: count * cols * (cols + 1), unit: 'flop' } as const;
  return measureRow(context, 'gram, weighted', `${count}×${cols}`, work, competitors);
}

async function measureDistances(context: Context, [m, n, d]: Sizes): Promise<Row> {
  const { simd, plain } = bothTwins();
  const a = normals('a', m * d);
  const b = normals('b', n * d);
  const out = zeros(m * n);
  const sizes = { rows: m, others: n, cols: d };
  const arrays = { a: a.heap, b: b.heap };
  const competitors = [
    local(
      'ours',
      () => simd.squaredDistances(m, n, d, a.ours, b.ours, out.ours),
      () => out.ours,
    ),
    local(
      'plain',
      () => plain.squaredDistances(m, n, d, a.heap, b.heap, out.heap),
      () => out.heap,
    ),
    (await context.python?.competitor('scipy cdist', { case: 'distances', sizes, arrays })) ?? null,
  ];
  return measureRow(
    context,
    'squaredDistances',
    `${m}×${n}×${d}`,
    { amount: 3 * m * n * d, unit: 'flop' },
    competitors,
  );
}

/** Bytes moved per number: one read and one write, and one more read for a sum. */
const bytesMoved = { gatherRows: 8, scatterAddRows: 12 } as const;

async function measureListed(
  context: Context,
  kernel: keyof typeof bytesMoved,
  [count, total, cols]: Sizes,
): Promise<Row> {
  const { simd, plain } = bothTwins();
  const gathers = kernel === 'gatherRows';
  const rows = someRows('rows', count, total);
  const x = normals('x', (gathers ? total : count) * cols);
  const out = zeros((gathers ? count : total) * cols);
  const competitors = [
    local(
      'ours',
      () => simd[kernel](count, cols, rows.ours, x.ours, out.ours),
      () => out.ours,
    ),
    local(
      'plain',
      () => plain[kernel](count, cols, rows.heap, x.heap, out.heap),
      () => out.heap,
    ),
  ];
  const work = { amount: bytesMoved[kernel] * count * cols, unit: 'byte' } as const;
  return measureRow(context, kernel, `${count} ${gathers ? 'of' : 'into'} ${total} × ${cols}`, work, competitors);
}
