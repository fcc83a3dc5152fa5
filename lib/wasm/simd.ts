/** Are the SIMD twins in use? Switched on by the first tensor where the engine allows it, or by hand, and off again. */

import { heap, installKernels, type Kernels } from '../kernels/table.ts';
import { denseTwins } from './dense-twins.ts';
import { elementwiseTwins } from './elementwise-twins.ts';
import { KernelMemory } from './memory.ts';
import { compile } from './module.ts';
import { reduceTwins } from './reduce-twins.ts';
import { rowTwins } from './rows-twins.ts';
import { sparseTwins } from './sparse-twins.ts';
import { Stage } from './stage.ts';

/** `on`, `off`, or why they cannot be had. */
export type SimdStatus =
  | { readonly enabled: true; readonly shared: boolean; readonly bytes: number }
  | { readonly enabled: false; readonly reason: string };

let status: SimdStatus = { enabled: false, reason: 'not asked for yet' };
/** The first use decides by itself, unless the choice was made by hand. */
let decided = false;
/** Memory and routines outlive being switched off: arrays may still lie there. */
let install: (() => SimdStatus) | null = null;

/** Switches the SIMD kernels on where the engine allows it, and says what came of it. Never throws. */
export function enableSimd(): SimdStatus {
  decided = true;
  try {
    install ??= prepareInstall();
    status = install();
  } catch (error) {
    status = { enabled: false, reason: error instanceof Error ? error.message : String(error) };
  }
  return status;
}

/** Back to the plain kernels and the ordinary heap; existing tensors stay valid. */
export function disableSimd(): SimdStatus {
  decided = true;
  installKernels({}, heap);
  status = { enabled: false, reason: 'switched off' };
  return status;
}

export function simdStatus(): SimdStatus {
  return status;
}

/** Called wherever buffers are made: the first call switches SIMD on if nobody has chosen yet. */
export function prepareKernels(): void {
  if (!decided) enableSimd();
}

function prepareInstall(): () => SimdStatus {
  const memory = new KernelMemory();
  const twins = twinsOn(memory);
  return () => {
    installKernels(twins, memory.allocator);
    return { enabled: true, shared: memory.shared, bytes: memory.buffer.byteLength };
  };
}

/** All twins, working on this memory. Throws where they cannot be compiled. */
export function twinsOn(memory: KernelMemory): Kernels {
  const routines = compile(memory);
  const stage = new Stage(memory);
  return {
    ...denseTwins(routines, stage),
    ...elementwiseTwins(routines, stage),
    ...rowTwins(routines, stage),
    ...reduceTwins(routines, stage),
    ...sparseTwins(routines, stage),
  };
}
