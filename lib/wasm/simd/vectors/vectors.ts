/** Which kernels for long Float64 vectors are in use? They are compiled when they are first asked for. */

import { plainVectors } from '../../../kernels/vectors.ts';
import { defineDoubles } from './code.ts';
import { kernelFamily } from '../../simd.ts';
import { vectorTwins } from './twins.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const vectorKernels = kernelFamily(plainVectors, defineDoubles, vectorTwins);
