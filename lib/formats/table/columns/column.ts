/** `TableColumn`: a column of a table with its kind, found from its cells. */

import { isNumber } from '../../csv/fields.ts';
import { booleansOf } from './booleans.ts';
import { constantStep } from './constant-step.ts';
import { isDate, isNumericDate, isTime } from './dates.ts';
import { type Decimal, isCode, isMissing, type MissingValue, missingTest, parseNumber, unquoted } from './notation.ts';
import { numbersIn } from './numbers.ts';
import { count } from '../wording.ts';

/** A cell as it was read. Text is not interpreted yet; an object is a nested value of JSON. */
export type Cell = string | number | boolean | null | object;

/** Numbers, or yes and no as 1 and 0. A missing value is NaN. */
export interface NumberColumn {
  readonly name: string;
  readonly kind: 'number' | 'boolean';
  readonly values: Float32Array | Float64Array;
  /** The number of missing values. */
  readonly missing: number;
  /** The mean, the smallest and the largest of the values that are not missing. */
  readonly mean: number;
  readonly least: number;
  readonly most: number;
  /** The constant difference from each value to the next, up to rounding, as in a column of row numbers; else 0. */
  readonly step: number;
  /** How the numbers are written, if not plainly: 'in %', 'decimal comma', 'yes as 1', …; else ''. */
  readonly notation: string;
  /** How 0 and 1 are written in a column of words, such as 'no' and 'yes'. */
  readonly words?: readonly [no: string, yes: string];
}

/** Text. A missing value is null. */
export interface TextColumn {
  readonly name: string;
  /** 'category': few different values, which name classes. 'id': names of rows. 'nested': JSON values that are not single cells. */
  readonly kind: 'category' | 'text' | 'date' | 'id' | 'nested';
  readonly values: readonly (string | null)[];
  readonly missing: number;
  /** The number of different values. */
  readonly distinct: number;
  /** Why the column has no numbers, in a few words. */
  readonly reason: string;
  /** The texts among numbers, if they are few: each once. */
  readonly strays?: readonly string[];
}

/** A column with its kind. */
export type TableColumn = NumberColumn | TextColumn;

/** A column that is not used, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

export function isNumeric(column: TableColumn): column is NumberColumn {
  return column.kind === 'number' || column.kind === 'boolean';
}

/** How a reader understands cells: the decimal mark, whether it is certain, and the place of a row in the file. */
export interface CellRules {
  readonly decimal: Decimal;
  /** Whether columns may use the other decimal mark. */
  readonly isDecimalOpen: boolean;
  /** Cells that count as missing, besides those that are recognized. */
  readonly missingValues: readonly MissingValue[];
  place(row: number): string;
}

/** The column that the cells make. */
export function typedColumn(name: string, given: readonly Cell[], rules: CellRules): TableColumn {
  const isGap = missingTest(rules.missingValues);
  const cells = isGap ? given.map((cell) => (isGap(cell) ? null : cell)) : given;
  if (cells.every((cell) => cell === null || typeof cell === 'number')) {
    const values = Float64Array.from(cells, (cell) => (Number.isFinite(cell) ? (cell as number) : NaN));
    return numbersOrDates(name, values, '', () => cells.map((cell) => (cell === null ? null : String(cell))));
  }
  if (cells.every((cell) => cell === null || typeof cell === 'boolean')) {
    return numberColumn(
      name,
      'boolean',
      Float64Array.from(cells, (cell) => (cell === null ? NaN : Number(cell))),
      '',
    );
  }
  const nested = cells.findIndex((cell) => cell !== null && typeof cell === 'object');
  if (nested >= 0) {
    const values = cells.map((cell) => (cell === null ? null : JSON.stringify(cell)));
    return textColumn(name, values, { kind: 'nested', reason: 'nested values' });
  }
  return columnOfText(
    name,
    cells.map((cell) => (cell === null ? '' : String(cell).trim())),
    rules,
  );
}

