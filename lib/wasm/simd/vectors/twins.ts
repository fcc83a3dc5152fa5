/** SIMD twins of the kernels on long Float64 vectors, piece by piece. A copy would take longer than the work, so none is made. */

import { band, plainVectors, type VectorKernels } from '../../../kernels/vectors.ts';
import { held, isSingle, type Marshal, value } from '../../memory/marshal.ts';
import { layout } from '../../memory/memory.ts';
import { type ChooseExecutor, inChunks } from '../../threads/executor.ts';
import type { VectorRoutines } from './code.ts';

/** Numbers of the one vector that stay in the first-level cache, 16 KB of them, while the rows go by. */
export const piece = 2048;

/** An entry is read from another place than the one before it, which takes as long as so many flops. */
const flopsPerEntry = 8;

export function vectorTwins(
  { multiply, scale, dot, rowDots, subtractRows, combineRows, csr32, csr64 }: VectorRoutines,
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): VectorKernels {
  const { memory } = marshal;
  // From the (3 − k)-th number of 64 bits on, a mask of k among four.
  new Int32Array(memory.buffer, layout.mask, 6).fill(-1);

  /** Four rows at a time, then one: where the rows begin, where the vector does, and which rows they are. */
  function forEachRow(
    rows: number,
    n: number,
    a: number,
    x: number,
    four: (count: number, row: number, at: number, r: number) => void,
    one: typeof four,
  ): void {
    for (let from = 0; from < n; from += piece) {
      for (let r = 0; r < rows;) {
        const isWide = r + 4 <= rows;
        (isWide ? four : one)(Math.min(piece, n - from), a + 8 * (r * n + from), x + 8 * from, r);
        r += isWide ? 4 : 1;
      }
    }
  }

  const timesVector = (routine: typeof csr32, bytes: number): VectorKernels['csrTimesVector'] =>
    marshal.kernel(
      plainVectors.csrTimesVector,
      [value, held, held, held, held, held, held],
      (rows, starts, columns, values, factors, x, out) => {
        const executor = chooseExecutor(flopsPerEntry * memory.entries(starts, rows));
        const factorStep = factors ? 8 : 0;
        inChunks(executor, rows, routine, (product, i, count) => {
          const first = memory.firstEntry(starts, i);
          const by = factors ? factors + 8 * i : layout.one64;
          product(count, starts + 4 * i, columns + 4 * first, values + bytes * first, by, factorStep, x, out + 8 * i);
        });
        executor.finish();
      },
    );
  const [csrOf32, csrOf64] = [timesVector(csr32, 4), timesVector(csr64, 8)];

  return {
    dotVectors: marshal.kernel(plainVectors.dotVectors, [value, held, held], dot),
    multiplyVectors: marshal.kernel(plainVectors.multiplyVectors, [value, held, held, held], multiply),
    scaleVector: marshal.kernel(
      plainVectors.scaleVector,
      [value, value, held, held, value],
      (n, factor, x, out, accumulate) => (accumulate ? scale.add : scale.set)(n, x, out, factor),
    ),
    csrTimesVector: (rows, starts, columns, values, factors, x, out) =>
      (isSingle(values) ? csrOf32 : csrOf64)(rows, starts, columns, values, factors, x, out),
    rowDots: marshal.kernel(plainVectors.rowDots, [value, value, held, held, held], (rows, n, a, x, out) => {
      const sums = new Float64Array(memory.buffer, out, rows).fill(0);
      forEachRow(
        rows,
        n,
        a,
        x,
        (count, row, at, r) => rowDots(count, row, 8 * n, at, out + 8 * r),
        (count, row, at, r) => (sums[r] += dot(count, row, at)),
      );
    }),
    subtractRows: marshal.kernel(
      plainVectors.subtractRows,
      [value, value, held, held, held],
      (rows, n, factors, a, x) => {
        const by = new Float64Array(memory.buffer, factors, rows);
        forEachRow(
          rows,
          n,
          a,
          x,
          (count, row, at, r) => subtractRows(count, factors + 8 * r, row, 8 * n, at),
          (count, row, at, r) => scale.add(count, row, at, -by[r]),
        );
      },
    ),
    /** A tile reaches beyond the last of the kept rows and columns: that part of `work` is not copied back. */
    combineRows: marshal.kernel(
      plainVectors.combineRows,
      [value, value, value, held, held, held],
      (rows, kept, n, factors, a, work) => {
        for (let from = 0; from < n; from += band) {
          const width = Math.min(band, n - from);
          const source = a + 8 * from;
          for (let j = 0; j < kept; j += 4) {
            combineRows(width, rows, source, 8 * n, factors + 8 * j, work + 8 * j * band, 8 * band);
          }
          for (let j = 0; j < kept; j++) scale.set(width, work + 8 * j * band, source + 8 * j * n, 1);
        }
      },
    ),
  };
}
