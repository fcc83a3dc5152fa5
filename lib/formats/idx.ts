/** Reads and writes IDX files, the format of MNIST, with all element types and any number of axes. Reads .gz too. */

import { badKind, badValue, showShape } from '../core/check.ts';
import { type ByteSource, collect, decompressedPieces } from './bytes/byte-source.ts';

/** The element types of IDX. */
export type IdxNumbers = Uint8Array | Int8Array | Int16Array | Int32Array | Float32Array | Float64Array;

/** An array in row-major order. */
export interface IdxArray {
  readonly data: IdxNumbers;
  readonly shape: readonly number[];
}

/** The array in an IDX file. Memory grows with the actual size of the file, not with the size its header claims. */
export async function readIdx(source: ByteSource): Promise<IdxArray> {
  return collectIdx('readIdx', decompressedPieces('readIdx', source));
}

/** The bytes of an IDX file. */
export function writeIdx(data: IdxNumbers, shape: readonly number[]): Uint8Array {
  const caller = 'writeIdx';
  const code = Object.keys(elements).find((key) => data instanceof elements[Number(key)].type);
  if (code === undefined) throw badKind(caller, 'a typed array with an element type of IDX', data);
  if (!Array.isArray(shape)) throw badKind(caller, 'a shape, an array of lengths', shape);
  const size = shape.reduce((a, b) => a * b, 1);
  if (size !== data.length) throw badValue(caller, `${size} numbers for shape ${showShape(shape)}`, data.length);
  if (shape.length < 1 || shape.length > 255) throw badValue(caller, 'from 1 to 255 axes', shape.length);
  const offset = 4 + 4 * shape.length;
  const view = new DataView(new ArrayBuffer(offset + data.byteLength));
  view.setUint8(2, Number(code));
  view.setUint8(3, shape.length);
  for (const [axis, length] of shape.entries()) view.setUint32(4 + 4 * axis, length);
  const element = elements[Number(code)];
  for (let i = 0; i < data.length; i++) element.set(view, offset + i * element.size, data[i]);
  return new Uint8Array(view.buffer);
}

/** Whether bytes begin like an IDX file. For this folder only. */
export function isIdx(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && bytes[0] === 0 && bytes[1] === 0 && Object.hasOwn(elements, bytes[2]) && bytes[3] > 0;
}

/** `readIdx` of decompressed pieces. Errors name `caller`. Internal. */
export async function collectIdx(caller: string, pieces: AsyncIterable<Uint8Array>): Promise<IdxArray> {
  let header: Header | null = null;
  const bytes = await collect(pieces, {
    lengthOf: (begin) => {
      header = begin.length >= 4 ? parseHeader(caller, begin) : null;
      return header && header.bytes;
    },
    tooLong: (length) => mismatch(caller, header!, `${length} or more`),
  });
  const { element, shape, offset, bytes: needed } = header ?? requireHeader(caller, bytes);
  if (bytes.length !== needed) throw mismatch(caller, { element, shape, offset, bytes: needed }, bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data = new element.type((needed - offset) / element.size);
  if (element.size === 1) data.set(new element.type(view.buffer as ArrayBuffer, view.byteOffset + offset, data.length));
  else for (let i = 0; i < data.length; i++) data[i] = element.get(view, offset + i * element.size);
  return { data, shape };
}

interface Element {
  readonly type: {
    new (length: number): IdxNumbers;
    new (buffer: ArrayBuffer, at: number, length: number): IdxNumbers;
  };
  readonly size: number;
  readonly get: (view: DataView, at: number) => number;
  readonly set: (view: DataView, at: number, value: number) => void;
}

/** By the third byte of the file. Elements are big-endian, the default of DataView. */
const elements: Record<number, Element> = {
  0x08: { type: Uint8Array, size: 1, get: (v, at) => v.getUint8(at), set: (v, at, x) => v.setUint8(at, x) },
  0x09: { type: Int8Array, size: 1, get: (v, at) => v.getInt8(at), set: (v, at, x) => v.setInt8(at, x) },
  0x0b: { type: Int16Array, size: 2, get: (v, at) => v.getInt16(at), set: (v, at, x) => v.setInt16(at, x) },
  0x0c: { type: Int32Array, size: 4, get: (v, at) => v.getInt32(at), set: (v, at, x) => v.setInt32(at, x) },
  0x0d: { type: Float32Array, size: 4, get: (v, at) => v.getFloat32(at), set: (v, at, x) => v.setFloat32(at, x) },
  0x0e: { type: Float64Array, size: 8, get: (v, at) => v.getFloat64(at), set: (v, at, x) => v.setFloat64(at, x) },
};

interface Header {
  readonly element: Element;
  readonly shape: readonly number[];
  /** The offset of the elements, and the length of the file. */
  readonly offset: number;
  readonly bytes: number;
}

/** The header; null if `begin` ends before the sizes. */
function parseHeader(caller: string, begin: Uint8Array): Header | null {
  if (begin[0] !== 0 || begin[1] !== 0) {
    const got = `bytes ${hex(begin[0])} ${hex(begin[1])}`;
    throw badValue(caller, 'an IDX file, which begins with two zero bytes', got);
  }
  if (!Object.hasOwn(elements, begin[2])) {
    const known = Object.keys(elements).map((key) => hex(Number(key)));
    throw badValue(caller, `an IDX element type of ${known.join(', ')}`, hex(begin[2]));
  }
  const axes = begin[3];
  if (axes === 0) throw badValue(caller, 'an IDX file with at least one axis', axes);
  const offset = 4 + 4 * axes;
  if (begin.length < offset) return null;
  const view = new DataView(begin.buffer, begin.byteOffset, begin.byteLength);
  const shape = Array.from({ length: axes }, (_, axis) => view.getUint32(4 + 4 * axis));
  const element = elements[begin[2]];
  const size = shape.includes(0) ? 0 : shape.reduce((a, b) => a * b, 1);
  return { element, shape, offset, bytes: offset + size * element.size };
}

function requireHeader(caller: string, bytes: Uint8Array): Header {
  const header = bytes.length >= 4 ? parseHeader(caller, bytes) : null;
  if (header) return header;
  throw badValue(caller, 'an IDX header', `${bytes.length} bytes in all`, 'The file may be truncated.');
}

function mismatch(caller: string, header: Header, got: number | string): RangeError {
  const rule = `${header.bytes} bytes for shape ${showShape(header.shape)}`;
  const isShort = typeof got === 'number' && got < header.bytes;
  return badValue(caller, rule, got, isShort ? 'The file may be truncated.' : '');
}

function hex(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}
