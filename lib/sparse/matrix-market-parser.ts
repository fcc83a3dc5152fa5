/** How do the lines of a Matrix Market file become entries? One pass over bytes, strict, every refusal with its line. */

import { badValue } from '../core/check.ts';
import type { Precision } from '../tensor/tensor.ts';
import { assemble } from './build.ts';
import type { CsrMatrix } from './csr.ts';
import { ByteCursor, carriageReturn, lineFeed } from './decimal.ts';
import { longestLine } from './lines.ts';
import { excerpt, type MatrixMarketHeader, parseBanner } from './matrix-market-header.ts';
import { TripletBuffer } from './triplet-buffer.ts';

const percent = 37;

/** Bytes of comments and blank lines, beyond which a small packed file is taken for one made to keep a reader busy. */
const mostIdleBytes = 1 << 26;

/** Below and above the diagonal. */
type Triangle = 'lower' | 'upper';

export class MatrixMarketParser {
  readonly #caller: string;
  readonly #maxSide: number;
  readonly #entries: TripletBuffer;
  readonly #cursor = new ByteCursor(new Uint8Array(0));
  #line = 0;
  #lineStart = 0;
  #header: MatrixMarketHeader | null = null;
  #rows = -1;
  #cols = -1;
  /** What the file claims to hold, and what has come. */
  #claimed = 0;
  #found = 0;
  /** The place of the next number of an array, which goes down the columns. */
  #row = 0;
  #column = 0;
  #triangle: Triangle | null = null;
  #idleBytes = 0;

  /** `expected` is a guess at the number of entries; more may come. */
  constructor(caller: string, maxSide: number, expected: number) {
    this.#caller = caller;
    this.#maxSide = maxSide;
    this.#entries = new TripletBuffer(caller, expected);
  }

