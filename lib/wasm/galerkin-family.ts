/** The family of kernels on Galerkin products. A file of its own, since it is loaded with the multilevel solver. */

import { plainGalerkin } from '../kernels/galerkin.ts';
import { kernelFamily } from './simd.ts';
import { defineGalerkin, galerkinTwins } from './simd/galerkin/galerkin.ts';

export const galerkinKernels = /* @__PURE__ */ kernelFamily(plainGalerkin, defineGalerkin, galerkinTwins);
