/** Notes on suspicious columns and rows: row numbers, account numbers, codes for missing values, constants, labels, totals. */

import { isNumeric, type NumberColumn, type TableColumn, type TextColumn, textOf } from './column.ts';
import { listNames, type Wording } from '../wording.ts';

/** Fewer rows prove nothing. */
const fewestRows = 5;

/** Sentences about the columns that are used. `areWanted`: the user named them. */
export function pointOut(
  { option }: Wording,
  used: readonly TableColumn[],
  label: TableColumn | null,
  rows: number,
  areWanted: boolean,
): string[] {
  const notes: string[] = [];
  const classes = label && textOf(label);
  for (const column of used) {
    if (!isNumeric(column)) continue;
    const { name } = column;
    const remedy = `${option('ignore', name)} leaves it out.`;
    if (!areWanted && rows >= fewestRows && column.step !== 0) {
      notes.push(`'${name}' ${stepInWords(column.step)} in every row, like an id. ${remedy}`);
    } else if (!areWanted && rows >= fewestRows && isAccountNumber(column)) {
      const digits = String(column.least).length;
      notes.push(`'${name}' has whole numbers of ${digits} digits that differ in every row, like an id. ${remedy}`);
    }
    const code = missingCode(column);
    if (code) {
      const way = `If it stands for a missing value, pass ${option('missingValues', String(code.value))}.`;
      notes.push(`'${name}' is ${code.value} in ${code.times} rows, far from all other values. ${way}`);
    }
    if (classes && equals(column.values, classes)) notes.push(`'${name}' equals the label '${label.name}'. ${remedy}`);
  }
  const constant = used.filter((column) => isNumeric(column) && rows > 1 && column.least === column.most);
  if (constant.length > 0) notes.push(`Constant: ${listNames(constant.map(({ name }) => name))}.`);
  return notes;
}

/** `rises by one`, `rises by 37`, `falls by 0.1`. */
function stepInWords(step: number): string {
  const [size, whole] = [Math.abs(step), Math.round(Math.abs(step))];
  const shown = Math.abs(size - whole) <= 1e-6 * size ? whole : Number(size.toPrecision(6));
  return `${step > 0 ? 'rises' : 'falls'} by ${shown === 1 ? 'one' : shown}`;
}

/** Words for a sum or a mean of all rows. */
const totalWords =
  /^(((grand|sub) ?)?totals?|sum|overall|average|mean|all|summe|gesamt(summe)?|insgesamt|durchschnitt|mittelwert|somme|ensemble|moyenne|totale|media|suma|totaal|итого|всего|合計|总计|总和)$/i;

/** What pivot tables and reports write into the row of a group's sum: Subtotal, East Total, Zwischensumme. */
const subtotalWords = /^((.+ )?((grand|sub)[ -]?)?totals?|zwischensummen?|.+ ergebnis|sous[ -]totaux?|subtotale?s?)$/i;

/** Rows between the others, among those that are used, that sum some of them up. */
export function pointOutSubtotals(columns: readonly TableColumn[], rows: ArrayLike<number>): string[] {
  for (const column of columns) {
    if (isNumeric(column)) continue;
    const texts = Array.from(rows, (row) => (column.values[row] ?? '').replace(/:$/, ''));
    const names = texts.filter((text) => subtotalWords.test(text));
    const others = texts.length - names.length;
    const isLastOnly = names.length === 1 && texts.at(-1) === names[0];
    if (names.length === 0 || isLastOnly || others < 2 * names.length) continue;
    const are = names.length === 1 ? '1 row is' : `${names.length} rows are`;
    const they = names.length === 1 ? 'it sums up others, delete it' : 'they sum up others, delete them';
    return [`${are} called ${listNames([...new Set(names)])}. If ${they}.`];
  }
  return [];
}

/** A last row that sums up the others is an outlier among them: by a word that only this row has, or by its numbers. */
export function pointOutTotal(columns: readonly TableColumn[], used: readonly TableColumn[], last: number): string[] {
  const remedy = 'delete it.';
  const word = columns
    .filter((column): column is TextColumn => !isNumeric(column))
    .map(({ values }) => (values.indexOf(values[last]) === last ? (values[last] ?? '').replace(/:$/, '') : ''))
    .find((text) => totalWords.test(text));
  if (word !== undefined) return [`The last row is called '${word}'. If it sums up the others, ${remedy}`];
  const numeric = used.filter(isNumeric).filter(({ values }) => values[last] !== 0);
  const isSum = numeric.length > 1 && last >= fewestRows && numeric.every((column) => isSumOfOthers(column, last));
  return isSum ? [`The last row is the sum of the others. If it is a total, ${remedy}`] : [];
}

/** The rounding of a sum of numbers that are stored with a few digits. */
const sumRounding = 1e-4;

function isSumOfOthers({ values }: NumberColumn, last: number): boolean {
  let sum = 0;
  for (let row = 0; row < last; row++) if (!Number.isNaN(values[row])) sum += values[row];
  // Relative to the sum itself: the columns of a standardized table add up to about 0, like many of its rows.
  return Math.abs(values[last] - sum) <= sumRounding * Math.abs(sum);
}

/** Two different whole numbers: a column that may name classes. */
export function hasTwoValues(column: TableColumn): boolean {
  if (!isNumeric(column) || column.values.length < fewestRows || column.most !== column.least + 1) return false;
  return column.values.every((value) => Number.isNaN(value) || value === column.least || value === column.most);
}

/** Account numbers, bar codes and the like have at least this size. */
const smallestAccount = 1e7;

function isAccountNumber({ least, most, missing, values }: NumberColumn): boolean {
  if (!(least >= smallestAccount && String(least).length === String(most).length)) return false;
  const isWhole = values.every((value) => Number.isNaN(value) || Number.isInteger(value));
  return isWhole && new Set(values).size === values.length - Math.max(0, missing - 1);
}

/** Numbers that stand for missing values in many files. */
const usualCodes: ReadonlySet<number> = new Set([-9, ...[99, 999, 9999, 99_999].flatMap((code) => [-code, code])]);

/** A usual code that occurs twice or more and is farther from all other values than these are from each other. */
function missingCode({ least, most, values }: NumberColumn): { value: number; times: number } | null {
  for (const value of [least, most]) {
    if (!usualCodes.has(value)) continue;
    let [times, low, high, known] = [0, Infinity, -Infinity, 0];
    for (const other of values) {
      if (Number.isNaN(other)) continue;
      known++;
      if (other === value) times++;
      else [low, high] = [Math.min(low, other), Math.max(high, other)];
    }
    const distance = value === least ? low - value : value - high;
    if (times > 1 && times <= known / 2 && low < high && distance > high - low) return { value, times };
  }
  return null;
}

/** Whether there is a one-to-one correspondence between the values and the classes, of which there are at least two. */
function equals(values: ArrayLike<number>, classes: readonly (string | null)[]): boolean {
  const forward = new Map<number, string | null>();
  const backward = new Map<string | null, number>();
  for (let row = 0; row < values.length; row++) {
    const [value, name] = [values[row], classes[row]];
    if (!forward.has(value) && !backward.has(name)) {
      forward.set(value, name);
      backward.set(name, value);
    } else if (forward.get(value) !== name || backward.get(name) !== value) return false;
  }
  return forward.size > 1 && forward.size < values.length;
}
