/** `CsvParser`: points and labels from the records of a CSV file, with a fast path for plain rows. */

import { badValue } from '../../core/check.ts';
import { space, tab } from '../bytes/decimal.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { type CsvProblem, type CsvRecord, decode, isNumber, show, skipBlankOrComment, splitRecord } from './fields.ts';
import { type ColumnOptions, type CsvLayout, detectSeparator, resolveLayout, role, type Separator } from './layout.ts';
import { LabelColumn } from './labels.ts';
import { readPlainRow } from './row.ts';
import { checkDataset, type Dataset } from '../dataset.ts';
import { NumberRows } from './number-rows.ts';

/** Numbers from here on round to infinity. */
const overflowFrom = { single: 2 ** 128 - 2 ** 103, double: Infinity } as const;

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
  /** The current line, counted from 1, and the line of the record that determined the layout. */
  #line = 1;
  #layoutLine = 0;
  #started = false;
  #isSeparatorDetected = false;

  /** `comment` is the byte that begins a comment, −1 for none. */
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

  /** Reads the whole records in bytes 0 … end−1 and returns the offset at which it stopped. bytes[end] is a line feed. */
  read(bytes: Uint8Array, end: number, final: boolean): number {
    let at = this.#started ? 0 : this.#skipByteOrderMark(bytes, end);
    while (at < end) {
      const skipped = skipBlankOrComment(bytes, at, this.#separator, this.#comment);
      const next = skipped >= 0 ? skipped : this.#readRecord(bytes, at, end, final);
      if (next < 0 || (next > end && !final)) break;
      if (skipped >= 0) this.#line++;
      at = next;
    }
    return Math.min(at, end);
  }

  finish(name: string): Dataset {
    if (this.#layout === null || this.#rows === null || this.#rows.count === 0) {
      const got = this.#layout === null ? 'an empty file' : 'only a header';
      throw badValue(this.#caller, 'at least one row of numbers', got);
    }
    const { names, roles, labelColumn } = this.#layout;
    return checkDataset(this.#caller, {
      name,
      points: this.#rows.tensor(),
      ...(labelColumn >= 0 && this.#labels.finish()),
      ...(names && { columnNames: names.filter((_, column) => roles[column] === role.point) }),
    });
  }

  /** Skips a UTF-8 byte order mark. Refuses a UTF-16 mark and zero bytes, which do not occur in UTF-8 text. */
  #skipByteOrderMark(bytes: Uint8Array, end: number): number {
    this.#started = true;
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const zeroAt = bytes.subarray(0, Math.min(end, 1024)).indexOf(0);
    if (utf16 || zeroAt >= 0) {
      const got = utf16 ? 'a UTF-16 byte order mark' : `a zero byte at offset ${zeroAt}`;
      throw badValue(
        this.#caller,
        'text in UTF-8',
        got,
        'Save the file in UTF-8, or use the reader of its binary format.',
      );
    }
    return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  }

  /** Reads a record. Returns the offset after it, or −1 if it is incomplete. */
  #readRecord(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    const layout = this.#layout;
    if (layout === null || this.#rows === null) return this.#readFirst(bytes, at, end, final);
    const rows = this.#rows;
    rows.reserve();
    const limit = overflowFrom[this.#precision];
    const next = readPlainRow(bytes, at, this.#separator, layout.roles, this.#span, rows.block, rows.offset, limit);
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

  /** Determines the layout from the first record, which is read again if it is not a header. */
  #readFirst(bytes: Uint8Array, at: number, end: number, final: boolean): number {
    if (this.#separator < 0) {
      const separator = detectSeparator(bytes, at, end, final);
      if (separator === null) return -1;
      this.#separator = separator.charCodeAt(0);
      this.#isSeparatorDetected = true;
    }
    const record = this.#split(bytes, at, end, final);
    if (record === null) return -1;
    this.#layoutLine = this.#line;
    this.#layout = resolveLayout(this.#caller, record.fields, this.#line, this.#options);
    this.#rows = new NumberRows(this.#layout.width, this.#precision);
    if (!this.#layout.hasHeader) return this.#readRecord(bytes, at, end, final);
    this.#line += record.lineFeeds;
    return record.next;
  }

  /** The slow path: a record with quotes, or with an error. */
  #readFields(layout: CsvLayout, bytes: Uint8Array, at: number, end: number, final: boolean): number {
    const record = this.#split(bytes, at, end, final);
    if (record === null) return -1;
    const { fields, lines } = record;
    const { roles } = layout;
    if (fields.length !== roles.length) {
      const rule = `${roles.length} fields, as on line ${this.#layoutLine}`;
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

  /** The fields of a record; null if it is incomplete. */
  #split(bytes: Uint8Array, at: number, end: number, final: boolean): CsvRecord | null {
    const record = splitRecord(bytes, at, end, final, this.#separator);
    if (record === 'incomplete') return null;
    if ('expected' in record) throw this.#refuse(record);
    return record;
  }

  #number(text: string, column: number, line: number): number {
    const value = isNumber(text) ? Number(text) : NaN;
    if (Number.isNaN(value)) throw this.#refuse({ expected: 'a number', got: show(text), column, line });
    if (Math.abs(value) < overflowFrom[this.#precision]) return value;
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

  /** A remedy for rows of different lengths, which often come from a wrongly detected separator. */
  #hint(): string {
    const shown =
      { [tab]: 'a tab', [space]: 'a blank' }[this.#separator] ?? `'${String.fromCharCode(this.#separator)}'`;
    return this.#isSeparatorDetected ? `The separator was detected as ${shown}. Pass the right one as separator.` : '';
  }
}

/** The end of a field without the blanks before its separator. */
function trimmed(bytes: Uint8Array, from: number, to: number): number {
  let stop = to;
  while (stop > from && (bytes[stop - 1] === space || bytes[stop - 1] === tab)) stop--;
  return stop;
}
