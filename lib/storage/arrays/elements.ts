/** Numbers of .npy files, of any of NumPy's types, as elements of an array in memory. */

import { badValue } from '../../core/check.ts';
import type { NpyHeader } from '../../formats/numpy/npy-header.ts';

type NumberArray = Float32Array | Float64Array;

/** Reads element i of some bytes. */
type Decode = (view: DataView, at: number, littleEndian: boolean) => number;

const decoders: Record<string, Decode> = {
  f2: (view, at, little) => halfValues[view.getUint16(at, little)],
  f4: (view, at, little) => view.getFloat32(at, little),
  f8: (view, at, little) => view.getFloat64(at, little),
  i1: (view, at) => view.getInt8(at),
  i2: (view, at, little) => view.getInt16(at, little),
  i4: (view, at, little) => view.getInt32(at, little),
  i8: (view, at, little) => Number(view.getBigInt64(at, little)),
  u1: (view, at) => view.getUint8(at),
  u2: (view, at, little) => view.getUint16(at, little),
  u4: (view, at, little) => view.getUint32(at, little),
  u8: (view, at, little) => Number(view.getBigUint64(at, little)),
  b1: (view, at) => Number(view.getUint8(at) !== 0),
};

/** Refuses types that are not numbers. */
export function checkElements(caller: string, path: string, { dtype }: NpyHeader): void {
  if (Object.hasOwn(decoders, dtype)) return;
  const rule = `elements of type ${Object.keys(decoders).join(', ')} in ${path}`;
  throw badValue(caller, rule, dtype, "Convert with array.astype('f4') in NumPy.");
}

/** out[i] = element i of the bytes, rounded to the precision of `out`. */
export function decodeElements({ dtype, bigEndian }: NpyHeader, bytes: Uint8Array, out: NumberArray): void {
  if (dtype === 'u1') {
    for (let i = 0; i < out.length; i++) out[i] = bytes[i];
    return;
  }
  const size = Number(dtype.slice(1));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decode = decoders[dtype];
  for (let i = 0; i < out.length; i++) out[i] = decode(view, i * size, !bigEndian);
}

/** The values of all 2¹⁶ half-precision numbers (IEEE 754): a sign, 5 bits of exponent, 10 of fraction. */
const halfValues = Float32Array.from({ length: 2 ** 16 }, (_, bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
});
