/** `readTable`: reads tables from delimited text, JSON, NDJSON, ARFF, LIBSVM, Parquet or Arrow. */

import { badKind, badValue, excerpt } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { type Precision, precisions } from '../../tensor/tensor.ts';
import { type ByteSource, collect, openSource, textPieces } from '../bytes/byte-source.ts';
import { concatenate } from '../bytes/compression.ts';
import { lineFeed } from '../bytes/decimal.ts';
import { type TableColumn, typedColumn } from './columns/column.ts';
import { readCells } from './text/delimited.ts';
import { checkDelimiter } from './delimiter.ts';
import { type Dialect, type DialectOptions, detectDialect } from './text/dialect.ts';
import { splitLists } from './columns/lists.ts';
import { missingRules } from './columns/encoding.ts';
import type { MissingValue } from './columns/notation.ts';
import { readNumericTable } from './numeric-table.ts';
import { looksLikeArff, readArff } from './records/arff.ts';
import { looksLikeLibsvm, readLibsvm } from './records/libsvm.ts';
import { readArrow, readParquet } from './records/peers.ts';
import { readJson } from './records/json.ts';
import type { RecordColumns } from './records/records.ts';
import { isEncoding, type RoleOptions, Table, type TableSource } from './table.ts';
import { decodeText, detectEncoding, toUtf8 } from './text/text-encoding.ts';
import { libraryWording, type Wording } from './wording.ts';

/** The file formats for tables. */
export type TableFormat = (typeof tableFormats)[number];

const tableFormats = ['delimited', 'json', 'arff', 'libsvm', 'parquet', 'arrow'] as const;

/** The dialect of a table, and the roles of its columns. */
export interface TableOptions extends DialectOptions, RoleOptions {
  /** The name of the table. Default: 'table'. */
  readonly name?: string;
  /** Default: detected from the first bytes. */
  readonly format?: TableFormat;
  /** The precision of the points. Default: 'single'. */
  readonly precision?: Precision;
  /** Compressed files that become larger than this are refused. Default: as in `readCsv`. */
  readonly maxBytes?: number;
}

/**
 * The table in a text or in the bytes of a file. Recognizes the format, the delimiter, the header, decimal commas, missing
 * values (empty, NA, NaN, null, ?), numbers with units, dates, ids and classes. Columns of numbers become points. `notes`
 * and `leftOut` tell what was recognized and what was left out.
 */
export async function readTable(source: ByteSource, options: TableOptions = {}): Promise<Table> {
  const caller = 'readTable';
  checkOptions(caller, options, tableRules);
  const isRepeatable = typeof source === 'string' || source instanceof Uint8Array;
  const bytes = isRepeatable ? source : await collect(boundedPieces(caller, source, options.maxBytes));
  return readTableFrom(libraryWording(caller), () => boundedPieces(caller, bytes, options.maxBytes), options);
}

/** The decompressed bytes of a source, of which there may be at most `maxBytes`. For this folder only. */
export async function* boundedPieces(
  caller: string,
  source: ByteSource,
  maxBytes: number | undefined,
): AsyncGenerator<Uint8Array> {
  yield* textPieces(caller, await openSource(caller, source), maxBytes);
}

/** `readTable` of a file that can be opened several times, with messages in the words of the caller. Internal. */
export async function readTableFrom(
  wording: Wording,
  open: () => AsyncGenerator<Uint8Array>,
  options: TableOptions,
): Promise<Table> {
  checkOptions(wording.caller, options, tableRules);
  const { name = 'table', precision = 'single' } = options;
  const head = await readHead(open());
  const format = options.format ?? detectFormat(wording, head, options);
  if (format === 'delimited') return readDelimited(wording, open, head, { ...options, name, precision });
  const whole = head.isAll ? head.bytes : await collect(open());
  const records = await readRecords(wording, format, whole, options);
  const rows = records.columns[0]?.length ?? 0;
  if (rows === 0) throw badValue(wording.caller, 'a table with at least one row', 'none');
  const place = (row: number): string => `record ${row + 1}`;
  const rules = {
    decimal: options.decimal === ',' ? ',' : '.',
    isDecimalOpen: options.decimal === undefined,
    missingValues: missingValuesOf(options),
    place,
  } as const;
  const columns = records.columns.map((cells, k) => typedColumn(records.names[k], cells, rules));
  return new Table(
    { name, columns, rows, place, notes: records.notes, precision, isNamed: records.isNamed, wording },
    options,
  );
}

