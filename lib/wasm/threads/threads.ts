/** Threads that share the work of a kernel: it defers calls of routines, and each thread makes those of its share, then any left over. */

import type { AnyRoutine, Compiled } from '../assembler/compile.ts';
import type { KernelMemory } from '../memory/memory.ts';
import type { Executor } from './executor.ts';
import { mailbox, makeCall, processors, startWorker } from './worker.ts';

/** Sharing costs a few µs and pays where one thread takes some 30 µs. */
const worthwhileFlops = 7e5;
/** More share the bandwidth of one memory without getting faster. */
const mostByDefault = 8;
/** Looks at the counter before the caller sleeps: about 20 µs. */
const looks = 4000;

/**
 * Which thread makes a call changes nothing in the result: calls that are deferred together write to different places and
 * read nothing that another of them writes. Workers are started by the first work that is worth sharing; the caller
 * makes the calls that nobody else takes, so that everything works where no worker can be had.
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
  /** Calls deferred since the beginning, how many of them are known to have been made, and how many by the caller. */
  #deferred = 0;
  #finished = 0;
  #own = 0;
  #canSleep = true;

  /** `count`: the caller and so many workers less one; Default: the number of processors, at most 8. */
  constructor(memory: KernelMemory, compiled: readonly Compiled[], count = Math.min(processors(), mostByDefault)) {
    this.#memory = memory;
    this.#count = memory.shared ? count : 1;
    for (const each of compiled) this.add(each);
  }

  /** Makes more routines known. */
  add({ module, functions }: Compiled): void {
    this.#modules.push(module);
    for (const routine of functions) this.#numbers.set(routine, this.#routines.push(routine) - 1);
    this.#end();
  }

  /** How many threads may take part, including the caller's. */
  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = this.#memory.shared ? count : 1;
    if (this.#enders.length >= this.#count) this.#end();
  }

  /** Whether this much work is shared. */
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
    throw new Error('Threads.finish: a call failed in another thread, and not when it was made here again.');
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
      if (look < looks || !this.#canSleep) continue;
      Atomics.store(state, mailbox.callerSleeps, 1);
      try {
        Atomics.wait(state, mailbox.done, done);
      } catch {
        this.#canSleep = false; // as in a browser's main thread
      }
      Atomics.store(state, mailbox.callerSleeps, 0);
    }
  }

  /** Mailbox and workers; false where neither can be had. */
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
