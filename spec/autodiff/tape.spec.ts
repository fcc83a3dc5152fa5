/** The tape computes gradients, reuses its buffers, and reports misuse. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor, type Tensor } from '../../lib/index.ts';
import {
  add,
  dense,
  gatherRows,
  matmul,
  mean,
  multiply,
  relu,
  scale,
  stopGradient,
  sum,
  Tape,
  type Variable,
} from '../../lib/doors/autodiff.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { allocator } from '../../lib/kernels/table.ts';

const test = suite('tape');

const numbers = (variable: Variable): number[] => [...(variable.gradient?.data ?? [])];

test('the derivative of Σ(3x)² is 18x', () => {
  const tape = new Tape();
  const x = tape.watch(tensor([1, -2, 0.5]));
  const y = scale(x, 3);
  tape.backward(sum(multiply(y, y)));
  assert.equal(numbers(x), [18, -36, 9]);
});

test('a value used several times collects all its gradients', () => {
  const tape = new Tape();
  const x = tape.watch(tensor([[2]]));
  const y = add(add(x, x), multiply(x, x)); // 2x + x²
  tape.backward(sum(add(y, x)));
  assert.equal(numbers(x), [2 + 2 * 2 + 1]);
});

test('a seed weighs the entries of the root', () => {
  const tape = new Tape();
  const x = tape.watch(
    tensor([
      [1, 2],
      [3, 4],
    ]),
  );
  const seed = tensor([
    [1, 0],
    [-1, 10],
  ]);
  tape.backward(multiply(x, x), seed);
  assert.equal(numbers(x), [2, 0, -6, 80]);
  assert.equal([...seed.data], [1, 0, -1, 10], 'the seed is left alone');
});

test('a second backward starts anew, from the same root or another', () => {
  const tape = new Tape();
  const x = tape.watch(tensor([3]));
  const square = sum(multiply(x, x));
  tape.backward(square);
  tape.backward(square);
  assert.equal(numbers(x), [6]);
  tape.backward(sum(scale(x, 5)));
  assert.equal(numbers(x), [5]);
});

test('stopGradient blocks gradients; constants and values that the root does not depend on have none', () => {
  const tape = new Tape();
  const x = tape.watch(tensor([2, 3]));
  const unused = tape.watch(tensor([1]));
  tape.backward(sum(multiply(x, stopGradient(x))));
  assert.equal(numbers(x), [2, 3]);
  assert.is(unused.gradient, null);
  assert.is(stopGradient(x.value), x.value);
});

test('losses are summed in double precision, gradients keep the precision of their values', () => {
  const tape = new Tape();
  const x = tape.watch(zeros([1000]));
  x.value.data.fill(0.1);
  const total = sum(x);
  assert.is(total.value.precision, 'double');
  assert.is(
    total.value.item(),
    new Float64Array(1000).fill(Math.fround(0.1)).reduce((s, v) => s + v, 0),
  );
  tape.backward(total);
  assert.is(x.gradient?.precision, 'single');
});

/** A small network with its mean square as loss. */
function step(tape: Tape, x: Tensor, weights: Tensor[]): Variable[] {
  tape.reset();
  const [w1, b1, w2] = weights.map((weight) => tape.watch(weight));
  const y = matmul(dense(x, w1, b1, 'tanh'), w2);
  tape.backward(mean(multiply(y, y)));
  return [w1, b1, w2];
}

function network(random: Random): { x: Tensor; weights: Tensor[] } {
  const filled = (...shape: number[]): Tensor => {
    const result = zeros(shape);
    random.fillNormal(result.data);
    return result;
  };
  return { x: filled(20, 5), weights: [filled(5, 8), filled(8), filled(8, 2)] };
}

test('steps after the first ask for no memory, and give the same bits in the same tensors', () => {
  const { x, weights } = network(new Random(1));
  const tape = new Tape();
  const first = step(tape, x, weights).map((variable) => variable.gradient!.data.slice());
  step(tape, x, weights);
  const bytes = tape.bytes;
  const kept = { ...allocator };
  const refuse = (): never => assert.unreachable('a buffer was allocated') as never;
  Object.assign(allocator, { float32: refuse, float64: refuse, int32: refuse });
  try {
    const before = step(tape, x, weights).map((variable) => variable.gradient);
    const after = step(tape, x, weights).map((variable) => variable.gradient);
    for (let i = 0; i < 3; i++) {
      assert.is(after[i], before[i]);
      assert.equal(after[i]!.data.slice(), first[i]);
    }
  } finally {
    Object.assign(allocator, kept);
  }
  assert.is(tape.bytes, bytes);
});

