import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Assembler, type Bound, type Code, mostOperands } from '../../lib/wasm/assembler/assembler.ts';
import { compile } from '../../lib/wasm/assembler/compile.ts';
import * as f32 from '../../lib/wasm/assembler/instructions/f32.ts';
import * as f32x4 from '../../lib/wasm/assembler/instructions/f32x4.ts';
import * as f64 from '../../lib/wasm/assembler/instructions/f64.ts';
import * as f64x2 from '../../lib/wasm/assembler/instructions/f64x2.ts';
import * as i32 from '../../lib/wasm/assembler/instructions/i32.ts';
import * as v128 from '../../lib/wasm/assembler/instructions/v128.ts';
import { doWhile, taking, when, whileAtLeast } from '../../lib/wasm/assembler/statements.ts';
import { mailbox } from '../../lib/wasm/threads/worker.ts';

const test = suite('assembler');

/** A function of this many integers that returns one. */
const integers = <N extends number>(count: N) => ({ ...taking(count), result: 'i32' }) as const;

function run<T>(define: (module: Assembler) => T): { routines: Bound<T>; floats: Float32Array } {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const { routines } = compile({ memory, pages: 1, shared: true }, define);
  return { routines, floats: new Float32Array(memory.buffer) };
}

test('expressions, branches and loops compute the right values', () => {
  const { routines } = run((module) => ({
    gauss: module.define(integers(1), ([n], declare) => {
      const sum = declare('i32');
      return [whileAtLeast(n, 1, sum.set(i32.add(sum, n))), sum];
    }),
    sign: module.define(integers(1), ([x], declare) => {
      const result = declare('i32');
      const isNegative = i32.lessThan(x, 0);
      return [when(isNegative, result.set(i32.constant(-1)), result.set(i32.constant(1))), result];
    }),
  }));
  assert.is(routines.gauss(100), 5050);
  assert.is(routines.gauss(0), 0);
  assert.equal([routines.sign(-5), routines.sign(5)], [-1, 1]);
});

test('constants of every size survive their encoding', () => {
  const values = [0, 1, 63, 64, -64, -65, 127, 128, 8191, 8192, -8193, 2 ** 31 - 1, -(2 ** 31)];
  const { routines } = run((module) => ({
    constants: values.map((value) => module.define(integers(0), () => i32.constant(value))),
    e: module.define({ ...taking(0), result: 'f64' }, () => f64.constant(Math.E)),
  }));
  assert.equal(
    routines.constants.map((constant) => constant()),
    values,
  );
  assert.is(routines.e(), Math.E);
});

test('functions call each other, and more than 128 of them fit', () => {
  const { routines } = run((module) => {
    let increment = module.define(integers(1), ([x]) => i32.add(x, 1));
    for (let i = 1; i < 200; i++) {
      const previous = increment;
      increment = module.define(integers(1), ([x]) => i32.add(previous.call(x), 1));
    }
    return { increment };
  });
  assert.is(routines.increment(0), 200);
});

test('vectors, lanes, shuffles and offsets beyond one byte', () => {
  const { routines, floats } = run((module) => ({
    reverse: module.define(taking(2), ([from, to], declare) => {
      const value = declare('v128');
      return [value.set(v128.load(from, 400)), v128.store(to, v128.shuffle(value, value, [3, 2, 1, 0]), 20_000)];
    }),
    halve: module.define(taking(1), ([at], declare) =>
      v128.store(at, f32x4.multiply(v128.load(at), declare.constant(0.5))),
    ),
    widen: module.define({ ...taking(1), result: 'f64' }, ([at]) => f64x2.secondLane(f64x2.fromLower(v128.load(at)))),
    add: module.define({ ...taking(1), result: 'f32' }, ([at]) => f32.add(f32.load(at), f32.load(at, 4))),
    count: module.define(integers(1), ([n], declare) => {
      const iterations = declare('i32');
      return [doWhile([iterations.step(1), n.step(-1)], n), iterations];
    }),
  }));
  floats.set([1, 2, 3, 4], 100);
  routines.reverse(0, 0);
  assert.equal([...floats.subarray(5000, 5004)], [4, 3, 2, 1]);
  routines.halve(400);
  assert.equal([...floats.subarray(100, 104)], [0.5, 1, 1.5, 2]);
  assert.is(routines.widen(400), 1);
  assert.is(routines.add(400), 1.5);
  assert.is(routines.count(5), 5);
});

test('a memory that is not shared is imported as not shared', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Float32Array(memory.buffer)[0] = 7;
  const { routines } = compile({ memory, pages: 1, shared: false }, (module) => ({
    first: module.define({ ...taking(0), result: 'f32' }, () => f32.load(i32.constant(0))),
  }));
  assert.is(routines.first(), 7);
});

test('handles in arrays and records become functions of the right arity', () => {
  const { routines } = run((module) => {
    const times = (factor: number) => module.define(integers(1), ([x]) => i32.multiply(x, factor));
    return { nested: [{ double: times(2) }, { double: times(4) }], modes: { triple: times(3) } };
  });
  assert.equal([routines.nested[0].double(5), routines.nested[1].double(5), routines.modes.triple(5)], [10, 20, 15]);
  // @ts-expect-error -- one operand too many
  routines.modes.triple(1, 2);
  // @ts-expect-error -- one operand too few
  routines.modes.triple();
  // @ts-expect-error -- no such routine
  assert.is(routines.modes.quadruple, undefined);
});

test('no function has more operands than a call between threads has room for', () => {
  const sum = <N extends number>(count: N) =>
    run((module) => ({
      sum: module.define(integers(count), (operands) => (operands as readonly Code[]).reduce((a, b) => i32.add(a, b))),
    })).routines.sum;
  assert.is(mailbox.callLength, mostOperands + 1);
  assert.is(sum(15)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), 120);
  assert.throws(() => sum(16), /^Assembler\.define: expected at most 15 operands, got 16\.$/);
});

test.run();
