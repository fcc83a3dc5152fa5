/** Files of tensors: a JSON header, the numbers, and a checksum. */

import { badKind, badValue, excerpt } from '../../core/check.ts';
import { crc32 } from '../../core/crc32.ts';
import { type Precision, type Shape, type Tensor, zeros } from '../../tensor/tensor.ts';

/**
 * Layout, little-endian: 8 bytes `specnet\n`; the length of the header in 4 bytes; the header as JSON, padded with spaces
 * so that the numbers begin at a multiple of 8; the tensors in the order of the header, each padded with zeros to a multiple
 * of 8; and in the last 4 bytes the CRC-32 of all preceding bytes.
 */
const magic = 'specnet\n';
const version = 1;
const prefix = 12;

interface Header {
  readonly version: number;
  /** The content of the file: 'model' or 'training'. */
  readonly content: string;
  /** Everything that is not a tensor. */
  readonly facts: unknown;
  readonly tensors: readonly { readonly shape: Shape; readonly precision: Precision }[];
}

export interface TensorFile<Facts> {
  readonly facts: Facts;
  readonly tensors: readonly Tensor[];
}

export function writeTensorFile(content: string, facts: unknown, tensors: readonly Tensor[]): Uint8Array {
  const list = tensors.map(({ shape, precision }) => ({ shape, precision }));
  const json = new TextEncoder().encode(JSON.stringify({ version, content, facts, tensors: list } satisfies Header));
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

/** Throws for other files, versions and contents and for damaged files, in the name of `caller`. */
export function readTensorFile<Facts>(caller: string, content: string, bytes: Uint8Array): TensorFile<Facts> {
  if (!(bytes instanceof Uint8Array)) throw badKind(caller, 'a Uint8Array', bytes);
  const start = new TextDecoder('latin1').decode(bytes.slice(0, 8));
  if (start !== magic) throw badValue(caller, 'a file that begins with specnet', `'${excerpt(start)}'`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 4;
  if (end < prefix || crc32(bytes.subarray(0, end)) !== view.getUint32(end, true)) {
    throw badValue(caller, 'an intact file', 'a wrong checksum', 'It is damaged or truncated. Save or copy it again.');
  }
  let at = prefix + view.getUint32(8, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.slice(prefix, at))) as Header;
  if (header.version !== version) {
    throw badValue(
      caller,
      `version ${version} of the file`,
      header.version,
      'Use the release of specnet that wrote it.',
    );
  }
  if (header.content !== content) throw badValue(caller, `a file that holds a ${content}`, header.content);
  const needed = header.tensors.reduce((sum, tensor) => sum + bytesOf(tensor), at);
  if (needed !== end) throw badValue(caller, `${needed} bytes of header and numbers`, end);
  const tensors = header.tensors.map(({ shape, precision }) => {
    const tensor: Tensor = zeros(shape, precision);
    const get = precision === 'double' ? view.getFloat64.bind(view) : view.getFloat32.bind(view);
    for (let i = 0; i < tensor.size; i++) tensor.data[i] = get(at + i * tensor.data.BYTES_PER_ELEMENT, true);
    at += bytesOf(tensor);
    return tensor;
  });
  return { facts: header.facts as Facts, tensors };
}

function bytesOf({ shape, precision }: { readonly shape: Shape; readonly precision: Precision }): number {
  return padded(shape.reduce((a, b) => a * b, precision === 'double' ? 8 : 4));
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}
