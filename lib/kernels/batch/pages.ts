/** Rows and runs of numbers of 32 bits, copied from pages of files in memory, and to them. */

/**
 * Copies `words` numbers of each listed row from the pages to `out`, one row after the other. Row r begins with number
 * begin + r·stride of the pages.
 */
export function readRows(
  count: number,
  words: number,
  stride: number,
  begin: number,
  rows: Int32Array,
  pages: Int32Array,
  out: Int32Array,
): void {
  for (let i = 0, at = 0; i < count; i++, at += words) {
    copyWords(pages, (begin + Math.imul(rows[i], stride)) | 0, out, at, words);
  }
}

/** The same from `values` to the pages. Rows may repeat; the last one counts. */
export function writeRows(
  count: number,
  words: number,
  stride: number,
  begin: number,
  rows: Int32Array,
  values: Int32Array,
  pages: Int32Array,
): void {
  for (let i = 0, at = 0; i < count; i++, at += words) {
    copyWords(values, at, pages, (begin + Math.imul(rows[i], stride)) | 0, words);
  }
}

/** Copies `count` runs, one after the other: run i begins with number firsts[i], and has factor·(ends[i + 1] − ends[i]) numbers. */
export function readRuns(
  count: number,
  factor: number,
  firsts: Int32Array,
  ends: Int32Array,
  pages: Int32Array,
  out: Int32Array,
): void {
  for (let i = 0, at = 0; i < count; i++) {
    const words = Math.imul(factor, ends[i + 1] - ends[i]);
    copyWords(pages, firsts[i], out, at, words);
    at += words;
  }
}

/** A loop is faster than `set` for so few numbers. */
const longRun = 64;

/** Copies `count` numbers. */
export function copyWords(source: Int32Array, from: number, target: Int32Array, to: number, count: number): void {
  if (count > longRun) target.set(source.subarray(from, from + count), to);
  else for (let k = 0; k < count; k++) target[to + k] = source[from + k];
}

export const plainPages = { readRows, writeRows, readRuns };

export type PageKernels = typeof plainPages;