test('thousands of steps leave the heap as it was', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { x, weights } = network(new Random(2));
  const tape = new Tape();
  const heapAfter = (steps: number): number => {
    for (let i = 0; i < steps; i++) step(tape, x, weights);
    collect();
    return process.memoryUsage().heapUsed;
  };
  heapAfter(10_000); // warms up, so that the engine has compiled most functions
  const heaps = Array.from({ length: 5 }, () => heapAfter(4000));
  // Memory leaked in every step shows in every round. Memory of functions that the engine still compiles does not.
  const least = Math.min(...heaps.slice(1).map((heap, i) => heap - heaps[i]));
  assert.ok(least < 20_000, `the heap grew by ${heaps.map((heap) => heap - heaps[0])} bytes`);
});

test('a batch of another size reuses the buffers, and more of them once it is larger', () => {
  const { weights } = network(new Random(3));
  const tape = new Tape();
  for (const rows of [20, 7, 20, 1, 19]) {
    const x = zeros([rows, 5]);
    new Random(rows).fillNormal(x.data);
    const fresh = step(new Tape(), x, weights).map((variable) => variable.gradient!.data.slice());
    const again = step(tape, x, weights).map((variable) => variable.gradient!.data.slice());
    assert.equal(again, fresh, `${rows} rows`);
  }
});

test('a list of rows that is overwritten before the way back does no harm', () => {
  const tape = new Tape();
  const rows = new Int32Array([0, 2]);
  const x = tape.watch(tensor([[1], [2], [3]]));
  const picked = gatherRows(x, rows);
  rows.fill(1_000_000);
  tape.backward(sum(picked));
  assert.equal(numbers(x), [1, 0, 1]);
});

test('two tapes do not notice each other', () => {
  const [a, b] = [new Tape(), new Tape()];
  const x = tensor([1, 2]);
  const onA = a.watch(x);
  const onB = b.watch(x);
  const lossA = sum(multiply(onA, onA));
  b.backward(sum(scale(onB, 7)));
  a.backward(lossA);
  assert.equal(
    [numbers(onA), numbers(onB)],
    [
      [2, 4],
      [7, 7],
    ],
  );
});

test('misuse is refused with a clear message', () => {
  const tape = new Tape();
  const x = tape.watch(tensor([1, 2]));
  assert.throws(
    () => tape.backward(x),
    /Tape\.backward: expected a seed for a root that is not a single number, got shape 2/,
  );
  assert.throws(
    () => tape.backward(x, tensor([1])),
    /expected a seed of single precision and shape 2, like the root, got single precision and shape 1/,
  );
  assert.throws(() => tape.backward(x, tensor([1, 1], 'double')), /got double precision and shape 2/);
  assert.throws(() => tape.backward(x.value as never), /Tape\.backward: expected a variable of this tape, got Tensor/);
  assert.throws(() => tape.backward(x, [1, 2] as never), /Tape\.backward: expected a Tensor as seed, got an array/);
  assert.throws(() => stopGradient(3 as never), /stopGradient: expected tensors or variables, got 3/);
  assert.throws(() => tape.watch([1] as never), /Tape\.watch: expected a Tensor, got an array of length 1/);
  assert.throws(() => add(x, new Tape().watch(tensor([1, 2]))), /add: expected variables of the same tape/);
  assert.throws(() => new Tape().backward(sum(x)), /Tape\.backward: expected variables of the same tape/);
  tape.reset();
  const message =
    /^(?:relu|Variable\.value): expected variables created since the last reset, got an older variable\. Watch the/;
  for (let resets = 1; resets < 5; resets++) {
    tape.watch(tensor([5]));
    assert.throws(() => relu(x), message);
    assert.throws(() => x.value, message);
    tape.reset();
  }
  const value = tensor([1, 2]);
  assert.throws(() => tape.backward(x, value), /Tape\.backward: expected variables created since the last reset/);
});

test.run();
