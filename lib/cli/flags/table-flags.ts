/** Flags that tell how a table is read, and which of its columns are coordinates. */

import { badValue } from '../../core/check.ts';
import { type Delimiter, isDelimiter } from '../../formats/table/delimiter.ts';
import { missingRules } from '../../formats/table/columns/encoding.ts';
import type { Decimal } from '../../formats/table/columns/notation.ts';
import { booleanFlag, choiceFlag, columnFlag, columnsFlag, type Flag, type FlagTable, numberOf } from './kinds.ts';

/** Delimiters that have a name on the command line. */
const delimiterWords: ReadonlyMap<string, Delimiter> = new Map([
  ['tab', '\t'],
  ['\\t', '\t'],
  ['space', ' '],
]);

/** Which columns are coordinates. */
export const choiceTable = {
  columns: columnsFlag('columns of numbers to use; default: all except label and ids'),
  ignore: columnsFlag('columns to leave out'),
  categorical: columnsFlag('columns to one-hot encode: each value becomes a 0-1 column'),
} satisfies FlagTable;

/** How a table is read. */
export const readingTable = {
  label: columnFlag('column of labels; default: label, class, target or species, in upper or lower case'),
  id: columnFlag('column that names the rows, for output files; default: ids that differ in every row'),
  missing: choiceFlag(
    missingRules,
    'drop rows with missing values (default), replace the values by the mean, or refuse them',
  ),
  'missing-values': columnsFlag(
    "further values that count as missing: -999, tbd, '<5'",
    'values that count as missing',
  ),
  delimiter: {
    value: 'C',
    help: 'character between fields, or tab, space; default: detected; also --separator',
    read(caller: string, text: string) {
      const found = delimiterWords.get(text) ?? text;
      if (isDelimiter(found)) return found;
      throw badValue(caller, "tab, space or one character such as ';' or '^'", `'${text}'`);
    },
  } as Flag<Delimiter>,
  decimal: {
    value: 'C',
    help: "decimal mark: '.' or ','; default: detected",
    read(caller: string, text: string) {
      if (text !== '.' && text !== ',') throw badValue(caller, "'.' or ','", `'${text}'`);
      return text;
    },
  } as Flag<Decimal>,
  header: booleanFlag('the first line names the columns; default: detected'),
  'no-header': booleanFlag('the first line is a row'),
} satisfies FlagTable;

/** The limit on the size of a file. */
export const fileTable = {
  'max-bytes': {
    value: 'N',
    help: 'largest decompressed size of a .csv.gz file; default: 268435456',
    read(caller: string, text: string) {
      const number = numberOf(text);
      if (!(Number.isSafeInteger(number) && number > 0)) throw badValue(caller, 'a whole number above 0', `'${text}'`);
      return number;
    },
  } as Flag<number>,
} satisfies FlagTable;
