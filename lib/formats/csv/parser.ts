/** How do the records of a CSV file become points and labels? Plain rows the fast way, others field by field. */

import { badValue } from '../../core/check.ts';
import { carriageReturn, lineFeed, space, tab } from '../bytes/decimal.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { type CsvProblem, type CsvRecord, decode, isNumber, show, splitRecord } from './fields.ts';
import { type ColumnOptions, type CsvLayout, detectSeparator, layOut, role, type Separator } from './layout.ts';
import { LabelColumn } from './labels.ts';
import { readPlainRow } from './row.ts';
import { type Dataset, joined } from '../dataset.ts';
import { NumberRows } from './number-rows.ts';

/** From here on a number rounds to infinity. */
const tooLarge = { single: 2 ** 128 - 2 ** 103, double: Infinity } as const;

export class CsvParser {
  readonly #caller: string;
  readonly #comment: number;
  readonly #precision: Precision;
  readonly #options: ColumnOptions;
  readonly #labels: LabelColumn;
  readonly #span = new Int32Array(2);
  #separator: number;
  #layout: CsvLayout | null = null;
  #rows: NumberRows | null = null;
  /** The line at which the cursor stands, from 1 on, and the one the layout was taken from. */
  #line = 1;
  #firstLine = 0;
  #begun = false;
  #guessed = false;

  /** `comment` is the byte that begins one, −1 for none. */
  constructor(
    caller: string,
    comment: number,
    separator: Separator | 'auto',
    precision: Precision,
    options: ColumnOptions,
  ) {
    this.#caller = caller;
    this.#comment = comment;
    this.#separator = separator === 'auto' ? -1 : separator.charCodeAt(0);
    this.#precision = precision;
    this.#options = options;
    this.#labels = new LabelColumn(caller, options.labelNames);
  }

  /** Takes bytes 0 … end−1, of which it reads whole records, and returns where it stopped. bytes[end] is a line feed. */
  read(bytes: Uint8Array, end: number, final: boolean): number {
    let at = this.#begun ? 0 : this.#passMark(bytes, end);
    while (at < end) {
      const idle = this.#passIdle(bytes, at);
      const next = idle >= 0 ? idle : this.#readRecord(bytes, at, end, final);
      if (next < 0 || (next > end && !final)) break;
      if (idle >= 0) this.#line++;
      at = next;
    }
    return Math.min(at, end);
  }