/** The format by the ending of a file name, without .gz; undefined if the ending is unknown. */
export function tableFormatFromName(name: string): TableFormat | undefined {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1].toLowerCase() ?? '';
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

const endings: Record<string, TableFormat> = {
  csv: 'delimited',
  tsv: 'delimited',
  tab: 'delimited',
  psv: 'delimited',
  txt: 'delimited',
  data: 'delimited',
  dat: 'delimited',
  json: 'json',
  ndjson: 'json',
  jsonl: 'json',
  parquet: 'parquet',
  arrow: 'arrow',
  feather: 'arrow',
  arff: 'arff',
  libsvm: 'libsvm',
  svm: 'libsvm',
  svmlight: 'libsvm',
};

/** Options of tables: names and kinds. */
export const tableRules = {
  name: 'string',
  format: tableFormats,
  precision: precisions,
  maxBytes: 'number',
  delimiter: checkDelimiter,
  decimal: ['auto', '.', ','],
  header: kindOf("true, false or 'auto'", (value) => value === 'auto' || typeof value === 'boolean'),
  label: kindOf('the name or the index of a column, or false', isColumnOrNone),
  id: kindOf('the name or the index of a column, or false', isColumnOrNone),
  columns: kindOf(
    'a list of columns, or the columns of a model',
    (value) => typeof value === 'object' && value !== null,
  ),
  ignore: 'array',
  categorical: 'array',
  missing: missingRules,
  missingValues: kindOf('a list of texts and numbers', (value) => Array.isArray(value) && value.every(isCellValue)),
} as const satisfies Rules<TableOptions>;

function kindOf(expected: string, accepts: (value: unknown) => boolean) {
  return (caller: string, name: string, value: unknown): void => {
    if (!accepts(value)) throw badKind(caller, `${name} to be ${expected}`, value);
  };
}

function isCellValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function isColumnOrNone(value: unknown): boolean {
  return isCellValue(value) || value === false;
}

/** The first bytes of a file. */
export interface Head {
  readonly bytes: Uint8Array;
  /** Whether these are all. */
  readonly isAll: boolean;
}

/** The number of bytes that determine the format and the dialect. */
const headLength = 1 << 17;

async function readHead(pieces: AsyncGenerator<Uint8Array>): Promise<Head> {
  const kept: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    length += piece.length;
    if (length >= headLength) break;
  }
  return { bytes: concatenate(kept), isAll: length < headLength };
}

