/** Recommends how to compute A·X for a matrix: the fastest way, if it is clearly faster than a simpler one. */

import type { Precision } from '../../tensor/tensor.ts';
import type { BenchmarkRow } from './measure-rows.ts';
import { type Format, type Mode, modes } from './operations.ts';
import type { Order } from './plan.ts';

/** The best way to compute A·X if X has this number of columns. */
export interface Recommendation {
  readonly columns: number;
  readonly precision: Precision;
  readonly format: Format;
  readonly order: Order;
  readonly mode: Mode;
  /** How many times as long the plain kernel takes, in the given order. */
  readonly gain: number;
  /** The number of products after which reordering has paid for itself. Null in the given order. */
  readonly breakEven: number | null;
}

/** A way that is less simple must be faster by this factor. */
const worthwhile = 1.05;

/** One recommendation for each precision and number of columns. `reordering`: milliseconds to reorder. */
export function recommend(rows: readonly BenchmarkRow[], reordering: number | null): Recommendation[] {
  const products = rows.filter(({ operation }) => operation === 'multiply');
  const keyOf = ({ precision, columns }: BenchmarkRow): string => `${precision}, ${columns}`;
  return [...new Set(products.map(keyOf))].flatMap((key) => {
    const group = products.filter((row) => keyOf(row) === key);
    const given = group.filter(({ order }) => order === 'given');
    const ways = group.toSorted((a, b) => simplicity(a) - simplicity(b));
    const best = ways.reduce((chosen, way) => (isClearlyFaster(way, chosen) ? way : chosen));
    const plain = given.find(({ mode }) => mode === 'plain');
    if (!plain) return [];
    const { columns, precision, format, order, mode, time } = best;
    const rival = Math.min(...given.map((way) => way.time.median));
    const saved = rival - time.median;
    const breakEven = order === 'reordered' && saved > 0 ? Math.ceil((reordering ?? 0) / saved) : null;
    return { columns, precision, format, order, mode, gain: plain.time.median / time.median, breakEven };
  });
}

/** By more than a twentieth, with quartiles that do not overlap. */
function isClearlyFaster({ time }: BenchmarkRow, { time: other }: BenchmarkRow): boolean {
  return other.median > worthwhile * time.median && other.lower > time.upper;
}

/** Fewer threads before more, the given order before another. */
function simplicity({ mode, order }: BenchmarkRow): number {
  return modes.indexOf(mode) + (order === 'given' ? 0 : modes.length);
}
