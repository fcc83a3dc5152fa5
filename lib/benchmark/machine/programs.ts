/** Small WebAssembly programs that reach the limits of a machine: arithmetic in registers, and passes over memory. */

import type { Assembler, Code, Local } from '../../wasm/assembler/assembler.ts';
import * as f32x4 from '../../wasm/assembler/instructions/f32x4.ts';
import * as f64x2 from '../../wasm/assembler/instructions/f64x2.ts';
import * as v128 from '../../wasm/assembler/instructions/v128.ts';
import { repeat, taking, variables, whileAtLeast } from '../../wasm/assembler/statements.ts';
import type { Precision } from '../../tensor/tensor.ts';

/** Independent sums and products hide the latency of both units. With two constants they just fit into 15 registers. */
const chains = 6;
const unrolled = 3;

/** Floating-point operations of an iteration of `peak`: a vector product and a vector sum have four each, or two. */
export const flopsPerIteration: Readonly<Record<Precision, number>> = {
  single: unrolled * chains * 2 * 4,
  double: unrolled * chains * 2 * 2,
};

/** What `peak` reads: the factor, the term, and the first value of each product, which are distinct. */
export const peakConstants: readonly number[] = [-1, 0.5, ...Array.from({ length: chains }, (_, i) => i + 1)];

/** The vector instructions of a precision, and the bytes of a number. */
const vectors = {
  single: { ...f32x4, loadSplat: v128.loadSplat, bytes: 4 },
  double: { ...f64x2, loadSplat: v128.loadSplat64, bytes: 8 },
};

/**
 * peak(iterations, constants, result): 128-bit multiplications and additions, interleaved, not fused, because relaxed SIMD's
 * fused operations differ between machines. Every product depends only on itself one step earlier, and so does every sum.
 */
export function definePeak(module: Assembler, precision: Precision) {
  const { add, multiply, loadSplat, bytes } = vectors[precision];
  return module.define(taking(3), ([left, constants, result], declare) => {
    const [factor, term] = variables(declare, 'v128', 2);
    const products = variables(declare, 'v128', chains);
    const sums = variables(declare, 'v128', chains);
    const step: Code = products.map((product, i) => [
      product.set(multiply(product, factor)),
      sums[i].set(add(sums[i], term)),
    ]);
    const total = [...products, ...sums].reduce<Code>((sum, value) => add(sum, value), f32x4.constant(0));
    return [
      factor.set(loadSplat(constants)),
      term.set(loadSplat(constants, bytes)),
      products.map((product, i) => product.set(loadSplat(constants, bytes * (2 + i)))),
      whileAtLeast(
        left,
        1,
        Array.from({ length: unrolled }, () => step),
      ),
      v128.store(result, total),
    ];
  });
}

/** Vectors that `read` keeps, and how often it reads one for each in an iteration. */
const kept = 4;
const rounds = 4;

/** The bytes that an iteration of `read` reads. */
export const lineBytes = 16 * kept * rounds;

/** read(passes, lines, a, result): reads `lines` lines that begin at a, `passes` times, and combines their bits by `and`. */
export function defineRead(module: Assembler) {
  return module.define(taking(4), ([passes, lines, a, result], declare) => {
    const [left, at] = variables(declare, 'i32', 2);
    const joined = variables(declare, 'v128', kept);
    const readAll = Array.from({ length: rounds }, (_, round) =>
      joined.map((bits, k) => bits.set(v128.and(bits, v128.load(at, 16 * (round * kept + k))))),
    );
    return [
      joined.map((bits) => bits.set(v128.load(a))),
      whileAtLeast(passes, 1, [at.set(a), repeat(left, lines, [readAll, at.step(lineBytes)])]),
      v128.store(
        result,
        joined.reduce<Code>((all, bits) => v128.and(all, bits), v128.load(a)),
      ),
    ];
  });
}

/** copy(n, a, out) and triad(n, a, b, out, factor), for n a multiple of 16. */
export function definePasses(module: Assembler) {
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
