/** Files of tensors: a JSON header, the numbers, and a checksum. */

import { badKind, badValue, checkFinite, excerpt } from '../../core/check.ts';
import { crc32 } from '../../core/crc32.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import {
  checkFields,
  entryFields,
  type Field,
  type Fields,
  type Header,
  type Schema,
  type TensorEntry,
} from './schema.ts';

/**
 * Layout, little-endian: 8 bytes `specnet\n`; the length of the header in 4 bytes; the header as JSON, padded with spaces
 * so that the numbers begin at a multiple of 8; the tensors in the order of the header, each padded with zeros to a multiple
 * of 8; and in the last 4 bytes the CRC-32 of all preceding bytes.
 */
const magic = 'specnet\n';
/** The version that is written, and so far the only one that is read. */
const fileVersion = 1;
const prefix = 12;

interface FileHeader extends Header {
  readonly version: number;
  /** The content of the file: 'model' or 'training'. */
  readonly content: string;
}

export interface TensorFile<Facts> {
  readonly facts: Facts;
  readonly tensors: readonly Tensor[];
}

/** Refuses what `readTensorFile` would refuse, in the name of `caller`. */
export function writeTensorFile(
  caller: string,
  content: string,
  facts: unknown,
  tensors: readonly Tensor[],
  schema: Schema | null,
): Uint8Array {
  const list = tensors.map(({ shape, precision }) => ({ shape, precision }));
  const header: FileHeader = { version: fileVersion, content, facts, tensors: list };
  const names = schema?.(caller, header);
  for (const [i, { data, cols }] of tensors.entries()) checkFinite(caller, names?.[i].name ?? content, data, cols);
  const json = new TextEncoder().encode(JSON.stringify(header));
  const begin = padded(prefix + json.length);
  const end = begin + list.reduce((sum, tensor) => sum + bytesOf(tensor), 0);
  const bytes = new Uint8Array(end + 4).fill(32, prefix, begin);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(magic));
  view.setUint32(8, begin - prefix, true);
  bytes.set(json, prefix);
  let at = begin;
  for (const tensor of tensors) {
    const set = tensor.precision === 'double' ? view.setFloat64.bind(view) : view.setFloat32.bind(view);
    for (let i = 0; i < tensor.size; i++) set(at + i * tensor.data.BYTES_PER_ELEMENT, tensor.data[i], true);
    at += bytesOf(tensor);
  }
  view.setUint32(end, crc32(bytes.subarray(0, end)), true);
  return bytes;
}

/**
 * Throws for other files, versions and contents and for damaged files, in the name of `caller`. Everything is checked
 * against the schema and the length of the file before memory is taken, and then the numbers, which are finite.
 */
export function readTensorFile<Facts>(
  caller: string,
  content: string,
  bytes: Uint8Array,
  schema: Schema | null,
): TensorFile<Facts> {
  if (!(bytes instanceof Uint8Array)) throw badKind(caller, 'a Uint8Array', bytes);
  const start = new TextDecoder('latin1').decode(bytes.slice(0, 8));
  if (start !== magic) throw badValue(caller, 'a file that begins with specnet', `'${excerpt(start)}'`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 4;
  if (end < prefix || crc32(bytes.subarray(0, end)) !== view.getUint32(end, true)) {
    throw badValue(caller, 'an intact file', 'a wrong checksum', 'It is damaged. Save or copy it again.');
  }
  let at = prefix + view.getUint32(8, true);
  if (at > end) throw badValue(caller, `a header of at most ${end - prefix} bytes`, at - prefix);
  const header = parseHeader(caller, content, bytes.subarray(prefix, at));
  const names = schema?.(caller, header);
  const needed = header.tensors.reduce((sum, tensor) => sum + bytesOf(tensor), at);
  if (needed !== end) throw badValue(caller, `${needed} bytes of header and numbers`, end);
  const tensors = header.tensors.map(({ shape, precision }, i) => {
    const tensor: Tensor = zeros(shape, precision);
    const get = precision === 'double' ? view.getFloat64.bind(view) : view.getFloat32.bind(view);
    for (let k = 0; k < tensor.size; k++) tensor.data[k] = get(at + k * tensor.data.BYTES_PER_ELEMENT, true);
    checkFinite(caller, names?.[i].name ?? content, tensor.data, tensor.cols);
    at += bytesOf(tensor);
    return tensor;
  });
  return { facts: header.facts as Facts, tensors };
}

/** The version comes first, for other versions may have other fields. */
function parseHeader(caller: string, content: string, bytes: Uint8Array): FileHeader {
  const text = new TextDecoder().decode(bytes);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw badValue(caller, 'a header in JSON', `'${excerpt(text)}'`);
  }
  const { version } = (parsed ?? {}) as Partial<FileHeader>;
  if (version !== fileVersion) {
    const remedy = 'Use the release of specnet that wrote it.';
    throw badValue(caller, `version ${fileVersion} of the file`, version, remedy);
  }
  const header = checkFields(caller, 'the header', parsed, headerFields);
  if (header.content !== content) throw badValue(caller, `a file that holds a ${content}`, header.content);
  for (const [i, entry] of header.tensors.entries()) checkFields(caller, `tensors[${i}]`, entry, entryFields);
  return header;
}

const anything: Field = { expected: 'anything', accepts: () => true };

const headerFields: Fields<FileHeader> = {
  version: anything,
  content: anything, // compared with what is expected
  facts: anything,
  tensors: { expected: 'an array', accepts: Array.isArray },
};

function bytesOf({ shape, precision }: TensorEntry): number {
  return padded(shape.reduce((a, b) => a * b, precision === 'double' ? 8 : 4));
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}