  finish(name: string): Dataset {
    if (this.#layout === null || this.#rows === null || this.#rows.count === 0) {
      const got = this.#layout === null ? 'an empty file' : 'a header alone';
      throw badValue(this.#caller, 'at least one row of numbers', got);
    }
    const { names, roles, labelColumn } = this.#layout;
    return joined(this.#caller, {
      name,
      points: this.#rows.tensor(),
      ...(labelColumn >= 0 && this.#labels.finish()),
      ...(names && { columnNames: names.filter((_, column) => roles[column] === role.point) }),
    });
  }

  /** A mark of UTF-8 at the start is passed over; one of UTF-16, or bytes of zero, tell that this is no text. */
  #passMark(bytes: Uint8Array, end: number): number {
    this.#begun = true;
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const zeroAt = bytes.subarray(0, Math.min(end, 1024)).indexOf(0);
    if (utf16 || zeroAt >= 0) {
      const got = utf16 ? 'a mark of UTF-16' : `a zero byte at ${zeroAt}`;
      throw badValue(
        this.#caller,
        'text in UTF-8',
        got,
        'Save it in that encoding; binary formats have other readers.',
      );
    }
    return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  /** Past a blank line or a comment; −1 if it is neither. */
  #passIdle(bytes: Uint8Array, from: number): number {
    let at = from;
    while (bytes[at] === space || (bytes[at] === tab && this.#separator !== tab)) at++;
    if (bytes[at] === this.#comment) return bytes.indexOf(lineFeed, at) + 1;
    if (bytes[at] === carriageReturn) at++;
    return bytes[at] === lineFeed ? at + 1 : -1;
  }

  /** Past the record, or −1 if it is incomplete. */
  #readRecord(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    const layout = this.#layout;
    if (layout === null || this.#rows === null) return this.#readFirst(bytes, at, end, final);
    const rows = this.#rows;
    rows.reserve();
    const below = tooLarge[this.#precision];
    const next = readPlainRow(bytes, at, this.#separator, layout.roles, this.#span, rows.block, rows.offset, below);
    if (next < 0) return this.#readFields(layout, bytes, at, end, final);
    if (next > end && !final) return -1;
    if (layout.labelColumn >= 0) {
      const label = decode(bytes, this.#span[0], trimmed(bytes, this.#span[0], this.#span[1]));
      this.#addLabel(layout, label, this.#line);
    }
    rows.commit();
    this.#line++;
    return next;
  }

  /** The first record lays out the file; it is read again if it holds numbers. */
  #readFirst(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    if (this.#separator < 0) {
      const separator = detectSeparator(bytes, at, end, final);
      if (separator === null) return -1;
      this.#separator = separator.charCodeAt(0);
      this.#guessed = true;
    }
    const record = this.#split(bytes, at, end, final);
    if (record === null) return -1;
    this.#firstLine = this.#line;
    this.#layout = layOut(this.#caller, record.fields, this.#line, this.#options);
    this.#rows = new NumberRows(this.#layout.width, this.#precision);
    if (!this.#layout.hasHeader) return this.#readRecord(bytes, at, end, final);
    this.#line += record.lineFeeds;
    return record.next;
  }

  /** The careful way: with quotes, or with something wrong. */
  #readFields(layout: CsvLayout, bytes: Uint8Array, at: number, end: number, final: boolean): number {
    const record = this.#split(bytes, at, end, final);
    if (record === null) return -1;
    const { fields, lines } = record;
    const { roles } = layout;
    if (fields.length !== roles.length) {
      const rule = `${roles.length} fields, as on line ${this.#firstLine}`;
      throw badValue(this.#caller, rule, `${fields.length} on line ${this.#line}`, this.#hint());
    }
    const rows = this.#rows as NumberRows;
    rows.reserve();
    let to = rows.offset;
    for (const [column, text] of fields.entries()) {
      if (roles[column] === role.point) rows.block[to++] = this.#number(text, column, lines[column]);
      else if (roles[column] === role.label) this.#addLabel(layout, text, this.#line + lines[column]);
    }
    rows.commit();
    this.#line += record.lineFeeds;
    return record.next;
  }

  /** Null if the record is incomplete. */
  #split(bytes: Uint8Array, at: number, end: number, final: boolean): CsvRecord | null {
    const record = splitRecord(bytes, at, end, final, this.#separator);
    if (record === 'incomplete') return null;
    if ('expected' in record) throw this.#refuse(record);
    return record;
  }

  #number(text: string, column: number, line: number): number {
    const value = isNumber(text) ? Number(text) : NaN;
    if (Number.isNaN(value)) throw this.#refuse({ expected: 'a number', got: show(text), column, line });
    if (Math.abs(value) < tooLarge[this.#precision]) return value;
    const expected = `a finite number of ${this.#precision} precision`;
    throw this.#refuse({ expected, got: show(text), column, line });
  }

  #addLabel(layout: CsvLayout, text: string | null, line: number): void {
    const problem = text === null ? { expected: 'text in UTF-8', got: 'other bytes' } : this.#labels.add(text, line);
    if (problem) throw this.#refuse({ ...problem, column: layout.labelColumn, line: line - this.#line });
  }

  #refuse({ expected, got, column, line }: CsvProblem): RangeError {
    const name = this.#layout?.names?.[column];
    const place = `on line ${this.#line + line}, column ${column + 1}${name ? ` ('${name}')` : ''}`;
    return badValue(this.#caller, `${expected} ${place}`, got);
  }

  /** Rows of other lengths often come from a separator that was guessed wrong. */
  #hint(): string {
    const shown =
      { [tab]: 'a tab', [space]: 'a blank' }[this.#separator] ?? `'${String.fromCharCode(this.#separator)}'`;
    return this.#guessed ? `The separator was taken to be ${shown}; the option says another.` : '';
  }
}

/** Blanks before a separator do not count. */
function trimmed(bytes: Uint8Array, from: number, to: number): number {
  let stop = to;
  while (stop > from && (bytes[stop - 1] === space || bytes[stop - 1] === tab)) stop--;
  return stop;
}
