/** Files of entries that are read one after another, without holding all of them: Matrix Market, and lists of edges. */

import { badValue, showShape } from '../../core/check.ts';
import { FileReader } from '../../files/read.ts';
import { openSource } from '../../formats/bytes/byte-source.ts';
import { wholeLines } from '../../formats/bytes/lines.ts';
import { openFile } from '../../formats/disk.ts';
import { type EntrySink, matrixMarketParser } from '../../formats/matrix-market/parser.ts';
import { readParquetGroups } from '../../formats/table/records/peers.ts';
import { ArrayReader } from '../arrays/array-file.ts';
import { EdgeParser } from './edge-parser.ts';
import { checkElements, decodeElements } from '../arrays/elements.ts';
import { PageCache } from '../arrays/page-cache.ts';

/** Receives entries, and is told whether their mirror images come as well. */
export interface MirroredSink {
  push(row: number, column: number, value: number, isMirrored: boolean): void;
}

/** A file that can be read several times. */
export interface EntrySource {
  /** Whether nodes are those of a matrix, which states its size and is symmetric; or of a list of edges. */
  readonly kind: 'matrix' | 'edges';
  /** Reads all entries. Calls `tick` with the fraction done from time to time. Returns the number of nodes, if it is stated. */
  read(entries: MirroredSink, tick: (fraction: number) => void): Promise<number | null>;
}

/** The endings of files that `openEntries` reads. */
const entryFiles = '.mtx, .csv, .tsv or .txt, each also with .gz; .npy; .parquet';

/** The entries of a file, by its ending. Errors name `caller`. */
export function openEntries(caller: string, path: string): EntrySource {
  const open = readers.find(([ending]) => ending.test(path))?.[1];
  if (!open) throw badValue(caller, `a file of entries (${entryFiles})`, path);
  new FileReader(caller, path).close(); // refuses a file that cannot be read, before the work begins
  return open(caller, path);
}

const readers: readonly [ending: RegExp, open: (caller: string, path: string) => EntrySource][] = [
  [/\.mtx(\.gz)?$/i, matrixMarketEntries],
  [/\.(csv|tsv|txt)(\.gz)?$/i, textEdges],
  [/\.npy$/i, arrayEdges],
  [/\.parquet$/i, parquetEdges],
];

function matrixMarketEntries(caller: string, path: string): EntrySource {
  return {
    kind: 'matrix',
    async read(entries, tick) {
      const parser = matrixMarketParser(caller, mostNodes, {
        push: (row, column, value) => entries.push(row, column, value, parser.isSymmetric),
      });
      await readLines(caller, path, (block) => parser.read(block), tick);
      const [rows, cols] = parser.finish();
      if (rows !== cols) throw badValue(caller, 'a square matrix', `${rows}×${cols}`);
      return rows;
    },
  };
}

function textEdges(caller: string, path: string): EntrySource {
  return {
    kind: 'edges',
    async read(entries, tick) {
      const parser = new EdgeParser(caller, plain(entries));
      await readLines(caller, path, (block) => parser.read(block), tick);
      return null;
    },
  };
}

/** Rows of a .npy array at a time. */
const blockRows = 1 << 14;
/** Enough for blocks, which bypass the cache. */
const cacheBytes = 2 ** 20;

function arrayEdges(caller: string, path: string): EntrySource {
  return {
    kind: 'edges',
    async read(entries, tick) {
      const array = new ArrayReader(caller, path, new PageCache(caller, cacheBytes));
      try {
        const { header, elementBytes } = array;
        checkElements(caller, path, header);
        const [rows, cols] = header.shape;
        if (header.shape.length !== 2 || (cols !== 2 && cols !== 3) || header.fortranOrder) {
          const order = header.fortranOrder ? ', column by column' : '';
          const rule = `an array of edges with 2 or 3 columns, row by row, in ${path}`;
          throw badValue(caller, rule, showShape(header.shape) + order);
        }
        for (let from = 0; from < rows; from += blockRows) {
          const count = Math.min(blockRows, rows - from);
          const bytes = new Uint8Array(count * cols * elementBytes);
          array.read(from * cols, bytes);
          const numbers = new Float64Array(count * cols);
          decodeElements(header, bytes, numbers);
          for (let i = 0; i < count; i++) {
            const value = cols === 3 ? numbers[i * cols + 2] : 1;
            pushEdge(caller, path, from + i, numbers[i * cols], numbers[i * cols + 1], value, entries);
          }
          tick((from + count) / rows);
        }
      } finally {
        array.close();
      }
      return null;
    },
  };
}

/** Two or three columns: nodes, and optionally weights. Row groups are read one after another. */
function parquetEdges(caller: string, path: string): EntrySource {
  return {
    kind: 'edges',
    async read(entries, tick) {
      const reader = new FileReader(caller, path);
      const slice = (start: number, end = reader.size): ArrayBuffer => {
        const bytes = new Uint8Array(end - start);
        reader.read(bytes, start);
        return bytes.buffer;
      };
      try {
        let first = 0;
        for await (const { columns, rows, done } of readParquetGroups({ caller }, { byteLength: reader.size, slice })) {
          if (columns.length !== 2 && columns.length !== 3) {
            throw badValue(caller, `edges with 2 or 3 columns in ${path}`, columns.length);
          }
          const [from, to, weights] = columns;
          for (let i = 0; i < rows; i++) {
            const value = weights ? numberOf(weights[i]) : 1;
            pushEdge(caller, path, first + i, numberOf(from[i]), numberOf(to[i]), value, entries);
          }
          first += rows;
          tick(done);
        }
      } finally {
        reader.close();
      }
      return null;
    },
  };
}

/** Long integers become numbers. What is no number becomes NaN, also what is missing, true or a text. */
function numberOf(value: unknown): number {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : NaN;
}

/** Adds an edge of row `place` of a table. */
function pushEdge(
  caller: string,
  path: string,
  place: number,
  row: number,
  column: number,
  value: number,
  entries: MirroredSink,
): void {
  if (!isNode(row) || !isNode(column) || !Number.isFinite(value)) {
    const rule = `two nodes from 0 to ${mostNodes - 1} and a finite weight in ${path}`;
    throw badValue(caller, rule, `${row}, ${column}, ${value} in row ${place}`);
  }
  entries.push(row, column, value, false);
}

/** Row numbers and the number of rows are counted in 32 bits. */
export const mostNodes = 2 ** 31 - 2;

function isNode(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < mostNodes;
}

function plain(entries: MirroredSink): EntrySink {
  return { push: (row, column, value) => entries.push(row, column, value, false) };
}

/** Streams blocks of whole lines from a file, decompressed if it is gzip. */
async function readLines(
  caller: string,
  path: string,
  use: (block: Uint8Array) => void,
  tick: (fraction: number) => void,
): Promise<void> {
  const reader = new FileReader(caller, path);
  const { size } = reader;
  reader.close();
  const stream = await openFile(caller, path);
  let done = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of stream) {
      done += piece.length;
      yield piece;
    }
  };
  try {
    const { pieces } = await openSource(caller, counted());
    for await (const block of wholeLines(caller, pieces)) {
      use(block);
      tick(done / size);
    }
  } finally {
    stream.destroy();
  }
}