/** The column with these values as missing ones. */
export function withoutValues(column: TableColumn, values: readonly MissingValue[]): TableColumn {
  const isGap = missingTest(values);
  if (!isGap) return column;
  if (isNumeric(column)) {
    const kept = Float64Array.from(column.values, (value) => (isGap(value) ? NaN : value));
    return numberColumn(column.name, column.kind, kept, column.notation);
  }
  const kept = column.values.map((text) => (isGap(text) ? null : text));
  return { ...column, values: kept, missing: kept.filter((text) => text === null).length };
}

/** The column as numbers, also if it was recognized as ids, codes or dates; or the first row that is no number. */
export function numbersOf(column: TableColumn): NumberColumn | { row: number } {
  if (isNumeric(column)) return column;
  const values = new Float64Array(column.values.length).fill(NaN);
  for (const [row, text] of column.values.entries()) {
    if (text === null) continue;
    const parsed = isNumber(text) ? Number(text) : NaN;
    if (!Number.isFinite(parsed)) return { row };
    values[row] = parsed;
  }
  return numberColumn(column.name, 'number', values, '');
}

/** The cells of a column as text; null for missing values. Yes and no are 1 and 0. */
export function textOf(column: TableColumn): readonly (string | null)[] {
  if (!isNumeric(column)) return column.values;
  return Array.from(column.values, (value) => (Number.isNaN(value) ? null : String(value)));
}

/** `textOf` with yes and no in the words of the column, or as true and false. */
export function wordsOf(column: TableColumn): readonly (string | null)[] {
  if (!isNumeric(column) || column.kind !== 'boolean') return textOf(column);
  const words = column.words ?? ['false', 'true'];
  return Array.from(column.values, (value) => (Number.isNaN(value) ? null : words[value]));
}

/** The cells as text: yes and no in words if these are among the categories, as in models from before words became numbers. */
export function textsAmong(column: TableColumn, categories: ReadonlyMap<string, number>): readonly (string | null)[] {
  const words = isNumeric(column) ? column.words : undefined;
  return words?.some((word) => categories.has(word)) ? wordsOf(column) : textOf(column);
}

export const severalUnits = 'several units';

/** The reason of a column that would have numbers if the user had stated the other decimal mark. */
export const otherMark = 'numbers with the other decimal mark';

function columnOfText(name: string, cells: readonly string[], rules: CellRules): TableColumn {
  const texts = cells.map((text) => (isMissing(text) ? null : text));
  if (texts.every((text) => text === null)) {
    return textColumn(name, texts, { kind: 'text', reason: 'empty' });
  }
  const codes = texts.map((text) => text && unquoted(text));
  if (codes.some((code) => code && isCode(code)) && codes.every((code) => code === null || /^\d+$/.test(code))) {
    return textColumn(name, codes, { kind: 'id', reason: 'codes with leading zeros' });
  }
  const yesAndNo = booleansOf(texts);
  if (yesAndNo) {
    const { values, yes, no } = yesAndNo;
    return { ...numberColumn(name, 'boolean', values, `${yes} as 1`), words: [no, yes] };
  }
  const marks: Decimal[] = rules.isDecimalOpen ? [rules.decimal, rules.decimal === '.' ? ',' : '.'] : [rules.decimal];
  for (const decimal of marks) {
    const read = numbersIn(cells, decimal);
    if (read) return numbersOrDates(name, read.values, read.notation, () => texts);
  }
  if (!rules.isDecimalOpen && numbersIn(cells, rules.decimal === '.' ? ',' : '.')) {
    return textColumn(name, texts, { kind: 'text', reason: otherMark });
  }
  if (texts.every((text) => text === null || isDate(text))) {
    const areTimes = texts.every((text) => text === null || isTime(text));
    return textColumn(name, texts, { kind: 'date', reason: areTimes ? 'times' : 'dates' });
  }
  return textColumn(name, texts, mixture(texts, rules));
}

