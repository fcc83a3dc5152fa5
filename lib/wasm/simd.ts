/** Are the SIMD twins in use? Switched on by the first tensor where the engine allows it, or by hand, and off again. */

import { checkCount } from '../core/check.ts';
import { heap, installKernels, type Kernels } from '../kernels/table.ts';
import type { Assembler } from './assembler.ts';
import { denseTwins } from './dense-twins.ts';
import { elementwiseTwins } from './elementwise-twins.ts';
import { KernelMemory } from './memory.ts';
import { compile, type Routines } from './module.ts';
import { reduceTwins } from './reduce-twins.ts';
import { rowTwins } from './rows-twins.ts';
import { sparseTwins } from './sparse-twins.ts';
import { Stage } from './stage.ts';
import { Threads } from './threads.ts';
import { vectorTwins } from './vector-twins.ts';

/** `on`, `off`, or why they cannot be had. */
export type SimdStatus =
  | { readonly enabled: true; readonly shared: boolean; readonly bytes: number; readonly threads: number }
  | { readonly enabled: false; readonly reason: string };

let status: SimdStatus = { enabled: false, reason: 'not asked for yet' };
/** The first use decides by itself, unless the choice was made by hand. */
let decided = false;
/** Memory and routines outlive being switched off: arrays may still lie there. */
let installed: Workshop | null = null;
/** What the user said, perhaps before there are any. */
let threadCount: number | undefined;

/** Switches the SIMD kernels on where the engine allows it, and says what came of it. Never throws. */
export function enableSimd(): SimdStatus {
  decided = true;
  try {
    installed ??= openWorkshop();
    const { memory, twins, threads } = installed;
    installKernels(twins, memory.allocator);
    status = { enabled: true, shared: memory.shared, bytes: memory.buffer.byteLength, threads: threads.count };
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

/**
 * How many threads may share a large kernel call, the caller counted: 1 for none but the caller. As many as there are
 * processors, eight at most, unless this is called. Results are the same, bit for bit, for any number.
 */
export function setThreads(count: number): SimdStatus {
  checkCount('setThreads', 'count', count, 1);
  threadCount = count;
  if (installed) installed.threads.count = count;
  return simdStatus();
}

export function simdStatus(): SimdStatus {
  return status.enabled ? { ...status, threads: installed!.threads.count } : status;
}

/** Called wherever buffers are made: the first call switches SIMD on if nobody has chosen yet. */
export function prepareKernels(): void {
  if (!decided) enableSimd();
}

/**
 * Kernels beside the table, compiled for the same memory when they are first asked for: who never asks need not load them.
 * The result tells which twins are in use now.
 */
export function kernelFamily<Family>(
  plain: Family,
  define: (module: Assembler) => void,
  makeTwins: (routines: Routines, stage: Stage, threads: Threads) => Family,
): () => Family {
  let twins: Family | null = null;
  return () => {
    prepareKernels();
    if (!status.enabled) return plain;
    const { memory, threads } = installed!;
    if (twins === null) {
      const compiled = compile(memory, define);
      threads.add(compiled);
      twins = makeTwins(compiled.routines, new Stage(memory), threads);
    }
    return twins;
  };
}

/** What outlives being switched off: arrays may still lie in the memory. */
interface Workshop {
  readonly memory: KernelMemory;
  readonly threads: Threads;
  readonly twins: Kernels;
}

function openWorkshop(): Workshop {
  const memory = new KernelMemory();
  const compiled = compile(memory);
  const threads = new Threads(memory, compiled, threadCount);
  return { memory, threads, twins: twinsOn(memory, compiled, threads) };
}

/** All twins, working on this memory, by themselves if no threads are given. Throws where they cannot be compiled. */
export function twinsOn(
  memory: KernelMemory,
  compiled = compile(memory),
  threads = new Threads(memory, compiled, 1),
): Kernels {
  const { routines } = compiled;
  const stage = new Stage(memory);
  return {
    ...denseTwins(routines, stage, threads),
    ...elementwiseTwins(routines, stage),
    ...rowTwins(routines, stage),
    ...reduceTwins(routines, stage),
    ...sparseTwins(routines, stage, threads),
    ...vectorTwins(routines, stage),
  };
}
