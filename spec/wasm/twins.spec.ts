/** Every SIMD kernel against its plain twin, on the same numbers and at all difficult sizes. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { type Allocator, allocator, heap } from '../../lib/kernels/table.ts';
import { type Kernels, kernels, plainKernels } from '../../lib/wasm/all-kernels.ts';
import { activations } from '../../lib/kernels/types.ts';
import { type BlockKernels, gramChunk, plainBlocks } from '../../lib/kernels/blocks.ts';
import { combineWork, plainVectors, type VectorKernels } from '../../lib/kernels/vectors.ts';
import { plainReach, type ReachKernels, stackLength } from '../../lib/kernels/nearest/kd-reach.ts';
import { type NearestKernels, plainNearest } from '../../lib/kernels/nearest/nearest.ts';
import { type GradientKernels, plainGradient } from '../../lib/kernels/batch/gradient.ts';
import { type MovingRowsKernels, plainMovingRows } from '../../lib/kernels/batch/moving-rows.ts';
import { plainSlice, type SliceKernels } from '../../lib/kernels/batch/slice.ts';
import { plainSparseRows, type SparseRowsKernels } from '../../lib/kernels/batch/sparse-rows.ts';
import { plainPanels, type PanelKernels } from '../../lib/kernels/panels.ts';
import { growTree, type KdTree } from '../../lib/graph/neighbors/tree/kd-tree.ts';
import { withReaches } from '../../lib/graph/neighbors/tree/reach-tree.ts';
import { zeros } from '../../lib/tensor/tensor.ts';
import {
  blockKernels,
  gradientKernels,
  movingRowsKernels,
  nearestKernels,
  panelKernels,
  reachKernels,
  sliceKernels,
  sparseRowsKernels,
  vectorKernels,
} from '../../lib/wasm/families.ts';
import { disableSimd, enableSimd } from '../../lib/wasm/simd.ts';
import { piece } from '../../lib/wasm/simd/vectors/vectors.ts';

const test = suite('SIMD twins');
const sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 64, 65];
const epsilon = 2 ** -23;

type Arg = number | boolean | string | null | Float32Array | Float64Array | Int32Array;
type Maker = ReturnType<typeof maker>;

/** The kernel table and the kernels outside it. */
type BatchKernels = SliceKernels & SparseRowsKernels & MovingRowsKernels & GradientKernels;
type AllKernels = Kernels & NearestKernels & ReachKernels & BatchKernels & VectorKernels & BlockKernels & PanelKernels;
const plainBatch: BatchKernels = { ...plainSlice, ...plainSparseRows, ...plainMovingRows, ...plainGradient };
const allPlain: AllKernels = {
  ...plainKernels,
  ...plainNearest,
  ...plainReach,
  ...plainBatch,
  ...plainVectors,
  ...plainBlocks,
  ...plainPanels,
};
const inUse = (): AllKernels => ({
  ...kernels,
  ...nearestKernels(),
  ...reachKernels(),
  ...sliceKernels(),
  ...sparseRowsKernels(),
  ...movingRowsKernels(),
  ...gradientKernels(),
  ...vectorKernels(),
  ...blockKernels(),
  ...panelKernels(),
});

/** Allocates side by side in three large arrays of the kernels' memory. `reset` starts over. Gaps reveal stray writes. */
function arena(): Allocator & { reset(): void } {
  const [floats, doubles, indices] = [allocator.float32(4e6), allocator.float64(1e6), allocator.int32(1e6)];
  assert.is(floats.buffer, indices.buffer, 'in the memory');
  let used = { floats: 0, doubles: 0, indices: 0 };
  return {
    float32: (length) => floats.subarray(used.floats, (used.floats += length)),
    float64: (length) => doubles.subarray(used.doubles, (used.doubles += length)),
    int32: (length) => indices.subarray(used.indices, (used.indices += length)),
    reset: () => {
      used = { floats: 0, doubles: 0, indices: 0 };
    },
  };
}

let shared: ReturnType<typeof arena> | null = null;

