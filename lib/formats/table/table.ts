/** `Table`: typed columns, the points that they make, labels, ids, and notes on what was left out. */

import type { Tensor } from '../../tensor/tensor.ts';
import { LabelColumn } from '../csv/labels.ts';
import type { Dataset } from '../dataset.ts';
import { type ChoiceOptions, chooseColumns } from './columns/choose.ts';
import { findColumn } from './columns/find-column.ts';
import { type LeftOut, numberColumn, type TableColumn, textOf, withoutValues, wordsOf } from './columns/column.ts';
import { type Columns, encodedNames, encodeRows, type MissingRule, type TableEncoding } from './columns/encoding.ts';
import { hasTwoValues, pointOutSubtotals, pointOutTotal } from './columns/suspicions.ts';
import { badValue } from '../../core/check.ts';

/** The columns of a file before any of them is chosen. */
export interface TableSource extends Columns {
  readonly name: string;
  readonly notes: readonly string[];
}

/** The roles of columns, or the encoding of a model for a table that it transforms. */
export interface RoleOptions extends Omit<ChoiceOptions, 'columns'> {
  /** Names of columns of numbers, or the `columns` of a model, for new rows. Default: all columns of numbers. */
  readonly columns?: ChoiceOptions['columns'] | TableEncoding;
}

/** A table with its points. Estimators accept it in place of points, and their models remember its columns. */
export class Table implements Dataset {
  readonly name: string;
  /** All columns of the file, with all rows. */
  readonly columns: readonly TableColumn[];
  /** n×d: the coordinates. Rows with missing values are not among them if `missing` is 'drop'. */
  readonly points: Tensor;
  /** The names of the columns of the points. */
  readonly columnNames: readonly string[];
  /** The row of the file, counted from 0, of every point. */
  readonly rowNumbers: Int32Array;
  readonly labels?: Int32Array;
  readonly labelNames?: readonly string[];
  readonly labelColumn?: string;
  /** A column of numbers that is called like a label and holds a quantity. It is left out of the points. */
  readonly targetColumn?: string;
  readonly ids?: readonly string[];
  readonly idColumn?: string;
  /** How the columns became points. */
  readonly encoding: TableEncoding;
  /** The columns that are neither coordinates nor label nor ids, with reasons. Not those that the user ignored. */
  readonly leftOut: readonly LeftOut[];
  /** Columns that could be the label: text with few different values, and then coordinates with two whole numbers. */
  readonly labelCandidates: readonly string[];
  /** The number of missing values in each column that lacks any. */
  readonly missing: Readonly<Record<string, number>>;
  /** What the reader recognized, changed or suspects, in sentences. */
  readonly notes: readonly string[];
  readonly #source: TableSource;
  readonly #options: RoleOptions;

  /** Made by `readTable`. */
  constructor(source: TableSource, options: RoleOptions) {
    const { columns, rows } = source;
    const choice = chooseRoles(source, options);
    const { points, kept, notes } = encodeRows(withGaps(source, choice.encoding), choice.encoding);
    this.#source = source;
    this.#options = options;
    this.name = source.name;
    this.columns = columns;
    this.points = points;
    this.columnNames = encodedNames(choice.encoding);
    this.rowNumbers = kept ?? Int32Array.from({ length: rows }, (_, row) => row);
    this.encoding = choice.encoding;
    this.leftOut = choice.leftOut;
    this.missing = Object.fromEntries(columns.flatMap(({ name, missing }) => (missing > 0 ? [[name, missing]] : [])));
    const [leftOut, coordinates] = [new Set(choice.leftOut.map(({ name }) => name)), new Set(this.columnNames)];
    const free = columns.filter(
      (column) => column.kind === 'category' && column !== choice.label && leftOut.has(column.name),
    );
    const coded = choice.label ? [] : columns.filter((column) => coordinates.has(column.name) && hasTwoValues(column));
    this.labelCandidates = [...free, ...(coded.length <= mostCoded ? coded : [])].map(({ name }) => name);
    if (choice.label) {
      Object.assign(this, labelsOf(source, choice.label, this.rowNumbers));
      this.labelColumn = choice.label.name;
    }
    if (choice.target && !this.columnNames.includes(choice.target.name)) this.targetColumn = choice.target.name;
    const ids = choice.id ? textOf(choice.id) : null;
    if (choice.id && ids) {
      this.ids = Array.from(this.rowNumbers, (row) => ids[row] ?? '');
      this.idColumn = choice.id.name;
    } else if (kept) {
      this.ids = Array.from(kept, (row) => String(row + 1));
      this.idColumn = 'row';
    }
    const hasLast = this.rowNumbers.at(-1) === rows - 1;
    const used = columns.filter(({ name }) => coordinates.has(name));
    const total = hasLast ? pointOutTotal(columns, used, rows - 1) : [];
    const subtotals = pointOutSubtotals(columns, this.rowNumbers);
    // One sentence about sums is enough.
    this.notes = [...source.notes, ...choice.notes, ...notes, ...(subtotals.length > 0 ? subtotals : total)];
  }

