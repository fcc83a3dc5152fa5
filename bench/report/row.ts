/** One row of a table: our time, how many times longer the others took, and the resulting rate. */

import { peakCompetitor, peakFlops } from '../machine.ts';
import { type Competitor, type Pace, race, type Timings } from '../measure.ts';
import type { Peers } from '../competitors/peers.ts';
import type { Python } from '../competitors/python.ts';
import { formatNumber, formatRatio, formatMilliseconds } from '../../lib/charts/table.ts';

export const groupNames = [
  'ceiling',
  'dense',
  'sparse',
  'optimizer',
  'elementwise',
  'reduce',
  'neighbors',
  'eigen',
  'million',
  'solver',
  'columns',
  'train',
  'profile',
  'growth',
  'steady',
  'memory',
  'storage',
] as const;
export type GroupName = (typeof groupNames)[number];

/** A group measures row by row and may add notes below its table. */
export type Group = (context: Context) => Promise<Row[]>;

export interface Context {
  readonly pace: Pace;
  readonly quick: boolean;
  /** Only graphs whose name contains this, where there are many. */
  readonly only: string;
  readonly peers: Peers;
  readonly python: Python | null;
  /** Prints progress. */
  say(text: string): void;
  /** Adds a note below the table. */
  note(text: string): void;
}

export interface Work {
  readonly amount: number;
  readonly unit: 'flop' | 'byte';
}

export interface Row {
  readonly kernel: string;
  readonly size: string;
  readonly ours: Timings;
  /** GFLOP/s or GB/s. Null if the operations are not counted. */
  readonly rate: { readonly value: number; readonly unit: 'GFLOP/s' | 'GB/s' } | null;
  /** Only if memory is measured. */
  readonly bytes?: number;
  /** Percent of the peak measured in the same rounds. */
  readonly percentOfPeak: number | null;
  /** Only if parts of a whole are measured: percent of the whole. */
  readonly share?: number;
  /** Only if a parameter grows from row to row: its value. */
  readonly at?: number;
  readonly others: Readonly<Record<string, Rival>>;
  readonly checksum: number;
}

/** `ratio`: their time over ours. A rival without a time has an error. */
export type Rival = (Timings & { readonly ratio: number }) | { readonly error: string };

/** Times the competitors, ours first. With `againstPeak` the machine's peak is measured in every round too. */
export async function measureRow(
  context: Context,
  kernel: string,
  size: string,
  work: Work,
  competitors: readonly (Competitor | null)[],
  againstPeak = false,
): Promise<Row> {
  context.say(`${kernel} ${size}`);
  const present = competitors.filter((competitor) => competitor !== null);
  const { times, errors, checksum } = await race(present, context.pace, againstPeak ? peakCompetitor() : null);
  const ours = times[present[0].name];
  const others: Record<string, Rival> = {};
  for (const { name } of present.slice(1)) {
    others[name] = name in errors ? { error: errors[name] } : { ...times[name], ratio: times[name].time / ours.time };
  }
  const value = work.amount / ours.time / 1e6;
  const percentOfPeak = againstPeak ? (100 * value) / (peakFlops / times.peak.time / 1e6) : null;
  return { kernel, size, ours, rate: { value, unit: units[work.unit] }, percentOfPeak, others, checksum };
}

/** A row of figures that were not measured by `measureRow`. */
export function givenRow(
  kernel: string,
  size: string,
  time: number,
  { checksum, ...more }: Partial<Pick<Row, 'bytes' | 'share' | 'at' | 'others'>> & Pick<Row, 'checksum'>,
): Row {
  const ours = { time, median: time, min: time };
  return { kernel, size, ours, rate: null, percentOfPeak: null, others: {}, ...more, checksum };
}

/** A rival that took `time` milliseconds, with its ratio to ours. */
export function rivalOf(time: number, ours: number): Rival {
  return { time, median: time, min: time, ratio: time / ours };
}

const units = { flop: 'GFLOP/s', byte: 'GB/s' } as const;

/** Header and cells of a group's table. */
export function rowCells(rows: readonly Row[]): { header: string[]; cells: string[][] } {
  const rivals = [...new Set(rows.flatMap(({ others }) => Object.keys(others)))];
  const withPeak = rows.some(({ percentOfPeak }) => percentOfPeak !== null);
  const withRate = rows.some(({ rate }) => rate !== null);
  const withShare = rows.some(({ share }) => share !== undefined);
  const withBytes = rows.some(({ bytes }) => bytes !== undefined);
  const header = [
    'kernel',
    'size',
    'ours',
    ...(withRate ? ['rate'] : []),
    ...(withPeak ? ['of peak'] : []),
    ...(withShare ? ['share'] : []),
    ...(withBytes ? ['memory'] : []),
  ];
  const cells = rows.map((row) => [
    row.kernel,
    row.size,
    formatMilliseconds(row.ours.time),
    ...(withRate ? [row.rate ? `${formatNumber(row.rate.value)} ${row.rate.unit}` : ''] : []),
    ...(withPeak ? [row.percentOfPeak === null ? '' : `${formatNumber(row.percentOfPeak)} %`] : []),
    ...(withShare ? [row.share === undefined ? '' : `${row.share.toFixed(1)} %`] : []),
    ...(withBytes ? [row.bytes === undefined ? '' : mebibytes(row.bytes)] : []),
    ...rivals.map((name) => showRival(row.others[name])),
  ]);
  return { header: [...header, ...rivals.map((name) => `vs ${name}`)], cells };
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

function showRival(rival: Rival | undefined): string {
  if (!rival) return '–';
  return 'error' in rival ? `ERROR: ${rival.error}` : formatRatio(rival.ratio);
}
