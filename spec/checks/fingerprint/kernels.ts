/** Cases of the kernel table, in many shapes, and of gradients by the tape. */

import type { Precision } from '../../../lib/index.ts';
import type { Variable } from '../../../lib/doors/autodiff.ts';
import type { Activation, Kernels } from '../../../lib/doors/kernels.ts';
import type { Api } from './api.ts';
import { normalMatrix } from './inputs.ts';
import type { Case, Parts } from './record.ts';

type Floats = Float32Array | Float64Array;
/** Calls one kernel on fresh arrays and returns what it wrote. */
type Call = (kernels: Kernels, make: Maker) => Record<string, Floats>;

interface Maker {
  /** Normal numbers in memory that the library allocates, the same for the same seed. */
  normal(length: number, seed: string): Floats;
  /** The same on the ordinary heap. */
  elsewhere(length: number, seed: string): Floats;
  rows(count: number, below: number): Int32Array;
  csr(rows: number, cols: number): { starts: Int32Array; columns: Int32Array; values: Floats };
}

/** m, n and k of products: narrow ones, whole tiles, partial tiles, sums of more than one block, work for threads. */
const shapes = [
  [1, 1, 1],
  [5, 3, 7],
  [9, 1, 300],
  [9, 2, 300],
  [33, 17, 2],
  [33, 17, 4],
  [16, 16, 16],
  [45, 64, 64],
  [33, 47, 65],
  [70, 130, 520],
  [256, 96, 64],
  [160, 64, 600],
] as const;
const widths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 40] as const;
const precisions = ['single', 'double'] as const;
const activations = ['identity', 'relu', 'softplus', 'tanh', 'sigmoid'] as const;

export async function kernelCases(api: Api): Promise<readonly Case[]> {
  const written = precisions.flatMap((precision) =>
    Object.entries(calls).map(([name, call]): Case => [
      `${name} ${precision}`,
      () => call(api.kernels, makerOf(api, precision)),
    ]),
  );
  const differentiated = precisions.flatMap((precision) =>
    Object.entries(functions(api)).map(([name, f]): Case => [
      `gradient ${name} ${precision}`,
      () => gradients(api, f, precision),
    ]),
  );
  return [...written, ...differentiated];
}

function makerOf(api: Api, precision: Precision): Maker {
  const normal = (length: number, seed: string): Floats => normalMatrix(api, 1, length, seed, precision).data;
  return {
    normal,
    elsewhere: (length, seed) => normal(length, seed).slice(),
    rows: (count, below) => {
      const random = new api.Random('rows');
      return Int32Array.from({ length: count }, () => random.integer(below));
    },
    csr: (rows, cols) => {
      const random = new api.Random('csr');
      const table = api.zeros([rows, cols], precision);
      for (let i = 0; i < table.size; i++) if (random.uniform() < 0.2) table.data[i] = random.normal();
      return api.fromDense(table);
    },
  };
}

/** One part for each shape, from the same kernel. */
function over<T>(list: readonly T[], run: (each: T) => Floats): Record<string, Floats> {
  return Object.fromEntries(list.map((each) => [String(each), run(each)]));
}

const product =
  (name: 'matmul' | 'matmulTransposeA' | 'matmulTransposeB', accumulate: boolean): Call =>
  (kernels, { normal }) =>
    over(shapes, ([m, n, k]) => {
      const out = normal(m * n, 'out');
      kernels[name](m, n, k, normal(m * k, 'a'), normal(k * n, 'b'), out, accumulate);
      return out;
    });

const layer =
  (activation: Activation): Call =>
  (kernels, { normal }) =>
    over(shapes, ([m, n, k]) => {
      const out = normal(m * n, 'out');
      kernels.dense(activation, m, n, k, normal(m * k, 'a'), normal(k * n, 'b'), normal(n, 'bias'), out);
      return out;
    });

