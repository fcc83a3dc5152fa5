/** Every pullback against central differences, in both precisions, over seeded shapes, on both backends. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Precision, Random, tensor, type Tensor } from '../../lib/index.ts';
import { checkGradient, Tape, type Variable } from '../../lib/doors/autodiff.ts';
import { fromDense, mapValues } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import * as specnet from '../../lib/autodiff/functions.ts';
import { operations } from '../../lib/autodiff/operations.ts';
import { onEveryBackend } from '../backends.ts';

const test = suite('differentiable operations');
const { matmul } = specnet;

interface Draw {
  random: Random;
  matrix(rows: number, cols: number): Tensor;
  vector(size: number): Tensor;
  /** Entries at least 0.2 away from zero, where relu has its kink. */
  offZero(rows: number, cols: number): Tensor;
  /** Triangular, well conditioned. */
  triangular(k: number, triangle: 'lower' | 'upper'): Tensor;
  positive(k: number): Tensor;
  size(least?: number): number;
}

function draw(random: Random, precision: Precision): Draw {
  const filled = (shape: number[], next: () => number): Tensor => {
    const result = zeros(shape, precision);
    for (let i = 0; i < result.size; i++) result.data[i] = next();
    return result;
  };
  const matrix = (rows: number, cols: number) => filled([rows, cols], () => random.normal());
  return {
    random,
    matrix,
    vector: (size) => filled([size], () => random.normal()),
    offZero: (rows, cols) =>
      filled([rows, cols], () => (random.uniform() < 0.5 ? -1 : 1) * (0.2 + Math.abs(random.normal()))),
    triangular: (k, triangle) => {
      const t = matrix(k, k);
      for (let i = 0; i < k; i++) {
        for (let j = 0; j < k; j++) if (triangle === 'lower' ? j > i : j < i) t.data[i * k + j] = 0;
        t.data[i * k + i] = 2 + random.uniform();
      }
      return t;
    },
    positive: (k) => {
      const a = matrix(k, k);
      const result = matmul(a, a, { transposeB: true });
      for (let i = 0; i < k; i++) result.data[i * k + i] += 2;
      return result;
    },
    size: (least = 1) => least + random.integer(5),
  };
}

type Case = [inputs: Tensor[], f: (...variables: Variable[]) => Variable];

