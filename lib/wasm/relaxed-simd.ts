/**
 * Relaxed SIMD, on request: sparse products with several columns multiply and add in one instruction, which rounds once. Nothing of it is in use unless
 * `enableRelaxedSimd` is called, because its bits are not those of other engines. A module of its own, so that bundles without it do not grow.
 */

import { plainProducts } from '../kernels/formats/products.ts';
import { Assembler } from './assembler/assembler.ts';
import * as f32x4 from './assembler/instructions/f32x4.ts';
import * as f64x2 from './assembler/instructions/f64x2.ts';
import * as v128 from './assembler/instructions/v128.ts';
import { taking } from './assembler/statements.ts';
import { productKernels, products, standardProducts } from './products-family.ts';
import { kernelFamily, kernelMemory, simdStatus } from './simd.ts';
import { productTwins } from './simd/products/products.ts';
import { defineProducts } from './simd/products/routines.ts';
import { doubles, singles, type Vectors } from './simd/products/vectors.ts';

/** Whether sparse products use relaxed SIMD, or the reason why not. */
export type RelaxedSimdStatus = { readonly enabled: true } | { readonly enabled: false; readonly reason: string };

const relaxedSingles: Vectors = { ...singles, multiplyAdd: (a, b, c) => f32x4.relaxedMultiplyAdd(a, b, c) };
const relaxedDoubles: Vectors = { ...doubles, multiplyAdd: (a, b, c) => f64x2.relaxedMultiplyAdd(a, b, c) };

const relaxedProducts = kernelFamily(
  plainProducts,
  (module: Assembler) => defineProducts(module, relaxedSingles, relaxedDoubles),
  productTwins,
);

/**
 * Computes sparse products with relaxed SIMD from now on, where the engine has it, and returns what came of it. Never throws. With two columns or more,
 * A·X from compressed rows and from blocks then multiplies and adds in one instruction. Results have other bits than without it, and may have others on another
 * engine or processor; on this one they do not depend on the number of threads.
 */
export function enableRelaxedSimd(): RelaxedSimdStatus {
  if (kernelMemory() !== null && hasRelaxedSimd()) products.use(relaxedProducts);
  return relaxedSimdStatus();
}

/** Returns to the instructions that give the same bits on every engine. */
export function disableRelaxedSimd(): RelaxedSimdStatus {
  products.use(standardProducts);
  return relaxedSimdStatus();
}

/** Whether sparse products use relaxed SIMD, or why they do not. */
export function relaxedSimdStatus(): RelaxedSimdStatus {
  const simd = simdStatus();
  if (!simd.enabled) return { enabled: false, reason: `SIMD is off: ${simd.reason}` };
  if (!hasRelaxedSimd()) {
    return { enabled: false, reason: 'this engine has no relaxed SIMD; Node has it from version 22 on' };
  }
  if (productKernels() !== relaxedProducts()) return { enabled: false, reason: 'not asked for' };
  return { enabled: true };
}

/** Whether the engine accepts a module with the instruction. */
function hasRelaxedSimd(): boolean {
  const module = new Assembler();
  module.define(taking(1), ([at]) => {
    const four = v128.load(at);
    return v128.store(at, f32x4.relaxedMultiplyAdd(four, four, four));
  });
  return WebAssembly.validate(module.assemble({ pages: 1, shared: false }));
}
