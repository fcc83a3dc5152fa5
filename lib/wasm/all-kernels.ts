/** All public kernels in one object: those of the table, and the families of reductions, pullbacks and optimizers. */

import { type OptimizerKernels, plainOptimizers } from '../kernels/optimizers.ts';
import { plainPullbacks, type PullbackKernels } from '../kernels/pullbacks.ts';
import { plainReduce, type ReduceKernels } from '../kernels/reduce.ts';
import { kernels as table, plainTable, type TableKernels } from '../kernels/table.ts';
import { optimizerKernels, pullbackKernels, reduceKernels } from './families.ts';

/** All kernels by name: plain functions on typed arrays. Their comments are their contracts. */
export interface Kernels extends TableKernels, ReduceKernels, PullbackKernels, OptimizerKernels {}

/** The plain twins: they run everywhere, in either precision, and are the reference for the others. */
export const plainKernels: Kernels = { ...plainTable, ...plainReduce, ...plainPullbacks, ...plainOptimizers };

/** The kernels in use: plain ones, or their SIMD twins once SIMD is on. */
export const kernels: Readonly<Kernels> = Object.defineProperties({} as Kernels, {
  ...gettersOf(plainTable, () => table),
  ...gettersOf(plainReduce, reduceKernels),
  ...gettersOf(plainPullbacks, pullbackKernels),
  ...gettersOf(plainOptimizers, optimizerKernels),
});

function gettersOf<Family extends object>(plain: Family, inUse: () => Family): PropertyDescriptorMap {
  const names = Object.keys(plain) as (keyof Family & string)[];
  return Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => inUse()[name] }]));
}
