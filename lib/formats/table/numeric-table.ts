/** The fast path for large files of plain numbers: the CSV reader streams them, and columns are views of its points. */

import { type Separator, separators } from '../csv/layout.ts';
import { isNumber } from '../csv/fields.ts';
import { readCsvPieces } from '../csv/csv.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { isIdName, type NumberColumn, type TableColumn } from './columns/column.ts';
import { constantStep } from './columns/constant-step.ts';
import type { Dialect } from './text/dialect.ts';
import { isNumericDate } from './columns/dates.ts';
import { isCode } from './columns/notation.ts';
import type { RoleOptions, TableSource } from './table.ts';
import type { Wording } from './wording.ts';

/** The columns of a file whose first rows are plain numbers, or null if it must be read in general. */
export async function readNumericTable(
  wording: Wording,
  open: () => AsyncGenerator<Uint8Array>,
  dialect: Dialect,
  options: RoleOptions & Pick<Required<TableSource>, 'name' | 'precision'>,
): Promise<TableSource | null> {
  if (!isPlain(dialect) || options.categorical || options.id || options.missingValues) return null;
  const { name, precision } = options;
  const layout = { separator: dialect.delimiter as Separator, header: dialect.skip === 1 };
  try {
    const { points } = await readCsvPieces(wording.caller, open(), { name, precision, ...layout });
    const summaries = summarize(points);
    const columns = dialect.names.map((column, k) => columnOf(points, column, k, summaries));
    const place = (row: number): string => `row ${row + 1}`;
    const { hasHeader: isNamed, notes } = dialect;
    return { name, columns, rows: points.rows, place, notes, precision, isNamed, wording, plain: points };
  } catch (error) {
    // A row that is not plain numbers: the general path reads or refuses it.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function isPlain({ delimiter, comment, skip, hasHeader, decimal, sample, names }: Dialect): boolean {
  return (
    (separators as readonly string[]).includes(delimiter) &&
    decimal === '.' &&
    (comment < 0 || comment === 35) &&
    skip === (hasHeader ? 1 : 0) &&
    !names.some((name, k) => isIdName(name) || isNumericDate(name, sampleOf(sample, k))) &&
    sample.every((record) => record.length === names.length && record.every((text) => isNumber(text) && !isCode(text)))
  );
}

function sampleOf(sample: Dialect['sample'], column: number): Float64Array {
  return Float64Array.from(sample, (record) => Number(record[column]));
}

/** The mean, the smallest and the largest value of every column, and its constant step. */
interface Summaries {
  readonly means: Float64Array;
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly steps: Float64Array;
}

/** One pass over the rows. The search for steps ends with the first row that does not fit. */
function summarize({ rows, cols, data }: Tensor): Summaries {
  const means = new Float64Array(cols);
  const least = new Float64Array(cols).fill(Infinity);
  const most = new Float64Array(cols).fill(-Infinity);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < cols; column++, at++) {
      means[column] += data[at];
      if (data[at] < least[column]) least[column] = data[at];
      if (data[at] > most[column]) most[column] = data[at];
    }
  }
  const steps = means.map((_, column) => constantStep(data, column, cols, rows));
  return { means: means.map((sum) => sum / rows), least, most, steps };
}

/** A column of the points, copied when it is asked for. */
function columnOf(points: Tensor, name: string, column: number, { means, least, most, steps }: Summaries): TableColumn {
  const { rows, cols, data, precision } = points;
  return {
    name,
    kind: 'number',
    missing: 0,
    mean: means[column],
    least: least[column],
    most: most[column],
    step: steps[column],
    notation: '',
    get values() {
      const values = precision === 'double' ? new Float64Array(rows) : new Float32Array(rows);
      for (let row = 0; row < rows; row++) values[row] = data[row * cols + column];
      return values;
    },
  } satisfies NumberColumn;
}
