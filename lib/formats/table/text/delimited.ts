/** Reads all records of delimited text into columns of cells. */

import { badValue } from '../../../core/check.ts';
import { readBlocks } from '../../csv/csv.ts';
import { skipBlankOrComment, splitRecord } from '../../csv/fields.ts';
import type { Dialect } from './dialect.ts';
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
  #short = 0;
  #values = 0;
  #firstShort = 0;

  constructor(wording: Wording, dialect: Dialect) {
    this.#wording = wording;
    this.#dialect = dialect;
    this.#columns = dialect.names.map(() => []);
    this.#skip = dialect.skip;
  }

  read(bytes: Uint8Array, end: number, final: boolean): number {
    const { comment, delimiter } = this.#dialect;
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
      const record = splitRecord(bytes, at, end, final, separator);
      if (record === 'incomplete') break;
      if ('expected' in record) {
        const place = `on line ${this.#line + record.line}, column ${record.column + 1}`;
        const remedy = `If quotes are part of the text, double them. Wrong delimiter? Pass ${this.#delimiterHint()}.`;
        throw badValue(this.#wording.caller, `${record.expected} ${place}`, record.got, remedy);
      }
      if (this.#skip > 0) this.#skip--;
      else this.#add(record.fields);
      this.#line += record.lineFeeds;
      at = record.next;
    }
    return Math.min(at, end);
  }

  finish(): Cells {
    const notes =
      this.#short === 0
        ? []
        : [
            `${count(this.#short, 'row')} with fewer fields than the others, first on line ${this.#firstShort}: ` +
              'the fields that lack count as missing values.',
          ];
    return { columns: this.#columns, lines: this.#lines, notes };
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
      if (this.#short++ === 0) this.#firstShort = this.#line;
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