function numbersOrDates(
  name: string,
  values: Float64Array,
  notation: string,
  texts: () => readonly (string | null)[],
): TableColumn {
  if (isNumericDate(name, values)) return textColumn(name, texts(), { kind: 'date', reason: 'dates' });
  if (isIdName(name) && values.every((value) => Number.isNaN(value) || Number.isInteger(value))) {
    return textColumn(name, texts(), { kind: 'id', reason: 'ids' });
  }
  if (values.length > 0 && values.every(Number.isNaN)) {
    return textColumn(name, values.length === 0 ? [] : Array.from(values, () => null), {
      kind: 'text',
      reason: 'empty',
    });
  }
  return numberColumn(name, 'number', values, notation);
}

/** Whether a column is called id, index, PassengerId or the like. */
export function isIdName(name: string): boolean {
  return (
    /^(id|ids|index|idx|key|row|no\.?|nr\.?|#|uuid|guid|unnamed: ?\d+)$|[_\s.-]id$/i.test(name) ||
    /[a-z]I[dD]$/.test(name)
  );
}

export function numberColumn(
  name: string,
  kind: NumberColumn['kind'],
  values: Float64Array,
  notation: string,
): NumberColumn {
  let [missing, sum, least, most] = [0, 0, Infinity, -Infinity];
  for (let row = 0; row < values.length; row++) {
    if (Number.isNaN(values[row])) missing++;
    else {
      sum += values[row];
      least = Math.min(least, values[row]);
      most = Math.max(most, values[row]);
    }
  }
  const mean = missing === values.length ? 0 : sum / (values.length - missing);
  return { name, kind, values, missing, mean, least, most, step: constantStep(values), notation };
}

/** At most this many different values name classes. */
export const mostClasses = 100;

function textColumn(
  name: string,
  values: readonly (string | null)[],
  known: { readonly kind?: TextColumn['kind']; readonly reason: string; readonly strays?: readonly string[] },
): TextColumn {
  const seen = new Set(values);
  seen.delete(null);
  const missing = values.reduce((sum, value) => sum + (value === null ? 1 : 0), 0);
  const [distinct, present] = [seen.size, values.length - missing];
  const classes = distinct >= 2 && distinct <= mostClasses && distinct <= present / 2;
  const isId = present > 1 && distinct === present;
  const kind =
    known.kind ?? (known.reason !== '' ? 'text' : isIdName(name) || isId ? 'id' : classes ? 'category' : 'text');
  const reasons = {
    category: count(distinct, 'class'),
    id: 'different in every row',
    text: distinct === 1 ? 'one value' : 'text',
    date: 'dates',
    nested: 'nested values',
  };
  const reason = known.reason || (kind === 'id' && !isId ? 'ids' : reasons[kind]);
  return { name, kind, values, missing, distinct, reason, ...(known.strays && { strays: known.strays }) };
}

/** A column with more different texts, with longer ones, or with texts in more than a quarter of its cells, does not just lack numbers. */
const mostStrays = 8;
const longestStray = 24;

/** Names the first cell that keeps a column from being numbers, if most are numbers; else the reason is ''. */
function mixture(
  texts: readonly (string | null)[],
  { place, decimal }: CellRules,
): Pick<TextColumn, 'reason' | 'strays'> {
  const present = texts.filter((text) => text !== null);
  const others = present.filter((text) => !parseNumber(text, decimal));
  if (others.length === 0) return { reason: severalUnits };
  if (others.length > present.length / 2) return { reason: '' };
  const row = texts.indexOf(others[0]);
  const reason = `no number in ${others.length} of ${present.length} cells: ${quoted(others[0])} on ${place(row)}`;
  const strays = [...new Set(others)];
  const areShort = strays.every(({ length }) => length <= longestStray);
  const areFew = areShort && strays.length <= mostStrays && others.length <= present.length / 4;
  return areFew ? { reason, strays } : { reason };
}

/** A cell in quotes, shortened, in its own letters: a dash or a sign may be what keeps it from being a number. */
function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '?');
  return `'${plain.length > 40 ? `${plain.slice(0, 40)}…` : plain}'`;
}