/** Calls to check for every operation of the table. */
const cases: { [Name in keyof typeof operations]: ((d: Draw) => Case)[] } = {
  add: [(d) => pair(d, specnet.add)],
  subtract: [(d) => pair(d, specnet.subtract)],
  multiply: [(d) => pair(d, specnet.multiply), (d) => [[d.matrix(2, 3)], (x) => specnet.multiply(x, x)]],
  scale: [(d) => [[d.matrix(d.size(), d.size())], (x) => specnet.scale(x, -1.7)]],
  addBias: [
    (d) => {
      const cols = d.size();
      return [[d.matrix(d.size(), cols), d.vector(cols)], specnet.addBias];
    },
  ],
  activate: [specnet.relu, specnet.softplus, specnet.tanh, specnet.sigmoid].map((f) => (d: Draw): Case => [
    [d.offZero(d.size(), d.size())],
    (x) => f(x),
  ]),
  convert: [
    (d) => [[d.matrix(d.size(), d.size())], (x) => specnet.convert(x, 'double')],
    (d) => [[d.matrix(2, 2)], (x) => specnet.convert(specnet.convert(x, 'double'), x.value.precision)],
  ],
  gatherRows: [
    (d) => {
      const rows = d.size();
      const list = Int32Array.from({ length: d.size() + 2 }, () => d.random.integer(rows));
      return [[d.matrix(rows, d.size())], (x) => specnet.gatherRows(x, list)];
    },
  ],
  scaleRows: [
    (d) => {
      const rows = d.size();
      const factors = Float64Array.from({ length: rows }, () => d.random.uniform(0.5, 2));
      return [[d.matrix(rows, d.size())], (x) => specnet.scaleRows(x, factors)];
    },
    (d) => [[d.matrix(2, 3)], (x) => specnet.scaleRows(x, new Float32Array([2, -3]))],
  ],
  sum: [(d) => [[d.matrix(d.size(), d.size())], (x) => specnet.sum(x)]],
  mean: [(d) => [[d.matrix(d.size(), d.size())], (x) => specnet.mean(x)]],
  traceOfProduct: [
    (d) => pair(d, specnet.traceOfProduct),
    (d) => [[d.matrix(3, 2)], (x) => specnet.traceOfProduct(x, x)],
  ],
  matmul: [false, true].flatMap((transposeA) =>
    [false, true].map((transposeB) => (d: Draw): Case => {
      const [m, n, k] = [d.size(), d.size(), d.size()];
      const a = transposeA ? d.matrix(k, m) : d.matrix(m, k);
      const b = transposeB ? d.matrix(n, k) : d.matrix(k, n);
      return [[a, b], (x, y) => matmul(x, y, { transposeA, transposeB })];
    }),
  ),
  transpose: [(d) => [[d.matrix(d.size(), d.size())], (x) => specnet.transpose(x)]],
  dense: (['identity', 'relu', 'softplus', 'tanh', 'sigmoid'] as const).map((activation) => (d: Draw): Case => {
    // The biases keep the two columns away from the kink of ReLU: one is active, the other is not.
    const [m, k] = [d.size(), d.size()];
    const bias = d.vector(2);
    bias.data.set([6 * k, -6 * k].map((x) => (activation === 'relu' ? x : x / (6 * k))));
    return [[d.matrix(m, k), d.matrix(k, 2), bias], (x, w, b) => specnet.dense(x, w, b, activation)];
  }),
  sparseDense: (['identity', 'relu', 'softplus', 'tanh', 'sigmoid'] as const).map((activation) => (d: Draw): Case => {
    const [m, k, n] = [d.size(), d.size(), d.size()];
    const sparse = fromDense(d.matrix(m, k));
    // Positive weights and bias on positive entries keep relu off its kink.
    const positive = mapValues(sparse, (value) => Math.abs(value) + 0.1);
    const bias = d.vector(n);
    bias.data.fill(0.3);
    const weights = d.matrix(k, n);
    if (activation === 'relu') for (let i = 0; i < weights.size; i++) weights.data[i] = Math.abs(weights.data[i]);
    return [[weights, bias], (w, b) => specnet.dense(positive, w, b, activation)];
  }),
  csrMatmul: [false, true].map((transposeA) => (d: Draw): Case => {
    const [m, k] = [d.size(), d.size()];
    const a = d.matrix(m, k);
    for (let i = 1; i < a.size; i++) if (d.random.uniform() < 0.5) a.data[i] = 0;
    const sparse = fromDense(a);
    return [[d.matrix(transposeA ? m : k, d.size())], (x) => matmul(sparse, x, { transposeA })];
  }),
  // Takes the symmetric part, because central differences change one entry at a time.
  cholesky: [
    (d) => [[d.positive(d.size())], (a) => specnet.cholesky(specnet.scale(specnet.add(a, specnet.transpose(a)), 0.5))],
  ],
  qrOrthogonal: [
    (d) => {
      const k = d.size();
      return [[d.matrix(k + d.size(), k)], (x) => specnet.thinQr(x).q];
    },
  ],
  qrTriangular: [
    (d) => {
      const k = d.size();
      return [[d.matrix(k + d.size(), k)], (x) => specnet.thinQr(x).r];
    },
  ],
  solveTriangular: (['lower', 'upper'] as const).flatMap((triangle) =>
    (['left', 'right'] as const).flatMap((side) =>
      [false, true].map((transposed) => (d: Draw): Case => {
        const k = d.size();
        const b = side === 'left' ? d.matrix(k, d.size()) : d.matrix(d.size(), k);
        // The mask restricts differences to the entries of the triangle.
        return [
          [d.triangular(k, triangle), b],
          (t, x) => specnet.solveTriangular(maskTriangle(t, triangle), x, { side, triangle, transposed }),
        ];
      }),
    ),
  ),
  invertTriangular: (['lower', 'upper'] as const).map((triangle) => (d: Draw): Case => [
    [d.triangular(d.size(), triangle)],
    (t) => specnet.invertTriangular(maskTriangle(t, triangle), { triangle }),
  ]),
};

