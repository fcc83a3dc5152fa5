/** The product of a symmetric matrix, of which one half is stored, with blocks of columns, in either precision: routines and twins. */

import { plainSymmetric, type SymmetricKernels } from '../../../kernels/formats/symmetric.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { byPrecision, input, input32, output, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import type { Bytes } from '../columns.ts';
import { defineClear, forEachRow } from '../loops.ts';
import { addTerm, doubles, singles, skipEntries, type Vectors } from '../products/vectors.ts';
import { blockFor, csrWidths } from '../sparse/sparse.ts';

/** A row of x and a row of sums are in registers: four vectors of each at most. */
const widths = {
  4: csrWidths.filter((width) => width <= 16),
  8: csrWidths.filter((width) => width <= 8),
};

export function defineSymmetric(module: Assembler) {
  const ofType = (vectors: Vectors) => widths[vectors.bytes].map((width) => defineProduct(module, vectors, width));
  return { 4: ofType(singles), 8: ofType(doubles), clear: defineClear(module) };
}

/** (rows, starts, columns, values, diagonal, x, out, row): out += (D + S + Sᵀ)·x on `width` columns. Rows are `row` bytes apart. */
function defineProduct(module: Assembler, vectors: Vectors, width: number) {
  const { add, multiply, loadSplat, bytes } = vectors;
  return module.define(taking(8), (locals, declare) => {
    const [rows, starts, columns, values, diagonal, x, out, row] = locals;
    const pieces = vectors.pieces(width);
    const own = variables(declare, 'v128', pieces.length);
    const sums = variables(declare, 'v128', pieces.length);
    const value = declare('v128');
    const [entries, offset, ownOffset, source, target] = variables(declare, 'i32', 5);
    const look = (at: typeof offset) => [source.set(i32.add(x, at)), target.set(i32.add(out, at))];
    return forEachRow(rows, starts, entries, [
      look(ownOffset),
      value.set(loadSplat(diagonal)),
      pieces.map(({ load }, k) => [own[k].set(load(source)), sums[k].set(multiply(value, own[k]))]),
      whileAtLeast(entries, 1, [
        value.set(loadSplat(values)),
        offset.set(i32.multiply(i32.load(columns), row)),
        look(offset),
        pieces.map((piece, k) => [
          addTerm(vectors, sums[k], value, piece.load(source)),
          piece.store(target, add(piece.load(target), multiply(value, own[k]))),
        ]),
        skipEntries(vectors, columns, values, 1),
      ]),
      look(ownOffset),
      pieces.map((piece, k) => piece.store(target, add(piece.load(target), sums[k]))),
      diagonal.step(bytes),
      ownOffset.advance(row),
    ]);
  });
}

export function symmetricTwins(routines: Routines<typeof defineSymmetric>, host: Host): SymmetricKernels {
  const { memory, kernel } = host;
  const { csrSymmetricMatmul } = plainSymmetric;
  // oxfmt-ignore
  const run = (bytes: Bytes) =>
    (rows: number, width: number, diagonal: number, starts: number, columns: number, values: number, x: number, out: number) => {
      const row = bytes * width;
      const first = memory.firstEntry(starts, 0);
      routines.clear(out, rows * row);
      for (let c = 0; c < width;) {
        const block = blockFor(width - c, widths[bytes]);
        const offset = bytes * c;
        routines[bytes][block](rows, starts, columns + 4 * first, values + bytes * first, diagonal, x + offset, out + offset, row);
        c += widths[bytes][block];
      }
    };
  return {
    csrSymmetricMatmul: byPrecision(
      5,
      kernel(csrSymmetricMatmul, [input32, input, input, input32, input32, output32], run(4)),
      kernel(csrSymmetricMatmul, [input, input, input, input, input, output], run(8)),
    ),
  };
}
