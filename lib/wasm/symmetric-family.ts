/** The family of products with one half of a symmetric matrix. A file of its own, since only `specnet/sparse` and benchmarks use it. */

import { plainSymmetric } from '../kernels/formats/symmetric.ts';
import { kernelFamily } from './simd.ts';
import { defineSymmetric, symmetricTwins } from './simd/symmetric/symmetric.ts';

export const symmetricKernels = /* @__PURE__ */ kernelFamily(plainSymmetric, defineSymmetric, symmetricTwins);
