/** The product of a symmetric Float32 matrix, of which one half is stored, with blocks of columns: routines and twins. */

import { plainSymmetric, type SymmetricKernels } from '../../../kernels/symmetric.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input, input32, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import { addProduct, defineClear, forEachRow, piecesOf, put, stepAll } from '../loops.ts';
import { blockFor, csrWidths } from '../sparse/sparse.ts';

/** A row of x and a row of sums are in registers: four vectors of each at most. */
const widths = csrWidths.filter((width) => width <= 16);

export function defineSymmetric(module: Assembler) {
  return { products: widths.map((width) => defineProduct(module, width)), clear: defineClear(module) };
}

/** (rows, starts, columns, values, diagonal, x, out, row): out += (D + S + Sᵀ)·x on `width` columns. Rows are `row` bytes apart. */
function defineProduct(module: Assembler, width: number) {
  return module.define(taking(8), (locals, declare) => {
    const [rows, starts, columns, values, diagonal, x, out, row] = locals;
    const pieces = piecesOf(width);
    const own = variables(declare, 'v128', pieces.length);
    const sums = variables(declare, 'v128', pieces.length);
    const value = declare('v128');
    const [entries, offset, ownOffset, source, target] = variables(declare, 'i32', 5);
    const look = (at: typeof offset) => [source.set(i32.add(x, at)), target.set(i32.add(out, at))];
    return forEachRow(rows, starts, entries, [
      look(ownOffset),
      value.set(v128.loadSplat(diagonal)),
      pieces.map(({ load }, k) => [own[k].set(load(source)), sums[k].set(f32x4.multiply(value, own[k]))]),
      whileAtLeast(entries, 1, [
        value.set(v128.loadSplat(values)),
        offset.set(i32.multiply(i32.load(columns), row)),
        look(offset),
        pieces.map((piece, k) => [
          addProduct(sums[k], value, piece.load(source)),
          put(piece, target, f32x4.multiply(value, own[k]), true),
        ]),
        stepAll([columns, values], 4),
      ]),
      look(ownOffset),
      pieces.map((piece, k) => put(piece, target, sums[k], true)),
      diagonal.step(4),
      ownOffset.advance(row),
    ]);
  });
}

export function symmetricTwins({ products, clear }: Routines<typeof defineSymmetric>, host: Host): SymmetricKernels {
  const { memory } = host;
  return {
    csrSymmetricMatmul: host.kernel(
      plainSymmetric.csrSymmetricMatmul,
      [input32, input, input, input32, input32, output32],
      (rows, width, diagonal, starts, columns, values, x, out) => {
        const row = 4 * width;
        const first = 4 * memory.firstEntry(starts, 0);
        clear(out, rows * row);
        for (let c = 0; c < width;) {
          const block = blockFor(width - c, widths);
          products[block](rows, starts, columns + first, values + first, diagonal, x + 4 * c, out + 4 * c, row);
          c += widths[block];
        }
      },
    ),
  };
}