/** Random arrays allocated by `memory`, longer than needed so that writes out of bounds are seen. */
function maker(random: Random, memory: Allocator) {
  const margin = 5;
  return {
    single: (length: number) => {
      const array = memory.float32(length + margin);
      random.fillNormal(array);
      return array;
    },
    double: (length: number) => {
      const array = memory.float64(length + margin);
      random.fillUniform(array, 0.5, 2);
      return array;
    },
    normals64: (length: number) => {
      const array = memory.float64(length + margin);
      random.fillNormal(array);
      return array;
    },
    indices: (length: number, count: number) => {
      const array = memory.int32(length + margin);
      for (let i = 0; i < length; i++) array[i] = random.integer(count);
      return array;
    },
    /** The same numbers in that memory. */
    placed: <T extends Int32Array | Float64Array>(array: T): T => {
      const copy = array instanceof Int32Array ? memory.int32(array.length) : memory.float64(array.length);
      copy.set(array);
      return copy as T;
    },
    /** Rows with 0 … 8 entries, and sometimes 40. */
    csr: (rows: number, cols: number) => {
      const starts = memory.int32(rows + 1).fill(0);
      for (let i = 0; i < rows; i++)
        starts[i + 1] = starts[i] + (cols === 0 ? 0 : i % 7 === 3 ? 40 : random.integer(9));
      const columns = memory.int32(starts[rows]);
      for (let e = 0; e < columns.length; e++) columns[e] = random.integer(cols);
      const values = memory.float32(starts[rows]);
      random.fillNormal(values);
      return { starts, columns, values };
    },
  };
}

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

