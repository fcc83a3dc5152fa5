/** Reads and writes NumPy arrays (.npy): versions 1 to 3, numbers and booleans, either byte order. */

import { badKind, badValue, showShape } from '../../core/check.ts';
import {
  contentLength,
  hostIsLittleEndian,
  joinHeader,
  type NpyHeader,
  parseBegin,
  parseHeader,
} from './npy-header.ts';
import { collect } from '../bytes/byte-source.ts';

export type NpyNumbers =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array;

/** Row-major. 64-bit integers are in a Float64Array, exactly; booleans are 0 and 1 in a Uint8Array. */
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

/** `readNpy` with errors that name `caller`. */
export function parseNpy(caller: string, bytes: Uint8Array): NpyArray {
  const header = parseHeader(caller, bytes);
  const { dtype, shape, fortranOrder, bigEndian } = header;
  if (!Object.hasOwn(types, dtype)) {
    const known = Object.keys(types).join(', ');
    throw badValue(caller, `elements of type ${known}`, dtype, "Convert with array.astype('f8') in NumPy.");
  }
  const size = Number(dtype[1]);
  const own = elementBytes(caller, bytes, header);
  if (bigEndian === hostIsLittleEndian) swapBytes(own, size);
  let data: NpyNumbers = new types[dtype](own.buffer);
  if (dtype === 'b1') data = data.map((byte) => (byte === 0 ? 0 : 1));
  if (dtype[0] !== 'f' && size === 8) data = joinHalves(caller, data, new Uint32Array(own.buffer));
  return { data: fortranOrder && shape.length > 1 ? rowMajor(data, shape) : data, shape, dtype };
}

/** The bytes of a file from its pieces, not more than its header allows. Errors name `caller`. For this folder only. */
export async function collectNpyFile(caller: string, pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let header: NpyHeader | null = null;
  return collect(pieces, {
    lengthOf: (begin) => {
      header = parseBegin(caller, begin);
      return header && header.offset + contentLength(header.dtype, header.shape);
    },
    tooLong: (length) => wrongLength(caller, header!, `${length - header!.offset} or more`),
  });
}

/** The text in an array of one string of bytes (S) or of characters (U). For this folder only. */
export function parseNpyText(caller: string, bytes: Uint8Array): string {
  const header = parseHeader(caller, bytes);
  const [kind, ...digits] = header.dtype;
  const length = Number(digits.join(''));
  if ((kind !== 'S' && kind !== 'U') || !(length <= 64) || header.shape.length > 0) {
    throw badValue(
      caller,
      'one string of at most 64 characters',
      `${header.dtype} of shape ${showShape(header.shape)}`,
    );
  }
  // A character (U) has four bytes in either order; ASCII uses one of them.
  const own = elementBytes(caller, bytes, header);
  return String.fromCharCode(...own.filter((byte) => byte > 0));
}

/** The bytes of a .npy file of version 1, row-major, little-endian. */
export function writeNpy(data: NpyNumbers, shape: readonly number[]): Uint8Array {
  const dtype = Object.keys(types).find((name) => types[name] === data?.constructor);
  if (!dtype) throw badKind('writeNpy', 'a typed array of numbers', data);
  const size = shape.reduce((a, b) => a * b, 1);
  if (data.length !== size) throw badValue('writeNpy', `${size} numbers for shape ${showShape(shape)}`, data.length);
  const own = new Uint8Array(data.byteLength);
  own.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  if (!hostIsLittleEndian) swapBytes(own, data.BYTES_PER_ELEMENT);
  return joinHeader(`${data.BYTES_PER_ELEMENT === 1 ? '|' : '<'}${dtype}`, shape, own);
}

/** A .npy file with one string as an array without axes: how scipy stores the format of a sparse matrix. */
export function writeNpyText(text: string): Uint8Array {
  return joinHeader(`|S${text.length}`, [], new TextEncoder().encode(text));
}

/**
 * The array types for the elements; for i8 and u8, for their upper and lower halves. An array is written as the first dtype
 * with its type.
 */
const types: Record<string, new (buffer: ArrayBuffer) => NpyNumbers> = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  i8: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  u8: Uint32Array,
  b1: Uint8Array,
};

/** 64-bit integers as doubles, from their halves. Refuses integers that a double would round. */
function joinHalves(caller: string, upper: NpyNumbers, lower: Uint32Array): Float64Array {
  const low = hostIsLittleEndian ? 0 : 1;
  const result = new Float64Array(lower.length / 2);
  for (let i = 0; i < result.length; i++) {
    result[i] = upper[2 * i + 1 - low] * 2 ** 32 + lower[2 * i + low];
    if (!Number.isSafeInteger(result[i])) {
      throw badValue(caller, 'integers of at most 53 bits', `${result[i]} at index ${i}`);
    }
  }
  return result;
}

/** An aligned copy of the elements. Refuses a file with missing or additional bytes. */
function elementBytes(caller: string, bytes: Uint8Array, header: NpyHeader): Uint8Array<ArrayBuffer> {
  const got = bytes.length - header.offset;
  if (got !== contentLength(header.dtype, header.shape)) throw wrongLength(caller, header, got);
  return new Uint8Array(bytes.subarray(header.offset));
}

function wrongLength(caller: string, { dtype, shape }: NpyHeader, got: number | string): RangeError {
  return badValue(caller, `${contentLength(dtype, shape)} bytes of ${dtype} for shape ${showShape(shape)}`, got);
}

/** Reverses the byte order of every element, in place. */
function swapBytes(bytes: Uint8Array, size: number): void {
  for (let at = 0; at < bytes.length; at += size) {
    for (let low = at, high = at + size - 1; low < high; low++, high--) {
      const swapped = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = swapped;
    }
  }
}

/** Converts from column-major (Fortran) to row-major order. */
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
