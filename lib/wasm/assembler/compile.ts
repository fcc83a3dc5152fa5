/** Compiled modules: handles become the functions of an instance, in the same arrays and records. */

import { Assembler, type Bound, Handle } from './assembler.ts';

/** Any function of an instance. */
export type AnyRoutine = (...operands: never[]) => number | void;

/** A module, from which other threads make their own instances, and the functions of this thread's instance. */
export interface Compiled<Routines = unknown> {
  readonly module: WebAssembly.Module;
  /** All functions in the order of their numbers. */
  readonly functions: readonly AnyRoutine[];
  readonly routines: Routines;
}

/** The memory that the functions of a module work on. */
interface Memory {
  readonly memory: WebAssembly.Memory;
  readonly pages: number;
  readonly shared: boolean;
}

/** Throws where the engine has no SIMD or a policy forbids compilation. */
export function compile<T>(memory: Memory, define: (module: Assembler) => T): Compiled<Bound<T>> {
  const assembler = new Assembler();
  const handles = define(assembler);
  const module = new WebAssembly.Module(assembler.assemble(memory));
  const { exports } = new WebAssembly.Instance(module, { env: { memory: memory.memory } });
  const functions = Object.values(exports) as AnyRoutine[];
  return { module, functions, routines: bind(handles, functions) };
}

/** Replaces all handles in arrays and records by their functions, in place. */
function bind<T>(handles: T, functions: readonly AnyRoutine[]): Bound<T> {
  if (handles instanceof Handle) return functions[handles.index] as Bound<T>;
  const record = handles as Record<string, unknown>;
  for (const key of Object.keys(record)) record[key] = bind(record[key], functions);
  return handles as Bound<T>;
}
