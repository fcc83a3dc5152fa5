/** Which kernels for neighbours are in use? They are compiled when they are first asked for. */

import { plainNearest } from '../../../kernels/nearest/nearest.ts';
import { defineNearest } from './code.ts';
import { nearestTwins } from './twins.ts';
import { kernelFamily } from '../../simd.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const nearestKernels = kernelFamily(plainNearest, defineNearest, nearestTwins);
