/** Tensors from nested arrays and typed arrays, which are checked and copied. */

import { badKind, badValue } from '../core/check.ts';
import type { Floats } from '../kernels/types.ts';
import { type DataOf, type NestedArray, type Precision, type Shape, Tensor, zeros } from './tensor.ts';

/** Numbers in row-major order, with their shape. */
export interface ShapedNumbers {
  readonly data: ArrayLike<number>;
  readonly shape: Shape;
}

/**
 * A new tensor from nested arrays, from { data, shape } with any array of numbers, or from another tensor. Default precision:
 * 'single'. NaN and infinities are accepted; `checkFinite` refuses them.
 */
export function tensor<P extends Precision = 'single'>(
  source: NestedArray | ShapedNumbers | Tensor,
  precision?: P,
): Tensor<DataOf<P>> {
  if (source instanceof Tensor) return source.copy((precision ?? 'single') as P);
  if (isShaped(source)) {
    const result = zeros(source.shape, precision);
    if (result.size !== source.data.length) {
      throw badValue('tensor', `${result.size} numbers for shape ${source.shape.join('×')}`, source.data.length);
    }
    for (let i = 0; i < result.size; i++) {
      const value = source.data[i];
      if (typeof value !== 'number') throw badKind('tensor', `a number${place([i])} of the data`, value);
      result.data[i] = value;
    }
    return result;
  }
  const result = zeros(shapeOf(source), precision);
  fill(source, result.data, result.shape, 0, 0, []);
  return result;
}

/** The numbers of nested arrays in one array outside the kernels' memory, with the checks of `tensor`. */
export function flatten(source: NestedArray): { readonly data: Float64Array; readonly shape: Shape } {
  const shape = shapeOf(source);
  const data = new Float64Array(shape.reduce((size, length) => size * length, 1));
  fill(source, data, shape, 0, 0, []);
  return { data, shape };
}

function isShaped(source: NestedArray | ShapedNumbers): source is ShapedNumbers {
  return typeof source === 'object' && source !== null && 'shape' in source && 'data' in source;
}

/** Limits the depth, since an array that contains itself has infinitely many levels. */
const maxAxes = 32;

/** The shape, from the first entry of every level. `fill` checks the other entries. */
function shapeOf(source: NestedArray): number[] {
  const shape: number[] = [];
  for (let level = source; isList(level); level = level[0]) {
    shape.push(level.length);
    if (shape.length > maxAxes)
      throw badValue('tensor', `at most ${maxAxes} levels of arrays`, `${shape.length} or more`);
    if (level.length === 0) break;
  }
  return shape;
}

/** Writes one level to `out`. Errors say where an array is ragged or an entry is not a number. */
function fill(source: NestedArray, out: Floats, shape: Shape, axis: number, offset: number, path: number[]): number {
  if (axis === shape.length) {
    if (typeof source !== 'number') throw badKind('tensor', `a number${place(path)}`, source);
    out[offset] = source;
    return offset + 1;
  }
  if (!isList(source)) throw badKind('tensor', `an array of length ${shape[axis]}${place(path)}`, source);
  if (source.length !== shape[axis]) {
    throw badValue('tensor', `an array of length ${shape[axis]}${place(path)}`, source.length);
  }
  let at = offset;
  for (let i = 0; i < source.length; i++) at = fill(source[i], out, shape, axis + 1, at, [...path, i]);
  return at;
}

/** Plain arrays, and typed arrays as the innermost level. */
function isList(value: NestedArray): value is readonly NestedArray[] {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function place(path: readonly number[]): string {
  return path.length === 0 ? '' : ` at [${path.join('][')}]`;
}
