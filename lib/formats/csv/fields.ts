/** Splits a CSV record into fields byte by byte and removes quotes. The slow path, for records that are not plain numbers. */

import { carriageReturn, lineFeed, space, tab } from '../bytes/decimal.ts';

export const quote = 34;

export interface CsvRecord {
  readonly fields: string[];
  /** The line on which each field begins, counted from the first line of the record. */
  readonly lines: number[];
  /** The offset of the next record, and the number of line ends before it. */
  readonly next: number;
  readonly lineFeeds: number;
}

/** What is wrong with a field, and where. */
export interface CsvProblem {
  readonly expected: string;
  readonly got: string;
  readonly column: number;
  readonly line: number;
}

/** The record continues beyond the bytes read so far. */
export type Incomplete = 'incomplete';

/** A sign, digits with or without a point, and an exponent. `readPlainRow` accepts the same numbers. */
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export function isNumber(text: string): boolean {
  return decimal.test(text);
}

/**
 * The record that begins at `from`. `bytes[end]` must be a line feed. It ends the last record if `final`; else a record that
 * reaches it is incomplete. Blanks around fields are dropped. A space as separator means a run of blanks. `mark` is the byte
 * that encloses fields.
 */
export function splitRecord(
  bytes: Uint8Array,
  from: number,
  end: number,
  final: boolean,
  separator: number,
  mark = quote,
): CsvRecord | CsvProblem | Incomplete {
  return new Splitter(bytes, from, end, final, separator, mark).split();
}

/** The offset after a blank line or a comment; −1 if the line is neither. `comment` is a byte, −1 for none. */
export function skipBlankOrComment(bytes: Uint8Array, from: number, separator: number, comment: number): number {
  const otherBlank = separator === tab ? space : tab;
  let at = from;
  for (let byte = bytes[at]; byte === space || byte === otherBlank; byte = bytes[at]) at++;
  if (bytes[at] === comment) return isSpreadsheetError(bytes, at) ? -1 : bytes.indexOf(lineFeed, at) + 1;
  if (bytes[at] === carriageReturn) at++;
  return bytes[at] === lineFeed ? at + 1 : -1;
}

/** Cells that spreadsheets write where a formula fails, without the # that begins them. */
export const spreadsheetErrors = 'n\\/a|null!|div\\/0!|value!|ref!|num!|name\\?';
const beginsWithError = new RegExp(`^#(${spreadsheetErrors})(\\W|$)`, 'i');

/** Whether a line that begins like a comment begins with such a cell. */
function isSpreadsheetError(bytes: Uint8Array, at: number): boolean {
  return beginsWithError.test(String.fromCharCode(...bytes.subarray(at, at + 9)));
}

/** Every method advances `#at` past the bytes it has read. */
class Splitter {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #final: boolean;
  readonly #separator: number;
  readonly #mark: number;
  readonly #fields: string[] = [];
  readonly #lines: number[] = [];
  #at: number;
  #lineFeeds = 0;