function detectFormat({ caller }: Wording, { bytes, isAll }: Head, { delimiter = 'auto' }: TableOptions): TableFormat {
  const begin = new TextDecoder('latin1').decode(bytes.subarray(0, 64));
  const text = begin.replace(/^(ï»¿)?\s*/, '');
  if (begin.startsWith('PAR1')) return 'parquet';
  // The last one begins an Arrow stream, which has no name in it.
  if (begin.startsWith('ARROW1') || begin.startsWith('ÿÿÿÿ')) return 'arrow';
  const remedy = 'Save the table as CSV.';
  if (begin.startsWith('PK\u0003\u0004'))
    throw badValue(caller, 'a table', 'a zip archive, perhaps an Excel file', remedy);
  if (begin.startsWith('ÐÏ\u0011à')) throw badValue(caller, 'a table', 'an old Excel file', remedy);
  if (begin.startsWith('%PDF')) throw badValue(caller, 'a table', 'a PDF file', remedy);
  if (/^<(!doctype|html|\?xml|table)/i.test(text))
    throw badValue(caller, 'a table', `a page: ${excerpt(text)}`, remedy);
  if (/^(\{|\[\s*([[{\]"]|-?\d))/.test(text)) return 'json';
  if (delimiter !== 'auto') return 'delimited';
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, textLength)).replace(/^ï»¿/, '');
  if (looksLikeArff(head)) return 'arff';
  return looksLikeLibsvm(isAll ? `${head}\n` : head) ? 'libsvm' : 'delimited';
}

/** The number of bytes that tell kinds of text apart: ARFF may begin with long comments. */
const textLength = 1 << 16;

async function readRecords(
  wording: Wording,
  format: TableFormat,
  bytes: Uint8Array,
  { columns }: TableOptions,
): Promise<RecordColumns> {
  if (format === 'parquet') return readParquet(wording, bytes);
  if (format === 'arrow') return readArrow(wording, bytes);
  const { encoding } = detectEncoding(wording, bytes, true);
  const text = decodeText(wording, encoding, () => new TextDecoder(encoding, { fatal: true }).decode(bytes));
  if (format === 'arff') return readArff(wording, text);
  if (format === 'json') return readJson(wording, text);
  // A file of new rows may lack the last columns of a model, which are then 0.
  const indices = isEncoding(columns) ? columns.columns.map(({ name }) => Number(/^x(\d+)$/.exec(name)?.[1] ?? 0)) : [];
  return readLibsvm(wording, text, Math.max(0, ...indices));
}

async function readDelimited(
  wording: Wording,
  open: () => AsyncGenerator<Uint8Array>,
  head: Head,
  options: TableOptions & Required<Pick<TableOptions, 'name' | 'precision'>>,
): Promise<Table> {
  const encoding = detectEncoding(wording, head.bytes, head.isAll);
  const text = concatenate([
    ...(await all(toUtf8(wording, once(head.bytes), encoding, head.isAll))),
    Uint8Array.of(lineFeed),
  ]);
  const dialect = detectDialect(wording, text, text.length - 1, head.isAll, options);
  // Small files take the general path alone: it costs nothing there.
  const isPlain = encoding.encoding === 'utf-8' && !encoding.hasReturnsOnly;
  const numeric = head.isAll || !isPlain ? null : await readNumericTable(wording, open, dialect, options);
  return new Table(
    numeric ?? (await readColumns(wording, toUtf8(wording, open(), encoding), dialect, encoding.encoding, options)),
    options,
  );
}

async function readColumns(
  wording: Wording,
  pieces: AsyncIterable<Uint8Array>,
  dialect: Dialect,
  encoding: string,
  options: TableOptions & Required<Pick<TableOptions, 'name' | 'precision'>>,
): Promise<TableSource> {
  const { name, precision } = options;
  const cells = await readCells(wording, pieces, dialect);
  const rows = cells.lines.length;
  if (rows === 0) {
    const remedy = `If the first line is a row, pass ${wording.option('header', 'false')}.`;
    throw badValue(wording.caller, 'a table with at least one row', 'only a header', remedy);
  }
  const place = (row: number): string => `line ${cells.lines[row]}`;
  const { decimal, isDecimalOpen } = dialect;
  const rules = { decimal, isDecimalOpen, missingValues: missingValuesOf(options), place };
  const lists: string[] = [];
  const columns: TableColumn[] = dialect.names.flatMap((column, k) => {
    const parts = splitLists(cells.columns[k]);
    if (parts) lists.push(`'${column}' (${parts.length})`);
    return parts
      ? parts.map((part, p) => typedColumn(`${column}.${p}`, part, rules))
      : [typedColumn(column, cells.columns[k], rules)];
  });
  const notes = [
    ...encodingNotes(encoding),
    ...dialect.notes,
    ...cells.notes,
    ...(lists.length > 0 ? [`Lists of numbers became columns: ${lists.join(', ')}.`] : []),
  ];
  return { name, columns, rows, place, notes, precision, isNamed: dialect.hasHeader, wording };
}

function encodingNotes(encoding: string): string[] {
  if (encoding === 'utf-8') return [];
  // Any bytes are text in it, also those of Asian and Cyrillic encodings.
  const remedy = encoding === 'windows-1252' ? ' If its letters look wrong, save it as UTF-8.' : '';
  return [`The text is in ${encoding.toUpperCase()}.${remedy}`];
}

/** The values that count as missing, by the options or by the model whose columns are read. */
function missingValuesOf({ missingValues, columns }: TableOptions): readonly MissingValue[] {
  return missingValues ?? (isEncoding(columns) ? columns.missingValues : undefined) ?? [];
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function all(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const kept: Uint8Array[] = [];
  for await (const piece of pieces) kept.push(piece);
  return kept;
}
