/** The bound of rounding in a sparse factor, on matrices whose eigenvalues it counts wrongly. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { symmetricEigen } from '../../lib/doors/linalg.ts';
import { type Tensor, zeros } from '../../lib/doors/tensor.ts';
import { Random } from '../../lib/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { onEveryBackend } from '../backends.ts';
import { analysisSteps } from '../../lib/linalg/factorization/analysis.ts';
import { Factor } from '../../lib/linalg/factorization/factor.ts';
import { factorizeSteps } from '../../lib/linalg/factorization/factorize.ts';

const test = suite('rounding of a factor');

const size = 9;

/**
 * Two tiny pivots of opposite sign, both joined with nodes 2, 3 and 4. What their elimination adds to these cancels but for its rounding,
 * some thousandths, and the pivots that follow are small. The other nodes only make sure that the tiny pivots come first.
 */
function withTinyPivots(seed: number): Tensor<Float64Array> {
  const random = new Random(seed);
  const matrix = zeros([size, size], 'double');
  const set = (i: number, j: number, value: number): void => {
    matrix.data[i * size + j] = value;
    matrix.data[j * size + i] = value;
  };
  const tiny = 2 ** -43;
  const ratio = random.uniform(0.7, 1.4);
  set(0, 0, tiny);
  set(1, 1, -tiny * ratio * ratio);
  for (let i = 2; i < 5; i++) {
    const weight = random.uniform(0.5, 1.5);
    set(0, i, weight);
    set(1, i, weight * ratio);
    for (let j = 2; j <= i; j++) set(i, j, random.uniform(-0.02, 0.02));
  }
  for (let i = 5; i < size; i++) {
    set(i, i, 5);
    for (let j = 2; j < i; j++) set(i, j, 1 / 16);
  }
  return matrix;
}

function factorOf({ data }: Tensor<Float64Array>): Factor {
  const starts = new Int32Array(size + 1);
  const [columns, values]: number[][] = [[], []];
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (i === j || data[i * size + j] === 0) continue;
      columns.push(j);
      values.push(data[i * size + j]);
    }
    starts[i + 1] = columns.length;
  }
  const analysis = runSync(analysisSteps({ size, starts, columns: Int32Array.from(columns) }))!;
  const diagonal = Float64Array.from({ length: size }, (_, i) => data[i * size + i]);
  const factor = runSync(factorizeSteps(analysis, { diagonal, values: Float64Array.from(values), factor: 1 }));
  if (!(factor instanceof Factor)) throw new Error(`pivot ${factor.pivot} of column ${factor.column}`);
  return factor;
}

onEveryBackend(test, 'the bound covers eigenvalues that rounding has counted on the wrong side of 0', () => {
  for (const seed of [1096, 1367, 1933, 2772, 3623, 3985]) {
    const matrix = withTinyPivots(seed);
    const values = symmetricEigen(matrix).values;
    const factor = factorOf(matrix);
    const below = (limit: number): number => values.filter((value) => value < limit).length;
    // Eigenvalues this far from 0 have a sign in double precision, and the count has it wrong.
    const isWrong = factor.negative < below(-1e-5) || factor.negative > below(1e-5);
    assert.ok(isWrong, `${seed}: ${factor.negative} of ${values}`);
    const bound = factor.rounding(new Float64Array(size).fill(1));
    const isCovered = factor.negative >= below(-bound) && factor.negative <= below(bound);
    assert.ok(isCovered, `${seed}: ${bound}, ${factor.negative} of ${values}`);
    // A larger mass makes eigenvalues smaller, and so what rounding does to them.
    const heavier = factor.rounding(new Float64Array(size).fill(8));
    assert.ok(Math.abs(8 * heavier - bound) <= 1e-12 * bound, `${seed}: ${heavier} ${bound}`);
    factor.close();
  }
});

test.run();
