/** How are NumPy arrays (.npy) read and written? Versions 1 to 3, numbers and truth values, either byte order. */

import { badKind, badValue, showShape } from '../core/check.ts';
import { joinHeader, littleEndianHere, type NpyHeader, parseHeader } from './npy-header.ts';

export type NpyNumbers =
  Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array;

/** Row-major. 64-bit integers come as Float64Array, exactly; truth values as 0 and 1 in a Uint8Array. */
export interface NpyArray {
  readonly data: NpyNumbers;
  readonly shape: readonly number[];
  /** NumPy's name of the element type without byte order: 'f4', 'i8', 'b1', … */
  readonly dtype: string;
}

/** The array in the bytes of a .npy file. */
export function readNpy(bytes: Uint8Array): NpyArray {
  if (!(bytes instanceof Uint8Array)) throw badKind('readNpy', 'a Uint8Array', bytes);
  return parseNpy('readNpy', bytes);
}

/** The same, its errors in the name of `caller`. */
export function parseNpy(caller: string, bytes: Uint8Array): NpyArray {
  const header = parseHeader(caller, bytes);
  const element = Object.hasOwn(elements, header.dtype) ? elements[header.dtype] : undefined;
  if (!element) {
    const known = Object.keys(elements).join(', ');
    throw badValue(caller, `elements of type ${known}`, header.dtype, "Convert with array.astype('f8') in NumPy.");
  }
  const own = elementBytes(caller, bytes, header, element.size);
  if (header.bigEndian === littleEndianHere) swapBytes(own, element.size);
  const data = element.read(caller, own.buffer);
  return {
    data: header.fortranOrder && header.shape.length > 1 ? rowMajor(data, header.shape) : data,
    shape: header.shape,
    dtype: header.dtype,
  };
}

/** For this folder: the text in an array of one string of bytes (S) or of characters (U). */
export function parseNpyText(caller: string, bytes: Uint8Array): string {
  const header = parseHeader(caller, bytes);
  const kind = header.dtype[0];
  const length = Number(header.dtype.slice(1));
  if ((kind !== 'S' && kind !== 'U') || !(length <= 64) || header.shape.length > 0) {
    throw badValue(caller, 'one short text', `${header.dtype} of shape ${showShape(header.shape)}`);
  }
  const own = elementBytes(caller, bytes, header, kind === 'S' ? length : 4 * length);
  if (kind === 'U' && header.bigEndian === littleEndianHere) swapBytes(own, 4);
  const codes = kind === 'S' ? own : new Uint32Array(own.buffer);
  return Array.from(codes, (code) => (code > 0 ? String.fromCharCode(code & 0xffff) : '')).join('');
}

/** The bytes of a .npy file of version 1, row-major, little-endian. */
export function writeNpy(data: NpyNumbers, shape: readonly number[]): Uint8Array {
  const dtype = Object.keys(elements).find((name) => elements[name].type === data?.constructor);
  if (!dtype) throw badKind('writeNpy', 'a typed array of numbers', data);
  const size = shape.reduce((a, b) => a * b, 1);
  if (data.length !== size) throw badValue('writeNpy', `${size} numbers for shape ${showShape(shape)}`, data.length);
  const own = new Uint8Array(data.byteLength);
  own.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  if (!littleEndianHere) swapBytes(own, data.BYTES_PER_ELEMENT);
  return joinHeader(`${data.BYTES_PER_ELEMENT === 1 ? '|' : '<'}${dtype}`, shape, own);
}

/** Bytes of one string as an array without axes, as scipy names the format of a sparse matrix. */
export function writeNpyText(text: string): Uint8Array {
  return joinHeader(`|S${text.length}`, [], new TextEncoder().encode(text));
}

interface Element {
  readonly size: number;
  /** What `writeNpy` takes it from; null for types that are only read. */
  readonly type: Function | null;
  readonly read: (caller: string, buffer: ArrayBuffer) => NpyNumbers;
}

const elements: Record<string, Element> = {
  f4: { size: 4, type: Float32Array, read: (_, buffer) => new Float32Array(buffer) },
  f8: { size: 8, type: Float64Array, read: (_, buffer) => new Float64Array(buffer) },
  i1: { size: 1, type: Int8Array, read: (_, buffer) => new Int8Array(buffer) },
  i2: { size: 2, type: Int16Array, read: (_, buffer) => new Int16Array(buffer) },
  i4: { size: 4, type: Int32Array, read: (_, buffer) => new Int32Array(buffer) },
  i8: { size: 8, type: null, read: (caller, buffer) => exactly(caller, buffer, new Int32Array(buffer)) },
  u1: { size: 1, type: Uint8Array, read: (_, buffer) => new Uint8Array(buffer) },
  u2: { size: 2, type: Uint16Array, read: (_, buffer) => new Uint16Array(buffer) },
  u4: { size: 4, type: Uint32Array, read: (_, buffer) => new Uint32Array(buffer) },
  u8: { size: 8, type: null, read: (caller, buffer) => exactly(caller, buffer, new Uint32Array(buffer)) },
  b1: { size: 1, type: null, read: (_, buffer) => new Uint8Array(buffer).map((truth) => (truth === 0 ? 0 : 1)) },
};

/** 64-bit integers as doubles, from their halves; refused where a double would have to round. */
function exactly(caller: string, buffer: ArrayBuffer, upper: Int32Array | Uint32Array): Float64Array {
  const lower = new Uint32Array(buffer);
  const low = littleEndianHere ? 0 : 1;
  const result = new Float64Array(lower.length / 2);
  for (let i = 0; i < result.length; i++) {
    result[i] = upper[2 * i + 1 - low] * 2 ** 32 + lower[2 * i + low];
    if (!Number.isSafeInteger(result[i])) {
      throw badValue(caller, 'integers of at most 53 bits', `${result[i]} at index ${i}`);
    }
  }
  return result;
}

/** A copy of the elements, aligned; the file must hold exactly those. */
function elementBytes(caller: string, bytes: Uint8Array, header: NpyHeader, size: number): Uint8Array<ArrayBuffer> {
  const needed = header.shape.reduce((a, b) => a * b, size);
  if (bytes.length - header.offset !== needed) {
    const rule = `${needed} bytes of ${header.dtype} for shape ${showShape(header.shape)}`;
    throw badValue(caller, rule, bytes.length - header.offset);
  }
  return new Uint8Array(bytes.subarray(header.offset));
}

/** Turns every element end for end, in place. */
function swapBytes(bytes: Uint8Array, size: number): void {
  for (let at = 0; at < bytes.length; at += size) {
    for (let low = at, high = at + size - 1; low < high; low++, high--) {
      const kept = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = kept;
    }
  }
}

/** From first index fastest to last index fastest. */
function rowMajor(data: NpyNumbers, shape: readonly number[]): NpyNumbers {
  const result = data.slice();
  const index = new Array<number>(shape.length).fill(0);
  const strides = shape.map((_, axis) => shape.slice(0, axis).reduce((a, b) => a * b, 1));
  let from = 0;
  for (let to = 0; to < data.length; to++) {
    result[to] = data[from];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return result;
}
