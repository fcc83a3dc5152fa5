/**
 * Tries of tables: delimited text and JSON as people have them, changed by words and bytes, read as a whole and as a stream.
 * Cells are compared with those that Python's `csv` and `json` find.
 */

import { readTable, type Random, type Table } from '../../../../lib/index.ts';
import { mutate, textMutations } from '../../../formats/mutations.ts';
import { attempted, type Kind, type Means, Misread, type Outcome, pick, requireSame } from '../kind.ts';
import type { Reader } from '../reader.ts';
import { hostileJson, type Json } from './hostile-json.ts';

type Delimiter = ',' | ';' | '\t' | '|' | ' ';

const texts: readonly (readonly [delimiter: Delimiter | 'json', text: Uint8Array])[] = (
  [
    [',', 'id,height,kind,date\n1,1.5 m,oak,2024-01-02\n2,2.5 m,elm,2024-02-03\n3,,oak,2024-03-04\n'],
    [';', 'a;b\n1,5;2\n-3,25;4\n1.000,5;6\n'],
    ['\t', 'x\ty\n1\tNA\n2\t?\n3\t4\n'],
    [' ', '# made by hand\n1 2 3\n4 5 6\n7 8 9\n'],
    [',', '"name","v"\n"a ""b""",1\n"c\nd",2\n'],
    ['|', '\ufeffx|y\n1|2\n3|4\n'],
    [',', 'name,a,b,c\nx,1,-2.5e-3,7\ny,4,.5,1e10\n"z, z",+6,12.25,-0\n'],
    ['json', '{"x":1,"y":2}\n{"x":3,"y":null}\n{"x":5,"z":"a"}\n'],
  ] as const
).map(([delimiter, text]) => [delimiter, new TextEncoder().encode(text)] as const);

const recordTexts: Json[] = [
  [
    { x: 1, y: 2, kind: 'oak' },
    { x: 3, y: 4.5, kind: 'elm' },
  ],
  { x: [1, 2, 3], y: [4, 5, 6] },
  [
    [1, 2],
    [3, 4],
  ],
];

export async function openTables({ reader }: Means): Promise<Kind> {
  return {
    async attempt(random) {
      const [delimiter, bytes] = anyTable(random);
      // Where the delimiter is detected, another reader cannot know it.
      const isGiven = delimiter !== 'json' && random.integer(3) > 0;
      const options = { precision: 'double', ...(isGiven && { delimiter }) } as const;
      const read = await attempted(() => readTable(bytes, options));
      const streamed = await attempted(() => readTable(pieces(bytes, 1 + random.integer(9)), options));
      if ((read === null) !== (streamed === null))
        throw new Misread('read as a whole, but not as a stream, or vice versa');
      if (!read || !streamed) return 'refused';
      if (!read.points.data.every(Number.isFinite)) throw new Misread('points that are not finite');
      requireSame(streamed.points.data, read.points.data, 'as a stream');
      if (!reader) return 'accepted';
      if (delimiter === 'json') return compareJson(reader, read, bytes);
      return isGiven ? compareCells(reader, read, bytes, delimiter) : 'unchecked';
    },
  };
}

interface Cell {
  readonly text: string;
  /** What Python's `float` makes of it; null for none, and for one that is not finite. */
  readonly number: number | null;
}

/** The last records of the file are the rows of the table. Those before are a header and what stands above it. */
async function compareCells(reader: Reader, table: Table, bytes: Uint8Array, delimiter: Delimiter): Promise<Outcome> {
  // Comments, runs of blanks, other encodings and lines that end in a return alone are unknown to Python's reader.
  if (delimiter === ' ' || bytes.includes(35) || bytes.includes(0) || bytes.includes(13)) return 'unchecked';
  const found = await reader.read('table', bytes, { delimiter });
  if (!found) return 'unread';
  const records = found.facts as Cell[][];
  const rows = table.columns[0].values.length;
  if (records.length < rows) throw new Misread(`${rows} rows of ${records.length} records`);
  const body = records.slice(records.length - rows);
  for (const [k, { name, values, kind, ...column }] of table.columns.entries()) {
    const isPlain = kind === 'number' && 'notation' in column && column.notation === '';
    for (const [row, record] of body.entries()) {
      const { text, number } = record[k] ?? { text: '', number: null };
      const value = values[row];
      const isText = typeof value === 'string';
      if (isText && value === text.trim()) continue;
      if (!isText && !(isPlain && value !== null && number !== null)) continue;
      if (!isText && (number === value || (number === 0 && value === 0))) continue;
      throw new Misread(`${name}, row ${row}: ${value} instead of '${text}'`);
    }
  }
  return 'accepted';
}

/** Lists of flat records: each number is in the column of its name. Lists of numbers: they are the points. */
async function compareJson(reader: Reader, table: Table, bytes: Uint8Array): Promise<Outcome> {
  const found = await reader.read('json', bytes);
  if (!found) return 'unread';
  if (isMatrix(found.facts)) {
    if (table.points.cols !== found.facts[0].length) throw new Misread(`${table.points.cols} columns`);
    requireSame(table.points.data, Float64Array.from(found.facts.flat()), 'lists of numbers');
    return 'accepted';
  }
  const records = found.facts as readonly Record<string, unknown>[];
  const isFlat = (record: unknown): boolean =>
    typeof record === 'object' &&
    record !== null &&
    !Array.isArray(record) &&
    Object.values(record).every((value) => typeof value !== 'object' || value === null);
  if (!Array.isArray(records) || !records.every(isFlat)) return 'unchecked';
  for (const { name, kind, values } of table.columns) {
    for (const [row, record] of records.entries()) {
      const value = record[name];
      if (kind !== 'number' || typeof value !== 'number' || value === values[row] || !Object.hasOwn(record, name))
        continue;
      throw new Misread(`${name}, record ${row}: ${values[row]} instead of ${value}`);
    }
  }
  return 'accepted';
}

function isMatrix(value: unknown): value is number[][] {
  const isRow = (row: unknown): boolean => Array.isArray(row) && row.every(Number.isFinite);
  return Array.isArray(value) && value.length > 0 && value.every(isRow);
}

function anyTable(random: Random): readonly [Delimiter | 'json', Uint8Array] {
  if (random.integer(4) > 0) {
    const [delimiter, text] = pick(random, texts);
    return [delimiter, mutate(random, text, textMutations)];
  }
  const text = new TextEncoder().encode(JSON.stringify(hostileJson(random, pick(random, recordTexts))));
  return ['json', random.integer(3) === 0 ? mutate(random, text, textMutations) : text];
}

async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.slice(at, at + length);
}
