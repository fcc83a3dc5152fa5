/** Switches the SIMD twins on and off. The first tensor switches them on where the engine allows it. */

import { heap, installKernels, type TableKernels } from '../kernels/table.ts';
import type { Assembler, Bound } from './assembler/assembler.ts';
import { compile, type Compiled } from './assembler/compile.ts';
import { marshalTo } from './memory/marshal.ts';
import { KernelMemory } from './memory/memory.ts';
import { defineTable, tableTwins } from './simd/table.ts';
import { type Host, inline } from './threads/executor.ts';
import type { Threads } from './threads/threads.ts';

/** Whether SIMD is in use, with which memory and threads, or the reason why not. */
export type SimdStatus =
  | { readonly enabled: true; readonly shared: boolean; readonly bytes: number; readonly threads: number }
  | { readonly enabled: false; readonly reason: string };

/** The installation stays when SIMD is switched off, because arrays may still be in its memory. */
interface Installation {
  readonly host: Host;
  readonly compiled: Compiled[];
  readonly twins: TableKernels;
  threads: Threads | null;
}

let status: SimdStatus = { enabled: false, reason: 'not asked for yet' };
/** The first use decides, unless the user has chosen before. */
let decided = false;
let installed: Installation | null = null;
/** The class `Threads` once it is registered, and the number of threads if it was set. */
let threading: { readonly Type: typeof Threads; readonly count: number | undefined } | null = null;

/** Switches the SIMD kernels on where the engine allows it, and returns what came of it. Never throws. */
export function enableSimd(): SimdStatus {
  decided = true;
  try {
    installed ??= install();
    if (threading) bringThreads(threading.Type);
    const { host, twins } = installed;
    const { memory } = host;
    installKernels(twins, memory.allocator);
    status = { enabled: true, shared: memory.shared, bytes: memory.buffer.byteLength, threads: 1 };
  } catch (error) {
    status = { enabled: false, reason: error instanceof Error ? error.message : String(error) };
  }
  return simdStatus();
}

/** Switches back to the plain kernels and the ordinary heap. Existing tensors stay valid. */
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

/** From now on, large kernel calls are shared between threads. The class is an argument, so that bundles without threads do not contain it. */
export function bringThreads(Type: typeof Threads, count?: number): void {
  threading = { Type, count: count ?? threading?.count };
  if (!installed) return;
  installed.threads ??= new Type(installed.host.memory, installed.compiled, threading.count);
  if (count !== undefined) installed.threads.count = count;
}

/** Called wherever buffers are allocated. The first call switches SIMD on, unless the user has chosen before. */
export function prepareKernels(): void {
  if (!decided) enableSimd();
}

/** The memory of the SIMD kernels. Null while the plain kernels are in use, which need none. */
export function kernelMemory(): KernelMemory | null {
  prepareKernels();
  return status.enabled ? installed!.host.memory : null;
}

/** A family of kernels outside the table, compiled at its first use. Returns a function that returns the twins now in use. */
export function kernelFamily<Family, Handles>(
  plain: Family,
  define: (module: Assembler) => Handles,
  makeTwins: (routines: Bound<Handles>, host: Host) => Family,
): () => Family {
  let twins: Family | null = null;
  return () => {
    prepareKernels();
    if (!status.enabled) return plain;
    if (twins === null) {
      const { host, compiled, threads } = installed!;
      const more = compile(host.memory, define);
      compiled.push(more);
      threads?.add(more);
      twins = makeTwins(more.routines, host);
    }
    return twins;
  };
}

/** A family that another one, of the same kernels, can replace. */
export function replaceable<Family>(family: () => Family) {
  let inUse = family;
  return {
    kernels: (): Family => inUse(),
    use(other: () => Family): void {
      inUse = other;
    },
  };
}

/** Throws if the twins cannot be compiled. */
function install(): Installation {
  const memory = new KernelMemory();
  const compiled = compile(memory, defineTable);
  const host: Host = {
    ...marshalTo(memory),
    // Threads, if there are any and the work is large enough to share.
    chooseExecutor: (flops) => (installed?.threads?.pays(flops) ? installed.threads : inline),
  };
  return { host, compiled: [compiled], twins: tableTwins(compiled.routines, host), threads: null };
}
