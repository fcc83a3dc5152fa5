/** `specnet/benchmark`: measures products with sparse matrices on your machine, and generates matrices to try. */

export { generateMatrix, matrixNames } from '../matrices/catalog.ts';
export type { MatrixClass, MatrixName, MatrixOptions, MatrixSize } from '../matrices/catalog.ts';
export { matrixStructure } from '../sparse/structure.ts';
export type { MatrixStructure, RowLengths } from '../sparse/structure.ts';
export { measureMachine } from '../benchmark/machine/limits.ts';
export type { MachineLimits, MachineOptions, Rates } from '../benchmark/machine/limits.ts';
export { benchMatrix, estimateBench } from '../benchmark/bench-matrix.ts';
export { benchWebGpu } from '../benchmark/webgpu/bench-webgpu.ts';
export type { WebGpuBenchmark, WebGpuOptions, WebGpuRow } from '../benchmark/webgpu/bench-webgpu.ts';
export type { BenchOptions, MatrixBenchmark, Reordering } from '../benchmark/bench-matrix.ts';
export type { BenchmarkRow, FailedRow } from '../benchmark/measure/measure-rows.ts';
export type { Format, Mode, Operation, Product } from '../benchmark/measure/operations.ts';
export type { Conversion } from '../benchmark/measure/stored.ts';
export type { Measured, Order } from '../benchmark/measure/plan.ts';
export type { Rated } from '../benchmark/measure/roofline.ts';
export type { Recommendation } from '../benchmark/measure/recommend.ts';
export type { Clock, Timing, TimingOptions } from '../benchmark/timing.ts';
export { disableRelaxedSimd, enableRelaxedSimd, relaxedSimdStatus } from '../wasm/relaxed-simd.ts';
export type { RelaxedSimdStatus } from '../wasm/relaxed-simd.ts';
export { readBenchmark } from '../benchmark/report/benchmark.ts';
export type { Benchmark, Machine } from '../benchmark/report/benchmark.ts';
export { compareBenchmarks } from '../benchmark/report/compare.ts';
export type { ComparedMatrix, ComparedRow, Comparison } from '../benchmark/report/compare.ts';
export { plotBenchmark } from '../benchmark/report/plot.ts';