/** Argument lists for each kernel. `ulps`: allowed difference in ε of the sum of magnitudes. `lost`: the argument that is scratch space. */
const cases: {
  [Name in keyof AllKernels]: {
    ulps: number;
    lost?: number;
    dimensions: 1 | 2 | 3;
    make: (make: Maker, m: number, n: number, k: number) => Arg[][];
  };
} = {
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
  csrTransposeMatmul: {
    ulps: 16,
    dimensions: 2,
    make: (make, rows, width) =>
      [false, true].map((add) => {
        const { starts, columns, values } = make.csr(rows, 11);
        return [rows, 11, width, starts, columns, values, make.single(rows * width), make.single(11 * width), add];
      }),
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
  siftPairs: {
    ulps: 0,
    dimensions: 2,
    make: (make, m, n) =>
      // Limits that few, about half, and all of the pairs are below.
      [-9, 0, 99].map((limit) => {
        const limits = (count: number) => {
          const array = make.single(count);
          for (let i = 0; i < count; i++) array[i] += limit;
          return array;
        };
        const [products, distances] = [make.single(m * n), make.single(m * n)];
        const [aNorms, bNorms] = [make.single(m), make.single(n)];
        return [m, n, products, aNorms, bNorms, limits(m), limits(n), make.indices(m * n, 1), distances];
      }),
  },
  listedDistances: {
    ulps: 0,
    dimensions: 3,
    make: (make, rows, count, d) => [
      [
        rows,
        count,
        d,
        make.indices(rows * count, 7),
        make.single(rows * d),
        make.single(7 * d),
        make.single(rows * count),
      ],
    ],
  },
  powerSums: {
    ulps: 0,
    dimensions: 3,
    make: (make, m, n, d) =>
      [
        [1, 3],
        [Infinity, 8],
        [2, 1.5],
        [5, 9],
      ][(m + n + d) % 4].map((power) => {
        return [m, n, d, power, make.single(m * d), make.single(n * d), make.normals64(m * n)];
      }),
  },
  kdNearest: {
    ulps: 0,
    dimensions: 3,
    make: (make, size, count, dimension) => {
      if (size < 2 || count === 0 || dimension === 0 || dimension > 9) return [];
      const { leaves, starts, order, lowest, points, boxes } = treeOf(make, size, dimension);
      const [start, end] = [Math.floor(size / 3), size];
      const few = Math.min(count, size - 1);
      const tree = [starts, order, lowest, points, boxes];
      const counts = [start, end, few, dimension, leaves];
      const found = (end - start) * few;
      const powers = [2, 1, Infinity, 2, 2.5].slice((size + count) % 3);
      return [points, make.double(size * dimension)].map((x, k) =>
        ([] as Arg[]).concat(counts, 1 - k, powers[k], tree, x, make.indices(found, 1), make.single(found)),
      );
    },
  },
  kdReach: {
    ulps: 0,
    lost: 16,
    dimensions: 3,
    make: (make, size, count, dimension) => {
      if (size < 2 || count === 0 || dimension === 0 || dimension > 9) return [];
      const [start, end] = [Math.floor(size / 3), size];
      const few = Math.min(count, size);
      const powers = [2, 1, Infinity, 2, 2.5].slice((size + count) % 3);
      return [0, 1].map((k) => {
        const reaches = Float32Array.from(make.double(size), (reach) => reach - 0.5);
        const { leaves, ...tree } = withReaches(treeOf(make, size, dimension), reaches);
        const arrays = [tree.rows, tree.lowest, tree.columns, tree.pairs].map((array) =>
          make.placed<Int32Array | Float64Array>(array),
        );
        const room = k === 0 ? size : 3; // enough, and hardly enough
        const [found, noted] = [(end - start) * few, (end - start) * (room + 1)];
        return ([start, end, few, dimension, leaves, room, powers[k]] as Arg[]).concat(
          arrays,
          make.double(size * dimension),
          make.indices(found, 1),
          make.single(found),
          make.indices(noted, 1),
          make.single(noted),
          make.double((end - start) * stackLength),
        );
      });
    },
  },
  csrRowSums: {
    ulps: 8 * 2 ** -29,
    dimensions: 1,
    make: (make, rows) => {
      const { starts, values } = make.csr(rows, 11);
      return [[rows, starts, values, make.double(rows)]];
    },
  },
};

/** A tree with arrays in the same memory as the others. Every other coordinate is an integer, so that distances tie. */
function treeOf(make: Maker, size: number, dimension: number): KdTree {
  const points = zeros([size, dimension], 'double');
  points.data.set(make.double(size * dimension).subarray(0, points.size));
  for (let at = 0; at < points.size; at += 2) points.data[at] = Math.round(points.data[at]);
  const work = growTree(points);
  for (;;) {
    const step = work.next();
    if (!step.done) continue;
    const { starts, order, lowest, boxes } = step.value;
    return {
      ...step.value,
      starts: make.placed(starts),
      order: make.placed(order),
      lowest: make.placed(lowest),
      points: make.placed(step.value.points),
      boxes: make.placed(boxes),
    };
  }
}

/** Three panels: a few columns with rows in the second, then that many, then one column, all with small entries, so that solutions do not grow. */
function panelSolution() {
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

function product(lengths: (m: number, n: number, k: number) => [number, number]) {
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

const isArray = (arg: Arg): arg is Float32Array | Float64Array | Int32Array => ArrayBuffer.isView(arg);

/** The same arguments on the heap. An array that occurs twice is copied once. */
function onHeap(args: Arg[], change = (x: number) => x): Arg[] {
  const seen = new Map<Arg, Arg>();
  return args.map((arg) => {
    if (!isArray(arg)) return arg;
    if (!seen.has(arg)) {
      const copy = arg.slice();
      seen.set(arg, copy instanceof Int32Array ? copy : copy.map(change));
    }
    return seen.get(arg)!;
  });
}

type AnyKernel = (...args: Arg[]) => number | void;

/** Runs both twins and compares all array arguments, outputs and inputs, and the return values. */
function compare(name: keyof AllKernels, args: Arg[], ulps = cases[name].ulps): void {
  const expected = onHeap(args);
  // Run on magnitudes, the plain kernel gives the scale Σ|aᵢbᵢ| of the rounding errors.
  const scales = onHeap(args, Math.abs);
  // Where the kernel subtracts, one side is negated. An activation's slope is at most 1, so that its input gives the scale.
  if (name === 'subtract' || name === 'squaredDistances') negate(scales[scales.length - 2]);
  if (name === 'sgdStep' || name === 'adamStep') scales[1] = -(scales[1] as number);
  if (name === 'subtractRows' || name === 'blockResidual') negate(scales[2]);
  if (name === 'blockCenter') negate(scales[3]);
  if (name === 'blockProduct') scales[9] = 1;
  if (name === 'subtractOuter') negate(scales[5]);
  if (name === 'solveLower' || name === 'solveUpper') negate(scales[4]);
  if (name === 'dense') scales[0] = 'identity';
  if (name === 'moveRows') scales[9] = Math.abs(scales[9] as number);
  const places = name in followed ? followed[name as keyof typeof followed] : null;
  const old = places && (scales[places[3]] as Float64Array).slice();
  const value = (allPlain[name] as AnyKernel)(...expected);
  const bound = (allPlain[name] as AnyKernel)(...scales);
  if (places) setMomentScales(args, scales, old!, places);
  const result = (inUse()[name] as AnyKernel)(...args);
  const label = `${name}(${args.map((arg) => (isArray(arg) ? '…' : arg)).join(', ')})`;
  near(result ?? 0, value ?? 0, bound ?? 0, ulps, label, 0);
  for (const [i, arg] of args.entries()) {
    if (!isArray(arg) || i === cases[name].lost) continue;
    const want = expected[i] as Float32Array;
    const scale = scales[i] as Float32Array;
    const place = `${label} argument ${i}`;
    for (let j = 0; j < arg.length; j++) near(arg[j], want[j], scale[j], ulps, place, j);
  }
}

/** Kernels that update moments: the arguments that are the list of rows or null, mass, η, rows before and after, YᵀDY and ηᵀY. */
const followed = {
  replaceRows: [2, 3, 4, 6, 6, 7, 8],
  moveRows: [2, 3, 4, 11, 11, 12, 13],
  followRows: [null, 2, 3, 4, 5, 6, 7],
} as const;

/** Moments change by differences of products of rows f and o, whose rounding is that of (|f| + |o|)ᵀ(|f| + |o|). */
function setMomentScales(
  args: Arg[],
  scales: Arg[],
  old: Float64Array,
  [list, ...places]: (typeof followed)[keyof typeof followed],
): void {
  const [count, width] = scales as number[];
  const [mass, eta, , fresh, gram, mean] = places.map((place) => scales[place] as Float64Array);
  gram.set((args[places[4]] as Float64Array).map(Math.abs));
  mean.set((args[places[5]] as Float64Array).map(Math.abs));
  for (let i = 0; i < count; i++) {
    const row = list === null ? i : (scales[list] as Int32Array)[i];
    const sums = Array.from({ length: width }, (_, s) => fresh[row * width + s] + old[row * width + s]);
    for (let s = 0; s < width; s++) {
      for (let t = 0; t < width; t++) gram[s * width + t] += mass[row] * sums[s] * sums[t];
      if (eta) mean[s] += eta[row] * sums[s];
    }
  }
}

function negate(array: Arg): void {
  if (isArray(array)) for (let i = 0; i < array.length; i++) array[i] = -array[i];
}

function near(got: number, want: number, scale: number, ulps: number, label: string, j: number): void {
  const allowed = ulps * epsilon * Math.max(Math.abs(scale), Math.abs(want));
  if (!(Math.abs(got - want) <= allowed))
    assert.unreachable(`${label}[${j}]: ${got} instead of ${want}, allowed ${allowed}`);
}

test.before(async () => {
  const status = enableSimd();
  assert.ok(status.enabled, JSON.stringify(status));
  // Leftovers of earlier specs must not keep arrays out of the memory.
  setFlagsFromString('--expose-gc');
  allocator.float32(1);
  (runInNewContext('gc') as () => void)();
  await new Promise((resolve) => setTimeout(resolve, 10));
});

for (const name of Object.keys(cases) as (keyof AllKernels)[]) {
  const { dimensions, make } = cases[name];
  for (const place of ['in their memory', 'from elsewhere'] as const) {
    test(`${name} agrees with its plain twin on arrays ${place}`, () => {
      const inside = place === 'in their memory' ? (shared ??= arena()) : null;
      const made = maker(new Random(name), inside ?? heap);
      const coarse = sizes.filter((size) => place === 'in their memory' || size % 4 === 1);
      for (const m of coarse) {
        for (const n of dimensions > 1 ? coarse : [1]) {
          for (const k of dimensions > 2 ? coarse : [1]) {
            inside?.reset();
            for (const args of make(made, m, n, k)) compare(name, args);
          }
        }
      }
    });
  }
}

test('every kernel has a SIMD twin', () => {
  for (const name of Object.keys(allPlain) as (keyof AllKernels)[]) assert.is.not(inUse()[name], allPlain[name], name);
});

test('products larger than every block agree', () => {
  const made = maker(new Random('blocks'), allocator);
  for (const [m, n, k] of [
    [101, 37, 1100],
    [13, 2060, 9],
    [600, 2, 700],
    [2, 300, 1300],
    [3, 5, 2000],
  ]) {
    for (const name of ['matmul', 'matmulTransposeA', 'matmulTransposeB', 'squaredDistances'] as const) {
      for (const args of cases[name].make(made, m, n, k)) compare(name, args, 32);
    }
  }
});

test('a row of a product has the same bits at every position in the list, and in all columns', () => {
  const made = maker(new Random('listed'), allocator);
  const { starts, columns, values } = made.csr(60, 11);
  const { csrRowsMatmul } = sparseRowsKernels();
  for (const width of [1, 2, 3, 6, 34]) {
    const x = made.single(11 * width).subarray(0, 11 * width);
    const bias = made.single(width);
    const times = (rows: number[]): Float32Array => {
      const list = made.placed(Int32Array.from(rows));
      const out = allocator.float32(rows.length * width);
      csrRowsMatmul(rows.length, width, list, starts, columns, values, x, bias, -Infinity, out);
      return out;
    };
    const alone = Array.from({ length: 60 }, (_, row) => times([row]));
    for (let count = 1; count < 14; count++) {
      for (let first = 0; first < 60; first += 7) {
        const rows = Array.from({ length: count }, (_, i) => (first + 17 * i) % 60);
        const want = rows.flatMap((row) => Array.from(alone[row]));
        assert.equal([...times(rows)], want, `${count} rows from ${first} on, ${width} columns`);
      }
    }
    if (width !== 34) continue;
    // The last two columns of a wide product equal a product with two columns.
    const pairs = allocator.float32(22);
    for (let i = 0; i < 22; i++) pairs[i] = x[(i >> 1) * 34 + 32 + (i % 2)];
    const [list, out] = [made.placed(Int32Array.from(alone.keys())), allocator.float32(120)];
    csrRowsMatmul(60, 2, list, starts, columns, values, pairs, bias.subarray(32), -Infinity, out);
    assert.equal(
      [...out],
      alone.flatMap((row) => Array.from(row.subarray(32))),
    );
  }
});

test('listed rows for panels, for panels with columns left over, and for blocks of rows agree', () => {
  const made = maker(new Random('panels'), allocator);
  for (const [rows, width] of [
    [300, 256],
    [180, 200],
    [1300, 70],
  ]) {
    for (const args of cases.csrRowsMatmul.make(made, rows, width, 0)) compare('csrRowsMatmul', args, 8);
  }
});

test('wide sparse products agree', () => {
  const made = maker(new Random('wide'), allocator);
  for (const width of [6, 33, 100, 256]) {
    for (const args of cases.csrMatmul.make(made, 20, width, 0)) compare('csrMatmul', args, 8);
    for (const args of cases.csrTransposeMatmul.make(made, 20, width, 0)) compare('csrTransposeMatmul', args, 16);
  }
});

test('vectors longer than the pieces they are worked on in agree', () => {
  const made = maker(new Random('long'), allocator);
  for (const name of ['rowDots', 'subtractRows', 'combineRows'] as const) {
    for (const args of cases[name].make(made, 7, 2 * piece + 3, 0)) compare(name, args);
  }
});

test('Gram matrices of blocks longer than a chunk agree', () => {
  const made = maker(new Random('tall'), allocator);
  for (const args of cases.blockGram.make(made, 2 * gramChunk + 3, 5, 6)) compare('blockGram', args);
  for (const args of cases.blockCombine.make(made, gramChunk + 3, 5, 6)) compare('blockCombine', args);
});

test('entries after a row of a sparse matrix do not enter its product', () => {
  const [starts, columns] = [allocator.int32(3), allocator.int32(5)];
  starts.set([0, 2, 5]);
  columns.set([1, 2, 0, 0, 0]);
  const x = allocator.float64(3);
  x.set([NaN, 2, 3]);
  for (const values of [allocator.float32(5).fill(1), allocator.float64(5).fill(1)]) {
    const out = allocator.float64(2);
    vectorKernels().csrTimesVector(2, starts, columns, values, null, x, out);
    assert.equal([...out], [5, NaN]);
  }
});

test('elementwise kernels may write over an input', () => {
  const calls: [keyof Kernels, (a: Float32Array, b: Float32Array, out: Float32Array) => Arg[]][] = [
    ['add', (a, b, out) => [37, a, b, out]],
    ['subtract', (a, b, out) => [37, a, b, out]],
    ['multiply', (a, b, out) => [37, a, b, out, false]],
    ['multiply', (a, b, out) => [37, a, b, out, true]],
    ['scale', (a, _, out) => [37, 3, a, out, false]],
    ['scale', (a, _, out) => [37, 3, a, out, true]],
    ['addBias', (a, b, out) => [1, 37, a, b, out]],
    ...activations.flatMap(
      (kind): [keyof Kernels, (a: Float32Array, b: Float32Array, out: Float32Array) => Arg[]][] => [
        ['activate', (a, _, out) => [kind, 37, a, out]],
        ['activateBackward', (a, b, out) => [kind, 37, a, b, out, false]],
      ],
    ),
  ];
  for (const memory of [(shared ??= arena()), heap]) {
    if (memory !== heap) shared.reset();
    for (const [name, call] of calls) {
      const [a, b] = [memory.float32(37), memory.float32(37)];
      for (let i = 0; i < 37; i++) [a[i], b[i]] = [Math.sin(i), Math.cos(i) / 2];
      const want = new Float32Array(37).fill(0);
      want.set(a); // the values that accumulating kernels add to
      (plainKernels[name] as AnyKernel)(...call(a.slice(), b.slice(), want));
      (kernels[name] as AnyKernel)(...call(a, b, a));
      for (let i = 0; i < 37; i++) near(a[i], want[i], 1, 4, name, i);
    }
  }
});

test('long sums of one sign keep their digits', () => {
  const k = 2 ** 20;
  const x = allocator.float32(2 * k).fill(0.1);
  const ones = allocator.float32(k).fill(1);
  const out = allocator.float32(2);
  const want = k * Math.fround(0.1);
  const isNear = (label: string): void => {
    for (const value of out) assert.ok(Math.abs(value / want - 1) < 1e-4, `${label}: ${value}, not ${want}`);
  };
  kernels.matmulTransposeA(1, 2, k, ones, x, out, false);
  isNear('Aᵀ·B');
  kernels.matmulTransposeB(1, 2, k, ones, x, out, false);
  isNear('A·Bᵀ');
  kernels.matmul(1, 2, k, ones, x, out, false);
  isNear('A·B');
  kernels.columnSums(k, 2, x, out, false);
  isNear('column sums');
});

test('a call that failed leaves nothing behind', () => {
  const a = new Float32Array([1, 2, 3, 4]);
  assert.throws(() => kernels.gram(2, 2, -2, null, a, a, new Float64Array(4)));
  a.fill(100);
  assert.is(kernels.sum(4, a), 400);
});

test('a huge gradient does not spoil the parameters', () => {
  for (const table of [kernels, plainKernels]) {
    const [gradient, first, second, parameters] = [3e19, 0, 0, 1].map((value) => allocator.float32(5).fill(value));
    for (let step = 0; step < 3; step++) {
      table.adamStep(5, 1e-3, 0.9, 0.999, 1e-8, 0, gradient, first, second, parameters);
      gradient.fill(1);
    }
    assert.ok(
      parameters.every((p) => p > 0.98 && p < 1),
      `${parameters}`,
    );
  }
});

test('activations keep their digits at both ends, and a NaN stays one', () => {
  const x = allocator.float32(12);
  x.set([0, -0, 1e-30, -1e-30, 1e-4, -1e-4, 20, -20, 80, -80, 1000, -1000]);
  for (const activation of activations) {
    const got = allocator.float32(12);
    const want = new Float32Array(12);
    kernels.activate(activation, 12, x, got);
    plainKernels.activate(activation, 12, x, want);
    for (let i = 0; i < 12; i++) {
      const allowed = 4 * epsilon * Math.abs(want[i]) + 2e-38;
      assert.ok(Math.abs(got[i] - want[i]) <= allowed, `${activation}(${x[i]}) = ${got[i]}, not ${want[i]}`);
    }
    const nan = allocator.float32(5).fill(NaN);
    kernels.activate(activation, 5, nan, nan);
    assert.ok(nan.every(Number.isNaN), activation);
  }
});

test('no moment becomes a denormal, however long a unit is dead or its gradient tiny', () => {
  const isNormal = (x: number) => x === 0 || Math.abs(x) > 2 ** -126;
  for (const table of [kernels, plainKernels]) {
    for (const tiny of [0, 1e-22, 1e-38]) {
      const gradient = allocator.float32(6).fill(tiny);
      const [first, second, velocity, parameters] = [1, 2, 3, 4].map(() => allocator.float32(6).fill(1));
      for (let step = 0; step < 2000; step++) {
        table.adamStep(6, 0.1, 0.9, 0.9, 1e-8, 0, gradient, first, second, parameters);
        table.sgdStep(6, 0.1, 0.9, gradient, velocity, parameters);
        for (const moments of [first, second, velocity]) assert.ok(moments.every(isNormal), `step ${step}: ${moments}`);
      }
    }
  }
});

test('nor does one of a row that a product has no entries for', () => {
  for (const { adamProduct } of [inUse(), allPlain]) {
    const [starts, none] = [Int32Array.of(0, 0), Int32Array.of()];
    const [first, second, parameters] = [1, 2, 3].map(() => allocator.float32(6).fill(1));
    const x = allocator.float32(6);
    for (let step = 0; step < 2000; step++) {
      adamProduct(1, 6, starts, none, new Float32Array(0), x, 0.1, 0.9, 0.9, 1e-8, 0, first, second, parameters, 1);
    }
    assert.ok(first.every((value) => value === 0));
    assert.ok(second.every((value) => value > 1e-31 && value < 1e-29));
  }
});

test('rows of a table that no cache holds are replaced as those of a small one', () => {
  const [n, count, width] = [150_000, 300, 3];
  const random = new Random('large table');
  const rows = allocator.int32(count);
  for (let i = 0; i < count; i++) rows[i] = i * 499;
  const fresh = allocator.float32(count * width);
  const start = new Float32Array(n * width);
  const mass = allocator.float64(n);
  for (const each of [fresh, start, mass]) random.fillNormal(each);
  for (const eta of [null, mass]) {
    const [got, want] = [inUse(), allPlain].map(({ replaceRows }) => {
      const [kept, gram, mean] = [
        allocator.float32(n * width),
        allocator.float64(width ** 2),
        allocator.float64(width),
      ];
      kept.set(start);
      replaceRows(count, width, rows, mass, eta, fresh, kept, gram, mean);
      return { kept, sums: [...gram, ...mean] };
    });
    assert.ok(got.kept.every((value, p) => value === want.kept[p]));
    got.sums.forEach((value, p) => assert.ok(Math.abs(value - want.sums[p]) < 1e-11, `${value}, not ${want.sums[p]}`));
  }
});

test('a row of mass 0 does not move', () => {
  for (const { moveRows } of [inUse(), allPlain]) {
    const rows = Int32Array.of(1, 0);
    const [p, q, s] = [0, Infinity, NaN].map((value) => Float64Array.of(value));
    const [kept, gram, mean] = [Float32Array.of(2, 3), Float64Array.of(13), Float64Array.of(5)];
    moveRows(
      2,
      1,
      rows,
      new Float64Array(2),
      Float64Array.of(1, 1),
      p,
      q,
      s,
      1,
      1,
      new Float32Array(2),
      kept,
      gram,
      mean,
    );
    assert.equal([...kept, ...gram, ...mean], [2, 3, 13, 5]);
  }
});

test('products and Gram matrices of Float64 have the bits of the plain twins', () => {
  const made = maker(new Random('double'), allocator);
  const all = [1, 6, 19, 36];
  const sameBits = (name: keyof Kernels, args: Arg[]): void => compare(name, args, 0);
  for (const m of all) {
    for (const n of all) {
      for (const k of [3, 130]) {
        for (const add of [false, true]) {
          const [a, b, out] = [m * k, k * n, m * n].map(made.normals64);
          for (const name of ['matmul', 'matmulTransposeA', 'matmulTransposeB'] as const) {
            sameBits(name, [m, n, k, a, b, out, add]);
          }
        }
        const [a, b] = [k * m, k * n].map(made.normals64);
        for (const weights of [null, made.double(k), made.single(k)]) {
          sameBits('gram', [k, m, n, weights, a, b, made.normals64(m * n)]);
          sameBits('gram', [k, m, m, weights, a, a, made.normals64(m * m)]);
        }
      }
    }
  }
});

test('a Gram matrix has the same bits whether its columns are read in place or copied first', () => {
  const made = maker(new Random('columns'), allocator);
  const [rows, few, many] = [150, 8, 21];
  const wide = made.single(rows * many);
  const narrow = allocator.float32(rows * few);
  for (let i = 0; i < rows; i++) narrow.set(wide.subarray(i * many + 8, i * many + 8 + few), i * few);
  for (const weights of [null, made.double(rows), made.single(rows)]) {
    const [all, some] = [new Float64Array(many ** 2), new Float64Array(few ** 2)];
    kernels.gram(rows, many, many, weights, wide, wide, all);
    kernels.gram(rows, few, few, weights, narrow, narrow, some);
    for (let s = 0; s < few; s++) {
      for (let t = 0; t < few; t++) assert.is(all[(s + 8) * many + t + 8], some[s * few + t]);
    }
  }
});

test('a product of mixed precision goes to the plain twin', () => {
  const a = Float64Array.of(1, 1e-12, 3, 4);
  const out = new Float32Array(4);
  kernels.matmul(2, 2, 2, a, a, out, false);
  assert.equal([...out], [1 + 3e-12, 1e-12 + 4e-12, 15, 3e-12 + 16].map(Math.fround));
});

test('switched off, the table holds the plain kernels and arrays from before still work', () => {
  const inside = allocator.float32(3).fill(2);
  disableSimd();
  const names = Object.keys(plainKernels) as (keyof Kernels)[];
  assert.equal(Object.keys(kernels), names);
  for (const name of names) assert.is(kernels[name], plainKernels[name], name);
  assert.is(nearestKernels(), plainNearest);
  assert.is(vectorKernels(), plainVectors);
  assert.is.not(allocator.float32(1).buffer, inside.buffer);
  kernels.add(3, inside, inside, inside);
  assert.equal([...inside], [4, 4, 4]);
  enableSimd();
  for (const name of names) assert.is.not(kernels[name], plainKernels[name], name);
  kernels.add(3, inside, inside, inside);
  assert.equal([...inside], [8, 8, 8]);
  assert.is(allocator.float32(1).buffer, inside.buffer);
});

test.run();
