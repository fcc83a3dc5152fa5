/** `Tensor`: Float32 or Float64 numbers in row-major order, with a shape. */

import { badKind, badValue, checkChoice, checkCount, showShape } from '../core/check.ts';
import { allocator } from '../kernels/table.ts';
import { type Floats, isFloats } from '../kernels/types.ts';
import { prepareKernels } from '../wasm/simd.ts';

export const precisions = ['single', 'double'] as const;

/** The precision of stored numbers: Float32 ('single') or Float64 ('double'). */
export type Precision = (typeof precisions)[number];

/** The size of each axis. The shape of a single number is []. */
export type Shape = readonly number[];

/** The array type of a precision. */
export type DataOf<P extends Precision> = P extends 'double' ? Float64Array : Float32Array;

/** Numbers in arrays nested to any depth. All arrays of a level have the same length. */
export type NestedArray = number | readonly NestedArray[];

/**
 * A dense array of numbers: `data` is its storage, `shape` the size of each axis. A single number has the shape [].
 * Storage may lie in the kernels' memory and is reused once no tensor refers to it: keep the tensor, not a subarray of
 * its data, or copy the data with `data.slice()`.
 */
export class Tensor<D extends Floats = Floats> {
  readonly data: D;
  readonly shape: Shape;
  /** The shape as a matrix, as kernels see it: rows is the size of the first axis, cols the product of all others. */
  readonly rows: number;
  readonly cols: number;
  /** The tensor whose storage this one views, kept alive here; null if this is not a view. */
  readonly base: Tensor<D> | null;

  /** Wraps `data`, without a copy. */
  constructor(data: D, shape: Shape, base: Tensor<D> | null = null) {
    if (!isFloats(data)) {
      throw badKind('Tensor', 'a Float32Array or Float64Array', data, 'tensor() makes one.');
    }
    const size = sizeOf('Tensor', shape);
    if (size !== data.length) throw badValue('Tensor', `${showShape(shape)} = ${size} numbers`, data.length);
    this.data = data;
    this.shape = [...shape];
    this.rows = shape.length === 0 ? 1 : shape[0];
    this.cols = this.rows === 0 ? shape.slice(1).reduce(product, 1) : data.length / this.rows;
    this.base = base;
  }

  get size(): number {
    return this.data.length;
  }

  get precision(): Precision {
    return precisionOf(this.data);
  }

  /** The element at the given indices, one for every axis. */
  at(...index: number[]): number {
    if (index.length !== this.shape.length) {
      throw badValue('Tensor.at', `${this.shape.length} indices for shape ${showShape(this.shape)}`, index.length);
    }
    let offset = 0;
    for (const [axis, i] of index.entries()) {
      if (!Number.isInteger(i) || i < 0 || i >= this.shape[axis]) {
        throw badValue('Tensor.at', `index ${axis} to be a whole number below ${this.shape[axis]}`, i);
      }
      offset = offset * this.shape[axis] + i;
    }
    return this.data[offset];
  }

  /** The number in a tensor of size 1. */
  item(): number {
    if (this.size !== 1) throw badValue('Tensor.item', 'a tensor of one number', `shape ${showShape(this.shape)}`);
    return this.data[0];
  }

  /** Rows start … end−1 as a view: writing to it writes to this tensor. */
  rowRange(start: number, end: number): Tensor<D> {
    if (this.shape.length === 0) throw badValue('Tensor.rowRange', 'at least one axis', 'a single number');
    checkCount('Tensor.rowRange', 'start', start);
    checkCount('Tensor.rowRange', 'end', end);
    if (start > end || end > this.rows) {
      throw badValue('Tensor.rowRange', `start ≤ end ≤ ${this.rows} rows`, `${start} … ${end}`);
    }
    const part = this.data.subarray(start * this.cols, end * this.cols) as D;
    return new Tensor(part, [end - start, ...this.shape.slice(1)], this);
  }

  /** The same numbers in another shape, as a view. */
  reshape(shape: Shape): Tensor<D> {
    const size = sizeOf('Tensor.reshape', shape);
    if (size !== this.size) {
      throw badValue('Tensor.reshape', `a shape of ${this.size} numbers`, `${showShape(shape)} = ${size}`);
    }
    return new Tensor(this.data, shape, this);
  }

  /** A copy in new storage. Default precision: that of this tensor. */
  copy(): Tensor<D>;
  copy<P extends Precision>(precision: P): Tensor<DataOf<P>>;
  copy(precision: Precision = this.precision): Tensor {
    const result = zeros(this.shape, precision);
    result.data.set(this.data);
    return result;
  }

  /** Nested arrays, one level for every axis: of a table, its rows. For other shapes say which: `toArray<number[]>()`. */
  toArray(): number[][];
  toArray<Nested extends NestedArray>(): Nested;
  toArray(): NestedArray {
    const nest = (axis: number, offset: number): NestedArray => {
      if (axis === this.shape.length) return this.data[offset];
      const stride = this.shape.slice(axis + 1).reduce(product, 1);
      return Array.from({ length: this.shape[axis] }, (_, i) => nest(axis + 1, offset + i * stride));
    };
    return nest(0, 0);
  }
}

/** A new tensor of zeros. */
export function zeros<P extends Precision = 'single'>(shape: Shape, precision?: P): Tensor<DataOf<P>> {
  const size = sizeOf('zeros', shape);
  return new Tensor(allocate(size, precision ?? 'single') as DataOf<P>, shape);
}

export function precisionOf(data: Floats): Precision {
  return data instanceof Float64Array ? 'double' : 'single';
}

/** A zeroed array, in the kernels' memory if they have one. */
export function allocate<P extends Precision>(length: number, precision: P): DataOf<P> {
  checkChoice('Tensor', 'precision', precision, precisions);
  prepareKernels();
  return (precision === 'double' ? allocator.float64(length) : allocator.float32(length)) as DataOf<P>;
}

/** The number of elements of a shape. Refuses invalid sizes. */
function sizeOf(caller: string, shape: Shape): number {
  if (!Array.isArray(shape)) throw badKind(caller, 'the shape as an array of sizes', shape);
  for (const [axis, size] of shape.entries()) checkCount(caller, `size ${axis} of the shape`, size);
  const size = shape.reduce(product, 1);
  checkCount(caller, 'the number of elements', size);
  return size;
}

function product(a: number, b: number): number {
  return a * b;
}
