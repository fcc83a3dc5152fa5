import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Assembler, doWhile, when, whileAtLeast } from '../../lib/wasm/assembler/assembler.ts';
import * as f32 from '../../lib/wasm/assembler/instructions/f32.ts';
import * as f32x4 from '../../lib/wasm/assembler/instructions/f32x4.ts';
import * as f64 from '../../lib/wasm/assembler/instructions/f64.ts';
import * as f64x2 from '../../lib/wasm/assembler/instructions/f64x2.ts';
import * as i32 from '../../lib/wasm/assembler/instructions/i32.ts';
import * as v128 from '../../lib/wasm/assembler/instructions/v128.ts';

const test = suite('assembler');

type Exports = Record<string, (...args: number[]) => number>;

function run(module: Assembler): { routines: Exports; floats: Float32Array } {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const bytes = module.assemble({ pages: 1, shared: true });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  return { routines: instance.exports as Exports, floats: new Float32Array(memory.buffer) };
}

test('expressions, branches and loops compute what they say', () => {
  const module = new Assembler();
  module.define('gauss', { params: ['i32'], result: 'i32' }, ([n], declare) => {
    const sum = declare('i32');
    return [whileAtLeast(n, 1, sum.set(i32.add(sum, n))), sum];
  });
  module.define('sign', { params: ['i32'], result: 'i32' }, ([x], declare) => {
    const result = declare('i32');
    return [when(i32.lessThan(x, i32.constant(0)), result.set(i32.constant(-1)), result.set(i32.constant(1))), result];
  });
  const { routines } = run(module);
  assert.is(routines.gauss(100), 5050);
  assert.is(routines.gauss(0), 0);
  assert.equal([routines.sign(-5), routines.sign(5)], [-1, 1]);
});

test('constants of every size survive their encoding', () => {
  const values = [0, 1, 63, 64, -64, -65, 127, 128, 8191, 8192, -8193, 2 ** 31 - 1, -(2 ** 31)];
  const module = new Assembler();
  for (const [i, value] of values.entries())
    module.define(`c${i}`, { params: [], result: 'i32' }, () => i32.constant(value));
  module.define('e', { params: [], result: 'f64' }, () => f64.constant(Math.E));
  const { routines } = run(module);
  for (const [i, value] of values.entries()) assert.is(routines[`c${i}`](), value);
  assert.is(routines.e(), Math.E);
});

test('functions call each other, and more than 128 of them fit', () => {
  const module = new Assembler();
  let increment = module.define('f0', { params: ['i32'], result: 'i32' }, ([x]) => i32.add(x, i32.constant(1)));
  for (let i = 1; i < 200; i++) {
    const previous = increment;
    increment = module.define(`f${i}`, { params: ['i32'], result: 'i32' }, ([x]) =>
      i32.add(previous(x), i32.constant(1)),
    );
  }
  assert.is(run(module).routines.f199(0), 200);
});

test('vectors, lanes, shuffles and offsets beyond one byte', () => {
  const module = new Assembler();
  module.define('reverse', { params: ['i32', 'i32'] }, ([from, to], declare) => {
    const value = declare('v128');
    return [value.set(v128.load(from, 400)), v128.store(to, v128.shuffle(value, value, [3, 2, 1, 0]), 20_000)];
  });
  module.define('halve', { params: ['i32'] }, ([at], declare) =>
    v128.store(at, f32x4.multiply(v128.load(at), declare.constant(0.5))),
  );
  module.define('widen', { params: ['i32'], result: 'f64' }, ([at]) =>
    f64x2.secondLane(f64x2.fromLower(v128.load(at))),
  );
  module.define('add', { params: ['i32'], result: 'f32' }, ([at]) => f32.add(f32.load(at), f32.load(at, 4)));
  module.define('count', { params: ['i32'], result: 'i32' }, ([n], declare) => {
    const turns = declare('i32');
    return [doWhile([turns.step(1), n.step(-1)], n), turns];
  });
  const { routines, floats } = run(module);
  floats.set([1, 2, 3, 4], 100);
  routines.reverse(0, 0);
  assert.equal([...floats.subarray(5000, 5004)], [4, 3, 2, 1]);
  routines.halve(400);
  assert.equal([...floats.subarray(100, 104)], [0.5, 1, 1.5, 2]);
  assert.is(routines.widen(400), 1);
  assert.is(routines.add(400), 1.5);
  assert.is(routines.count(5), 5);
});

test('a memory that is not shared is imported as such', () => {
  const module = new Assembler();
  module.define('first', { params: [], result: 'f32' }, () => f32.load(i32.constant(0)));
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Float32Array(memory.buffer)[0] = 7;
  const compiled = new WebAssembly.Module(module.assemble({ pages: 1, shared: false }));
  const { first } = new WebAssembly.Instance(compiled, { env: { memory } }).exports as Exports;
  assert.is(first(), 7);
});

test.run();
