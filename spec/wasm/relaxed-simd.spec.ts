/** Relaxed SIMD is used on request only, computes the same products up to rounding, and says why where there is none. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { disableRelaxedSimd, enableRelaxedSimd, generateMatrix, relaxedSimdStatus } from '../../lib/doors/benchmark.ts';
import { sparseProduct, toBlocked } from '../../lib/doors/sparse.ts';
import { type Tensor, zeros } from '../../lib/doors/tensor.ts';
import { disableSimd, enableSimd, setThreads } from '../../lib/index.ts';
import * as f32x4 from '../../lib/wasm/assembler/instructions/f32x4.ts';
import * as f64x2 from '../../lib/wasm/assembler/instructions/f64x2.ts';
import { flatten } from '../../lib/wasm/assembler/code.ts';
import { productKernels } from '../../lib/wasm/products-family.ts';
import { arena, maker } from './twins/arguments.ts';
import { compare } from './twins/compare.ts';
import { productArguments } from './twins/product-cases.ts';
import { startSimd } from './twins/start.ts';

const test = suite('relaxed SIMD');

/** V8 has relaxed SIMD from version 11.4 on, Node from version 22 on. */
const isHere = Number(process.versions.node.split('.')[0]) >= 22;

test.before(startSimd);
test.after.each(() => {
  setThreads(1);
  disableRelaxedSimd();
});

const single = await generateMatrix('fem-blocks-small');

/** Products in both precisions, from compressed rows and from blocks. */
function products(width: number): Tensor[] {
  return [single, single.copy('double')].flatMap((matrix) => {
    const x = zeros([matrix.cols, width], matrix.precision);
    new Random(4).fillUniform(x.data, -1, 1);
    return [matrix, toBlocked(matrix)].map((each) => sparseProduct(each, x));
  });
}

const bitsOf = (tensors: readonly Tensor[]) => tensors.map(({ data }) => data.slice());

test('it is off unless it is asked for, and off again afterwards', () => {
  const before = bitsOf(products(8));
  assert.is(relaxedSimdStatus().enabled, false);
  const status = enableRelaxedSimd();
  assert.equal(status, isHere ? { enabled: true } : { enabled: false, reason: 'this engine has no relaxed SIMD; Node has it from version 22 on' }); // oxfmt-ignore
  assert.equal(relaxedSimdStatus(), status);
  const relaxed = bitsOf(products(8));
  // Where there is none, nothing changes; else every product has a sum that is rounded less often.
  assert.equal(relaxed.map((data, k) => data.some((sum, i) => sum !== before[k][i])), [isHere, isHere, isHere, isHere]); // oxfmt-ignore
  if (isHere) assert.equal(disableRelaxedSimd(), { enabled: false, reason: 'not asked for' });
  assert.equal(bitsOf(products(8)), before);
});

test('products agree with their plain twins in both precisions', () => {
  enableRelaxedSimd();
  const inside = arena();
  const make = maker(new Random(5), inside);
  for (const name of ['csrProduct', 'blockedProduct', 'csrTransposeProduct', 'slicedProduct'] as const) {
    for (const [numbers, ulps] of [
      [make.single, 32],
      [make.normals64, 32 * 2 ** -29],
    ] as const) {
      // oxfmt-ignore
      for (const rows of [0, 1, 3, 4, 7, 65]) {
        for (const width of [1, 2, 3, 8, 9, 33]) {
          inside.reset();
          compare(name, productArguments[name](make, numbers, rows, width), ulps);
        }
      }
    }
  }
});

test('bits do not depend on the number of threads', () => {
  enableRelaxedSimd();
  const results = [1, 2, 3].map((threads) => {
    setThreads(threads);
    return bitsOf(products(16));
  });
  assert.equal(results[1], results[0]);
  assert.equal(results[2], results[0]);
});

test('without SIMD there is none, and products are plain', () => {
  const { csrProduct } = productKernels();
  try {
    disableSimd();
    assert.equal(enableRelaxedSimd(), { enabled: false, reason: 'SIMD is off: switched off' });
    assert.is.not(productKernels().csrProduct, csrProduct);
  } finally {
    enableSimd();
  }
  assert.is(productKernels().csrProduct, csrProduct);
});

test('the instructions have their numbers of the standard', () => {
  assert.equal([...flatten(f32x4.relaxedMultiplyAdd(1, 2, 3))], [1, 2, 3, 0xfd, 0x85, 0x02]);
  assert.equal([...flatten(f64x2.relaxedMultiplyAdd(1, 2, 3))], [1, 2, 3, 0xfd, 0x87, 0x02]);
});

test.run();
