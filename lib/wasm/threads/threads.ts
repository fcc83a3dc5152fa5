/** `Threads`: workers that share the work of a kernel. The kernel defers calls of routines. Each thread makes the calls of its share, then any that remain. */

import type { AnyRoutine, Compiled } from '../assembler/compile.ts';
import type { KernelMemory } from '../memory/memory.ts';
import type { Executor } from './executor.ts';
import { mailbox, makeCall, processors, startWorker } from './worker.ts';

/** Sharing costs a few µs. It pays if one thread would take about 30 µs. */
export const worthwhileFlops = 7e5;
/** More threads than this are limited by the bandwidth of the memory. */
const mostByDefault = 8;
/** How often the caller polls the counter before it sleeps: about 20 µs. */
const polls = 4000;

/**
 * The result does not depend on which thread makes a call: calls that are deferred together write to different places and
 * read nothing that another of them writes. The first work that is worth sharing starts the workers. The caller makes the
 * calls that no worker takes, so everything also works without workers.
 */
export class Threads implements Executor {
  readonly #memory: KernelMemory;
  readonly #modules: WebAssembly.Module[] = [];
  readonly #numbers = new Map<AnyRoutine, number>();
  readonly #routines: AnyRoutine[] = [];
  readonly #enders: (() => void)[] = [];
  #count: number;
  #state: Int32Array = new Int32Array(0);
  #calls: Float64Array = new Float64Array(0);
  /** The numbers of calls since the start: deferred, known to be finished, and made by the caller. */
  #deferred = 0;
  #finished = 0;
  #own = 0;
  #canSleep = true;

  /** `count`: the number of threads, including the caller. Default: the number of processors, at most 8. */
  constructor(memory: KernelMemory, compiled: readonly Compiled[], count = Math.min(processors(), mostByDefault)) {
    this.#memory = memory;
    this.#count = memory.shared ? count : 1;
    for (const each of compiled) this.add(each);
  }

  /** Adds the routines of a module. */
  add({ module, functions }: Compiled): void {
    this.#modules.push(module);
    for (const routine of functions) this.#numbers.set(routine, this.#routines.push(routine) - 1);
    this.#end();
  }

  /** The maximal number of threads, including that of the caller. */
  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = this.#memory.shared ? count : 1;
    if (this.#enders.length >= this.#count) this.#end();
  }

  /** Whether work of this many flops is shared. Starts the workers if it is. */
  pays(flops: number): boolean {
    return this.#count > 1 && flops >= worthwhileFlops && this.#prepare();
  }

  /** A stand-in for a routine that defers its calls; until `finish` they may be made in any order, or at the same time. */
  defer<R extends AnyRoutine>(routine: R): R {
    const number = this.#numbers.get(routine)!;
    const stub = (...operands: number[]): number => {
      if (((this.#deferred - this.#finished) | 0) === mailbox.capacity) this.finish();
      const calls = this.#calls;
      let at = (this.#deferred & (mailbox.capacity - 1)) * mailbox.callLength;
      calls[at++] = number;
      for (let i = 0; i < operands.length; i++) calls[at++] = operands[i];
      this.#deferred = (this.#deferred + 1) | 0;
      return 0;
    };
    return stub as AnyRoutine as R;
  }

  /**
   * Lets the workers start with the deferred calls. `finish` comes later, in this kernel or in the next one that shares its work:
   * until then no kernel may touch what these calls write.
   */
  begin(): void {
    const state = this.#state;
    Atomics.store(state, mailbox.begin, this.#finished);
    Atomics.store(state, mailbox.end, this.#deferred);
    if (Atomics.load(state, mailbox.sleepers) > 0) Atomics.notify(state, mailbox.end);
  }

  /** Returns when every deferred call has been made. A call that failed in another thread fails here again, with its message. */
  finish(): void {
    if (this.#deferred === this.#finished) return;
    this.begin();
    const state = this.#state;
    const begin = this.#finished;
    const end = this.#deferred;
    let failure: unknown = null;
    for (let call = begin; call !== end; call = (call + 1) | 0) {
      const claim = mailbox.claims + mailbox.claimStep * (call & (mailbox.capacity - 1));
      const last = Atomics.load(state, claim);
      if (last === call || Atomics.compareExchange(state, claim, last, call) !== last) continue;
      try {
        this.#make(call);
      } catch (error) {
        failure ??= error;
      }
      this.#own = (this.#own + 1) | 0;
    }
    this.#awaitOthers((end - this.#own) | 0);
    this.#finished = end;
    const failed = Atomics.load(state, mailbox.failed);
    // Written only where it must be: workers look at this line after every call.
    if (failed !== 0) Atomics.store(state, mailbox.failed, 0);
    if (failure !== null) throw failure;
    if (failed === 0) return;
    this.#make(failed - 1);
    throw new Error('Threads.finish: a call failed in another thread, and not in this one.');
  }

  /**
   * Ends all workers; others start when there is work for them. A worker that is about to end might take a call and never
   * finish it, so the next ones get a mailbox of their own, and the old one is never used again.
   */
  #end(): void {
    this.finish();
    for (const end of this.#enders.splice(0)) end();
    this.#state = new Int32Array(0);
    this.#deferred = this.#finished = this.#own = 0;
  }

  #make(call: number): void {
    makeCall(this.#routines, this.#calls, (call & (mailbox.capacity - 1)) * mailbox.callLength);
  }

  #awaitOthers(all: number): void {
    const state = this.#state;
    for (let look = 0; ; look++) {
      const done = Atomics.load(state, mailbox.done);
      if (done === all) return;
      if (look < polls || !this.#canSleep) continue;
      Atomics.store(state, mailbox.callerSleeps, 1);
      try {
        Atomics.wait(state, mailbox.done, done);
      } catch {
        this.#canSleep = false; // as in a browser's main thread
      }
      Atomics.store(state, mailbox.callerSleeps, 0);
    }
  }

  /** Makes sure that there are a mailbox and workers. Returns false if there can be none. */
  #prepare(): boolean {
    if (this.#state.length === 0) {
      const bytes = mailbox.calls + 8 * mailbox.capacity * mailbox.callLength;
      const address = this.#memory.take(bytes);
      if (address < 0) return false;
      const { buffer } = this.#memory;
      this.#state = new Int32Array(buffer, address, mailbox.calls / 4).fill(0).fill(-1, mailbox.claims);
      this.#calls = new Float64Array(buffer, address + mailbox.calls, mailbox.capacity * mailbox.callLength);
    }
    try {
      while (this.#enders.length < this.#count - 1) {
        const { byteOffset: address } = this.#state;
        const place = (1 + this.#enders.length) / this.#count;
        this.#enders.push(startWorker({ modules: this.#modules, memory: this.#memory.memory, address, place }));
      }
    } catch {
      this.#count = 1 + this.#enders.length;
    }
    return this.#count > 1;
  }
}
