/** Recommends how to compute A·X and Aᵀ·X for a matrix: the fastest way, if it is clearly faster than a simpler one. */

import type { Precision } from '../../tensor/tensor.ts';
import type { BenchmarkRow } from './measure-rows.ts';
import { type Format, formats, type Mode, modes, operationRules, type Product } from './operations.ts';
import type { Order } from './plan.ts';
import type { Conversion } from './stored.ts';

/** The best way to compute a product if X has this number of columns. */
export interface Recommendation {
  readonly product: Product;
  readonly columns: number;
  readonly precision: Precision;
  readonly format: Format;
  readonly order: Order;
  readonly mode: Mode;
  /** How many times as long the plain kernel takes, in the given order. */
  readonly gain: number;
  /** The number of products after which reordering and conversion have paid for themselves. Null for compressed rows in the given order. */
  readonly breakEven: number | null;
}

/** A way that is less simple must be faster by this factor. */
const worthwhile = 1.05;

/** One recommendation for each product, precision and number of columns. `reordering`: milliseconds to reorder. */
export function recommend(
  rows: readonly BenchmarkRow[],
  reordering: number | null,
  conversions: readonly Conversion[] = [],
): Recommendation[] {
  const productOf = ({ operation }: BenchmarkRow): Product | null => operationRules[operation].product;
  const keyOf = (row: BenchmarkRow): string => `${productOf(row)}, ${row.precision}, ${row.columns}`;
  const rowsOf = (product: Product): BenchmarkRow[] => rows.filter((row) => productOf(row) === product);
  const products = [...rowsOf('A·X'), ...rowsOf('Aᵀ·X')];
  return [...new Set(products.map(keyOf))].flatMap((key) => {
    const group = products.filter((row) => keyOf(row) === key);
    const product = productOf(group[0])!;
    const given = group.filter(({ order, format }) => order === 'given' && format === 'csr');
    const ways = group.toSorted((a, b) => simplicity(a) - simplicity(b));
    const best = ways.reduce((chosen, way) => (isClearlyFaster(way, chosen) ? way : chosen));
    const plain = given.find(({ mode }) => mode === 'plain');
    if (!plain) return [];
    const { columns, precision, format, order, mode, time } = best;
    const rival = Math.min(...given.map((way) => way.time.median));
    const saved = rival - time.median;
    const isSame = (each: Conversion): boolean =>
      each.format === format && each.precision === precision && each.order === order;
    const effort = (order === 'reordered' ? (reordering ?? 0) : 0) + (conversions.find(isSame)?.milliseconds ?? 0);
    const isSimple = order === 'given' && format === 'csr';
    const breakEven = !isSimple && saved > 0 ? Math.ceil(effort / saved) : null;
    return { product, columns, precision, format, order, mode, gain: plain.time.median / time.median, breakEven };
  });
}

/** By more than a twentieth, with quartiles that do not overlap. */
function isClearlyFaster({ time }: BenchmarkRow, { time: other }: BenchmarkRow): boolean {
  return other.median > worthwhile * time.median && other.lower > time.upper;
}

/** Fewer threads before more, compressed rows before other formats, the given order before another. */
function simplicity({ mode, order, format }: BenchmarkRow): number {
  return modes.indexOf(mode) + modes.length * (formats.indexOf(format) + (order === 'given' ? 0 : formats.length));
}
