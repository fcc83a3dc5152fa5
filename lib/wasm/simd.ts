/** Are the SIMD twins in use? Switched on by the first tensor where the engine allows it, or by hand, and off again. */

import { heap, installKernels, type Kernels } from '../kernels/table.ts';
import type { Assembler } from './assembler/assembler.ts';
import { alone, type Crew, type Share } from './threads/crew.ts';
import { denseTwins } from './simd/dense/twins.ts';
import { elementwiseTwins } from './simd/elementwise/twins.ts';
import { KernelMemory } from './memory/memory.ts';
import { compile, type Compiled, type Routines } from './simd/module.ts';
import { reduceTwins } from './simd/reduce/twins.ts';
import { rowTwins } from './simd/rows/twins.ts';
import { sparseTwins } from './simd/sparse/twins.ts';
import { Stage } from './memory/stage.ts';
import type { Threads } from './threads/threads.ts';

/** `on`, `off`, or why they cannot be had. */
export type SimdStatus =
  | { readonly enabled: true; readonly shared: boolean; readonly bytes: number; readonly threads: number }
  | { readonly enabled: false; readonly reason: string };

let status: SimdStatus = { enabled: false, reason: 'not asked for yet' };
/** The first use decides by itself, unless the choice was made by hand. */
let decided = false;
/** Memory and routines outlive being switched off: arrays may still lie there. */
let installed: Workshop | null = null;
/** The class, once somebody has brought it, and how many threads are wanted if that was said. */
let threading: { readonly Type: typeof Threads; readonly count: number | undefined } | null = null;

/** Switches the SIMD kernels on where the engine allows it, and says what came of it. Never throws. */
export function enableSimd(): SimdStatus {
  decided = true;
  try {
    installed ??= openWorkshop();
    if (threading) bringThreads(threading.Type);
    const { memory, twins } = installed;
    installKernels(twins, memory.allocator);
    status = { enabled: true, shared: memory.shared, bytes: memory.buffer.byteLength, threads: 1 };
  } catch (error) {
    status = { enabled: false, reason: error instanceof Error ? error.message : String(error) };
  }
  return simdStatus();
}

/** Back to the plain kernels and the ordinary heap; existing tensors stay valid. */
export function disableSimd(): SimdStatus {
  decided = true;
  installKernels({}, heap);
  status = { enabled: false, reason: 'switched off' };
  return status;
}

/** Whether the SIMD kernels are in use, with their memory and threads, or why they are not. */
export function simdStatus(): SimdStatus {
  return status.enabled ? { ...status, threads: installed!.threads?.count ?? 1 } : status;
}

/** From now on large kernel calls are shared. Threads are handed in by those who want them: who does not need not load them. */
export function bringThreads(Type: typeof Threads, count?: number): void {
  threading = { Type, count: count ?? threading?.count };
  if (!installed) return;
  installed.threads ??= new Type(installed.memory, installed.compiled, threading.count);
  if (count !== undefined) installed.threads.count = count;
}

/** Called wherever buffers are made: the first call switches SIMD on if nobody has chosen yet. */
export function prepareKernels(): void {
  if (!decided) enableSimd();
}

/** The memory the kernels in use work on, null for those that work anywhere. */
export function kernelMemory(): KernelMemory | null {
  prepareKernels();
  return status.enabled ? installed!.memory : null;
}

/**
 * Kernels beside the table, compiled for the same memory when they are first asked for: who never asks need not load them.
 * The result tells which twins are in use now.
 */
export function kernelFamily<Family>(
  plain: Family,
  define: (module: Assembler) => void,
  makeTwins: (routines: Routines, stage: Stage, share: Share) => Family,
): () => Family {
  let twins: Family | null = null;
  return () => {
    prepareKernels();
    if (!status.enabled) return plain;
    if (twins === null) {
      const { memory, compiled, threads } = installed!;
      const more = compile(memory, define);
      compiled.push(more);
      threads?.add(more);
      twins = makeTwins(more.routines, new Stage(memory), crewFor);
    }
    return twins;
  };
}

/** What outlives being switched off: arrays may still lie in the memory. */
interface Workshop {
  readonly memory: KernelMemory;
  readonly compiled: Compiled[];
  readonly twins: Kernels;
  threads: Threads | null;
}

function openWorkshop(): Workshop {
  const memory = new KernelMemory();
  const compiled = compile(memory);
  return { memory, compiled: [compiled], twins: twinsOn(memory, compiled, crewFor), threads: null };
}

/** The threads, where there are any and so much work is worth sharing. */
function crewFor(flops: number): Crew {
  const threads = installed?.threads;
  return threads?.pays(flops) ? threads : alone;
}

/** All twins of the table, working on this memory, alone unless they can share. Throws where they cannot be compiled. */
export function twinsOn(memory: KernelMemory, { routines } = compile(memory), share: Share = () => alone): Kernels {
  const stage = new Stage(memory);
  return {
    ...denseTwins(routines, stage, share),
    ...elementwiseTwins(routines, stage, share),
    ...rowTwins(routines, stage),
    ...reduceTwins(routines, stage),
    ...sparseTwins(routines, stage, share),
  };
}
