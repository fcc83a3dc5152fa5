/** The family of kernels on blocks of long Float64 vectors, and of sparse matrices times them. A file of its own, since it is loaded with the multilevel solver. */

import { plainBlocks } from '../kernels/blocks.ts';
import { kernelFamily } from './simd.ts';
import { blockTwins, defineBlocks } from './simd/blocks/blocks.ts';

export const blockKernels = /* @__PURE__ */ kernelFamily(plainBlocks, defineBlocks, blockTwins);