const slope =
  (activation: Activation): Call =>
  (kernels, { normal }) =>
    over([1, 7, 64, 1001], (n) => {
      const [y, out] = [normal(n, 'y'), normal(n, 'out')];
      kernels.activate(activation, n, normal(n, 'x'), y);
      kernels.activateBackward(activation, n, y, normal(n, 'gradient'), out, true);
      return out;
    });

const calls: Record<string, Call> = {
  matmul: product('matmul', false),
  'matmul added': product('matmul', true),
  matmulTransposeA: product('matmulTransposeA', false),
  'matmulTransposeA added': product('matmulTransposeA', true),
  matmulTransposeB: product('matmulTransposeB', false),
  'matmulTransposeB added': product('matmulTransposeB', true),
  'matmul elsewhere': (kernels, { elsewhere }) =>
    over(shapes, ([m, n, k]) => {
      const out = elsewhere(m * n, 'out');
      kernels.matmul(m, n, k, elsewhere(m * k, 'a'), elsewhere(k * n, 'b'), out, false);
      return out;
    }),
  ...Object.fromEntries(activations.map((activation) => [`dense ${activation}`, layer(activation)])),
  ...Object.fromEntries(activations.map((activation) => [`slope ${activation}`, slope(activation)])),
  squaredDistances: (kernels, { normal }) =>
    over(shapes, ([m, n, d]) => {
      const out = normal(m * n, 'out');
      kernels.squaredDistances(m, n, d, normal(m * d, 'a'), normal(n * d, 'b'), out);
      return out;
    }),
  elementwise: (kernels, { normal }) =>
    over([1, 6, 64, 1003], (n) => {
      const out = normal(n, 'out');
      kernels.add(n, out, normal(n, 'a'), out);
      kernels.multiply(n, out, normal(n, 'b'), out, false);
      kernels.multiply(n, normal(n, 'a'), normal(n, 'b'), out, true);
      kernels.subtract(n, out, normal(n, 'c'), out);
      kernels.scale(n, 0.3, normal(n, 'd'), out, true);
      return out;
    }),
  rows: (kernels, { normal, rows }) =>
    over(widths, (cols) => {
      const [list, out, sums] = [rows(30, 50), normal(50 * cols, 'out'), normal(cols, 'sums')];
      const taken = normal(30 * cols, 'taken');
      kernels.gatherRows(30, cols, list, out, taken);
      kernels.scaleRows(30, cols, normal(30, 'factors'), taken, taken, false);
      kernels.addBias(30, cols, taken, sums, taken);
      kernels.scatterAddRows(30, cols, list, taken, out);
      kernels.columnSums(50, cols, out, sums, true);
      kernels.addBias(50, cols, out, sums, out);
      const transposed = normal(50 * cols, 'transposed');
      kernels.transpose(50, cols, out, transposed, true);
      return transposed;
    }),
  reduce: (kernels, { normal }) =>
    over(widths, (cols) => {
      const out = new Float64Array(cols * cols + cols * 3 + cols + 2);
      const [x, y, weights] = [normal(101 * cols, 'x'), normal(303, 'y'), normal(101, 'weights')];
      kernels.gram(101, cols, cols, weights, x, x, out.subarray(0, cols * cols));
      kernels.gram(101, cols, 3, null, x, y, out.subarray(cols * cols, cols * cols + cols * 3));
      kernels.weightedColumnSums(101, cols, weights, x, out.subarray(cols * cols + cols * 3, out.length - 2));
      out[out.length - 2] = kernels.dot(101 * cols, x, normal(101 * cols, 'z'));
      out[out.length - 1] = kernels.sum(101 * cols, x);
      return out;
    }),
  sparse: (kernels, { normal, csr }) =>
    over(widths, (width) => {
      const [rows, cols] = [120, 90];
      const { starts, columns, values } = csr(rows, cols);
      const [out, back] = [normal(rows * width, 'out'), normal(cols * width, 'back')];
      kernels.csrMatmul(rows, width, starts, columns, values, normal(cols * width, 'x'), out, true);
      kernels.csrTransposeMatmul(rows, cols, width, starts, columns, values, out, back, true);
      return back;
    }),
  'sparse, shared': (kernels, { normal, csr }) =>
    over([8, 40], (width) => {
      const { starts, columns, values } = csr(600, 500);
      const out = normal(600 * width, 'out');
      kernels.csrMatmul(600, width, starts, columns, values, normal(500 * width, 'x'), out, false);
      return out;
    }),
  csrRowSums: (kernels, { csr }) => {
    const { starts, values } = csr(120, 90);
    const out = new Float64Array(120);
    kernels.csrRowSums(120, starts, values, out);
    return { out };
  },
  steps: (kernels, { normal }) =>
    over([1, 7, 1002, 90_000], (n) => {
      const [gradient, moment, parameters] = [normal(n, 'gradient'), normal(n, 'moment'), normal(n, 'parameters')];
      const second = normal(n, 'second').map((value) => value * value);
      kernels.sgdStep(n, 0.01, 0.9, gradient, moment, parameters);
      kernels.adamStep(n, 0.01, 0.9, 0.999, 1e-8, 0.001, gradient, moment, second, parameters);
      return parameters;
    }),
};

