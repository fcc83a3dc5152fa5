/** Values as messages: plain objects of typed arrays and of instances of given classes, and the buffers to transfer. */

import { badKind } from '../core/check.ts';

/** A message and the buffers that move with it. */
export interface Packed {
  readonly value: unknown;
  readonly buffers: ArrayBuffer[];
}

/** A class whose instances are sent as objects with the fields that make an equal one. */
export interface SentClass {
  readonly type: abstract new (...parameters: never[]) => unknown;
  fields(instance: never): object;
  make(fields: never): object;
}

/** Classes by the names that they have in messages. */
export type SentClasses = Readonly<Record<string, SentClass>>;

export interface PackOptions {
  /** Move the arrays instead of copies of them, where possible; they are empty afterwards. Default: false. */
  readonly transfer?: boolean | undefined;
  /** The way out if the value contains a function. */
  readonly remedy?: string;
}

/** Marks the plain object that stands for an instance of a class. */
const mark = '$specnet';

type TypedArray = Float32Array | Float64Array | Int32Array | Uint8Array;

/** Refuses functions and instances of unknown classes; the message of the error says where, in the name of `caller`. */
export function pack(
  caller: string,
  value: unknown,
  classes: SentClasses,
  { transfer = false, remedy = '' }: PackOptions = {},
): Packed {
  const buffers = new Set<ArrayBuffer>();
  const packArray = (array: TypedArray): TypedArray => {
    const sent = transfer && canMove(array) ? array : copyOf(array);
    buffers.add(sent.buffer as ArrayBuffer);
    return sent;
  };
  const packEntries = (object: object, path: string): object =>
    Object.fromEntries(Object.entries(object).map(([name, entry]) => [name, packAny(entry, `${path}.${name}`)]));
  const packAny = (any: unknown, path: string): unknown => {
    if (typeof any === 'function' || typeof any === 'symbol') {
      throw badKind(caller, 'values that can be sent to a worker', `a ${typeof any} at ${path.slice(1)}`, remedy);
    }
    if (typeof any !== 'object' || any === null) return any;
    const known = Object.entries(classes).find(([, { type }]) => any instanceof type);
    if (known) return { [mark]: known[0], ...packEntries(known[1].fields(any as never), path) };
    if (ArrayBuffer.isView(any) && !(any instanceof DataView)) return packArray(any as TypedArray);
    if (Array.isArray(any)) {
      return any.every((entry) => typeof entry === 'number')
        ? any
        : any.map((entry, i) => packAny(entry, `${path}.${i}`));
    }
    if (isPlain(any)) return packEntries(any, path);
    const got = `an instance of ${any.constructor?.name || 'a class'}${path && ` at ${path.slice(1)}`}`;
    throw badKind(caller, 'values that can be sent to a worker', got);
  };
  return { value: packAny(value, ''), buffers: [...buffers] };
}

/** The value that was packed, on the other side. */
export function unpack(value: unknown, classes: SentClasses): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    return value.every((entry) => typeof entry === 'number') ? value : value.map((entry) => unpack(entry, classes));
  }
  const { [mark]: name, ...fields } = value as Record<string, unknown>;
  const object = Object.fromEntries(Object.entries(fields).map(([key, entry]) => [key, unpack(entry, classes)]));
  return typeof name === 'string' ? classes[name].make(object as never) : object;
}

/** Whether the array is all of its buffer and the buffer is not shared. The kernels' memory is never one array. */
function canMove({ buffer, byteLength }: TypedArray): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}

/** A copy with a buffer of its own; the `slice` of Node's Buffer would be a view. */
function copyOf(array: TypedArray): TypedArray {
  return Uint8Array.prototype.slice.call(array);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || prototype === Object.prototype;
}
