/** Errors as messages: class, text, stack and fields arrive as they were thrown. */

import { NotPositiveDefinite } from '../linalg/cholesky.ts';

export interface PackedError {
  readonly kind: keyof typeof classes;
  readonly message: string;
  readonly stack: string;
  /** What the class adds to an Error, for example the pivot of `NotPositiveDefinite`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The classes that keep their identity. Any other error arrives as an Error. */
const classes = { Error, EvalError, NotPositiveDefinite, RangeError, SyntaxError, TypeError, URIError } as const;

export function packError(error: unknown): PackedError {
  if (!(error instanceof Error)) return { kind: 'Error', message: String(error), stack: '', fields: {} };
  const names = Object.keys(classes) as (keyof typeof classes)[];
  const kind = names.find((name) => error.constructor === classes[name]) ?? 'Error';
  const plain = ([, value]: [string, unknown]): boolean => ['number', 'string', 'boolean'].includes(typeof value);
  const fields = Object.fromEntries(Object.entries(error).filter(plain));
  return { kind, message: error.message, stack: error.stack ?? '', fields };
}

export function unpackError({ kind, message, stack, fields }: PackedError): Error {
  const error = new Error(message);
  Object.setPrototypeOf(error, classes[kind].prototype);
  Object.defineProperty(error, 'stack', { value: stack || error.stack, configurable: true, writable: true });
  return Object.assign(error, fields);
}
