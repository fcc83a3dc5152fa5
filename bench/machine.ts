/** Peak throughput of one core, measured by small WebAssembly programs: arithmetic in registers, and passes over memory. */

import type { Assembler, Code, Local } from '../lib/wasm/assembler/assembler.ts';
import { compile } from '../lib/wasm/assembler/compile.ts';
import * as f32x4 from '../lib/wasm/assembler/instructions/f32x4.ts';
import * as i32 from '../lib/wasm/assembler/instructions/i32.ts';
import * as v128 from '../lib/wasm/assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../lib/wasm/assembler/statements.ts';
import { type Competitor, local } from './measure.ts';

/** Independent sums and products hide the latency of both units. With two constants they just fit into 15 registers. */
const chains = 6;
const unrolled = 3;
const iterations = 8192;
/** The address of the result and the constants of `peak`. */
const resultAddress = 0;
const constantsAddress = 64;
const arraysAddress = 1024;
const pageBytes = 65536;

/** Floating-point operations per call of the peak competitor: a vector product and a vector sum are four each. */
export const peakFlops = iterations * unrolled * chains * 2 * 4;

/**
 * 128-bit multiplications and additions, interleaved, not fused: relaxed SIMD's fused operations differ between
 * machines.
 */
export function peakCompetitor(): Competitor {
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Float32Array(memory.buffer, constantsAddress, 2).set([-1, 0.5]);
  const { peak } = instantiate(memory, 1);
  return local(
    'peak',
    () => peak(iterations),
    () => new Float32Array(memory.buffer, resultAddress, 4),
  );
}

/** copy: out = a; triad: out = a + factor·b; over three arrays of `length` floats. */
export function memoryCompetitors(length: number): { copy: Competitor; triad: Competitor } {
  const bytes = 4 * length;
  const pages = Math.ceil((arraysAddress + 3 * bytes) / pageBytes);
  const memory = new WebAssembly.Memory({ initial: pages });
  const { copy, triad } = instantiate(memory, pages);
  const [a, b, out] = [0, 1, 2].map((i) => arraysAddress + i * bytes);
  new Float32Array(memory.buffer, a, length).fill(1);
  new Float32Array(memory.buffer, b, length).fill(2);
  const read = (): Float32Array => new Float32Array(memory.buffer, out, 16);
  return {
    copy: local('copy', () => copy(length, a, out), read),
    triad: local('triad', () => triad(length, a, b, out, 3), read),
  };
}

function instantiate(memory: WebAssembly.Memory, pages: number) {
  const define = (module: Assembler) => ({ peak: definePeak(module), ...definePasses(module) });
  return compile({ memory, pages, shared: false }, define).routines;
}

/** peak(iterations): every product depends only on itself one iteration earlier, and so does every sum. */
function definePeak(module: Assembler) {
  return module.define(taking(1), ([left], declare) => {
    const [factor, term] = variables(declare, 'v128', 2);
    const products = variables(declare, 'v128', chains);
    const sums = variables(declare, 'v128', chains);
    const step: Code = products.map((product, i) => [
      product.set(f32x4.multiply(product, factor)),
      sums[i].set(f32x4.add(sums[i], term)),
    ]);
    const total = [...products, ...sums].reduce<Code>((sum, value) => f32x4.add(sum, value), f32x4.constant(0));
    return [
      factor.set(v128.loadSplat(i32.constant(constantsAddress))),
      term.set(v128.loadSplat(i32.constant(constantsAddress), 4)),
      products.map((product, i) => product.set(f32x4.constant(i + 1))),
      whileAtLeast(
        left,
        1,
        Array.from({ length: unrolled }, () => step),
      ),
      v128.store(i32.constant(resultAddress), total),
    ];
  });
}

/** copy(n, a, out) and triad(n, a, b, out, factor), for n a multiple of 16. */
function definePasses(module: Assembler) {
  const sixteen = (n: Local, pointers: Local[], body: (offset: number) => Code): Code =>
    whileAtLeast(n, 16, [[0, 16, 32, 48].map(body), pointers.map((pointer) => pointer.step(64))]);
  const copy = module.define(taking(3), ([n, a, out]) =>
    sixteen(n, [a, out], (offset) => v128.store(out, v128.load(a, offset), offset)),
  );
  const triad = module.define(taking(4, 'f32'), ([n, a, b, out, factor], declare) => {
    const factors = declare('v128');
    const value = (offset: number): Code =>
      f32x4.add(v128.load(a, offset), f32x4.multiply(factors, v128.load(b, offset)));
    return [
      factors.set(f32x4.splat(factor)),
      sixteen(n, [a, b, out], (offset) => v128.store(out, value(offset), offset)),
    ];
  });
  return { copy, triad };
}
