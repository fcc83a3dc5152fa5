/** Hashes and samples of numbers, and the comparison of two sets of them. */

import { createHash } from 'node:crypto';

/** The exact numbers of an entry, by name. */
export type Parts = Readonly<Record<string, Float32Array | Float64Array | Int32Array | Uint8Array | readonly number[]>>;

/** One result to be fingerprinted. */
export type Case = readonly [name: string, run: () => Parts | Promise<Parts>];

interface PartRecord {
  readonly type: string;
  readonly length: number;
  readonly hash: string;
  /** Numbers spread over the array, the first one included. NaN and infinities are text, since JSON has no such numbers. */
  readonly sample: readonly (number | string)[];
}

/** What is kept of an entry. */
export interface EntryRecord {
  readonly hash: string;
  readonly parts: Readonly<Record<string, PartRecord>>;
  /** Why there are no numbers. */
  readonly error?: string;
}

/** Entries by name. */
export type Entries = Readonly<Record<string, EntryRecord>>;

/** Numbers kept of an entry, and at least of each of its parts. */
const sampled = { entry: 64, part: 4 } as const;
const hashDigits = 16;

/** Hashes the bytes of all parts. */
export function recordOf(parts: Parts): EntryRecord {
  const names = Object.keys(parts);
  const most = Math.max(sampled.part, Math.floor(sampled.entry / names.length));
  const records = Object.fromEntries(names.map((name) => [name, partRecord(parts[name], most)]));
  return { hash: digest(names.map((name) => `${name} ${records[name].hash}`).join('\n')), parts: records };
}

/** The record of a case that threw. */
export function failureOf(error: unknown): EntryRecord {
  const message = error instanceof Error ? error.message : String(error);
  return { hash: digest(message), parts: {}, error: message };
}

function partRecord(numbers: Parts[string], most: number): PartRecord {
  const array = Array.isArray(numbers)
    ? Float64Array.from(numbers)
    : (numbers as Exclude<Parts[string], readonly number[]>);
  const { buffer, byteOffset, byteLength, length } = array;
  const count = Math.min(length, most);
  return {
    type: array.constructor.name,
    length,
    hash: digest(new Uint8Array(buffer, byteOffset, byteLength)),
    sample: Array.from({ length: count }, (_, i) => printable(array[Math.floor((i * length) / count)])),
  };
}

function printable(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function digest(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex').slice(0, hashDigits);
}

/** One line for each entry that differs, with the largest difference of each part. Empty if all are equal. */
export function differences(before: Entries, after: Entries): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (!old) return [`${name}: only here`];
    if (!now) return [`${name}: missing here`];
    if (old.hash === now.hash) return [];
    return [`${name}: ${describeChange(old, now)}`];
  });
}

function describeChange(old: EntryRecord, now: EntryRecord): string {
  const failure = now.error ?? old.error;
  if (failure !== undefined) return `${now.error === undefined ? 'threw before' : 'throws'}: ${failure}`;
  const names = [...new Set([...Object.keys(old.parts), ...Object.keys(now.parts)])];
  const changed = names.filter((name) => old.parts[name]?.hash !== now.parts[name]?.hash);
  return (
    changed.map((name) => `${name} ${describePart(old.parts[name], now.parts[name])}`).join('; ') || 'parts renamed'
  );
}

function describePart(old: PartRecord | undefined, now: PartRecord | undefined): string {
  if (!old || !now) return old ? 'missing here' : 'only here';
  if (old.type !== now.type) return `${old.type} became ${now.type}`;
  if (old.length !== now.length) return `${old.length} numbers became ${now.length}`;
  const largest = Math.max(...old.sample.map((value, i) => relativeDifference(value, now.sample[i])));
  if (largest === 0) return 'equal in the sample only';
  const scale = Math.max(...[...old.sample, ...now.sample].map((value) => Math.abs(Number(value))));
  const moved = Math.max(...old.sample.map((value, i) => Math.abs(Number(value) - Number(now.sample[i]))));
  const epsilon = old.type === 'Float32Array' ? 2 ** -23 : Number.EPSILON;
  // Numbers near 0 result from cancellation: their relative differences are large where all others differ by rounding.
  return `by up to ${largest.toPrecision(3)}, ${Math.ceil(largest / epsilon)} ulp (${(moved / scale).toPrecision(3)} of the largest)`;
}

/** |a − b| relative to the larger magnitude. */
function relativeDifference(a: number | string, b: number | string): number {
  if (a === b) return 0;
  if (typeof a === 'string' || typeof b === 'string') return Infinity;
  return Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
}
