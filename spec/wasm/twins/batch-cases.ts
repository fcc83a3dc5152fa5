/** Cases for the kernels on batches: slices, sparse rows, moving rows and gradients. */

import type { GradientKernels } from '../../../lib/kernels/batch/gradient.ts';
import type { MovingRowsKernels } from '../../../lib/kernels/batch/moving-rows.ts';
import type { PageKernels } from '../../../lib/kernels/batch/pages.ts';
import type { SliceKernels } from '../../../lib/kernels/batch/slice.ts';
import type { SparseRowsKernels } from '../../../lib/kernels/batch/sparse-rows.ts';
import type { Cases, Maker } from './arguments.ts';

export type BatchKernels = SliceKernels & PageKernels & SparseRowsKernels & MovingRowsKernels & GradientKernels;

export const batchCases: Cases<BatchKernels> = {
  csrRowsMatmul: {
    ulps: 8,
    dimensions: 2,
    make: (make, rows, width) => {
      const { starts, columns, values } = make.csr(rows, 11);
      const batch = Int32Array.from({ length: Math.ceil(rows / 2) }, (_, i) => (7 * i) % rows);
      const ends: [bias: Float32Array | null, floor: number][] = [
        [null, -Infinity],
        [make.single(width), 0],
      ];
      return ends.map(([bias, floor]) => {
        const [x, out] = [make.single(11 * width), make.single(batch.length * width)];
        return [batch.length, width, batch, starts, columns, values, x, bias, floor, out];
      });
    },
  },
  csrSlice: {
    ulps: 0,
    dimensions: 2,
    make: (make, rows, count) => {
      const { starts, columns, values } = make.csr(rows, 11);
      const list = make.indices(rows === 0 ? 0 : count, rows);
      const most = 40 * count;
      return [
        [
          rows === 0 ? 0 : count,
          list,
          starts,
          columns,
          values,
          make.indices(count + 1, 9),
          make.indices(most, 9),
          make.single(most),
        ],
      ];
    },
  },
  neighborUnion: {
    ulps: 0,
    dimensions: 1,
    make: (make, rows) => {
      const { starts, columns } = make.csr(rows, Math.max(rows, 1));
      return [0, 1, 2, 3].map((step) => {
        // With step 0, rows repeat.
        const length = Math.ceil(rows / (step + 1));
        const batch = make.placed(Int32Array.from({ length }, (_, i) => (step === 0 ? i >> 1 : i * (step + 1))));
        return [batch.length, batch, starts, columns, 5, make.indices(rows, 5), make.indices(rows + 1, 9)];
      });
    },
  },
  readRows: {
    ulps: 0,
    dimensions: 2,
    make: (make, count, words) => [
      [
        count,
        words,
        words + 2,
        3,
        make.indices(count, 7),
        make.indices(7 * (words + 2) + 3, 99),
        make.indices(count * words, 9),
      ],
    ],
  },
  writeRows: {
    ulps: 0,
    dimensions: 2,
    make: (make, count, words) => [
      [
        count,
        words,
        words + 2,
        3,
        make.indices(count, 7),
        make.indices(count * words, 99),
        make.indices(7 * (words + 2) + 3, 9),
      ],
    ],
  },
  readRuns: {
    ulps: 0,
    dimensions: 2,
    make: (make, count, length) =>
      [1, 2].map((factor) => {
        // Every other run is empty.
        const ends = make.placed(Int32Array.from({ length: count + 1 }, (_, i) => length * (i >> 1)));
        const words = factor * length * ((count >> 1) + 1);
        return [
          count,
          factor,
          make.indices(count, 5),
          ends,
          make.indices(factor * length + 5, 99),
          make.indices(words, 9),
        ];
      }),
  },
  replaceRows: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, count, width) => {
      // Every other kept row, the last one first.
      const rows = make.placed(Int32Array.from({ length: count }, (_, i) => 2 * (count - 1 - i)));
      const all = 2 * count;
      return [make.single, make.normals64].flatMap((numbers) =>
        [null, make.double(all)].map((eta) => [
          count,
          width,
          rows,
          make.double(all),
          eta,
          numbers(count * width),
          numbers(all * width),
          make.normals64(width * width),
          make.normals64(width),
        ]),
      );
    },
  },
  multiplyRows: {
    ulps: 0,
    dimensions: 2,
    make: (make, count, width) =>
      [make.single, make.normals64].flatMap((numbers) =>
        [null, make.double(count)].flatMap((factors) => {
          const [rows, out] = [1, 2].map(() => numbers(count * width));
          const matrix = make.normals64(width * width);
          return [out, rows].map((to) => [count, width, factors, rows, matrix, to]);
        }),
      ),
  },
  mapRows: {
    ulps: 0,
    dimensions: 2,
    make: (make, count, width) =>
      [0, 1, 2].flatMap((power) =>
        [null, make.double(count)].map((eta) => {
          const mass = make.double(count);
          for (let i = 2; i < count; i += 3) mass[i] = 0;
          const [p, q, s] = [width * width, width * width, width].map(make.normals64);
          // Also a P with one entry off the diagonal, the first or the last, and a diagonal Q.
          if (power === 1) clearOffDiagonal(p, width, eta ? 1 : width * width - 2);
          if (power === 1) clearOffDiagonal(q, width, 0);
          const [rows, products, out] = [1, 2, 3].map(() => make.normals64(count * width));
          return [count, width, mass, eta, p, q, s, power, rows, products, out];
        }),
      ),
  },
  moveRows: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, count, width) =>
      [0, 1, 2].flatMap((power) =>
        [null, make.double(2 * count)].map((eta) => {
          const rows = make.placed(Int32Array.from({ length: count }, (_, i) => 2 * (count - 1 - i)));
          const mass = make.double(2 * count);
          for (let i = 4; i < 2 * count; i += 6) mass[i] = 0;
          const [p, q, s] = [width * width, width * width, width].map(make.normals64);
          const numbers = power === 1 ? make.normals64 : make.single;
          const [affinities, kept] = [count, 2 * count].map((all) => numbers(all * width));
          const [gram, mean] = [width * width, width].map(make.normals64);
          return [count, width, rows, mass, eta, p, q, s, power, -0.3, affinities, kept, gram, mean];
        }),
      ),
  },
  followRows: {
    ulps: 8 * 2 ** -29,
    dimensions: 2,
    make: (make, count, width) =>
      [null, make.double(count)].map((eta) => {
        const [before, after] = [1, 2].map(() => make.normals64(count * width));
        return [
          count,
          width,
          make.double(count),
          eta,
          before,
          after,
          make.normals64(width ** 2),
          make.normals64(width),
        ];
      }),
  },
  transposeRows: {
    ulps: 0,
    dimensions: 2,
    make: (make, rows, cols) => {
      const { starts, columns, values } = make.csr(rows, cols);
      const entries = columns.length;
      const outs = [make.indices(cols + 1, 9), make.indices(entries, 9), make.single(entries)];
      return [[rows, cols, starts, columns, values, ...outs]];
    },
  },
  sampledProduct: {
    ulps: 8,
    dimensions: 3,
    make: (make, rows, cols, inner) => {
      const { starts, columns } = make.csr(rows, cols);
      const [a, b, out] = [rows * inner, cols * inner, rows * cols].map(make.single);
      return [[rows, cols, inner, starts, columns, a, b, out]];
    },
  },
  orderedProduct: {
    ulps: 8,
    dimensions: 2,
    make: (make, rows, width) => {
      const { starts, columns, values } = make.csr(rows, 11);
      const [x, out] = [11 * width, rows * width].map(make.single);
      return [[rows, width, starts, columns, values, x, out]];
    },
  },
  maskedProduct: {
    ulps: 8,
    dimensions: 3,
    make: (make, rows, cols, inner) => {
      const [mask, a, b, out] = [rows * cols, rows * inner, cols * inner, rows * cols].map(make.single);
      mask.fill(0, 0, cols);
      return [[rows, cols, inner, mask, a, b, out]];
    },
  },
  adamProduct: {
    ulps: 8,
    dimensions: 2,
    make: (make, rows, width) =>
      (
        [
          [0, rows],
          [0, rows >> 1],
          [0.01, rows],
        ] as const
      ).map(([decay, begun]) => {
        const { starts, columns, values } = make.csr(rows, 11);
        // Where a gradient cancels, a smaller epsilon would amplify its rounding.
        const [first, second, parameters] = adamArrays(make, rows, width);
        const x = make.single(11 * width);
        return [
          rows,
          width,
          starts,
          columns,
          values,
          x,
          0.01,
          0.9,
          0.999,
          1e-3,
          decay,
          first,
          second,
          parameters,
          begun,
        ];
      }),
  },
  finishAdam: { ulps: 0, dimensions: 1, make: () => [[]] },
  startAdam: {
    ulps: 0,
    dimensions: 2,
    make: (make, rows, width) => [
      [rows, width, make.csr(rows, 11).starts, 0.01, 0.9, 0.999, 1e-8, ...adamArrays(make, rows, width)],
    ],
  },
};

/** Moments and parameters. Some rows have never moved. */
function adamArrays(make: Maker, rows: number, width: number): Float32Array[] {
  const [first, second, parameters] = [1, 2, 3].map(() => make.single(rows * width));
  for (let i = 0; i < second.length; i++) {
    second[i] = Math.abs(second[i]);
    // Far enough from 0 that no step cancels one.
    parameters[i] += 10 * Math.sign(parameters[i]);
  }
  for (let i = 0; i < rows; i += 3) for (const each of [first, second]) each.fill(0, i * width, (i + 1) * width);
  return [first, second, parameters];
}

/** Leaves the diagonal and the entry at this place. */
function clearOffDiagonal(matrix: Float64Array, width: number, kept: number): void {
  for (let at = 0; at < width * width; at++) if (at % (width + 1) !== 0 && at !== kept) matrix[at] = 0;
}
