/** Typed arrays as text, for data inside of a page. Bytes are little-endian, as on all processors of today. */

import type { NumberArray } from './picture.ts';

/** The kind of array, and its bytes in base64. */
export interface Packed {
  readonly type: keyof typeof arrays;
  readonly bytes: string;
}

const arrays = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
};

/** Function arguments are limited in number, so bytes become characters in pieces. */
const pieceLength = 0x6000;

export function pack(values: NumberArray): Packed {
  const [type] = Object.entries(arrays).find(([, kind]) => values instanceof kind)! as [Packed['type'], unknown];
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const pieces: string[] = [];
  // The length of a piece is a multiple of three, so that pieces of base64 join without padding.
  for (let at = 0; at < bytes.length; at += pieceLength) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + pieceLength))));
  }
  return { type, bytes: pieces.join('') };
}

export function unpack({ type, bytes }: Packed): NumberArray {
  const text = atob(bytes);
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) result[i] = text.charCodeAt(i);
  return new arrays[type](result.buffer);
}

/** The numbers in the smallest array that holds whole numbers exactly and other numbers to seven digits. */
export function compact(values: ArrayLike<number>): NumberArray {
  let [low, high, isWhole] = [0, 0, true];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    isWhole &&= Number.isSafeInteger(value);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const fits = (least: number, most: number): boolean => isWhole && low >= least && high <= most;
  if (fits(-0x80, 0x7f)) return Int8Array.from(values);
  if (fits(-0x8000, 0x7fff)) return Int16Array.from(values);
  if (fits(-0x80000000, 0x7fffffff)) return Int32Array.from(values);
  // Beyond these limits Float32 would lose whole units, or overflow.
  return Math.max(-low, high) < 1e6 ? Float32Array.from(values) : Float64Array.from(values);
}