  /** Takes a block of whole lines, the last one ended too. */
  read(block: Uint8Array): void {
    const cursor = this.#cursor;
    cursor.bytes = block;
    cursor.at = 0;
    while (cursor.at < block.length) {
      this.#line++;
      this.#lineStart = cursor.at;
      if (this.#header === null) {
        this.#header = parseBanner(this.#caller, this.#lineText());
        cursor.at = block.indexOf(lineFeed, cursor.at) + 1;
      } else if (this.#passComment()) {
        this.#idleBytes += cursor.at - this.#lineStart;
        if (this.#idleBytes > mostIdleBytes)
          throw this.#bad(`at most ${mostIdleBytes} bytes of comments and blank lines`);
      } else {
        if (this.#rows < 0) this.#readSizes(this.#header);
        else if (this.#header.format === 'coordinate') this.#readCoordinates(this.#header);
        else this.#readElement(this.#header);
      }
      if (cursor.at - this.#lineStart > longestLine + 1) throw this.#bad(`at most ${longestLine} bytes`);
    }
  }

  /** After the last block. */
  finish(precision: Precision): CsrMatrix {
    if (this.#rows < 0) throw badValue(this.#caller, 'a header and a line of sizes', 'the end of the file');
    if (this.#found < this.#claimed) {
      const got = `${this.#found} before its end`;
      throw badValue(this.#caller, `a file of ${this.#claimed} entries`, got, 'It may be truncated.');
    }
    return assemble(this.#caller, this.#entries.triplets, [this.#rows, this.#cols], precision);
  }

  /** Goes past a line that is blank or a comment; else stands at its first word. */
  #passComment(): boolean {
    const cursor = this.#cursor;
    cursor.skipBlanks();
    const byte = cursor.bytes[cursor.at];
    if (byte === percent) cursor.at = cursor.bytes.indexOf(lineFeed, cursor.at) + 1;
    return byte === percent || this.#passLineEnd();
  }

  #passLineEnd(): boolean {
    const { bytes, at } = this.#cursor;
    const end = bytes[at] === carriageReturn ? at + 1 : at;
    if (bytes[end] !== lineFeed) return false;
    this.#cursor.at = end + 1;
    return true;
  }

  /** `rows cols entries`, or `rows cols` for an array. */
  #readSizes(header: MatrixMarketHeader): void {
    const cursor = this.#cursor;
    const coordinate = header.format === 'coordinate';
    const rows = cursor.whole();
    const cols = cursor.skipBlanks() ? cursor.whole() : -1;
    const entries = coordinate ? (cursor.skipBlanks() ? cursor.whole() : -1) : arrayLength(rows, cols, header.symmetry);
    cursor.skipBlanks();
    if (rows < 0 || cols < 0 || entries < 0 || !this.#passLineEnd()) {
      throw this.#bad(coordinate ? 'rows, columns and number of entries' : 'rows and columns');
    }
    if (rows > this.#maxSide || cols > this.#maxSide) {
      throw this.#bad(`at most ${this.#maxSide} rows and columns`, 'The option maxSide allows more.');
    }
    if (header.symmetry !== 'general' && rows !== cols) {
      throw this.#bad(`as many columns as rows for a ${header.symmetry} matrix`);
    }
    this.#rows = rows;
    this.#cols = cols;
    this.#claimed = entries;
    this.#row = header.symmetry === 'skew-symmetric' ? 1 : 0;
  }

  /** `row column value`, or `row column` for a pattern, from 1 on. */
  #readCoordinates(header: MatrixMarketHeader): void {
    const cursor = this.#cursor;
    const pattern = header.field === 'pattern';
    const row = cursor.whole() - 1;
    const column = cursor.skipBlanks() ? cursor.whole() - 1 : -2;
    const value = pattern ? 1 : cursor.skipBlanks() ? cursor.decimal() : NaN;
    cursor.skipBlanks();
    if (!this.#passLineEnd() || row === -2 || column === -2 || Number.isNaN(value)) {
      throw this.#bad(pattern ? 'row and column' : 'row, column and a finite number');
    }
    if (row < 0 || row >= this.#rows) throw this.#bad(`a row from 1 to ${this.#rows}`);
    if (column < 0 || column >= this.#cols) throw this.#bad(`a column from 1 to ${this.#cols}`);
    if (header.symmetry !== 'general') this.#checkTriangle(header, row, column);
    this.#store(header, row, column, value);
  }

  /** One value of an array. */
  #readElement(header: MatrixMarketHeader): void {
    const cursor = this.#cursor;
    const value = cursor.decimal();
    cursor.skipBlanks();
    if (!this.#passLineEnd() || Number.isNaN(value)) throw this.#bad('one finite number');
    this.#store(header, this.#row, this.#column, value);
    if (++this.#row === this.#rows) {
      this.#column++;
      this.#row = header.symmetry === 'general' ? 0 : this.#column + (header.symmetry === 'symmetric' ? 0 : 1);
    }
  }

  /** The zeros of an array are no entries; those of a coordinate file are. */
  #store(header: MatrixMarketHeader, row: number, column: number, value: number): void {
    if (this.#found === this.#claimed) throw this.#bad(`the end of the file after its ${this.#claimed} entries`);
    if (!Number.isFinite(value)) throw this.#bad('a finite number');
    if (header.field === 'integer' && !Number.isInteger(value)) throw this.#bad('a whole number in an integer file');
    this.#found++;
    if (value === 0 && header.format === 'array') return;
    this.#entries.push(row, column, value);
    if (header.symmetry !== 'general' && row !== column) {
      this.#entries.push(column, row, header.symmetry === 'symmetric' ? value : -value);
    }
  }

  /**
   * The format stores the lower triangle. A file that stores the upper one throughout can mean nothing else and is
   * read; one that uses both might mean a sum or a repetition, and is refused.
   */
  #checkTriangle(header: MatrixMarketHeader, row: number, column: number): void {
    if (row === column) {
      if (header.symmetry === 'skew-symmetric')
        throw this.#bad('an entry off the diagonal, for a skew-symmetric matrix,');
      return;
    }
    const triangle = row > column ? 'lower' : 'upper';
    this.#triangle ??= triangle;
    if (triangle !== this.#triangle) throw this.#bad(`an entry of the ${this.#triangle} triangle, as those before,`);
  }

  #bad(expected: string, remedy = ''): RangeError {
    return badValue(this.#caller, `${expected} on line ${this.#line}`, excerpt(this.#lineText()), remedy);
  }

  #lineText(): string {
    const { bytes } = this.#cursor;
    return new TextDecoder('latin1').decode(bytes.slice(this.#lineStart, bytes.indexOf(lineFeed, this.#lineStart)));
  }
}

/** How many numbers an array file holds. */
function arrayLength(rows: number, cols: number, symmetry: MatrixMarketHeader['symmetry']): number {
  switch (symmetry) {
    case 'general':
      return rows * cols;
    case 'symmetric':
      return (rows * (rows + 1)) / 2;
    case 'skew-symmetric':
      return (rows * (rows - 1)) / 2;
  }
}
