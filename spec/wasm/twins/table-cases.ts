/** Cases for the kernels that users see: the table, sums, pullbacks and optimizers. */

import { activations } from '../../../lib/kernels/types.ts';
import { type Kernels, plainKernels } from '../../../lib/wasm/all-kernels.ts';
import type { Arg, Case, Cases, Maker } from './arguments.ts';

export const tableCases: Cases<Kernels> = {
  matmul: product((m, n, k) => [m * k, k * n]),
  matmulTransposeA: product((m, n, k) => [k * m, k * n]),
  matmulTransposeB: product((m, n, k) => [m * k, n * k]),
  dense: {
    ulps: 16,
    dimensions: 3,
    make: (make, m, n, k) =>
      activations.flatMap((activation) => [
        [activation, m, n, k, make.single(m * k), make.single(k * n), make.single(n), make.single(m * n)],
        [activation, m, n, k, make.single(m * k), make.single(k * n), null, make.single(m * n)],
      ]),
  },
  squaredDistances: {
    ulps: 8,
    dimensions: 3,
    make: (make, m, n, k) => [[m, n, k, make.single(m * k), make.single(n * k), make.single(m * n)]],
  },
  add: { ulps: 1, dimensions: 1, make: (make, n) => [[n, make.single(n), make.single(n), make.single(n)]] },
  subtract: { ulps: 1, dimensions: 1, make: (make, n) => [[n, make.single(n), make.single(n), make.single(n)]] },
  multiply: {
    ulps: 2,
    dimensions: 1,
    make: (make, n) => [false, true].map((add) => [n, make.single(n), make.single(n), make.single(n), add]),
  },
  scale: {
    ulps: 2,
    dimensions: 1,
    make: (make, n) => [false, true].map((add) => [n, 0.3, make.single(n), make.single(n), add]),
  },
  activate: {
    ulps: 4,
    dimensions: 1,
    make: (make, n) => activations.map((activation) => [activation, n, make.single(n), make.single(n)]),
  },
  activateBackward: {
    ulps: 4,
    dimensions: 1,
    make: (make, n) =>
      activations.flatMap((activation) =>
        [false, true].map((add) => {
          const y = make.single(n);
          plainKernels.activate(activation, n, y, y);
          return [activation, n, y, make.single(n), make.single(n), add];
        }),
      ),
  },
  gatherRows: {
    ulps: 0,
    dimensions: 2,
    make: (make, count, cols) => [
      [count, cols, make.indices(count, 7), make.single(7 * cols), make.single(count * cols)],
    ],
  },
  scatterAddRows: {
    ulps: 8,
    dimensions: 2,
    make: (make, count, cols) => [
      [count, cols, make.indices(count, 7), make.single(count * cols), make.single(7 * cols)],
    ],
  },
  scaleRows: {
    ulps: 2,
    dimensions: 2,
    make: (make, rows, cols) =>
      [make.single(rows), make.double(rows)].flatMap((factors) =>
        [false, true].map((add) => [rows, cols, factors, make.single(rows * cols), make.single(rows * cols), add]),
      ),
  },
  addBias: {
    ulps: 1,
    dimensions: 2,
    make: (make, rows, cols) => [[rows, cols, make.single(rows * cols), make.single(cols), make.single(rows * cols)]],
  },
  columnSums: {
    ulps: 8,
    dimensions: 2,
    make: (make, rows, cols) =>
      [false, true].map((add) => [rows, cols, make.single(rows * cols), make.single(cols), add]),
  },
  transpose: {
    ulps: 1,
    dimensions: 2,
    make: (make, rows, cols) =>
      [false, true].map((add) => [rows, cols, make.single(rows * cols), make.single(rows * cols), add]),
  },
  gram: {
    ulps: 8 * 2 ** -29,
    dimensions: 3,
    make: (make, rows, p, q) => {
      const a = make.single(rows * p);
      return [
        [rows, p, q, null, a, make.single(rows * q), make.double(p * q)],
        [rows, p, q, make.double(rows), a, make.single(rows * q), make.double(p * q)],
        [rows, p, q, make.single(rows), a, make.single(rows * q), make.double(p * q)],
        [rows, p, p, make.double(rows), a, a, make.double(p * p)],
      ];
    },
  },
  weightedColumnSums: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, rows, cols) => [
      [rows, cols, null, make.single(rows * cols), make.double(cols)],
      [rows, cols, make.double(rows), make.single(rows * cols), make.double(cols)],
      [rows, cols, make.single(rows), make.single(rows * cols), make.double(cols)],
    ],
  },
  dot: {
    ulps: 8 * 2 ** -29,
    dimensions: 1,
    make: (make, n) => [[n, make.single(n), make.single(n)]],
  },
  sum: { ulps: 8 * 2 ** -29, dimensions: 1, make: (make, n) => [[n, make.single(n)]] },
  csrRowSums: {
    ulps: 8 * 2 ** -29,
    dimensions: 1,
    make: (make, rows) => {
      const { starts, values } = make.csr(rows, 11);
      return [[rows, starts, values, make.double(rows)]];
    },
  },
  sgdStep: {
    ulps: 2,
    dimensions: 1,
    make: (make, n) => [[n, 0.1, 0.9, make.single(n), make.single(n), make.single(n)]],
  },
  adamStep: {
    ulps: 8,
    dimensions: 1,
    make: (make, n) =>
      [0, 0.01].map((decay) => [
        n,
        0.01,
        0.9,
        0.999,
        1e-8,
        decay,
        make.single(n),
        make.single(n),
        make.single(n).map(Math.abs),
        make.single(n),
      ]),
  },
  csrMatmul: {
    ulps: 8,
    dimensions: 2,
    make: (make, rows, width) =>
      [false, true].map((add) => {
        const { starts, columns, values } = make.csr(rows, 11);
        return [rows, width, starts, columns, values, make.single(11 * width), make.single(rows * width), add];
      }),
  },
  csrTransposeMatmul: {
    ulps: 16,
    dimensions: 2,
    make: (make, rows, width) =>
      [false, true].map((add) => {
        const { starts, columns, values } = make.csr(rows, 11);
        return [rows, 11, width, starts, columns, values, make.single(rows * width), make.single(11 * width), add];
      }),
  },
};

function product(lengths: (m: number, n: number, k: number) => [number, number]): Case {
  return {
    ulps: 8,
    dimensions: 3 as const,
    make: (make: Maker, m: number, n: number, k: number): Arg[][] =>
      [false, true].map((add) => {
        const [a, b] = lengths(m, n, k);
        return [m, n, k, make.single(a), make.single(b), make.single(m * n), add];
      }),
  };
}
