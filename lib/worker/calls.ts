/** Calls between threads: a request, notices while it runs, a result or an error, and a way to abort it. */

import type { Port } from './ports.ts';
import { pack, type PackOptions, type SentClasses, unpack } from './pack.ts';
import { type ErrorClasses, packError, type PackedError, unpackError } from './errors.ts';

/** The input of a call, its notices while it runs, and its output. */
export interface CallShape {
  readonly input: unknown;
  readonly notice: unknown;
  readonly output: unknown;
}

/** The calls that one thread answers, by name. */
export type CallShapes<Calls> = { readonly [Name in keyof Calls]: CallShape };

/** The context of a call for its handler. */
export interface CallContext<Notice> {
  readonly signal: AbortSignal;
  notify(notice: Notice): void;
}

export type Handlers<Calls extends CallShapes<Calls>> = {
  readonly [Name in keyof Calls]: (
    input: Calls[Name]['input'],
    context: CallContext<Calls[Name]['notice']>,
  ) => Calls[Name]['output'] | Promise<Calls[Name]['output']>;
};

/** The classes whose instances keep their class, apart from those of the language. The same on both sides. */
export interface Classes {
  readonly values: SentClasses;
  readonly errors: ErrorClasses;
}

/** Plain objects, typed arrays and errors of the language only. */
export const plainClasses: Classes = { values: {}, errors: {} };

type Request =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly input: unknown }
  | { readonly kind: 'abort'; readonly id: number };

type Answer =
  | { readonly kind: 'notice'; readonly id: number; readonly notice: unknown }
  | { readonly kind: 'output'; readonly id: number; readonly output: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: PackedError };

export interface CallOptions<Notice> extends PackOptions {
  /** Called with each notice. If it throws, the call is aborted and rejected with the error. */
  readonly notice?: ((notice: Notice) => void) | undefined;
  /** Once it is aborted, the call is rejected with its reason, and the other side stops working on it. */
  readonly signal?: AbortSignal | undefined;
}

interface OpenCall {
  readonly notice: ((notice: unknown) => void) | undefined;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

/** The calling side. */
export class Connection<Calls extends CallShapes<Calls>> {
  readonly #port: Port;
  readonly #classes: Classes;
  readonly #open = new Map<number, OpenCall>();
  readonly #onBusy: (isBusy: boolean) => void;
  #count = 0;
  #failure: Error | null = null;

  /** `onBusy` is called when the first call begins and when the last one has ended. */
  constructor(port: Port, classes: Classes, onBusy: (isBusy: boolean) => void = () => {}) {
    this.#port = port;
    this.#classes = classes;
    this.#onBusy = onBusy;
    port.listen((message) => this.#take(message as Answer));
  }

  /** Errors of values that cannot be sent are in the name of `caller`. */
  async call<Name extends keyof Calls & string>(
    caller: string,
    name: Name,
    input: Calls[Name]['input'],
    { notice, signal, ...packing }: CallOptions<Calls[Name]['notice']> = {},
  ): Promise<Calls[Name]['output']> {
    if (this.#failure) throw this.#failure;
    signal?.throwIfAborted();
    const { value, buffers } = pack(caller, input, this.#classes.values, packing);
    const id = this.#count++;
    const post = (request: Request, moved: ArrayBuffer[] = []): void => this.#port.post(request, moved);
    const abort = (reason: unknown): void => {
      this.#open.get(id)?.reject(reason);
      post({ kind: 'abort', id });
    };
    const onAbort = (): void => abort(signal?.reason);
    const answered = new Promise<Calls[Name]['output']>((resolve, reject) => {
      const notify = (told: Calls[Name]['notice']): void => {
        try {
          notice?.(told);
        } catch (error) {
          abort(error);
        }
      };
      this.#open.set(id, { notice: notice && notify, resolve, reject });
    });
    if (this.#open.size === 1) this.#onBusy(true);
    signal?.addEventListener('abort', onAbort);
    try {
      post({ kind: 'call', id, name, input: value }, buffers);
      return await answered;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#open.delete(id);
      if (this.#open.size === 0) this.#onBusy(false);
    }
  }

  /** Rejects all calls, those under way and those to come. The first error counts. */
  fail(error: Error): void {
    this.#failure ??= error;
    for (const call of this.#open.values()) call.reject(this.#failure);
  }

  #take(answer: Answer): void {
    const call = this.#open.get(answer.id);
    if (!call) return; // aborted
    const { values, errors } = this.#classes;
    if (answer.kind === 'notice') call.notice?.(unpack(answer.notice, values));
    else if (answer.kind === 'output') call.resolve(unpack(answer.output, values));
    else call.reject(unpackError(answer.error, errors));
  }
}

/** The answering side: runs the handler of each call at once. */
export function answerCalls<Calls extends CallShapes<Calls>>(
  port: Port,
  { values, errors }: Classes,
  handlers: Handlers<Calls>,
): void {
  const open = new Map<number, AbortController>();
  const post = (message: Answer, buffers: ArrayBuffer[] = []): void => port.post(message, buffers);
  const run = async (id: number, name: keyof Calls & string, input: unknown): Promise<void> => {
    const controller = new AbortController();
    open.set(id, controller);
    const notify = (notice: unknown): void => {
      const { value, buffers } = pack(name, notice, values);
      post({ kind: 'notice', id, notice: value }, buffers);
    };
    try {
      const output = await handlers[name](unpack(input, values), { signal: controller.signal, notify });
      const { value, buffers } = pack(name, output, values);
      post({ kind: 'output', id, output: value }, buffers);
    } catch (error) {
      post({ kind: 'error', id, error: packError(error, errors) });
    } finally {
      open.delete(id);
    }
  };
  port.listen((message) => {
    const request = message as Request;
    if (request.kind === 'abort') open.get(request.id)?.abort();
    else void run(request.id, request.name as keyof Calls & string, request.input);
  });
}

/** Returns a function that runs tasks one after another, in the order in which they are given. */
export function inOrder(): <T>(task: () => T | Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => {});
    return next;
  };
}