function pair(d: Draw, f: (a: Variable, b: Variable) => Variable): Case {
  const [rows, cols] = [d.size(), d.size()];
  return [[d.matrix(rows, cols), d.matrix(rows, cols)], f];
}

/** t with zeros outside the triangle, by a product with a constant mask. */
function maskTriangle(t: Variable, triangle: 'lower' | 'upper'): Variable {
  const k = t.value.rows;
  const mask = zeros([k, k], t.value.precision);
  for (let i = 0; i < k; i++)
    for (let j = 0; j < k; j++) mask.data[i * k + j] = (triangle === 'lower' ? j <= i : j >= i) ? 1 : 0;
  return specnet.multiply(t, mask);
}

/** Applies the operation twice, so that gradients accumulate. */
function twice(f: Case[1]): Case[1] {
  return (...variables) => specnet.add(f(...variables), f(...variables));
}

for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
  for (const precision of ['single', 'double'] as const) {
    onEveryBackend(test, `${name} agrees with central differences in ${precision} precision`, () => {
      for (let seed = 0; seed < 4; seed++) {
        for (const [i, make] of cases[name].entries()) {
          const [inputs, f] = make(draw(new Random(`${name}/${seed}`), precision));
          for (const g of [f, twice(f)]) {
            const result = checkGradient(g, inputs, { seed });
            assert.ok(result.passes, `${name} ${i}, seed ${seed}: ${JSON.stringify(result)}`);
          }
        }
      }
    });
  }
}

test('a planted wrong pullback fails, for every operation and every input', () => {
  for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
    const operation = operations[name] as { pullbacks: unknown };
    const kept = operation.pullbacks as ((call: unknown, into: Tensor, accumulate: boolean) => void)[];
    for (let wrong = 0; wrong < kept.length; wrong++) {
      for (const precision of ['single', 'double'] as const) {
        // A single entry is 5% too large.
        operation.pullbacks = kept.map((pullback, i) =>
          i !== wrong
            ? pullback
            : (call: unknown, into: Tensor, accumulate: boolean) => {
                pullback(call, into, accumulate);
                const magnitudes = Array.from(into.data, Math.abs);
                into.data[magnitudes.indexOf(Math.max(...magnitudes))] *= 1.05;
              },
        );
        try {
          for (const [i, make] of cases[name].entries()) {
            const [inputs, f] = make(draw(new Random(`planted/${name}`), precision));
            if (inputs.length <= wrong) continue; // this case passes one variable twice
            // The largest entry of the gradient may belong to another input. An error of 5% in this input must still be found.
            const result = checkGradient(f, inputs);
            assert.not.ok(result.passes, `${name} ${i}, input ${wrong}, ${precision}: ${JSON.stringify(result)}`);
          }
        } finally {
          operation.pullbacks = kept;
        }
      }
    }
  }
});

test('an operation of the table without a case here would be noticed', () => {
  assert.equal(Object.keys(cases).toSorted(), Object.keys(operations).toSorted());
});

test('without a variable the same functions compute at once', () => {
  const random = new Random('tapeless');
  for (const name of Object.keys(cases) as (keyof typeof cases)[]) {
    for (const make of cases[name]) {
      const [inputs, f] = make(draw(random, 'double'));
      const tape = new Tape();
      const recorded = f(...inputs.map((input) => tape.watch(input)));
      if (['solveTriangular', 'invertTriangular', 'convert'].includes(name)) continue; // their cases read x.value
      const computed = (f as unknown as (...tensors: Tensor[]) => Tensor)(...inputs);
      assert.equal(computed.shape, recorded.value.shape, name);
      assert.equal(computed.data, recorded.value.data.slice(), name);
    }
  }
});

