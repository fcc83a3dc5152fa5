/** Parses a list of edges: two nodes on a line and, if there is one, a weight. Every error names its line. */

import { badValue, excerpt } from '../../core/check.ts';
import { ByteCursor, carriageReturn, lineFeed, space, tab } from '../../formats/bytes/decimal.ts';
import type { EntrySink } from '../../formats/matrix-market/parser.ts';

const [quote, hash, percent, plus, comma, minus, point, zero, nine, semicolon] = [
  34, 35, 37, 43, 44, 45, 46, 48, 57, 59,
];

/** The largest number of a node: there are at most 2³¹ − 2 nodes. */
const mostNode = 2 ** 31 - 3;

/**
 * Reads blocks of whole lines such as `0,1,0.5`. Nodes are whole numbers from 0 on, separated by a comma, a semicolon or
 * blanks. Without a third number, the weight is 1. Lines that begin with # or % are comments, and the first line may name
 * the columns.
 */
export class EdgeParser {
  readonly #caller: string;
  readonly #edges: EntrySink;
  readonly #cursor = new ByteCursor(new Uint8Array(0));
  #line = 0;
  #lineStart = 0;
  /** Whether a line with numbers or names was read. */
  #begun = false;

  constructor(caller: string, edges: EntrySink) {
    this.#caller = caller;
    this.#edges = edges;
  }

  read(block: Uint8Array): void {
    const cursor = this.#cursor;
    cursor.bytes = block;
    cursor.at = this.#line === 0 && hasByteOrderMark(block) ? 3 : 0;
    while (cursor.at < block.length) {
      this.#line++;
      this.#lineStart = cursor.at;
      cursor.skipBlanks();
      const first = block[cursor.at];
      const isNumber = first >= zero && first <= nine;
      if (isNumber) this.#readEdge();
      else if (first === hash || first === percent) this.#skipLine();
      else if (!this.#skipLineEnd()) {
        if (this.#begun || this.#isNumber()) throw this.#error();
        this.#begun = true;
        this.#skipLine();
      }
    }
  }

  #readEdge(): void {
    const cursor = this.#cursor;
    this.#begun = true;
    const from = cursor.whole();
    const to = this.#skipSeparator() ? cursor.whole() : -1;
    const weight = this.#skipSeparator() && !this.#atLineEnd() ? cursor.decimal() : 1;
    if (!this.#skipLineEnd() || to < 0 || !Number.isFinite(weight)) throw this.#error();
    if (from > mostNode || to > mostNode) throw this.#error(`nodes from 0 to ${mostNode}`);
    this.#edges.push(from, to, weight);
  }

  /** Skips blanks with at most one comma or semicolon among them. Returns whether there was something to skip. */
  #skipSeparator(): boolean {
    const cursor = this.#cursor;
    const from = cursor.at;
    cursor.skipBlanks();
    if (cursor.bytes[cursor.at] === comma || cursor.bytes[cursor.at] === semicolon) {
      cursor.at++;
      cursor.skipBlanks();
    }
    return cursor.at > from;
  }

  #atLineEnd(): boolean {
    const byte = this.#cursor.bytes[this.#cursor.at];
    return byte === lineFeed || byte === carriageReturn;
  }

  #skipLineEnd(): boolean {
    const { bytes } = this.#cursor;
    let { at } = this.#cursor;
    while (bytes[at] === space || bytes[at] === tab) at++;
    if (bytes[at] === carriageReturn) at++;
    if (bytes[at] !== lineFeed) return false;
    this.#cursor.at = at + 1;
    return true;
  }

  /** Whether the line begins like a number, perhaps in quotes: then it does not name columns. */
  #isNumber(): boolean {
    const { bytes, at } = this.#cursor;
    const first = bytes[at] === quote ? bytes[at + 1] : bytes[at];
    return (first >= zero && first <= nine) || first === plus || first === minus || first === point;
  }

  #skipLine(): void {
    this.#cursor.at = this.#cursor.bytes.indexOf(lineFeed, this.#cursor.at) + 1;
  }

  #error(rule = 'two nodes and optionally a finite weight'): RangeError {
    const { bytes } = this.#cursor;
    const text = new TextDecoder('latin1').decode(
      bytes.slice(this.#lineStart, bytes.indexOf(lineFeed, this.#lineStart)),
    );
    return badValue(this.#caller, `${rule} on line ${this.#line}`, excerpt(text));
  }
}

/** Of UTF-8. */
function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
