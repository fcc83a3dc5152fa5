/** What one product needs from the caches, the memory and the branch predictor, by simulation: A·X and Aᵀ·X from compressed rows, on one thread. */

import type { CsrMatrix } from '../../lib/sparse/csr.ts';
import { Cache, lineBytes, Predictor } from './caches.ts';

export type ModelProduct = 'A·X' | 'Aᵀ·X';

/**
 * Lines of 64 bytes and branches of a call with warm caches. A line that is not in the second-level cache belongs to a stream if the line before it is, so that
 * the processor could foresee it; all others are scattered. A line that is written moves twice.
 */
export interface Counts {
  readonly mispredicted: number;
  readonly streamsInLastLevel: number;
  readonly streamsInMemory: number;
  readonly scatteredInLastLevel: number;
  readonly scatteredInMemory: number;
}

/** Caches of the machine of the record. */
export const machineCaches = { second: { bytes: 2 ** 20, ways: 16 }, last: { bytes: 2 ** 25, ways: 16 }, historyBits: 14 }; // oxfmt-ignore

/** Entries that the kernels take at a time, at most: `forEachGroup` in lib/wasm/simd/products. */
function groupOf(product: ModelProduct, bytes: number, width: number): number {
  const vectors = (bytes * width) / 16;
  if (product === 'A·X') return width === 1 ? 8 : vectors <= 2 ? 4 : 2;
  return width === 1 ? 4 : vectors <= 2 ? 2 : 1;
}

export function countsOf(matrix: CsrMatrix, product: ModelProduct, width: number): Counts {
  const { rows, cols, nonzeros, starts, columns, values } = matrix;
  const bytes = values.BYTES_PER_ELEMENT;
  const [first, second, last] = [new Cache(2 ** 15, 8), ...[machineCaches.second, machineCaches.last].map((each) => new Cache(each.bytes, each.ways))]; // oxfmt-ignore
  const predictor = new Predictor(machineCaches.historyBits);
  const found = { streamsInLastLevel: 0, streamsInMemory: 0, scatteredInLastLevel: 0, scatteredInMemory: 0 };
  const use = (line: number, moves: number): void => {
    if (first.use(line) || second.use(line)) return;
    const isStream = second.has(line - 1);
    if (last.use(line)) found[isStream ? 'streamsInLastLevel' : 'scatteredInLastLevel']++;
    else found[isStream ? 'streamsInMemory' : 'scatteredInMemory'] += moves;
  };
  // Arrays one after another, each from the beginning of a line.
  const lengths = [4 * (rows + 1), 4 * nonzeros, bytes * nonzeros, bytes * width * cols, bytes * width * rows];
  const [startsAt, columnsAt, valuesAt, byColumn, byRow] = lengths.map((_, k) => lengths.slice(0, k).reduce((sum, length) => sum + lineBytes * Math.ceil(length / lineBytes), 0)); // oxfmt-ignore
  const row = bytes * width;
  const useRow = (array: number, i: number, moves: number): void => {
    const end = array + row * (i + 1);
    for (let at = array + row * i; at < end; at += lineBytes) use(Math.floor(at / lineBytes), moves);
  };
  const group = groupOf(product, bytes, width);
  const [movesByColumn, movesByRow] = product === 'A·X' ? [1, 2] : [2, 1];
  /** Columns and values of neighboring entries are mostly in the same lines. */
  let [columnLine, valueLine] = [-1, -1];
  const pass = (): void => {
    for (let i = 0; i < rows; i++) {
      use(Math.floor((startsAt + 4 * i) / lineBytes), 1);
      const length = starts[i + 1] - starts[i];
      predictor.branch(1, length >= group);
      for (let left = length - group; left >= 0; left -= group) predictor.branch(2, left >= group);
      for (let size = group / 2; size >= 1; size /= 2) predictor.branch(2 + size, (length & size) !== 0);
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const [nextColumnLine, nextValueLine] = [Math.floor((columnsAt + 4 * e) / lineBytes), Math.floor((valuesAt + bytes * e) / lineBytes)]; // oxfmt-ignore
        if (nextColumnLine !== columnLine) use((columnLine = nextColumnLine), 1);
        if (nextValueLine !== valueLine) use((valueLine = nextValueLine), 1);
        useRow(byColumn, columns[e], movesByColumn);
      }
      useRow(byRow, i, movesByRow);
    }
  };
  // What does not fit into the caches is not there at the next call either.
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total < 4 * machineCaches.last.bytes) pass();
  const before = { ...found, mispredicted: predictor.mispredicted };
  pass();
  return {
    mispredicted: predictor.mispredicted - before.mispredicted,
    streamsInLastLevel: found.streamsInLastLevel - before.streamsInLastLevel,
    streamsInMemory: found.streamsInMemory - before.streamsInMemory,
    scatteredInLastLevel: found.scatteredInLastLevel - before.scatteredInLastLevel,
    scatteredInMemory: found.scatteredInMemory - before.scatteredInMemory,
  };
}
