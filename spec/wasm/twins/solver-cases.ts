/** Cases for the kernels of eigensolvers: vectors, blocks of vectors, and panels of factorizations; and for halves of symmetric matrices. */

import type { BlockKernels } from '../../../lib/kernels/blocks.ts';
import type { GalerkinKernels } from '../../../lib/kernels/galerkin.ts';
import type { PanelKernels } from '../../../lib/kernels/panels.ts';
import type { SymmetricKernels } from '../../../lib/kernels/formats/symmetric.ts';
import { combineWork, type VectorKernels } from '../../../lib/kernels/vectors.ts';
import type { Arg, Case, Cases, Maker } from './arguments.ts';

export const solverCases: Cases<VectorKernels & BlockKernels & GalerkinKernels & PanelKernels & SymmetricKernels> = {
  csrSymmetricMatmul: {
    ulps: 16,
    dimensions: 2,
    make: (make, rows, width) => {
      const { starts, columns, values } = make.csr(rows, Math.max(1, rows));
      const [x, out] = [make.single(rows * width), make.single(rows * width)];
      return [[rows, width, make.single(rows), starts, columns, values, x, out]];
    },
  },
  dotVectors: {
    ulps: 8 * 2 ** -29,
    dimensions: 1,
    make: (make, n) => [[n, make.normals64(n), make.normals64(n)]],
  },
  multiplyVectors: {
    ulps: 2 ** -29,
    dimensions: 1,
    make: (make, n) => [[n, make.normals64(n), make.normals64(n), make.normals64(n)]],
  },
  scaleVector: {
    ulps: 2 * 2 ** -29,
    dimensions: 1,
    make: (make, n) => [false, true].map((add) => [n, 0.3, make.normals64(n), make.normals64(n), add]),
  },
  csrTimesVector: {
    ulps: 8 * 2 ** -29,
    dimensions: 1,
    make: (make, rows) =>
      [false, true].flatMap((double) =>
        [null, make.normals64(rows)].map((factors) => {
          const { starts, columns, values: singles } = make.csr(rows, 11);
          const values = double ? make.normals64(columns.length) : singles;
          return [rows, starts, columns, values, factors, make.normals64(11), make.normals64(rows)];
        }),
      ),
  },
  rowDots: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, rows, n) => [[rows, n, make.normals64(rows * n), make.normals64(n), make.normals64(rows)]],
  },
  subtractRows: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, rows, n) => [[rows, n, make.normals64(rows), make.normals64(rows * n), make.normals64(n)]],
  },
  combineRows: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    lost: 5,
    make: (make, rows, n) =>
      [rows, Math.ceil(rows / 2)].map((kept) => [
        rows,
        kept,
        n,
        make.normals64(rows * rows),
        make.normals64(rows * n),
        make.normals64(combineWork(kept)),
      ]),
  },
  blockProduct: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, rows, width) =>
      [false, true].flatMap((hasGaps) =>
        [false, true].map((isDouble) => {
          const { starts, columns, values } = make.csr(rows, 11);
          const weights = isDouble ? make.normals64(columns.length) : values;
          const at = (shift: number) =>
            make.placed(
              Int32Array.from({ length: rows }, (_, i) => Math.round((1 - shift) * starts[i] + shift * starts[i + 1])),
            );
          const [gapStarts, gapEnds] = hasGaps ? [at(0.3), at(0.7)] : [null, null];
          const [x, y, out] = [11, rows, rows].map((count) => make.normals64(count * width));
          const from = Math.min(rows, 2);
          const [factors, base, sign] = isDouble
            ? [make.normals64(rows), hasGaps ? y : out, -1]
            : [null, hasGaps ? y : null, 1];
          return [from, rows, width, starts, at(1), gapStarts, gapEnds, columns, weights, sign, factors, base, x, out];
        }),
      ),
  },
  blockSweep: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, rows, width) =>
      [false, true].flatMap((isDownward) =>
        [false, true].map((isDouble) => {
          const chunk = 6;
          const { starts, columns, values } = make.csr(rows, chunk);
          const weights = isDouble ? make.normals64(columns.length) : values;
          for (let i = 0; i < rows; i++) {
            const first = i - (i % chunk);
            for (let e = starts[i]; e < starts[i + 1]; e++)
              columns[e] = first + (columns[e] % Math.min(chunk, rows - first));
          }
          const factors = make.double(rows).map((factor) => factor / 20);
          const ends = make.placed(starts.slice(1));
          const [b, x] = [0, 1].map(() => make.normals64(rows * width));
          const by = make.placed(factors);
          return [0, rows, chunk, isDownward, width, starts, ends, columns, weights, by, b, x];
        }),
      ),
  },
  blockResidual: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, n, width) =>
      [null, make.double(n)].map((mass) => {
        const [x, ax, out] = [0, 1, 2].map(() => make.normals64(n * width));
        return [n, width, make.double(width), mass, x, ax, out];
      }),
  },
  blockCenter: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, n, width) => [[n, width, make.indices(n, 3), make.double(3 * width), make.normals64(n * width)]],
  },
  blockGram: {
    ulps: 8 * 2 ** -29,
    dimensions: 3,
    make: (make, n, p, q) =>
      [null, make.double(n)].map((weights) => {
        const [a, b, out] = [n * p, n * q, p * q].map(make.normals64);
        return [n, p, q, a, b, weights, out];
      }),
  },
  blockCombine: {
    ulps: 8 * 2 ** -29,
    dimensions: 3,
    make: (make, n, p, q) => {
      const [a, b, c, out] = [n * p, n * 2, n * 3, n * q].map(make.normals64);
      return [
        [n, p, 2, 3, q, a, b, c, make.normals64((p + 5) * q), out],
        [n, 0, 2, 0, q, null, b, null, make.normals64(2 * q), out],
      ];
    },
  },
  // The terms are added in the same order, without a difference.
  multiplyPencil: {
    ulps: 0,
    dimensions: 2,
    make: (make, rows, width) =>
      [false, true].flatMap((double) =>
        [false, true].map((hasMasses) => {
          const pencil = make.csr(rows, Math.max(1, rows));
          const { starts, columns, values } = make.csr(rows, Math.max(1, width));
          const weights = double ? make.placed(Float64Array.from(pencil.values)) : pencil.values;
          const masses = hasMasses && !double ? make.single(pencil.values.length) : null;
          const diagonals = make.normals64(2 * rows);
          const { sizes, outputs } = regions(make, rows, Math.max(1, width), double ? 50 : 200);
          const numbers = [pencil.starts, pencil.columns, weights, masses, diagonals, starts, columns, values];
          return sizes.concat(numbers, outputs);
        }),
      ),
  },
  restrictPencil: {
    ulps: 0,
    dimensions: 2,
    make: (make, rows, width) =>
      [50, 200].map((room) => {
        const { starts, columns, values } = make.csr(rows, Math.max(1, width));
        const pairs = make.csr(Math.max(1, width), Math.max(1, rows));
        const numbers = make.single(2 * pairs.values.length);
        const { sizes, outputs } = regions(make, rows, Math.max(1, rows), room);
        return sizes.concat([starts, columns, values, pairs.starts, pairs.columns, numbers], outputs);
      }),
  },
  // The terms are subtracted in the same order, without a difference.
  subtractOuter: {
    ulps: 0,
    dimensions: 3,
    make: (make, more, columns, inner) => {
      const rows = columns + more;
      const [stride, outStride] = [rows + 2, rows + 3];
      const [a, out] = [make.normals64(stride * inner), make.normals64(outStride * columns)];
      return [[rows, columns, inner, stride, a, make.normals64(inner), outStride, out]];
    },
  },
  eliminatePanel: {
    ulps: 0,
    dimensions: 2,
    make: (make, columns, more) => {
      const height = columns + more;
      const stride = height + 1;
      const panel = make.normals64(stride * columns).map((x) => 0.1 * x);
      // A large diagonal, so that numbers do not grow.
      for (let j = 0; j < columns; j++) panel[j * stride + j] = 20 + j;
      return [[height, columns, stride, make.placed(panel), make.normals64(columns)]];
    },
  },
  extendAdd: {
    ulps: 0,
    dimensions: 2,
    make: (make, columns, below) => {
      // Every second row of the parent.
      const height = columns + below;
      const rows = Array.from({ length: height }, (_, i) => i).filter((i) => i % 2 === below % 2);
      const places = make.placed(Int32Array.from(rows));
      const source = make.normals64(rows.length ** 2);
      return [
        [rows.length, places, source, columns, height, make.normals64(height * columns), make.normals64(below * below)],
      ];
    },
  },
  solveLower: panelSolution(),
  solveUpper: panelSolution(),
};

