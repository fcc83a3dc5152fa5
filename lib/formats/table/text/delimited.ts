/** Reads all records of delimited text into columns of cells. */

import { badValue } from '../../../core/check.ts';
import { readBlocks } from '../../csv/csv.ts';
import { skipBlankOrComment, splitRecord } from '../../csv/fields.ts';
import { looksNumeric } from '../columns/notation.ts';
import type { Dialect } from './dialect.ts';
import { isFrame, repeatsHeader } from './lines.ts';
import { checkFilled } from '../filled.ts';
import { count, type Wording } from '../wording.ts';

/** The cells of a file, column by column. */
export interface Cells {
  readonly columns: readonly string[][];
  /** The line on which each row begins. */
  readonly lines: readonly number[];
  readonly notes: readonly string[];
}

export async function readCells(wording: Wording, pieces: AsyncIterable<Uint8Array>, dialect: Dialect): Promise<Cells> {
  const reader = new CellReader(wording, dialect);
  await readBlocks(wording.caller, pieces, reader);
  return reader.finish();
}

class CellReader {
  readonly #wording: Wording;
  readonly #dialect: Dialect;
  readonly #columns: string[][];
  readonly #lines: number[] = [];
  #skip: number;
  #line = 1;
  /** The rows with fewer fields than the others. */
  readonly #short: number[] = [];
  #values = 0;
  /** The number of lines that repeat the header. */
  #repeated = 0;

  constructor(wording: Wording, dialect: Dialect) {
    this.#wording = wording;
    this.#dialect = dialect;
    this.#columns = dialect.names.map(() => []);
    this.#skip = dialect.skip;
  }

  read(bytes: Uint8Array, end: number, final: boolean): number {
    const { comment, delimiter, quote } = this.#dialect;
    const separator = delimiter.charCodeAt(0);
    let at = 0;
    while (at < end) {
      const skipped = skipBlankOrComment(bytes, at, separator, comment);
      if (skipped > end && !final) break;
      if (skipped >= 0) {
        this.#line++;
        at = skipped;
        continue;
      }
      const record = splitRecord(bytes, at, end, final, separator, quote);
      if (record === 'incomplete') break;
      if ('expected' in record) {
        const place = `on line ${this.#line + record.line}, column ${record.column + 1}`;
        const remedy = `If quotes are part of the text, double them. Wrong delimiter? Pass ${this.#delimiterHint()}.`;
        throw badValue(this.#wording.caller, `${record.expected} ${place}`, record.got, remedy);
      }
      if (!isFrame(record.fields, delimiter)) {
        if (this.#skip > 0) this.#skip--;
        else if (this.#dialect.hasHeader && repeatsHeader(record.fields, this.#dialect.names)) this.#repeated++;
        else this.#add(record.fields);
      }
      this.#line += record.lineFeeds;
      at = record.next;
    }
    return Math.min(at, end);
  }

  finish(): Cells {
    const notes: string[] = [];
    if (this.#repeated > 0) {
      const lines = `${count(this.#repeated, 'line')} ${this.#repeated === 1 ? 'repeats' : 'repeat'} the header`;
      notes.push(`${lines}, and ${this.#repeated === 1 ? 'was' : 'were'} skipped.`);
    }
    const below = this.#dropFootnotes();
    if (below > 0) notes.push(`${count(below, 'line')} below the table ${below === 1 ? 'was' : 'were'} skipped.`);
    if (this.#short.length > 0) {
      const rows = `${count(this.#short.length, 'row')} with fewer fields than the others`;
      const first = this.#lines[this.#short[0]];
      notes.push(`${rows}, first on line ${first}: the fields that lack count as missing values.`);
    }
    return { columns: this.#columns, lines: this.#lines, notes };
  }

  /** Removes last rows that have fewer fields than the others, and no numbers: sources and remarks. Some row remains. */
  #dropFootnotes(): number {
    let dropped = 0;
    while (this.#lines.length > 1 && this.#short.at(-1) === this.#lines.length - 1) {
      if (this.#columns.some((cells) => looksNumeric(cells.at(-1)!))) break;
      for (const cells of this.#columns) cells.pop();
      this.#lines.pop();
      this.#short.pop();
      dropped++;
    }
    return dropped;
  }

  #add(fields: readonly string[]): void {
    const width = this.#columns.length;
    if (fields.length > width && fields.slice(width).some((text) => text !== '')) {
      const got = `${fields.length} on line ${this.#line}`;
      const remedy = `A field that contains the delimiter needs quotes. Wrong delimiter? Pass ${this.#delimiterHint()}.`;
      throw badValue(this.#wording.caller, `${width} fields in every row`, got, remedy);
    }
    this.#values += Math.min(width, fields.length);
    if (fields.length < width) {
      this.#short.push(this.#lines.length);
      checkFilled(this.#wording, this.#lines.length + 1, width, this.#values);
    }
    for (let column = 0; column < width; column++) this.#columns[column].push(fields[column] ?? '');
    this.#lines.push(this.#line);
  }

  #delimiterHint(): string {
    const { delimiter } = this.#dialect;
    const used = { '\t': 'a tab', ' ': 'a blank' }[delimiter as string] ?? `'${delimiter}'`;
    return `${this.#wording.option('delimiter', delimiter === ';' ? ',' : ';')} (${used} was used)`;
  }
}