/** Of x (7×4), y (7×4), z (4×4) and b (4). */
type Differentiable = (x: Variable, y: Variable, z: Variable, b: Variable) => Variable;

function functions(api: Api): Record<string, Differentiable> {
  const { add, addBias, cholesky, convert, dense, gatherRows, invertTriangular, matmul, mean, multiply, relu } = api;
  const { scale, scaleRows, sigmoid, softplus, solveTriangular, subtract, sum, tanh, thinQr, traceOfProduct } = api;
  const { transpose } = api;
  const rows = Int32Array.from([3, 1, 1, 6, 0]);
  const factors = Float64Array.from({ length: 7 }, (_, i) => 1 + i / 5);
  const gramOf = (x: Variable): Variable => matmul(x, x, { transposeA: true });
  return {
    arithmetic: (x, y) => sum(multiply(subtract(add(x, y), scale(y, 0.3)), tanh(x))),
    activations: (x, y, z) => mean(multiply(sigmoid(matmul(x, z)), softplus(relu(y)))),
    layers: (x, y, z, b) => traceOfProduct(dense(dense(x, z, b, 'relu'), z, b, 'tanh'), y),
    rows: (x, y, z, b) =>
      sum(multiply(gatherRows(scaleRows(matmul(x, z), factors), rows), gatherRows(addBias(y, b), rows))),
    transposed: (x, y, z) => sum(matmul(transpose(matmul(x, z)), y)),
    cholesky: (x, y) => sum(multiply(cholesky(gramOf(x)), cholesky(gramOf(y)))),
    triangular: (x, y) => sum(solveTriangular(cholesky(gramOf(x)), convert(gramOf(y), 'double'))),
    inverse: (x) => sum(invertTriangular(cholesky(gramOf(x)))),
    qr: (x, y, z) => {
      const { q, r } = thinQr(x);
      return add(traceOfProduct(q, y), traceOfProduct(r, convert(z, 'double')));
    },
  };
}

function gradients(api: Api, f: Differentiable, precision: Precision): Parts {
  const tape = new api.Tape();
  const bias = api.tensor([0.5, -1, 2, 0.1], precision);
  const [x, y, z] = [7, 7, 4].map((rows, i) => tape.watch(normalMatrix(api, rows, 4, `input ${i}`, precision)));
  const b = tape.watch(bias);
  const root = f(x, y, z, b);
  tape.backward(root);
  const found = [x, y, z, b].map(({ gradient }, i) => [`gradient ${i}`, gradient ? gradient.data : []]);
  return { value: root.value.data, ...Object.fromEntries(found) };
}
