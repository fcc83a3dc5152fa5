/** A model of the time of A·X and Aᵀ·X from compressed rows on one thread: costs of entries and rows, of mispredicted branches and of lines that are not in the second-level cache. */

import { geometricMean } from '../../lib/benchmark/report/compare.ts';
import { formatNumber, formatRatio } from '../../lib/charts/table.ts';
import type { Precision } from '../../lib/tensor/tensor.ts';
import type { Counts, ModelProduct } from '../model/counts.ts';
import { table } from './document-tables.ts';

/** A measured product and what it needs. */
export interface ModelRow {
  readonly matrix: string;
  readonly product: ModelProduct;
  readonly precision: Precision;
  readonly columns: number;
  readonly rows: number;
  readonly entries: number;
  readonly milliseconds: number;
  readonly counts: Counts;
}

/** The causes that all products share. Processors learn the branches of a small matrix that is multiplied again and again, which the simulation does not. */
const sharedCauses = [
  'mispredicted branch, small matrix',
  'mispredicted branch, other matrix',
  'line of a stream, last-level cache',
  'line of a stream, memory',
  'scattered line, last-level cache',
  'scattered line, memory',
] as const;

const sizes = ['small', 'medium', 'large'] as const;
type Size = (typeof sizes)[number];
const sizeOf = ({ matrix }: ModelRow): Size => sizes.find((size) => matrix.endsWith(`-${size}`))!;

const precisionWords = { single: 'Float32', double: 'Float64' };
const kindOf = ({ product, precision, columns }: ModelRow): string => `${product}, ${precisionWords[precision]}, K = ${columns}`; // oxfmt-ignore

/** How often each shared cause occurs. */
function occurrencesOf(row: ModelRow): number[] {
  const { mispredicted, streamsInLastLevel, streamsInMemory, scatteredInLastLevel, scatteredInMemory } = row.counts;
  const [learned, others] = sizeOf(row) === 'small' ? [mispredicted, 0] : [0, mispredicted];
  return [learned, others, streamsInLastLevel, streamsInMemory, scatteredInLastLevel, scatteredInMemory];
}

/** Nanoseconds of each cause, and the rows with their predicted nanoseconds: of entries and rows together, then of each shared cause. */
export interface Model {
  readonly kinds: readonly string[];
  /** What an entry and a row of each kind cost. */
  readonly work: readonly (readonly [entry: number, row: number])[];
  readonly shared: readonly number[];
  readonly rows: readonly (ModelRow & { readonly predicted: number; readonly parts: readonly number[] })[];
}

const sweeps = 4000;

/** The costs, none below 0, with the least sum of squares of relative errors: one after another, until they settle. */
export function fitModel(rows: readonly ModelRow[]): Model {
  const kinds = [...new Set(rows.map(kindOf))];
  const firstShared = 2 * kinds.length;
  const counted = rows.map((row) => {
    const own = kinds.indexOf(kindOf(row));
    return [...kinds.flatMap((_, k) => (k === own ? [row.entries, row.rows] : [0, 0])), ...occurrencesOf(row)];
  });
  const relative = counted.map((counts, r) => counts.map((count) => count / (1e6 * rows[r].milliseconds)));
  const costs = counted[0].map(() => 0);
  const errors = rows.map(() => -1);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const k of costs.keys()) {
      const square = relative.reduce((sum, row) => sum + row[k] ** 2, 0);
      if (square === 0) continue;
      const slope = relative.reduce((sum, row, r) => sum + row[k] * errors[r], 0);
      const next = Math.max(0, costs[k] - slope / square);
      for (const [r, row] of relative.entries()) errors[r] += row[k] * (next - costs[k]);
      costs[k] = next;
    }
  }
  return {
    kinds,
    work: kinds.map((_, k) => [costs[2 * k], costs[2 * k + 1]]),
    shared: costs.slice(firstShared),
    rows: rows.map((row, r) => {
      const all = counted[r].map((count, k) => count * costs[k]);
      const parts = [sumOf(all.slice(0, firstShared)), ...all.slice(firstShared)];
      return { ...row, predicted: sumOf(parts), parts };
    }),
  };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** What the parts of a row are called in the table of limits. */
const limitWords = ['work', 'branches', 'branches', 'streams', 'streams', 'scattered', 'scattered'];

/** What takes most of the predicted time, with its share. */
function limitOf({ parts, predicted }: Model['rows'][number]): string {
  const [[word, most]] = [...new Set(limitWords)]
    .map((each): [string, number] => [each, sumOf(parts.filter((_, k) => limitWords[k] === each))])
    .toSorted(([, a], [, b]) => b - a);
  return `${word} ${Math.round((100 * most) / predicted)} %`;
}

/** By which factors predictions are wrong. */
function accuracyRow(name: string, rows: Model['rows']): string[] {
  const quotients = rows.map(({ predicted, milliseconds }) => predicted / (1e6 * milliseconds));
  const factors = quotients.map((quotient) => Math.max(quotient, 1 / quotient));
  const within = factors.filter((factor) => factor <= 1.25).length;
  return [
    name,
    formatRatio(geometricMean(factors)),
    formatRatio(Math.max(...factors)),
    `${within} of ${rows.length}`,
    formatRatio(geometricMean(quotients)),
  ];
}

/** What a cause costs, how well the model predicts, and for every product of a large matrix: predicted over measured time, and what takes most of it. */
export function describeModel({ kinds, work, shared, rows }: Model): string {
  const nanoseconds = (cost: number): string => `${formatNumber(cost)} ns`;
  const large = rows.filter((row) => sizeOf(row) === 'large');
  const cell = (matrix: string, kind: string): string => {
    const row = large.find((each) => each.matrix === matrix && kindOf(each) === kind);
    return row ? `${formatRatio(row.predicted / (1e6 * row.milliseconds))}, ${limitOf(row)}` : '–';
  };
  const groups: [string, Model['rows']][] = [
    ...sizes.map((size): [string, Model['rows']] => [`${size} matrices`, rows.filter((row) => sizeOf(row) === size)]),
    ...kinds.map((kind): [string, Model['rows']] => [kind, rows.filter((row) => kindOf(row) === kind)]),
  ];
  const names = [...new Set(large.map(({ matrix }) => matrix))];
  return [
    table(['cause', 'cost'], sharedCauses.map((cause, k) => [cause, nanoseconds(shared[k])])), // oxfmt-ignore
    table(['work', 'an entry', 'a row'], kinds.map((kind, k) => [kind, ...work[k].map(nanoseconds)])), // oxfmt-ignore
    table(['predictions for', 'mean factor', 'at most', 'by 1.25 or less', 'predicted over measured'], groups.flatMap(([name, group]) => (group.length > 0 ? [accuracyRow(name, group)] : []))), // oxfmt-ignore
    table(['matrix', ...kinds], names.map((name) => [name].concat(kinds.map((kind) => cell(name, kind))))), // oxfmt-ignore
  ].join('\n\n');
}
