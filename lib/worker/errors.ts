/** Errors as messages: class, text, stack and fields arrive as they were thrown. */

export interface PackedError {
  /** The name of its class. */
  readonly kind: string;
  readonly message: string;
  readonly stack: string;
  /** What the class adds to an Error, for example the pivot of `NotPositiveDefinite`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Classes of errors by the names that they have in messages. */
export type ErrorClasses = Readonly<Record<string, { readonly prototype: Error }>>;

/** The classes of the language. */
const usual: ErrorClasses = { Error, EvalError, RangeError, SyntaxError, TypeError, URIError };

/** Errors of the language and of the classes keep their class. Any other arrives as an Error. */
export function packError(error: unknown, classes: ErrorClasses): PackedError {
  if (!(error instanceof Error)) return { kind: 'Error', message: String(error), stack: '', fields: {} };
  const isClass = ([, { prototype }]: [string, ErrorClasses[string]]): boolean =>
    Object.getPrototypeOf(error) === prototype;
  const [kind] = Object.entries({ ...usual, ...classes }).find(isClass) ?? ['Error'];
  const isPlain = ([, value]: [string, unknown]): boolean => ['number', 'string', 'boolean'].includes(typeof value);
  const fields = Object.fromEntries(Object.entries(error).filter(isPlain));
  return { kind, message: error.message, stack: error.stack ?? '', fields };
}

export function unpackError({ kind, message, stack, fields }: PackedError, classes: ErrorClasses): Error {
  const error = new Error(message);
  Object.setPrototypeOf(error, { ...usual, ...classes }[kind].prototype);
  Object.defineProperty(error, 'stack', { value: stack || error.stack, configurable: true, writable: true });
  return Object.assign(error, fields);
}
