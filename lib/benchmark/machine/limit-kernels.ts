/** The programs of `programs.ts` as kernels that threads share, with plain twins. */

import type { Floats } from '../../kernels/types.ts';
import { isSingle } from '../../wasm/memory/marshal.ts';
import type { Assembler, Routines } from '../../wasm/assembler/assembler.ts';
import { kernelFamily } from '../../wasm/simd.ts';
import { held } from '../../wasm/memory/marshal.ts';
import type { Host } from '../../wasm/threads/executor.ts';
import { definePeak, defineRead, flopsPerIteration, lineBytes } from './programs.ts';

/** A part of the work writes its result this far behind that of the part before: no two share a cache line. */
const resultStep = 32;

/** The length of `out` for any number of threads. */
export const resultLength = 256 * resultStep;

/** Reads the numbers of `a`, `passes` times, and writes a result to `out`. Returns the bytes read. The length is a multiple of 64 per thread. */
function readMemory(passes: number, length: number, a: Float32Array, out: Float32Array): number {
  let sum = 0;
  for (let pass = 0; pass < passes; pass++) for (let i = 0; i < length; i++) sum += a[i];
  out[0] = sum;
  return 4 * passes * length;
}

/** Multiplies and adds in registers, and writes the results to `out`. Returns the floating-point operations. */
function computePeak(iterations: number, constants: Floats, out: Float32Array): number {
  const [factor, term] = constants;
  let [p0, p1, p2, p3] = [constants[2], constants[3], constants[4], constants[5]];
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  for (let i = 0; i < iterations; i++) {
    p0 *= factor;
    s0 += term;
    p1 *= factor;
    s1 += term;
    p2 *= factor;
    s2 += term;
    p3 *= factor;
    s3 += term;
  }
  out[0] = p0 + p1 + p2 + p3 + s0 + s1 + s2 + s3;
  return 8 * iterations;
}

const plainLimits = { readMemory, computePeak };

function defineLimits(module: Assembler) {
  return { read: defineRead(module), single: definePeak(module, 'single'), double: definePeak(module, 'double') };
}

/** Every thread reads its own part of the array, and does the whole of the arithmetic. */
function limitTwins({ read, single, double }: Routines<typeof defineLimits>, host: Host): typeof plainLimits {
  const peakOf = (routine: typeof single, flops: number): typeof computePeak =>
    host.kernel(plainLimits.computePeak, held, (iterations, constants, out) => {
      const executor = host.chooseExecutor(Infinity);
      const peak = executor.defer(routine);
      for (let part = 0; part < executor.count; part++) peak(iterations, constants, out + 4 * resultStep * part);
      executor.finish();
      return flops * iterations * executor.count;
    });
  const peaks = {
    single: peakOf(single, flopsPerIteration.single),
    double: peakOf(double, flopsPerIteration.double),
  };
  return {
    readMemory: host.kernel(plainLimits.readMemory, held, (passes, length, a, out) => {
      const executor = host.chooseExecutor(Infinity);
      const lines = Math.floor((4 * length) / lineBytes / executor.count);
      const deferred = executor.defer(read);
      for (let part = 0; part < executor.count; part++) {
        deferred(passes, lines, a + lineBytes * lines * part, out + 4 * resultStep * part);
      }
      executor.finish();
      return passes * lines * lineBytes * executor.count;
    }),
    computePeak: (iterations, constants, out) =>
      peaks[isSingle(constants) ? 'single' : 'double'](iterations, constants, out),
  };
}

export const limitKernels = /* @__PURE__ */ kernelFamily(plainLimits, defineLimits, limitTwins);
