/** The family of sparse products in either precision. A file of its own, since only `specnet/sparse` and benchmarks use it. */

import { plainProducts, type ProductKernels } from '../kernels/formats/products.ts';
import { kernelFamily, replaceable } from './simd.ts';
import { productTwins } from './simd/products/products.ts';
import { defineProducts } from './simd/products/routines.ts';

/** The products in the instructions that give the same bits on every engine. */
export const standardProducts = /* @__PURE__ */ kernelFamily(plainProducts, defineProducts, productTwins);

/** The products in use, which `relaxed-simd.ts` exchanges. */
export const products = /* @__PURE__ */ replaceable(standardProducts);

export const productKernels = (): ProductKernels => products.kernels();
