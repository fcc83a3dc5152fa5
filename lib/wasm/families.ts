/** Kernels beside the table: each family is compiled when it is first used, and a bundle has only those that it uses. */

import { plainBatch } from '../kernels/batch/batch.ts';
import { plainCompression } from '../kernels/batch/compression.ts';
import { plainNearest } from '../kernels/nearest/nearest.ts';
import { plainVectors } from '../kernels/vectors.ts';
import { kernelFamily } from './simd.ts';
import { defineBatch } from './simd/batch/code.ts';
import { batchTwins } from './simd/batch/twins.ts';
import { defineCompression } from './simd/compression/code.ts';
import { compressionTwins } from './simd/compression/twins.ts';
import { defineNearest } from './simd/nearest/code.ts';
import { nearestTwins } from './simd/nearest/twins.ts';
import { defineVectors } from './simd/vectors/code.ts';
import { vectorTwins } from './simd/vectors/twins.ts';

/** Kernels for a batch of listed rows: the SIMD twins where SIMD is on, else the plain ones. */
export const batchKernels = /* @__PURE__ */ kernelFamily(plainBatch, defineBatch, batchTwins);

/** Compression of rows that are mostly zeros. */
export const compressionKernels = /* @__PURE__ */ kernelFamily(plainCompression, defineCompression, compressionTwins);

/** Searches for neighbors. */
export const nearestKernels = /* @__PURE__ */ kernelFamily(plainNearest, defineNearest, nearestTwins);

/** Long Float64 vectors. */
export const vectorKernels = /* @__PURE__ */ kernelFamily(plainVectors, defineVectors, vectorTwins);
