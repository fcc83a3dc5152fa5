/** The cache of pages: rows of tables that are read and replaced, runs, damaged files, and how often files are read. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { PageCache } from '../../lib/storage/arrays/page-cache.ts';
import { pageBytes, smallPageBytes, type PagedFile } from '../../lib/storage/arrays/paged-file.ts';
import { kernelMemory, prepareKernels } from '../../lib/wasm/simd.ts';
import { fastCrc32 } from '../../lib/files/checksum.ts';

const test = suite('page cache');

/** A file in memory that counts how often it is read and written. */
function fileOf(bytes: Uint8Array, checksums: Uint32Array | null = null) {
  const calls = { reads: 0, writes: 0 };
  const reader = {
    path: 'table',
    size: bytes.length,
    read(target: Uint8Array, position: number): void {
      calls.reads++;
      assert.ok(position + target.length <= bytes.length, 'no byte is read after the end');
      target.set(bytes.subarray(position, position + target.length));
    },
    write(source: Uint8Array, position: number): void {
      calls.writes++;
      assert.ok(position + source.length <= bytes.length, 'no byte is written after the end');
      bytes.set(source, position);
    },
  };
  const file: PagedFile = { reader, checksums };
  return { file, calls };
}

function randomBytes(length: number, seed: number): Uint8Array {
  const random = new Random(seed);
  return Uint8Array.from({ length }, () => random.integer(256));
}

/** The words of rows, their number, and the bytes before the first one. */
const tables = [
  [3, 5000, 128],
  [6, 4000, 0],
  [700, 40, 64],
  [3000, 12, 128],
] as const;
/** Slots for all pages, and for some of them. */
const budgets = [2 ** 20, 16 * smallPageBytes] as const;

for (const [words, rows, begin] of tables) {
  for (const budget of budgets) {
    test(`rows of ${words} numbers are read and replaced as in memory, with ${budget / smallPageBytes} pages`, () => {
      const bytes = randomBytes(begin + 4 * words * rows, words);
      const expected = new Int32Array(bytes.slice().buffer, begin, words * rows);
      const { file } = fileOf(bytes);
      const cache = new PageCache('spec', budget, smallPageBytes);
      const random = new Random(1);
      for (let round = 0; round < 12; round++) {
        const length = 1 + random.integer(Math.min(rows, 300));
        const list = random.permutation(rows).slice(0, length);
        const out = new Int32Array(length * words);
        cache.gather(file, begin, words, list, out);
        const columns = { from: words > 2 ? 1 : 0, count: words - 2 };
        const replaced = Int32Array.from({ length: length * columns.count }, () => random.integer(2 ** 30));
        list.forEach((row, i) => {
          const own = expected.subarray(row * words, (row + 1) * words);
          assert.equal(out.subarray(i * words, (i + 1) * words), own, `row ${row}`);
          own.set(replaced.subarray(i * columns.count, (i + 1) * columns.count), columns.from);
        });
        cache.scatter(file, begin, words, list, replaced, columns);
      }
      cache.flush();
      assert.equal(new Int32Array(bytes.slice(begin).buffer), expected, 'the file after all changes');
    });
  }
}

test('runs that begin and end anywhere, and empty ones, are read as in memory', () => {
  const bytes = randomBytes(200_004, 3);
  const words = new Int32Array(bytes.buffer);
  const random = new Random(2);
  for (const budget of budgets) {
    const { file } = fileOf(bytes);
    const cache = new PageCache('spec', budget, smallPageBytes);
    for (let round = 0; round < 20; round++) {
      const lengths = Array.from({ length: 40 }, (_, i) =>
        i % 7 === 0 ? 0 : random.integer(i % 11 === 0 ? 5000 : 50),
      );
      const begins = Float64Array.from(lengths, (length) => random.integer(words.length - length + 1));
      const ends = new Int32Array(lengths.length + 1);
      lengths.forEach((length, i) => (ends[i + 1] = ends[i] + length));
      const out = new Int32Array(ends[lengths.length]);
      cache.gatherRuns(file, begins, ends, 1, out);
      begins.forEach((first, i) =>
        assert.equal(out.subarray(ends[i], ends[i + 1]), words.subarray(first, first + lengths[i]), `run ${i}`),
      );
    }
  }
});

test('pages next to each other are read and written at once, and those of a small file once', () => {
  const [words, rows] = [8, 8192];
  const bytes = randomBytes(4 * words * rows, 4);
  const all = new Random(5).permutation(rows);
  const out = new Int32Array(words * rows);
  const pages = bytes.length / smallPageBytes;
  const few = fileOf(bytes);
  const small = new PageCache('spec', 16 * smallPageBytes, smallPageBytes);
  small.gather(few.file, 0, words, all, out);
  assert.ok(few.calls.reads <= pages / 8, `${few.calls.reads} reads of ${pages} pages`);
  small.scatter(few.file, 0, words, all, out);
  small.flush();
  assert.ok(few.calls.writes <= pages / 4, `${few.calls.writes} writes of ${pages} pages`);
  const many = fileOf(bytes);
  const large = new PageCache('spec', 2 ** 20, smallPageBytes);
  for (let round = 0; round < 3; round++) large.gather(many.file, 0, words, all, out);
  assert.is(many.calls.reads, 1);
  assert.is(large.statistics.misses, pages);
});

test('a damaged page is refused each time, and the pages beside it are read', () => {
  const bytes = randomBytes(4 * pageBytes, 6);
  const checksums = Uint32Array.from({ length: 4 }, (_, k) =>
    fastCrc32(bytes.subarray(k * pageBytes, (k + 1) * pageBytes)),
  );
  bytes[2 * pageBytes + 77] ^= 1;
  for (const budget of budgets) {
    const { file } = fileOf(bytes, checksums);
    const cache = new PageCache('spec', budget, smallPageBytes);
    const out = new Int32Array(4);
    const rowOf = (page: number): Int32Array => Int32Array.of((page * pageBytes) / 16 + 3);
    for (let round = 0; round < 2; round++) {
      assert.throws(() => cache.gather(file, 0, 4, rowOf(2), out), /spec: expected an undamaged table, got a wrong checksum of bytes 32768 to 49151/); // oxfmt-ignore
      for (const page of [0, 1, 3]) {
        cache.gather(file, 0, 4, rowOf(page), out);
        assert.equal(out, new Int32Array(bytes.buffer, page * pageBytes + 48, 4), `page ${page}`);
      }
    }
  }
});

test('a cache holds memory while files are open in it, and gives it back after the last one', () => {
  prepareKernels();
  const memory = kernelMemory()!;
  const size = 2 ** 20;
  /** Where the next block of that size would be. */
  const place = (): number => {
    const address = memory.take(size);
    memory.give(address);
    return address;
  };
  const free = place();
  const cache = new PageCache('spec', size, smallPageBytes);
  const files = [1, 2].map((seed) => fileOf(randomBytes(2 ** 16, seed)).file);
  const out = new Int32Array(6);
  for (const file of files) cache.gather(file, 0, 2, Int32Array.of(5, 1, 7), out);
  cache.forget(files[0]);
  assert.is.not(place(), free, 'a file is open');
  cache.forget(files[1]);
  assert.is(place(), free);
  cache.gather(files[0], 0, 2, Int32Array.of(5, 1, 7), out);
  const words = new Int32Array(randomBytes(2 ** 16, 1).buffer);
  assert.equal([...out], [...words.subarray(10, 12), ...words.subarray(2, 4), ...words.subarray(14, 16)]);
  cache.forget(files[0]);
});

test.run();