test('operands of the wrong shape are refused', () => {
  const a = zeros([2, 3]);
  const b = zeros([2, 4]);
  const refusals: [() => unknown, RegExp][] = [
    [() => specnet.add(a, b), /^RangeError: add: expected two operands of the same shape, got 2×3 and 2×4\.$/],
    [
      () => specnet.add(a, zeros([2, 3], 'double')),
      /add: expected operands of the same precision, got single and double\. convert\(\)/,
    ],
    [() => matmul(a, b), /matmul: expected inner sizes that agree, got \(2×3\) times \(2×4\)/],
    [() => matmul(a, b, { transposeB: true }), /got \(2×3\) times \(2×4\)ᵀ/],
    [() => matmul(a, zeros([3])), /matmul: expected b to have two axes, got shape 3/],
    [() => matmul(fromDense(a), b), /matmul: expected inner sizes that agree, got \(2×3\) times \(2×4\)/],
    [
      () => matmul(fromDense(a), b, { transposeB: true } as never),
      /matmul: expected transposeB to be false for a sparse a, got true\. Pass transpose\(b\)/,
    ],
    [
      () => matmul(fromDense(a), zeros([3, 2], 'double')),
      /expected operands of the same precision, got single and double/,
    ],
    [() => specnet.addBias(a, zeros([2])), /addBias: expected a bias of shape 3, one number for each column, got 2/],
    [() => specnet.dense(a, b, zeros([4])), /dense: expected inner sizes that agree, got \(2×3\) times \(2×4\)/],
    [
      () => specnet.dense(a, zeros([3, 1]), zeros([1]), 'swish' as never),
      /dense: expected activation to be 'identity' or/,
    ],
    [
      () => specnet.gatherRows(a, new Int32Array([0, 2])),
      /gatherRows: expected rows to be whole numbers from 0 to 1, got 2 at index 1/,
    ],
    [() => specnet.gatherRows(a, [0] as never), /TypeError: gatherRows: expected an Int32Array of rows, got an array/],
    [() => specnet.scaleRows(a, new Float64Array([1])), /scaleRows: expected 2 factors, one for each row, got 1/],
    [
      () => specnet.scaleRows(a, new Float64Array([1, NaN])),
      /scaleRows: expected finite numbers in factors, got NaN at index 1/,
    ],
    [() => specnet.scale(a, '2' as never), /TypeError: scale: expected a number as factor, got 2/],
    [() => specnet.mean(zeros([0, 3])), /mean: expected at least one number, got none/],
    [() => specnet.relu([1, 2] as never), /TypeError: relu: expected tensors or variables, got an array/],
    [() => specnet.cholesky(a), /cholesky: expected a to be square, got 2×3/],
    [
      () =>
        specnet.cholesky(
          tensor([
            [2, 1],
            [0, 2],
          ]),
        ),
      /cholesky: expected a to be symmetric, got 0 at row 1, column 0 but 1 at row 0, column 1/,
    ],
    [() => specnet.cholesky(zeros([2, 2])), /cholesky: expected a positive definite matrix, got pivot 0 of value 0/],
    [() => specnet.thinQr(a), /thinQr: expected at least as many rows as columns, got 2 rows and 3 columns/],
    [
      () => specnet.thinQr(zeros([3, 2])),
      /thinQr: expected independent columns, got column 0 with a residual of 0, compared with 0/,
    ],
    [
      () => specnet.solveTriangular(zeros([2, 2]), a),
      /solveTriangular: expected an invertible t, got pivot 0 of value 0/,
    ],
    [() => specnet.solveTriangular(zeros([2, 2]), zeros([3, 2])), /expected b to have 2 rows, as t has, got 3×2/],
    [() => specnet.invertTriangular(zeros([1, 1])), /invertTriangular: expected an invertible t, got pivot 0/],
    [() => specnet.convert(a, 'half' as never), /convert: expected precision to be 'single' or 'double', got half/],
  ];
  for (const [run, message] of refusals) {
    try {
      run();
    } catch (error) {
      assert.match(String(error), message);
      continue;
    }
    assert.unreachable(`nothing was thrown for ${message}`);
  }
});

test('empty tensors pass through', () => {
  assert.equal(matmul(zeros([0, 3]), zeros([3, 2])).shape, [0, 2]);
  assert.equal([...matmul(zeros([2, 0]), zeros([0, 2])).data], [0, 0, 0, 0]);
  assert.is(specnet.sum(zeros([0])).item(), 0);
  assert.is(specnet.tanh(zeros([0, 1])).size, 0);
});

test.run();
