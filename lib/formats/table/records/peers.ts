/** Reads Parquet by the optional package hyparquet, and Arrow by apache-arrow. Both are loaded when a file needs them. */

import { badValue, excerpt } from '../../../core/check.ts';
import { fromColumns, type RecordColumns } from './records.ts';
import type { Wording } from '../wording.ts';

/** The part of hyparquet that is used. */
interface Hyparquet {
  parquetRead(options: {
    file: ArrayBuffer;
    compressors?: object;
    onChunk: (chunk: { columnName: string; columnData: ArrayLike<unknown>; rowStart: number }) => void;
  }): Promise<void>;
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
  const { parquetRead } = await load<Hyparquet>(wording, 'hyparquet', 'a Parquet file');
  const columns = new Map<string, unknown[]>();
  const onChunk: Parameters<Hyparquet['parquetRead']>[0]['onChunk'] = ({ columnName, columnData, rowStart }) => {
    const cells = columns.get(columnName) ?? [];
    columns.set(columnName, cells);
    for (let row = 0; row < columnData.length; row++) cells[rowStart + row] = columnData[row];
  };
  const file = new Uint8Array(bytes).buffer;
  const { compressors } = await importPackage<{ compressors?: object }>('hyparquet-compressors').catch(
    () => ({}) as never,
  );
  const more = compressors && { compressors };
  await decode(wording, 'Parquet', () => parquetRead({ file, onChunk, ...more }), more ? '' : codecRemedy);
  return fromColumns([...columns.keys()], [...columns.values()]);
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

async function load<T>({ caller }: Wording, name: string, file: string): Promise<T> {
  try {
    return await importPackage<T>(name);
  } catch {
    throw badValue(caller, `the package ${name}, which reads ${file}`, 'none', `Install it: npm install ${name}.`);
  }
}

async function decode<T>({ caller }: Wording, format: string, read: () => Promise<T>, remedy = ''): Promise<T> {
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
