/** Reads ARFF, the tables of Weka and OpenML: the header names the columns and their kinds, the rows may be sparse. */

import { badValue, excerpt } from '../../../core/check.ts';
import type { Cell } from '../columns/column.ts';
import { isNumber } from '../../csv/fields.ts';
import { checkFilled } from '../filled.ts';
import { namesOf } from '../text/header.ts';
import { count, type Wording } from '../wording.ts';
import type { RecordColumns } from './records.ts';

interface Attribute {
  readonly name: string;
  readonly isNumeric: boolean;
  /** What a sparse row that leaves the column out means: 0, or the first class. */
  readonly usual: Cell;
}

/** Whether a text begins like ARFF: with @relation or @attribute after comments. */
export function looksLikeArff(text: string): boolean {
  return /^(\s|%[^\n]*\n)*@(relation|attribute)\s/i.test(text);
}

/** The table in an ARFF text. */
export function readArff(wording: Wording, text: string): RecordColumns {
  const lines = text.split(/\r\n?|\n/);
  const { attributes, next } = readHeader(wording, lines);
  const rows: Cell[][] = [];
  let values = 0;
  for (let k = next; k < lines.length; k++) {
    const line = lines[k].trim();
    if (line === '' || line.startsWith('%')) continue;
    const row = rowOf(wording, attributes, line, k + 1);
    values += row.values;
    rows.push(row.cells);
    checkFilled(wording, rows.length, attributes.length, values);
  }
  const notes: string[] = [];
  const names = namesOf(
    attributes.map(({ name }) => name),
    attributes.length,
    notes,
  );
  return { names, columns: attributes.map((_, c) => rows.map((row) => row[c])), notes, isNamed: true };
}

/** A word in quotes, in which a backslash takes the next letter as it is, or without them. */
const word = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`;
const attributeLine = new RegExp(String.raw`^@attribute\s+(${word}|[^\s{]+)\s*(.+)$`, 'i');
const firstValue = new RegExp(String.raw`^\{\s*(${word}|[^,}]*)`);
const field = new RegExp(String.raw`\s*(${word}|[^,\t]*?)\s*([,\t]|$)`, 'y');
const sparseField = new RegExp(String.raw`^\s*(\d+)\s+(${word}|.*?)\s*$`);

function readHeader(wording: Wording, lines: readonly string[]): { attributes: Attribute[]; next: number } {
  const attributes: Attribute[] = [];
  for (const [k, given] of lines.entries()) {
    const line = given.trim();
    if (line === '' || line.startsWith('%') || /^@relation\b/i.test(line)) continue;
    if (/^@data\b/i.test(line) && attributes.length > 0) return { attributes, next: k + 1 };
    const found = attributeLine.exec(line);
    if (!found) throw badValue(wording.caller, `@attribute NAME KIND on line ${k + 1} of an ARFF file`, excerpt(line));
    const [, name, kind] = found;
    if (/^relational\b/i.test(kind)) {
      throw badValue(wording.caller, 'ARFF with one table', `a table within '${plain(name)}'`, 'Save that as CSV.');
    }
    const isNumeric = /^(numeric|real|integer)\b/i.test(kind);
    const first = firstValue.exec(kind)?.[1].trim();
    attributes.push({ name: plain(name), isNumeric, usual: isNumeric ? 0 : first === undefined ? null : plain(first) });
  }
  throw badValue(wording.caller, 'an ARFF file with @attribute lines, @data and rows', 'one without them');
}

/** The cells of a row, and how many the file states. */
function rowOf(wording: Wording, attributes: readonly Attribute[], line: string, number: number) {
  if (line.startsWith('{')) return sparseRow(wording, attributes, line, number);
  // A weight of the row may follow, in braces.
  const fields = fieldsOf(line.replace(/[,\t]\s*\{[\d.]+\}$/, ''));
  if (fields.length !== attributes.length) {
    const got = `${count(fields.length, 'cell')} on line ${number}: '${excerpt(line)}'`;
    throw badValue(wording.caller, `rows of ${count(attributes.length, 'cell')}, as @attribute lines state`, got);
  }
  return { cells: fields.map((text, c) => cellOf(wording, attributes[c], text, number)), values: fields.length };
}

function sparseRow(wording: Wording, attributes: readonly Attribute[], line: string, number: number) {
  const cells = attributes.map(({ usual }) => usual);
  const fields = fieldsOf(line.replace(/^\{|\}.*$/g, '')).filter((text) => text !== '');
  for (const text of fields) {
    const [, place, value] = sparseField.exec(text) ?? [];
    const attribute = attributes[Number(place)];
    if (place === undefined || !attribute) {
      const expected = `pairs of a column, from 0 to ${attributes.length - 1}, and a value in braces on line ${number}`;
      throw badValue(wording.caller, expected, `'${excerpt(text)}'`);
    }
    cells[Number(place)] = cellOf(wording, attribute, value, number);
  }
  return { cells, values: fields.length };
}

function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  field.lastIndex = 0;
  for (;;) {
    const found = field.exec(line);
    // Text after a closing quote: the field is taken as it stands.
    if (!found) return line.split(',').map((text) => text.trim());
    fields.push(found[1]);
    if (found[2] === '') return fields;
  }
}

function cellOf(wording: Wording, { name, isNumeric }: Attribute, text: string, line: number): Cell {
  if (text === '?' || text === '') return null;
  const bare = plain(text);
  if (!isNumeric) return bare;
  if (isNumber(bare)) return Number(bare);
  if (/^nan$/i.test(bare)) return null;
  throw badValue(wording.caller, `a number in the numeric column '${name}' on line ${line}`, `'${excerpt(bare)}'`);
}

/** The text without its quotes. */
function plain(text: string): string {
  return /^(['"]).*\1$/s.test(text) && text.length > 1 ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}
