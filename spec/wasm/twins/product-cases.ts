/** Cases for sparse products in either precision: compressed rows, slices of eight rows, blocks of 4×4. */

import { blockSide, type ProductKernels, sliceHeight } from '../../../lib/kernels/formats/products.ts';
import type { Arg, Cases, Maker } from './arguments.ts';

/** Either precision. The tolerance of `productCases` is that of singles; `products.spec.ts` has that of doubles. */
export type Numbers = (length: number) => Float32Array | Float64Array;

/** Rows of 0 … 8 ascending columns; every seventh is full. */
export function sortedRows(make: Maker, rows: number, cols: number) {
  const picks = make.indices(rows, 9);
  const lists = Array.from({ length: rows }, (_, i) => {
    const count = i % 7 === 3 ? cols : Math.min(picks[i], cols);
    return Array.from({ length: count }, (__, k) => Math.floor((k * cols) / count));
  });
  const starts = [0];
  for (const list of lists) starts.push(starts.at(-1)! + list.length);
  return { starts: make.placed(Int32Array.from(starts)), columns: make.placed(Int32Array.from(lists.flat())) };
}

const cols = 21;

export const productArguments: Record<
  keyof ProductKernels,
  (make: Maker, numbers: Numbers, rows: number, width: number) => Arg[]
> = {
  csrProduct: (make, numbers, rows, width) => {
    const { starts, columns } = sortedRows(make, rows, cols);
    return [rows, width, starts, columns, numbers(columns.length), numbers(cols * width), numbers(rows * width)];
  },
  csrTransposeProduct: (make, numbers, rows, width) => {
    const { starts, columns } = sortedRows(make, rows, cols);
    return [rows, cols, width, starts, columns, numbers(columns.length), numbers(rows * width), numbers(cols * width)];
  },
  slicedProduct: (make, numbers, rows, width) => {
    const slices = Math.ceil(rows / sliceHeight);
    const starts = Int32Array.from({ length: slices + 1 }, (_, s) => 5 * s - (s % 3));
    const places = sliceHeight * (rows === 0 ? 0 : starts[slices]);
    // Rows in descending order within each slice, unless the width says that they are in order.
    const isOrdered = width % 2 === 0;
    const order = Int32Array.from({ length: sliceHeight * slices }, (_, k) => {
      const [first, lane] = [k - (k % sliceHeight), k % sliceHeight];
      const count = Math.min(sliceHeight, rows - first);
      return first + (lane < count ? (isOrdered ? lane : count - 1 - lane) : isOrdered ? 0 : count - 1);
    });
    const columns = make.indices(places, cols);
    const values = numbers(places);
    // Lanes without a row repeat the first.
    for (let k = rows; k < order.length; k++) {
      for (let place = sliceHeight * starts[slices - 1]; place < places; place += sliceHeight) {
        columns[place + (k % sliceHeight)] = columns[place];
        values[place + (k % sliceHeight)] = values[place];
      }
    }
    return [rows, width, isOrdered, make.placed(starts), make.placed(order), columns, values, numbers(cols * width), numbers(rows * width)]; // oxfmt-ignore
  },
  blockedProduct: (make, numbers, rows, width) => {
    const lines = Math.ceil(rows / blockSide);
    const { starts } = sortedRows(make, lines, cols);
    const blocks = starts[lines];
    const firsts = make.indices(blocks, cols - blockSide + 1);
    return [rows, cols, width, starts, firsts, numbers(16 * blocks), numbers(cols * width), numbers(rows * width)];
  },
};

const caseOf = (name: keyof ProductKernels, ulps: number) => ({
  ulps,
  dimensions: 2 as const,
  make: (make: Maker, rows: number, width: number): Arg[][] => [productArguments[name](make, make.single, rows, width)],
});

export const productCases: Cases<ProductKernels> = {
  csrProduct: caseOf('csrProduct', 8),
  csrTransposeProduct: caseOf('csrTransposeProduct', 16),
  slicedProduct: caseOf('slicedProduct', 8),
  blockedProduct: caseOf('blockedProduct', 32),
};
