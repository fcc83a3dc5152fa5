/** Reads Parquet by the optional package hyparquet, and Arrow by apache-arrow. Both are loaded when a file needs them. */

import { badValue, excerpt } from '../../../core/check.ts';
import { fromColumns, type RecordColumns } from './records.ts';
import type { Wording } from '../wording.ts';

/** A file of which hyparquet reads parts. */
export interface ParquetFile {
  readonly byteLength: number;
  slice(start: number, end?: number): ArrayBuffer | Promise<ArrayBuffer>;
}

/** The part of hyparquet that is used. */
interface Hyparquet {
  parquetRead(options: {
    file: ParquetFile;
    compressors?: object;
    rowStart?: number;
    rowEnd?: number;
    metadata?: ParquetMetadata;
    onChunk: (chunk: { columnName: string; columnData: ArrayLike<unknown>; rowStart: number }) => void;
  }): Promise<void>;
  parquetMetadataAsync(file: ParquetFile): Promise<ParquetMetadata>;
}

interface ParquetMetadata {
  readonly num_rows: bigint | number;
  readonly row_groups: readonly {
    readonly num_rows: bigint | number;
    readonly columns: readonly { readonly meta_data?: { readonly path_in_schema: readonly string[] } }[];
  }[];
}

/** A type of Arrow by its name, such as Decimal[20e+3]; decimals have a scale. */
interface ArrowType {
  readonly scale?: number;
  toString(): string;
}

/** The part of apache-arrow that is used. */
interface Arrow {
  tableFromIPC(bytes: Uint8Array): {
    readonly schema: { readonly fields: readonly { readonly name: string; readonly type: ArrowType }[] };
    getChildAt(index: number): Iterable<unknown> | null;
  };
}

export async function readParquet(wording: Wording, bytes: Uint8Array): Promise<RecordColumns> {
  const { parquetRead } = await loadHyparquet(wording);
  const file = new Uint8Array(bytes).buffer;
  const columns = await readColumns(wording, parquetRead, { file });
  return fromColumns([...columns.keys()], [...columns.values()]);
}

/** Rows of a Parquet file: their columns in the order of the file, and the fraction of the file that ends with them. */
export interface ParquetGroup {
  readonly columns: readonly (readonly unknown[])[];
  readonly rows: number;
  readonly done: number;
}

/** Reads a Parquet file one row group after another. Holds one of them. */
export async function* readParquetGroups(
  wording: Pick<Wording, 'caller'>,
  file: ParquetFile,
): AsyncGenerator<ParquetGroup, void, void> {
  const { parquetRead, parquetMetadataAsync } = await loadHyparquet(wording);
  const metadata = await decode(wording, 'Parquet', () => parquetMetadataAsync(file));
  let rowStart = 0;
  for (const { num_rows, columns: stored } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    if (rowEnd === rowStart) continue; // hyparquet returns no columns of a group without rows
    // oxlint-disable-next-line no-await-in-loop -- one group is held at a time
    const columns = await readColumns(wording, parquetRead, { file, metadata, rowStart, rowEnd });
    const names = stored.map(({ meta_data: { path_in_schema: path = [] } = {} }) => path[0]);
    yield {
      columns: columnsInOrder(columns, names),
      rows: rowEnd - rowStart,
      done: rowEnd / Number(metadata.num_rows),
    };
    rowStart = rowEnd;
  }
}

/** The columns in the order of their names in the file, whatever the order in which they were decoded. */
export function columnsInOrder<T>(columns: ReadonlyMap<string, T>, names: readonly string[]): T[] {
  return [...columns].toSorted(([one], [other]) => names.indexOf(one) - names.indexOf(other)).map(([, cells]) => cells);
}

function loadHyparquet(wording: Pick<Wording, 'caller'>): Promise<Hyparquet> {
  return load<Hyparquet>(wording, 'hyparquet', 'a Parquet file');
}

/** The columns of some rows by their names. */
async function readColumns(
  wording: Pick<Wording, 'caller'>,
  parquetRead: Hyparquet['parquetRead'],
  options: Omit<Parameters<Hyparquet['parquetRead']>[0], 'onChunk' | 'compressors'>,
): Promise<Map<string, unknown[]>> {
  const columns = new Map<string, unknown[]>();
  const { rowStart: first = 0 } = options;
  const onChunk: Parameters<Hyparquet['parquetRead']>[0]['onChunk'] = ({ columnName, columnData, rowStart }) => {
    const cells = columns.get(columnName) ?? [];
    columns.set(columnName, cells);
    for (let row = 0; row < columnData.length; row++) cells[rowStart - first + row] = columnData[row];
  };
  const { compressors } = await importPackage<{ compressors?: object }>('hyparquet-compressors').catch(
    () => ({}) as never,
  );
  const more = compressors && { compressors };
  await decode(wording, 'Parquet', () => parquetRead({ ...options, onChunk, ...more }), more ? '' : codecRemedy);
  return columns;
}

export async function readArrow(wording: Wording, bytes: Uint8Array): Promise<RecordColumns> {
  const { tableFromIPC } = await load<Arrow>(wording, 'apache-arrow', 'an Arrow file');
  const table = await decode(wording, 'Arrow', async () => tableFromIPC(bytes));
  const { fields } = table.schema;
  const columns = fields.map(({ type }, k) => {
    const convert = converterOf(type);
    return Array.from(table.getChildAt(k) ?? [], (value) => (value === null ? null : convert(value)));
  });
  return fromColumns(
    fields.map(({ name }) => name),
    columns,
  );
}

/** How values become cells that say what they are: times are numbers in Arrow, decimals and bytes are arrays. */
function converterOf(type: ArrowType): (value: unknown) => unknown {
  const name = type.toString();
  if (/^(Date|Timestamp)/.test(name)) return (value) => dateFormat.format(Number(value));
  if (name.startsWith('Decimal')) return (value) => decimalOf(value as Uint32Array, type.scale ?? 0);
  if (/Binary/.test(name)) return (value) => Array.from(value as Uint8Array, hexadecimal).join('');
  return (value) => value;
}

/** A decimal from its words, the least significant first, in two's complement. */
function decimalOf(words: Uint32Array, scale: number): number {
  const digits = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return Number(BigInt.asIntN(32 * words.length, digits)) / 10 ** scale;
}

function hexadecimal(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Swedish dates are those of ISO: 2001-01-31 12:00:00. */
const dateFormat = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: 'UTC' });

/** hyparquet itself reads files that are not compressed, or by Snappy. */
const codecRemedy = 'Install it: npm install hyparquet-compressors.';

/** Imports a package. The computed name keeps bundlers from resolving it. */
async function importPackage<T>(name: string): Promise<T> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ `${name}`)) as T;
}

async function load<T>({ caller }: Pick<Wording, 'caller'>, name: string, file: string): Promise<T> {
  try {
    return await importPackage<T>(name);
  } catch {
    throw badValue(caller, `the package ${name}, which reads ${file}`, 'none', `Install it: npm install ${name}.`);
  }
}

async function decode<T>(
  { caller }: Pick<Wording, 'caller'>,
  format: string,
  read: () => Promise<T>,
  remedy = '',
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const message = excerpt(String((error as Error).message));
    if (remedy !== '' && /codec/.test(message)) {
      throw badValue(caller, 'the package hyparquet-compressors for this compression', message, remedy);
    }
    throw badValue(caller, `an undamaged ${format} file`, message);
  }
}
