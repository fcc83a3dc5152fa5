/** `specnet/kernels`: the kernel table, SIMD and threads. */

export { kernels, plainKernels } from '../wasm/all-kernels.ts';
export type { Kernels } from '../wasm/all-kernels.ts';
export type { Activation, Floats } from '../kernels/types.ts';
export { disableSimd, enableSimd, simdStatus } from '../wasm/simd.ts';
export type { SimdStatus } from '../wasm/simd.ts';
export { setThreads } from '../wasm/set-threads.ts';
export type { TableKernels } from '../kernels/table.ts';
export type { ReduceKernels } from '../kernels/reduce.ts';
export type { PullbackKernels } from '../kernels/pullbacks.ts';
export type { OptimizerKernels } from '../kernels/optimizers.ts';
