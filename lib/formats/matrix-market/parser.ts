/** How do the lines of a Matrix Market file become entries? One pass over bytes, strict, every refusal with its line. */

import { badValue, excerpt } from '../../core/check.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { assemble } from '../../sparse/build.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { ByteCursor, carriageReturn, lineFeed } from '../bytes/decimal.ts';
import { longestLine } from '../bytes/lines.ts';
import { type MatrixMarketHeader, parseBanner } from './header.ts';
import { TripletBuffer } from './triplet-buffer.ts';

const percent = 37;

/** Bytes of comments and blank lines, beyond which a small packed file is taken for one made to keep a reader busy. */
const mostIdleBytes = 1 << 26;

export interface MatrixMarketParser {
  /** Takes a block of whole lines, the last one ended too. */
  read(block: Uint8Array): void;
  /** After the last block. */
  finish(precision: Precision): CsrMatrix;
}

/** `expected` is a guess at the number of entries; more may come. */
export function matrixMarketParser(caller: string, maxSide: number, expected: number): MatrixMarketParser {
  const triplets = new TripletBuffer(caller, expected);
  const cursor = new ByteCursor(new Uint8Array(0));
  let header: MatrixMarketHeader | null = null;
  let line = 0;
  let lineStart = 0;
  let idleBytes = 0;
  let rows = -1;
  let cols = -1;
  /** What the file claims to hold, and what has come. */
  let claimed = 0;
  let found = 0;
  /** The place of the next number of an array, which goes down the columns. */
  let nextRow = 0;
  let nextColumn = 0;
  /** Positive if entries stand below the diagonal, negative above; 0 as long as there are none. */
  let side = 0;

  return { read, finish };

  function read(block: Uint8Array): void {
    cursor.bytes = block;
    cursor.at = 0;
    while (cursor.at < block.length) {
      line++;
      lineStart = cursor.at;
      if (!header) {
        header = parseBanner(caller, lineText());
        passLine();
      } else if (passComment()) {
        idleBytes += cursor.at - lineStart;
        if (idleBytes > mostIdleBytes) throw bad(`at most ${mostIdleBytes} bytes of comments and blank lines`);
      } else if (rows < 0) readSizes(header);
      else if (header.array) readElement(header);
      else readCoordinates(header);
      if (cursor.at - lineStart > longestLine + 1) throw bad(`at most ${longestLine} bytes`);
    }
  }

  function finish(precision: Precision): CsrMatrix {
    if (rows < 0) throw badValue(caller, 'a header and a line of sizes', 'the end of the file');
    if (found < claimed) {
      throw badValue(caller, `a file of ${claimed} entries`, `${found} before its end`, 'It may be truncated.');
    }
    return assemble(caller, triplets.triplets, [rows, cols], precision);
  }

  /** `rows cols entries`, or `rows cols` for an array. */
  function readSizes({ array, symmetry, mirror }: MatrixMarketHeader): void {
    const tall = cursor.whole();
    const wide = nextWhole();
    claimed = !array ? nextWhole() : mirror === 0 ? tall * wide : (tall * (tall + mirror)) / 2;
    if (!passLineEnd() || tall < 0 || wide < 0 || claimed < 0) {
      throw bad(array ? 'rows and columns' : 'rows, columns and number of entries');
    }
    if (tall > maxSide || wide > maxSide) {
      throw bad(`at most ${maxSide} rows and columns`, 'The option maxSide allows more.');
    }
    if (mirror !== 0 && tall !== wide) throw bad(`as many columns as rows for a ${symmetry} matrix`);
    rows = tall;
    cols = wide;
    nextRow = mirror < 0 ? 1 : 0;
  }

  /** `row column value`, or `row column` for a pattern, from 1 on. */
  function readCoordinates(kind: MatrixMarketHeader): void {
    const row = cursor.whole();
    const column = nextWhole();
    const value = kind.pattern ? 1 : cursor.skipBlanks() ? cursor.decimal() : NaN;
    if (!passLineEnd() || row < 0 || column < 0 || Number.isNaN(value)) {
      throw bad(kind.pattern ? 'row and column' : 'row, column and a finite number');
    }
    if (row < 1 || row > rows) throw bad(`a row from 1 to ${rows}`);
    if (column < 1 || column > cols) throw bad(`a column from 1 to ${cols}`);
    if (kind.mirror !== 0) checkTriangle(kind, row - column);
    store(kind, row - 1, column - 1, value);
  }

  /** One value of an array. */
  function readElement(kind: MatrixMarketHeader): void {
    const value = cursor.decimal();
    if (!passLineEnd() || Number.isNaN(value)) throw bad('one finite number');
    store(kind, nextRow, nextColumn, value);
    if (++nextRow === rows) {
      nextColumn++;
      nextRow = kind.mirror === 0 ? 0 : nextColumn + (kind.mirror < 0 ? 1 : 0);
    }
  }

  /** The zeros of an array are no entries; those of a coordinate file are. */
  function store({ array, integer, mirror }: MatrixMarketHeader, row: number, column: number, value: number): void {
    if (found === claimed) throw bad(`the end of the file after its ${claimed} entries`);
    if (!Number.isFinite(value)) throw bad('a finite number');
    if (integer && !Number.isInteger(value)) throw bad('a whole number');
    found++;
    if (array && value === 0) return;
    triplets.push(row, column, value);
    if (mirror !== 0 && row !== column) triplets.push(column, row, mirror * value);
  }

  /**
   * The format stores the lower triangle. A file that stores the upper one throughout can mean nothing else and is
   * read; one that uses both might mean a sum or a repetition, and is refused.
   */
  function checkTriangle({ symmetry, mirror }: MatrixMarketHeader, below: number): void {
    if (below === 0 && mirror < 0) throw bad(`an entry off the diagonal, for a ${symmetry} matrix,`);
    if (side * below < 0) throw bad(`an entry of the ${side > 0 ? 'lower' : 'upper'} triangle, as those before,`);
    side ||= below;
  }

  /** −1 if there is none. */
  function nextWhole(): number {
    return cursor.skipBlanks() ? cursor.whole() : -1;
  }

  /** Goes past a line that is blank or a comment; else stands at its first word. */
  function passComment(): boolean {
    if (passLineEnd()) return true;
    if (cursor.bytes[cursor.at] !== percent) return false;
    passLine();
    return true;
  }

  /** Goes past blanks, and past the end of the line if that is all there is left of it. */
  function passLineEnd(): boolean {
    cursor.skipBlanks();
    const { bytes, at } = cursor;
    const end = bytes[at] === carriageReturn ? at + 1 : at;
    if (bytes[end] !== lineFeed) return false;
    cursor.at = end + 1;
    return true;
  }

  function passLine(): void {
    cursor.at = cursor.bytes.indexOf(lineFeed, cursor.at) + 1;
  }

  function bad(rule: string, remedy = ''): RangeError {
    return badValue(caller, `${rule} on line ${line}`, excerpt(lineText()), remedy);
  }

  function lineText(): string {
    const { bytes } = cursor;
    return new TextDecoder('latin1').decode(bytes.slice(lineStart, bytes.indexOf(lineFeed, lineStart)));
  }
}
