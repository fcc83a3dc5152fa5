/** The family of sparse products in either precision. A file of its own, since only `specnet/sparse` and benchmarks use it. */

import { plainProducts } from '../kernels/products.ts';
import { kernelFamily } from './simd.ts';
import { productTwins } from './simd/products/products.ts';
import { defineProducts } from './simd/products/routines.ts';

export const productKernels = /* @__PURE__ */ kernelFamily(plainProducts, defineProducts, productTwins);