  /** The same rows as points of a model: by the `columns` of the model, whatever the order of the columns here. */
  encodedAs(encoding: TableEncoding): Table {
    const wording = { ...this.#source.wording, caller: 'Table.encodedAs' };
    return new Table(
      { ...this.#source, wording },
      { ...this.#options, columns: encoding, ignore: [], categorical: [] },
    );
  }
}

/** More columns of two values than these are features, not labels. */
const mostCoded = 2;

/** The columns with the missing values of an encoding, which the reader of another table did not know. */
function withGaps(source: TableSource, { missingValues = [] }: TableEncoding): TableSource {
  if (missingValues.length === 0) return source;
  const { plain: _, ...rest } = source;
  return { ...rest, columns: source.columns.map((column) => withoutValues(column, missingValues)) };
}

/** Whether the columns are given as an encoding. */
export function isEncoding(columns: RoleOptions['columns']): columns is TableEncoding {
  return typeof columns === 'object' && columns !== null && !Array.isArray(columns);
}

interface Roles {
  readonly encoding: TableEncoding;
  readonly label: TableColumn | null;
  readonly id: TableColumn | null;
  readonly target: TableColumn | null;
  readonly leftOut: readonly LeftOut[];
  readonly notes: readonly string[];
}

const defaultMissing: MissingRule = 'drop';

function chooseRoles({ wording, columns, rows, isNamed }: TableSource, options: RoleOptions): Roles {
  const { columns: wanted, ...rest } = options;
  if (!isEncoding(wanted)) {
    const { encoded, ...choice } = chooseColumns(wording, columns, rows, {
      ...rest,
      ...(wanted && { columns: wanted }),
    });
    const { missing = defaultMissing, missingValues = [] } = options;
    const gaps = missingValues.length > 0 && { missingValues };
    return { ...choice, encoding: { columns: encoded, missing, isNamed, ...gaps } };
  }
  const encoding = { ...wanted, missing: options.missing ?? wanted.missing };
  const used = new Set(encoding.columns.map(({ name }) => name.toLowerCase()));
  const free = columns.filter(({ name }) => !used.has(name.toLowerCase()));
  for (const role of ['label', 'id'] as const) {
    const name = options[role];
    if (name === undefined || name === false || free.includes(findColumn(wording, columns, name, role))) continue;
    throw badValue(wording.caller, `another column than those of the model as ${role}`, `'${name}'`);
  }
  // Roles other than coordinates are found among the columns that the model does not use.
  const stand = numberColumn('', 'number', new Float64Array(rows), '');
  const { label, id, target } = chooseColumns(wording, [...free, stand], rows, rest);
  return { encoding, label, id, target, leftOut: [], notes: [] };
}

function labelsOf(
  { wording, place }: TableSource,
  column: TableColumn,
  rowNumbers: Int32Array,
): { labels: Int32Array; labelNames?: readonly string[] } {
  const texts = wordsOf(column);
  const labels = new LabelColumn(wording.caller, undefined);
  for (const row of rowNumbers) labels.add(texts[row] ?? '(missing)', Number(/\d+/.exec(place(row))?.[0] ?? row + 1));
  return labels.finish();
}
