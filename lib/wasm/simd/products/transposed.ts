/** Aᵀ·X for compressed rows: routines. Entries of a row are added to different rows of the result, two at a time, or four that are neighbors. */

import type { Assembler, Code, Local } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when } from '../../assembler/statements.ts';
import { Entries, type GroupSize } from './entries.ts';
import { addressIn, widthsOf } from './rows.ts';
import type { Vectors } from './vectors.ts';

/** By the places of their widths in `widthsOf`. */
export function defineTransposed(module: Assembler, vectors: Vectors) {
  return widthsOf[vectors.bytes].map((width) => {
    const shift = Math.log2(vectors.bytes * width);
    const product = defineProduct(module, vectors, width, null);
    return {
      product,
      /** The same for an x of these columns and no others. */
      packed: Number.isInteger(shift) ? defineProduct(module, vectors, width, shift) : product,
    };
  });
}

/** Entries of a run: as many columns that follow each other. */
const runLength = 4;

/**
 * (rows, starts, columns, values, x, xRow, out, outRow): out += Sᵀ·x on `width` columns of x. Strides are in bytes. Two entries are read before either is
 * written, as far as registers suffice: their columns differ. If x has one column, four entries whose columns follow each other are vectors of x, values and out.
 */
function defineProduct(module: Assembler, vectors: Vectors, width: number, shift: number | null) {
  const { bytes, lanes, add, multiply } = vectors;
  const pieces = vectors.pieces(width);
  const loadFactor = width === 1 ? vectors.loadOne : vectors.loadSplat;
  const together = pieces.length <= 2 ? 2 : 1;
  /** Whether neighboring columns of Sᵀ·x are neighboring numbers. */
  const hasRuns = width === 1 && shift !== null;
  const largest: GroupSize = hasRuns ? runLength : together;
  return module.define(taking(8), ([rows, starts, columns, values, x, xRow, out, outRow], declare) => {
    const entries = new Entries(vectors, columns, declare);
    const row = variables(declare, 'v128', pieces.length);
    const factor = declare('v128');
    const targets = variables(declare, 'i32', together) as readonly Local[];
    const sums = targets.map(() => variables(declare, 'v128', pieces.length));
    const target = addressIn(out, outRow, shift);
    const columnOf = (entry: number): Code => i32.load(entries.column, 4 * entry);
    const scatter = (first: number, count: number): Code => [
      targets
        .slice(0, count)
        .map((to, e) => [
          factor.set(loadFactor(entries.value, bytes * (first + e))),
          to.set(target(columnOf(first + e))),
          pieces.map(({ load }, k) => sums[e][k].set(add(load(to), multiply(factor, row[k])))),
        ]),
      targets.slice(0, count).map((to, e) => pieces.map(({ store }, k) => store(to, sums[e][k]))),
    ];
    // Columns increase: if the last is three beyond the first, none is missing between them.
    const isRun = i32.eq(i32.subtract(columnOf(runLength - 1), columnOf(0)), runLength - 1);
    const addRun = ([to] = targets): Code => [
      to.set(target(columnOf(0))),
      Array.from({ length: runLength / lanes }, (_, k) => {
        const sum = add(v128.load(to, 16 * k), multiply(row[0], v128.load(entries.value, 16 * k)));
        return v128.store(to, sum, 16 * k);
      }),
    ];
    return [
      entries.begin(values),
      entries.forEachRow(declare, rows, starts, [
        // For runs, the number is in all lanes.
        pieces.map(({ load }, k) => row[k].set(hasRuns ? vectors.loadSplat(x) : load(x))),
        entries.forEachGroup(largest, (size) =>
          size === runLength ? when(isRun, addRun(), [scatter(0, 2), scatter(2, 2)]) : scatter(0, size),
        ),
        x.advance(xRow),
      ]),
    ];
  });
}
