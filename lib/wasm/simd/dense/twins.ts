/** What stands for the dense kernels? Products of tiles where the arrays lie in the kernels' memory, else the plain twins. */

import type { Share } from '../../threads/crew.ts';
import * as plain from '../../../kernels/dense.ts';
import * as rowwise from '../../../kernels/rows.ts';
import type { Kernels } from '../../../kernels/table.ts';
import type { Floats } from '../../../kernels/types.ts';
import { denseProduct, noFloor } from './product.ts';
import { layout } from '../../memory/memory.ts';
import type { Routine, Routines } from '../module.ts';
import type { Stage } from '../../memory/stage.ts';

type DenseTwins = Pick<
  Kernels,
  'matmul' | 'matmulTransposeA' | 'matmulTransposeB' | 'dense' | 'squaredDistances' | 'addBias' | 'columnSums'
>;

export function denseTwins(wasm: Routines, stage: Stage, share: Share): DenseTwins {
  const { multiply, products, distances, outers } = denseProduct(wasm, stage, share);

  /** `multiply` into an opened array, which is closed then: C is what is there, or zeros. */
  const multiplyInto = (
    tiles: Routine[],
    m: number,
    n: number,
    k: number,
    a: number,
    aRow: number,
    aCol: number,
    b: number,
    bRow: number,
    bCol: number,
    out: Floats,
    accumulate: boolean,
  ): boolean => {
    const to = stage.at(out);
    const c = accumulate ? to : layout.zeros;
    const cCol = accumulate ? 4 : 0;
    const done = multiply(tiles, m, n, k, a, aRow, aCol, b, bRow, bCol, c, n * cCol, cCol, to, noFloor);
    stage.close(out);
    return done;
  };

  const multiplication =
    (turnA: boolean, turnB: boolean, twin: Kernels['matmul']): Kernels['matmul'] =>
    (m, n, k, a, b, out, accumulate) => {
      const done =
        stage.open(a, b, out) &&
        multiplyInto(
          products,
          m,
          n,
          k,
          stage.at(a),
          turnA ? 4 : 4 * k,
          turnA ? 4 * m : 4,
          stage.at(b),
          turnB ? 4 : 4 * n,
          turnB ? 4 * k : 4,
          out,
          accumulate,
        );
      if (!done) twin(m, n, k, a, b, out, accumulate);
    };

  return {
    matmul: multiplication(false, false, plain.matmul),
    matmulTransposeA: multiplication(true, false, plain.matmulTransposeA),
    matmulTransposeB: multiplication(false, true, plain.matmulTransposeB),

    dense(activation, m, n, k, x, weights, bias, out) {
      if (stage.open(x, weights, bias, out)) {
        const to = stage.at(out);
        const c = bias ? stage.at(bias) : layout.zeros;
        const floor = activation === 'relu' ? 0 : noFloor;
        const by = stage.at(weights);
        const done = multiply(products, m, n, k, stage.at(x), 4 * k, 4, by, 4 * n, 4, c, 0, bias ? 4 : 0, to, floor);
        if (done && activation !== 'identity' && floor < 0) wasm[activation](m * n, to, to);
        stage.close(out);
        if (done) return;
      }
      plain.dense(activation, m, n, k, x, weights, bias, out);
    },

    squaredDistances(m, n, d, a, b, out) {
      const row = 4 * d;
      const done =
        stage.open(a, b, out) && multiplyInto(distances, m, n, d, stage.at(a), row, 4, stage.at(b), 4, row, out, false);
      if (!done) plain.squaredDistances(m, n, d, a, b, out);
    },

    /** x plus the product of a column of ones with the bias. */
    addBias(rows, cols, x, bias, out) {
      if (!stage.open(x, bias, out)) return rowwise.addBias(rows, cols, x, bias, out);
      const row = 4 * cols;
      outers[0](rows, cols, layout.one, 0, stage.at(bias), row, stage.at(x), row, 4, stage.at(out), row, noFloor);
      stage.close(out);
    },

    /** A row of ones times x. */
    columnSums(rows, cols, x, out, accumulate) {
      const done =
        stage.open(x, out) &&
        multiplyInto(products, 1, cols, rows, layout.one, 0, 0, stage.at(x), 4 * cols, 4, out, accumulate);
      if (!done) rowwise.columnSums(rows, cols, x, out, accumulate);
    },
  };
}