  constructor(bytes: Uint8Array, from: number, end: number, final: boolean, separator: number, mark: number) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = end;
    this.#final = final;
    this.#separator = separator;
    this.#mark = mark;
  }

  split(): CsvRecord | CsvProblem | Incomplete {
    for (;;) {
      this.#skipBlanks();
      const line = this.#lineFeeds;
      const field = this.#bytes[this.#at] === this.#mark ? this.#quoted() : this.#plain();
      if (field === 'incomplete') return field;
      if ('expected' in field) return { ...field, column: this.#fields.length, line };
      this.#fields.push(field.text);
      this.#lines.push(line);
      if (this.#isLineEnd()) break;
      if (this.#separator !== space) this.#at++;
    }
    const lineEnd = this.#bytes.indexOf(lineFeed, this.#at);
    if (lineEnd === this.#end && !this.#final) return 'incomplete';
    return { fields: this.#fields, lines: this.#lines, next: lineEnd + 1, lineFeeds: this.#lineFeeds + 1 };
  }

  /** Reads a quoted field, its closing quote and the blanks after it. */
  #quoted(): Field {
    const bytes = this.#bytes;
    const mark = this.#mark;
    const start = ++this.#at;
    let doubled = false;
    for (; bytes[this.#at] !== mark || bytes[this.#at + 1] === mark; this.#at++) {
      if (this.#at >= this.#end) return this.#final ? { expected: 'a closing quote', got: 'none' } : 'incomplete';
      if (bytes[this.#at] === lineFeed) this.#lineFeeds++;
      if (bytes[this.#at] !== mark) continue;
      doubled = true;
      this.#at++;
    }
    const text = decode(bytes, start, this.#at++);
    const blanks = this.#skipBlanks();
    if (this.#at === this.#end && !this.#final) return 'incomplete';
    const separated = this.#separator === space ? blanks : bytes[this.#at] === this.#separator;
    if (!separated && !this.#isLineEnd()) {
      return { expected: 'a separator after the closing quote', got: show(decode(bytes, start - 1, this.#at + 1)) };
    }
    if (text === null) return notText;
    const single = String.fromCharCode(mark);
    return { text: doubled ? text.replaceAll(single + single, single) : text };
  }

  /**
   * Reads a field that does not begin with a quote, up to a separator or the end of the line, and drops the blanks before
   * that. Quotes inside are part of the text, as in 5" or O"Hara.
   */
  #plain(): Field {
    const bytes = this.#bytes;
    const start = this.#at;
    while (!this.#isSeparator() && !this.#isLineEnd()) this.#at++;
    if (this.#at === this.#end && !this.#final) return 'incomplete';
    let stop = this.#at;
    while (stop > start && this.#isBlank(bytes[stop - 1])) stop--;
    if (this.#separator === space) this.#skipBlanks();
    const text = decode(bytes, start, stop);
    return text === null ? notText : { text };
  }

  #skipBlanks(): boolean {
    const from = this.#at;
    while (this.#isBlank(this.#bytes[this.#at])) this.#at++;
    return this.#at > from;
  }

  #isBlank(byte: number): boolean {
    return byte === space || (byte === tab && this.#separator !== tab);
  }

  #isSeparator(): boolean {
    const byte = this.#bytes[this.#at];
    return byte === this.#separator || (byte === tab && this.#separator === space);
  }

  #isLineEnd(): boolean {
    const byte = this.#bytes[this.#at];
    return byte === lineFeed || (byte === carriageReturn && this.#bytes[this.#at + 1] === lineFeed);
  }
}

type Field = { readonly text: string } | Omit<CsvProblem, 'column' | 'line'> | Incomplete;

const notText = { expected: 'text in UTF-8', got: 'other bytes' } as const;

/** A field in quotes for error messages, shortened and restricted to printable ASCII. */
export function show(text: string | null): string {
  if (text === null) return 'other bytes';
  const plain = text.replace(/[^\x20-\x7e]/g, '?');
  return `'${plain.length > 40 ? `${plain.slice(0, 40)}…` : plain}'`;
}

/** The text, or null if it is not valid UTF-8. Replacement characters could make different names equal. */
export function decode(bytes: Uint8Array, from: number, to: number): string | null {
  if (to - from > shortText) return decodeUtf8(bytes, from, to);
  for (let at = from; at < to; at++) if (bytes[at] > 127) return decodeUtf8(bytes, from, to);
  // One call makes a flat string. Appending characters one by one would make a chain that fills the memory.
  return String.fromCharCode.apply(null, bytes.subarray(from, to) as unknown as number[]);
}

/** Up to this length a call with all bytes is faster than a decoder. */
const shortText = 32;

function decodeUtf8(bytes: Uint8Array, from: number, to: number): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(from, to));
  } catch {
    return null;
  }
}
