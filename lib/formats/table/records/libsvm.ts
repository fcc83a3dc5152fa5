/** Reads LIBSVM (SVMlight) files: a label and pairs index:value on each line. What a line leaves out is 0. */

import { badValue, excerpt } from '../../../core/check.ts';
import { count, type Wording } from '../wording.ts';
import type { RecordColumns } from './records.ts';

const number = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
const row = new RegExp(String.raw`^(${number}(?:,${number})*)(?:\s+qid:\d+)?((?:\s+\d+:${number})*)\s*(?:#.*)?$`);
/** Pairs of a line that may be times of day. */
const times = /^(\s+\d\d?:[0-5]\d)*$/;

/** Whether the first lines of a text are rows of LIBSVM. Indices rise along a line; two columns of times are none. */
export function looksLikeLibsvm(text: string): boolean {
  const lines = text.split(/\r?\n/, 21).slice(0, -1);
  const rows = lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).map((line) => row.exec(line.trim()));
  if (rows.length === 0) return false;
  const pairs = rows.map((found) => found?.[2] ?? null);
  const isRising = (text_: string | null): boolean => {
    if (text_ === null) return false;
    const indices = Array.from(text_.matchAll(/(\d+):/g), ([, index]) => Number(index));
    return indices.every((index, k) => k === 0 || index > indices[k - 1]);
  };
  return (
    pairs.every(isRising) && pairs.some((some) => some!.trim() !== '') && !pairs.every((some) => times.test(some!))
  );
}

/** More cells would not fit the memory of a table. */
const mostCells = 2 ** 25;

/** The table in a LIBSVM text: the column `label`, and x1, x2, … as the indices state, at least up to x`least`. */
export function readLibsvm(wording: Wording, text: string, least = 0): RecordColumns {
  const labels: string[] = [];
  const rows: (readonly [index: number, value: number])[][] = [];
  let [first, last] = [1, least];
  for (const [k, line] of text.split(/\r\n?|\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const found = row.exec(line.trim());
    if (!found) throw badValue(wording.caller, `LABEL INDEX:VALUE … on line ${k + 1}`, `'${excerpt(line)}'`);
    labels.push(found[1]);
    const pairs = Array.from(found[2].trim().split(/\s+/).filter(Boolean), (pair) => {
      const [index, value] = pair.split(':');
      return [Number(index), Number(value)] as const;
    });
    for (const [index] of pairs) {
      first = Math.min(first, index);
      last = Math.max(last, index);
    }
    rows.push(pairs);
  }
  const width = last - first + 1;
  if (rows.length * width > mostCells) {
    const remedy =
      'Save them as sparse points, in Python: scipy.sparse.save_npz("points.npz", sklearn.datasets.load_svmlight_file(FILE)[0]).';
    const got = `${rows.length} rows of ${count(width, 'column')}`;
    throw badValue(wording.caller, `a LIBSVM file of at most ${mostCells} cells, to be a table`, got, remedy);
  }
  const columns = Array.from({ length: width }, () => new Array<number>(rows.length).fill(0));
  for (const [i, pairs] of rows.entries()) for (const [index, value] of pairs) columns[index - first][i] = value;
  return {
    names: ['label', ...columns.map((_, c) => `x${c + first}`)],
    columns: [labels, ...columns],
    notes: ['Read as LIBSVM: what a line leaves out is 0.'],
    isNamed: true,
  };
}