/** Chunks of three rows with regions of this room: their sizes, scratch of arbitrary contents, and outputs. */
function regions(make: Maker, rows: number, width: number, room: number): { sizes: Arg[]; outputs: Arg[] } {
  const count = Math.ceil(rows / 3);
  const outputs = [
    make.indices(count * width, room),
    make.indices(count * room, width),
    make.normals64(2 * count * room),
    make.indices(rows, room),
  ];
  return { sizes: [0, rows, 3, room, width], outputs };
}

/** Three panels: a few columns with rows in the second, then that many, then one column, all with small entries, so that solutions do not grow. */
function panelSolution(): Case {
  return {
    ulps: 64 * 2 ** -29,
    lost: 6,
    dimensions: 2 as const,
    make: (make: Maker, columns: number, below: number): Arg[][] => {
      const first = [0, 3, 3 + columns, 4 + columns];
      const size = first[3] + below;
      const tail = Array.from({ length: below }, (_, i) => first[3] + i);
      const rows = [...Array.from({ length: columns }, (_, i) => 3 + i), first[2], ...tail, ...tail];
      const heights = [3 + columns, columns + 1 + below, 1 + below];
      const length = heights.reduce((sum, height, s) => sum + height * (first[s + 1] - first[s]), 0);
      const panels = make.normals64(length).map((x) => 0.1 * x);
      const [indices, tall, listed] = [first, heights, rows].map((list) => make.placed(Int32Array.from(list)));
      return [
        [3, indices, tall, listed, make.placed(panels), make.normals64(size), make.normals64(Math.max(...heights))],
      ];
    },
  };
}
