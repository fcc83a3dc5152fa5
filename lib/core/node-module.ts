/** The parts of Node's own modules that the library uses. Browsers have none, and bundlers see no import. */

/** A thread of Node. */
export interface NodeWorker {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  on(event: 'message' | 'error' | 'messageerror' | 'exit', listener: (value: unknown) => void): void;
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

interface NodeModules {
  readonly 'node:os': { availableParallelism(): number };
  readonly 'node:worker_threads': {
    readonly Worker: new (source: string | URL, options: object) => NodeWorker;
    /** The way to the thread that started this one; null in the main thread. */
    readonly parentPort: Pick<NodeWorker, 'postMessage' | 'on'> | null;
  };
}

/** The module, or undefined in a browser and before Node 20.16. */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  type Process = { getBuiltinModule?(name: Name): NodeModules[Name] };
  return (globalThis as { process?: Process }).process?.getBuiltinModule?.(name);
}
