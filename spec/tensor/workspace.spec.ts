import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Workspace } from '../../lib/doors/tensor.ts';
import { sameShape } from '../../lib/tensor/workspace.ts';

const test = suite('workspace');

test('the same shapes in the same order are the same tensors after a reset', () => {
  const workspace = new Workspace();
  const take = () => [workspace.take([3, 4]), workspace.take([2]), workspace.take([]), workspace.take([0, 5])];
  const first = take();
  for (let step = 0; step < 3; step++) {
    workspace.reset();
    const again = take();
    for (const [i, tensor] of again.entries()) assert.is(tensor, first[i]);
  }
});

test('tensors taken between two resets never share storage', () => {
  const workspace = new Workspace();
  for (let step = 0; step < 3; step++) {
    const taken = [workspace.take([4]), workspace.take([4]), workspace.take([2, 2]), workspace.take([4], 'double')];
    for (const [i, tensor] of taken.entries()) tensor.data.fill(i);
    for (const [i, tensor] of taken.entries()) assert.ok(tensor.data.every((x: number) => x === i));
    workspace.reset();
  }
});

test('a tensor has the shape and requested precision, single by default', () => {
  const workspace = new Workspace();
  const single = workspace.take([2, 3]);
  const double = workspace.take([2, 3], 'double');
  assert.equal([single.precision, single.shape, single.size], ['single', [2, 3], 6]);
  assert.equal([double.precision, double.shape, double.rows, double.cols], ['double', [2, 3], 2, 3]);
});

test('the precisions are independent: requests in one do not affect the other', () => {
  const workspace = new Workspace();
  const single = workspace.take([3]);
  const double = workspace.take([3], 'double');
  workspace.reset();
  assert.is(workspace.take([3], 'double'), double);
  assert.is(workspace.take([3]), single);
  assert.is(workspace.bytes, 3 * 4 + 3 * 8);
});

test('a smaller shape looks into the same storage, and the larger one comes back into it', () => {
  const workspace = new Workspace();
  const large = workspace.take([4, 5]);
  large.data.fill(7);
  const { bytes } = workspace;
  workspace.reset();
  const small = workspace.take([2, 3]);
  assert.equal([small.shape, small.data.byteOffset], [[2, 3], large.data.byteOffset]);
  assert.is(small.data.buffer, large.data.buffer);
  assert.is(small.at(1, 2), 7, 'contents are left over');
  workspace.reset();
  assert.equal(workspace.take([4, 5]).data.byteOffset, large.data.byteOffset);
  assert.is(workspace.bytes, bytes);
});

test('another shape of the same size needs no new storage', () => {
  const workspace = new Workspace();
  const flat = workspace.take([6]);
  workspace.reset();
  const square = workspace.take([2, 3]);
  assert.equal([square.shape, square.data.byteOffset], [[2, 3], flat.data.byteOffset]);
  assert.is(square.data.buffer, flat.data.buffer);
});

test('the first request gets exactly its size, a larger one a quarter more, so that similar sizes fit later', () => {
  const workspace = new Workspace();
  workspace.take([100], 'double');
  assert.is(workspace.bytes, 800);
  workspace.reset();
  assert.is(workspace.take([104], 'double').size, 104);
  assert.is(workspace.bytes, 130 * 8);
  for (const size of [130, 1, 120, 100]) {
    workspace.reset();
    assert.is(workspace.take([size], 'double').size, size);
    assert.is(workspace.bytes, 130 * 8, `size ${size}`);
  }
  workspace.reset();
  workspace.take([131], 'double');
  assert.is(workspace.bytes, Math.ceil(131 * 1.25) * 8);
});

test('a tensor that is still held keeps its numbers when its slot grows', () => {
  const workspace = new Workspace();
  const held = workspace.take([2]);
  held.data.set([1, 2]);
  workspace.reset();
  workspace.take([50]).data.fill(9);
  assert.equal([...held.data], [1, 2]);
});

test('the number of requests can change from step to step', () => {
  const workspace = new Workspace();
  const a = workspace.take([2]);
  const b = workspace.take([3]);
  workspace.reset();
  assert.is(workspace.take([2]), a);
  workspace.reset();
  assert.is(workspace.take([2]), a);
  assert.is(workspace.take([3]), b);
  workspace.take([4]);
  assert.is(workspace.bytes, (2 + 3 + 4) * 4);
});

test('two workspaces do not know each other', () => {
  const one = new Workspace();
  const two = new Workspace();
  const tensor = one.take([4]);
  tensor.data.fill(1);
  two.take([4]).data.fill(2);
  assert.equal([...tensor.data], [1, 1, 1, 1]);
  assert.is(new Workspace().bytes, 0);
});

test('a slot does not follow later changes of the array that named its shape', () => {
  const workspace = new Workspace();
  const shape = [2, 3];
  workspace.take(shape);
  shape[0] = 4;
  workspace.reset();
  assert.equal(workspace.take(shape).shape, [4, 3]);
});

test('shapes are the same when every size is', () => {
  assert.ok(sameShape([], []));
  assert.ok(sameShape([2, 3], [2, 3]));
  assert.not.ok(sameShape([2, 3], [3, 2]));
  assert.not.ok(sameShape([2], [2, 1]));
  assert.not.ok(sameShape([2, 1], [2]));
});

test('a refused request leaves the workspace in order', () => {
  const workspace = new Workspace();
  assert.throws(() => workspace.take([-1]), /whole number, at least 0, got -1/);
  assert.throws(() => workspace.take([1], 'half' as never), /expected precision to be 'single' or 'double', got half/);
  assert.equal(workspace.take([2]).shape, [2]);
  assert.is(workspace.bytes, 8);
});

test('a kept list is a copy, in storage that serves again', () => {
  const workspace = new Workspace();
  const list = Int32Array.of(3, 1, 2);
  const kept = workspace.keep(list);
  list.fill(0);
  assert.equal([...kept], [3, 1, 2]);
  workspace.reset();
  assert.is(workspace.keep(Int32Array.of(9)).buffer, kept.buffer);
});

test.run();
