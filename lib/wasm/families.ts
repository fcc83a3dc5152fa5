/**
 * Families of kernels that are not in the table. A family is compiled at its first use, and a bundle contains only the families it uses.
 * Those of solvers that are loaded on demand have files of their own.
 */

import { plainCompression } from '../kernels/batch/compression.ts';
import { plainGradient } from '../kernels/batch/gradient.ts';
import { plainMovingRows } from '../kernels/batch/moving-rows.ts';
import { plainPages } from '../kernels/batch/pages.ts';
import { plainSlice } from '../kernels/batch/slice.ts';
import { plainSparseRows } from '../kernels/batch/sparse-rows.ts';
import { plainJoins } from '../kernels/nearest/join.ts';
import { plainExtension } from '../kernels/nearest/extension.ts';
import { plainReach } from '../kernels/nearest/kd-reach.ts';
import { plainNearest } from '../kernels/nearest/nearest.ts';
import { plainOptimizers } from '../kernels/optimizers.ts';
import { plainPullbacks } from '../kernels/pullbacks.ts';
import { plainReduce } from '../kernels/reduce.ts';
import { plainVectors } from '../kernels/vectors.ts';
import { kernelFamily } from './simd.ts';
import { compressionTwins, defineCompression } from './simd/compression/compression.ts';
import { defineGradient, gradientTwins } from './simd/gradient/gradient.ts';
import { defineMovingRows, movingRowsTwins } from './simd/moving-rows/moving-rows.ts';
import { defineJoins, joinTwins } from './simd/nearest/join.ts';
import { defineExtension, extensionTwins } from './simd/nearest/extension.ts';
import { defineReach, reachTwins } from './simd/nearest/kd-reach.ts';
import { defineNearest, nearestTwins } from './simd/nearest/nearest.ts';
import { defineOptimizers, optimizerTwins } from './simd/optimizer/optimizer.ts';
import { definePages, pageTwins } from './simd/pages/pages.ts';
import { definePullbacks, pullbackTwins } from './simd/pullbacks/pullbacks.ts';
import { defineReduce, reduceTwins } from './simd/reduce/reduce.ts';
import { defineSlices, sliceTwins } from './simd/slice/slice.ts';
import { defineSparseRows } from './simd/sparse-rows/products.ts';
import { sparseRowsTwins } from './simd/sparse-rows/sparse-rows.ts';
import { defineVectors, vectorTwins } from './simd/vectors/vectors.ts';

/** Sums in Float64. */
export const reduceKernels = /* @__PURE__ */ kernelFamily(plainReduce, defineReduce, reduceTwins);

/** Pullbacks of activations, sparse products and gathered rows. */
export const pullbackKernels = /* @__PURE__ */ kernelFamily(plainPullbacks, definePullbacks, pullbackTwins);

/** Steps of optimizers. */
export const optimizerKernels = /* @__PURE__ */ kernelFamily(plainOptimizers, defineOptimizers, optimizerTwins);

/** Slices of sparse matrices and unions of neighbors. */
export const sliceKernels = /* @__PURE__ */ kernelFamily(plainSlice, defineSlices, sliceTwins);

/** Rows and runs of pages of files. */
export const pageKernels = /* @__PURE__ */ kernelFamily(plainPages, definePages, pageTwins);

/** Products of listed rows of a sparse matrix. */
export const sparseRowsKernels = /* @__PURE__ */ kernelFamily(plainSparseRows, defineSparseRows, sparseRowsTwins);

/** Kernels that move rows and update their moments. */
export const movingRowsKernels = /* @__PURE__ */ kernelFamily(plainMovingRows, defineMovingRows, movingRowsTwins);

/** Gradients of few rows, and Adam for such gradients. */
export const gradientKernels = /* @__PURE__ */ kernelFamily(plainGradient, defineGradient, gradientTwins);

/** Compression of rows that are mostly zeros. */
export const compressionKernels = /* @__PURE__ */ kernelFamily(plainCompression, defineCompression, compressionTwins);

/** Searches for neighbors. */
export const nearestKernels = /* @__PURE__ */ kernelFamily(plainNearest, defineNearest, nearestTwins);

/** Local joins of NN-descent. */
export const joinKernels = /* @__PURE__ */ kernelFamily(plainJoins, defineJoins, joinTwins);

/** Searches by reach. */
export const reachKernels = /* @__PURE__ */ kernelFamily(plainReach, defineReach, reachTwins);

/** The Nyström extension. */
export const extensionKernels = /* @__PURE__ */ kernelFamily(plainExtension, defineExtension, extensionTwins);

/** Long Float64 vectors. */
export const vectorKernels = /* @__PURE__ */ kernelFamily(plainVectors, defineVectors, vectorTwins);
