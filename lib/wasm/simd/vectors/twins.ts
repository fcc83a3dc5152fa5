/** How do kernels on long Float64 vectors call their routines? Piece by piece; the plain twins serve arrays outside the memory. */

import { type Share, strip } from '../../threads/crew.ts';
import { band, plainVectors, type VectorKernels } from '../../../kernels/vectors.ts';
import { layout } from '../../memory/memory.ts';
import type { Routines } from '../module.ts';
import type { Stage } from '../../memory/stage.ts';

/** Numbers of the one vector that stay in the first-level cache, 16 KB of them, while the rows go by. */
export const piece = 2048;

/** An entry is read from another place than the one before it, which takes as long as so many flops. */
const flopsPerEntry = 8;

export function vectorTwins(wasm: Routines, stage: Stage, share: Share): VectorKernels {
  const { buffer } = stage.memory;
  // From the (3 − k)-th number of 64 bits on, a mask of k among four.
  new Int32Array(buffer, layout.mask, 6).fill(-1);
  /** `routine` where every array lies in the memory, else `plain`: a copy would take longer than the work. */
  function ifHeld<A extends unknown[], R>(plain: (...operands: A) => R, routine: typeof plain): typeof plain {
    return (...operands) => {
      const held = operands.every((operand) => !ArrayBuffer.isView(operand) || operand.buffer === buffer);
      return (held ? routine : plain)(...operands);
    };
  }
  /** Four rows at a time, then one: where the rows begin, where the vector does, and which rows they are. */
  function forEachRow(
    rows: number,
    n: number,
    a: Float64Array,
    x: Float64Array,
    four: (count: number, row: number, at: number, r: number) => void,
    one: typeof four,
  ): void {
    for (let from = 0; from < n; from += piece) {
      const at = x.byteOffset + 8 * from;
      for (let r = 0; r < rows;) {
        const wide = r + 4 <= rows;
        (wide ? four : one)(Math.min(piece, n - from), a.byteOffset + 8 * (r * n + from), at, r);
        r += wide ? 4 : 1;
      }
    }
  }
  return {
    dotVectors: ifHeld(plainVectors.dotVectors, (n, a, b) => wasm.dot64(n, a.byteOffset, b.byteOffset)),
    multiplyVectors: ifHeld(
      plainVectors.multiplyVectors,
      (n, a, b, out) => void wasm.multiply64(n, a.byteOffset, b.byteOffset, out.byteOffset),
    ),
    scaleVector: ifHeld(
      plainVectors.scaleVector,
      (n, factor, x, out, accumulate) =>
        void wasm[accumulate ? 'scale64+' : 'scale64'](n, x.byteOffset, out.byteOffset, factor),
    ),
    csrTimesVector: ifHeld(plainVectors.csrTimesVector, (rows, starts, columns, values, factors, x, out) => {
      const bytes = values.BYTES_PER_ELEMENT;
      const routine = wasm[`csrVector${bytes}`];
      const crew = share(flopsPerEntry * (starts[rows] - starts[0]));
      const product = crew.later(routine);
      const step = strip(rows, crew);
      for (let i = 0; i < rows; i += step) {
        product(
          Math.min(step, rows - i),
          starts.byteOffset + 4 * i,
          columns.byteOffset + 4 * starts[i],
          values.byteOffset + bytes * starts[i],
          factors ? factors.byteOffset + 8 * i : layout.one64,
          factors ? 8 : 0,
          x.byteOffset,
          out.byteOffset + 8 * i,
        );
      }
      crew.finish();
    }),
    rowDots: ifHeld(plainVectors.rowDots, (rows, n, a, x, out) => {
      out.fill(0, 0, rows);
      forEachRow(
        rows,
        n,
        a,
        x,
        (count, row, at, r) => wasm.rowDots4(count, row, 8 * n, at, out.byteOffset + 8 * r),
        (count, row, at, r) => (out[r] += wasm.dot64(count, row, at)),
      );
    }),
    subtractRows: ifHeld(plainVectors.subtractRows, (rows, n, factors, a, x) =>
      forEachRow(
        rows,
        n,
        a,
        x,
        (count, row, at, r) => wasm.subtractRows4(count, factors.byteOffset + 8 * r, row, 8 * n, at),
        (count, row, at, r) => wasm['scale64+'](count, row, at, -factors[r]),
      ),
    ),
    /** A tile reaches beyond the last of the kept rows and columns: that part of `work` is not copied back. */
    combineRows: ifHeld(plainVectors.combineRows, (rows, kept, n, factors, a, work) => {
      for (let from = 0; from < n; from += band) {
        const width = Math.min(band, n - from);
        const source = a.byteOffset + 8 * from;
        for (let j = 0; j < kept; j += 4) {
          const to = work.byteOffset + 8 * j * band;
          wasm.combineRows4(width, rows, source, 8 * n, factors.byteOffset + 8 * j, to, 8 * band);
        }
        for (let j = 0; j < kept; j++) wasm.scale64(width, work.byteOffset + 8 * j * band, source + 8 * j * n, 1);
      }
    }),
  };
}
