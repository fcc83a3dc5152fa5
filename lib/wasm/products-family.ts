/** The family of sparse products in either precision. A file of its own, since only `specnet/sparse` and benchmarks use it. */

import { plainProducts, type ProductKernels } from '../kernels/products.ts';
import { kernelFamily } from './simd.ts';
import { productTwins } from './simd/products/products.ts';
import { defineProducts } from './simd/products/routines.ts';

/** The products in the instructions that give the same bits on every engine. */
export const standardProducts = /* @__PURE__ */ kernelFamily(plainProducts, defineProducts, productTwins);

let inUse = standardProducts;

/** The products in use. */
export const productKernels = (): ProductKernels => inUse();

/** Uses these products from now on. */
export function useProducts(products: () => ProductKernels): void {
  inUse = products;
}
