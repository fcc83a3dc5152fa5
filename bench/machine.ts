/** Peak throughput of one core, measured by small WebAssembly programs: arithmetic in registers, and passes over memory. */

import { definePasses, definePeak, flopsPerIteration, peakConstants } from '../lib/benchmark/machine/programs.ts';
import type { Assembler } from '../lib/wasm/assembler/assembler.ts';
import { compile } from '../lib/wasm/assembler/compile.ts';
import { type Competitor, local } from './measure.ts';

const iterations = 8192;
/** The address of the result and the constants of `peak`. */
const resultAddress = 0;
const constantsAddress = 64;
const arraysAddress = 1024;
const pageBytes = 65536;

/** Floating-point operations per call of the peak competitor. */
export const peakFlops = iterations * flopsPerIteration.single;

/** 128-bit multiplications and additions in single precision. */
export function peakCompetitor(): Competitor {
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Float32Array(memory.buffer, constantsAddress, peakConstants.length).set(peakConstants);
  const { peak } = instantiate(memory, 1);
  return local(
    'peak',
    () => peak(iterations, constantsAddress, resultAddress),
    () => new Float32Array(memory.buffer, resultAddress, 4),
  );
}

/** copy: out = a; triad: out = a + factor·b; over three arrays of `length` floats. */
export function memoryCompetitors(length: number): { copy: Competitor; triad: Competitor } {
  const bytes = 4 * length;
  const pages = Math.ceil((arraysAddress + 3 * bytes) / pageBytes);
  const memory = new WebAssembly.Memory({ initial: pages });
  const { copy, triad } = instantiate(memory, pages);
  const [a, b, out] = [0, 1, 2].map((i) => arraysAddress + i * bytes);
  new Float32Array(memory.buffer, a, length).fill(1);
  new Float32Array(memory.buffer, b, length).fill(2);
  const read = (): Float32Array => new Float32Array(memory.buffer, out, 16);
  return {
    copy: local('copy', () => copy(length, a, out), read),
    triad: local('triad', () => triad(length, a, b, out, 3), read),
  };
}

function instantiate(memory: WebAssembly.Memory, pages: number) {
  const define = (module: Assembler) => ({ peak: definePeak(module, 'single'), ...definePasses(module) });
  return compile({ memory, pages, shared: false }, define).routines;
}
