/** Parses the lines of a Matrix Market file in one strict pass over the bytes. Every error names its line. */

import { badValue, excerpt } from '../../core/check.ts';
import type { MatrixShape } from '../../sparse/build.ts';
import { ByteCursor, carriageReturn, lineFeed } from '../bytes/decimal.ts';
import { maxLineBytes } from '../bytes/lines.ts';
import { type MatrixMarketHeader, parseBanner } from './header.ts';

const percent = 37;

/** The limit on bytes of comments and blank lines, so that a small compressed file cannot keep the reader busy for long. */
const maxSkippedBytes = 1 << 26;

export interface MatrixMarketParser {
  /** Reads a block of whole lines. The last line ends with a line feed too. */
  read(block: Uint8Array): void;
  /** Whether every entry is followed by its mirror image. Known after the first block. */
  readonly isSymmetric: boolean;
  /** Checks that the file is complete, after the last block. Returns the shape of the matrix. */
  finish(): MatrixShape;
}

/** Receives the entries of a file, in its order. */
export interface EntrySink {
  push(row: number, column: number, value: number): void;
}

export function matrixMarketParser(caller: string, maxDimension: number, entries: EntrySink): MatrixMarketParser {
  const cursor = new ByteCursor(new Uint8Array(0));
  let header: MatrixMarketHeader | null = null;
  let line = 0;
  let lineStart = 0;
  let skippedBytes = 0;
  let rows = -1;
  let cols = -1;
  /** The number of entries that the header claims, and the number read so far. */
  let claimed = 0;
  let found = 0;
  /** The position of the next number of an array, which is stored column by column. */
  let nextRow = 0;
  let nextColumn = 0;
  /** Positive if the off-diagonal entries so far are below the diagonal, negative if above; 0 before the first one. */
  let side = 0;

  return {
    read,
    finish,
    get isSymmetric() {
      return header?.mirror === 1;
    },
  };

  function read(block: Uint8Array): void {
    cursor.bytes = block;
    cursor.at = 0;
    while (cursor.at < block.length) {
      line++;
      lineStart = cursor.at;
      if (!header) {
        header = parseBanner(caller, lineText());
        skipLine();
      } else if (skipComment()) {
        skippedBytes += cursor.at - lineStart;
        if (skippedBytes > maxSkippedBytes)
          throw lineError(`at most ${maxSkippedBytes} bytes of comments and blank lines`);
      } else if (rows < 0) readSizes(header);
      else if (header.array) readElement(header);
      else readCoordinates(header);
      if (cursor.at - lineStart > maxLineBytes + 1) throw lineError(`at most ${maxLineBytes} bytes`);
    }
  }

  function finish(): MatrixShape {
    if (rows < 0) throw badValue(caller, 'a header and a line of sizes', 'the end of the file');
    if (found < claimed) {
      const got = `${found} before the end of the file`;
      throw badValue(caller, `${claimed} entries`, got, 'The file may be truncated.');
    }
    return [rows, cols];
  }

  /** `rows cols entries`, or `rows cols` for an array. */
  function readSizes({ array, symmetry, mirror }: MatrixMarketHeader): void {
    const rowCount = cursor.whole();
    const columnCount = nextWhole();
    claimed = !array ? nextWhole() : mirror === 0 ? rowCount * columnCount : (rowCount * (rowCount + mirror)) / 2;
    if (!skipLineEnd() || rowCount < 0 || columnCount < 0 || claimed < 0) {
      throw lineError(array ? 'rows and columns' : 'rows, columns and number of entries');
    }
    if (rowCount > maxDimension || columnCount > maxDimension) {
      throw lineError(`at most ${maxDimension} rows and columns`, 'Raise maxDimension to allow more.');
    }
    if (mirror !== 0 && rowCount !== columnCount) throw lineError(`as many columns as rows for a ${symmetry} matrix`);
    rows = rowCount;
    cols = columnCount;
    nextRow = mirror < 0 ? 1 : 0;
  }

  /** `row column value`, or `row column` for a pattern. Indices start at 1. */
  function readCoordinates(kind: MatrixMarketHeader): void {
    const row = cursor.whole();
    const column = nextWhole();
    const value = kind.pattern ? 1 : cursor.skipBlanks() ? cursor.decimal() : NaN;
    if (!skipLineEnd() || row < 0 || column < 0 || Number.isNaN(value)) {
      throw lineError(kind.pattern ? 'row and column' : 'row, column and a finite number');
    }
    if (row < 1 || row > rows) throw lineError(`a row from 1 to ${rows}`);
    if (column < 1 || column > cols) throw lineError(`a column from 1 to ${cols}`);
    if (kind.mirror !== 0) checkTriangle(kind, row - column);
    store(kind, row - 1, column - 1, value);
  }

  /** One value of an array. */
  function readElement(kind: MatrixMarketHeader): void {
    const value = cursor.decimal();
    if (!skipLineEnd() || Number.isNaN(value)) throw lineError('one finite number');
    store(kind, nextRow, nextColumn, value);
    if (++nextRow === rows) {
      nextColumn++;
      nextRow = kind.mirror === 0 ? 0 : nextColumn + (kind.mirror < 0 ? 1 : 0);
    }
  }

  /** Stores an entry and its mirror image. Zeros of an array are dropped, those of a coordinate file are kept. */
  function store({ array, integer, mirror }: MatrixMarketHeader, row: number, column: number, value: number): void {
    if (found === claimed) throw lineError(`the end of the file after its ${claimed} entries`);
    if (!Number.isFinite(value)) throw lineError('a finite number');
    if (integer && !Number.isInteger(value)) throw lineError('a whole number');
    found++;
    if (array && value === 0) return;
    entries.push(row, column, value);
    if (mirror !== 0 && row !== column) entries.push(column, row, mirror * value);
  }

  /**
   * The format stores the lower triangle. A file that stores only the upper triangle is unambiguous and is accepted. A file
   * with entries in both might mean their sum or a repetition, and is refused.
   */
  function checkTriangle({ symmetry, mirror }: MatrixMarketHeader, below: number): void {
    if (below === 0 && mirror < 0) throw lineError(`an entry off the diagonal, for a ${symmetry} matrix,`);
    if (side * below < 0)
      throw lineError(`an entry of the ${side > 0 ? 'lower' : 'upper'} triangle, like the entries before,`);
    side ||= below;
  }

  /** The next whole number on the line; −1 if there is none. */
  function nextWhole(): number {
    return cursor.skipBlanks() ? cursor.whole() : -1;
  }

  /** Skips a blank line or a comment. On any other line, advances to the first word and returns false. */
  function skipComment(): boolean {
    if (skipLineEnd()) return true;
    if (cursor.bytes[cursor.at] !== percent) return false;
    skipLine();
    return true;
  }

  /** Skips blanks, and the end of the line if nothing else is left on it. Returns whether the line has ended. */
  function skipLineEnd(): boolean {
    cursor.skipBlanks();
    const { bytes, at } = cursor;
    const end = bytes[at] === carriageReturn ? at + 1 : at;
    if (bytes[end] !== lineFeed) return false;
    cursor.at = end + 1;
    return true;
  }

  function skipLine(): void {
    cursor.at = cursor.bytes.indexOf(lineFeed, cursor.at) + 1;
  }

  function lineError(rule: string, remedy = ''): RangeError {
    return badValue(caller, `${rule} on line ${line}`, excerpt(lineText()), remedy);
  }

  function lineText(): string {
    const { bytes } = cursor;
    return new TextDecoder('latin1').decode(bytes.slice(lineStart, bytes.indexOf(lineFeed, lineStart)));
  }
}
