/** What is in the module of SIMD kernels? Assembled and compiled once for the memory it works on. */

import { Assembler } from '../assembler/assembler.ts';
import { defineDense } from './dense/code.ts';
import { defineElementwise } from './elementwise/code.ts';
import { defineClear, definePack, defineTranspose } from './dense/layout-code.ts';
import type { KernelMemory } from '../memory/memory.ts';
import { defineOptimisers } from './optimizer/code.ts';
import { defineReduce } from './reduce/code.ts';
import { defineRows } from './rows/code.ts';
import { defineSparse } from './sparse/code.ts';

export type Routine = (...operands: number[]) => number;

/** The routines by name; their comments in the code files are their contracts. */
export type Routines = Readonly<Record<string, Routine>>;

/** All kernels of the table. */
function defineKernels(module: Assembler): void {
  defineDense(module, definePack(module, 8));
  defineTranspose(module);
  defineClear(module);
  defineElementwise(module);
  defineRows(module);
  defineReduce(module);
  defineOptimisers(module);
  defineSparse(module);
}

/** The module, for other threads to make routines of, and this thread's. */
export interface Compiled {
  readonly module: WebAssembly.Module;
  readonly routines: Routines;
}

export function moduleBytes(
  memory: { readonly pages: number; readonly shared: boolean },
  define = defineKernels,
): Uint8Array<ArrayBuffer> {
  const module = new Assembler();
  define(module);
  return module.assemble(memory);
}

/** Throws where the engine has no SIMD or a policy forbids compilation. */
export function compile(memory: KernelMemory, define?: (module: Assembler) => void): Compiled {
  const module = new WebAssembly.Module(moduleBytes(memory, define));
  const { exports } = new WebAssembly.Instance(module, { env: { memory: memory.memory } });
  return { module, routines: exports as unknown as Routines };
}
