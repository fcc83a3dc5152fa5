/** Marshaling: passes addresses instead of arrays to a SIMD kernel, or runs its plain twin if that is impossible. */

import { type KernelMemory, layout } from './memory.ts';

export type AnyArray = Float32Array | Float64Array | Int32Array;

/** Bits of a role. */
const isOutput = 2;
const needsFloat32 = 4;
const needsHeld = 8;

/** The role of an array that is read. Arrays outside kernel memory are copied for the duration of a call. */
export const input = 1;
/** An array that is read and written. */
export const output = 3;
/** Arrays that must be Float32. */
export const input32 = 5;
export const output32 = 7;
/**
 * An array that must be in kernel memory: it is never copied. For a kernel that reads few rows of a large array, a copy would take
 * longer than the plain twin.
 */
export const held = 9;
/** The same, Float32. */
export const held32 = 13;

type Role = typeof input | typeof output | typeof input32 | typeof output32 | typeof held | typeof held32;

/** One for each array among the operands, absent ones included. */
type Roles<Operands extends readonly unknown[]> = Operands extends readonly [infer First, ...infer Others]
  ? [First] extends [AnyArray | null]
    ? readonly [Role, ...Roles<Others>]
    : Roles<Others>
  : readonly [];

/** The SIMD code gets the addresses of arrays, the address of zeros for null, and other operands unchanged. */
type Addresses<Operands extends readonly unknown[]> = {
  [K in keyof Operands]: Operands[K] extends AnyArray | null ? number : Operands[K];
};

export interface Marshal {
  readonly memory: KernelMemory;
  /**
   * `plain` as a kernel that calls `run` with addresses, by the roles of its arrays, or by one role of all; outputs are copied back afterwards. `plain` runs instead if an array
   * has the wrong precision, if the memory has no room for a copy, or if `run` returns null, without having written anything.
   */
  kernel<Operands extends readonly unknown[], Result>(
    plain: (...operands: Operands) => Result,
    roles: Roles<Operands> | Role,
    run: (...operands: Addresses<Operands>) => Result | null,
  ): (...operands: Operands) => Result;
}

/** An array from outside and its copy in the memory. */
interface Guest {
  readonly array: AnyArray;
  readonly copy: AnyArray;
  role: number;
}

type Loose = (...operands: unknown[]) => unknown;

export function marshalTo(memory: KernelMemory): Marshal {
  const { addresses, buffer } = memory;
  const guests: Guest[] = [];

  /** The address of an array or of its copy, −1 if it has none. */
  const addressOf = (role: number, operand: unknown): number => {
    if (operand === null) return layout.zeros;
    if ((role & needsFloat32) !== 0 && !(operand instanceof Float32Array)) return -1;
    return addresses.get(operand as AnyArray) ?? addressOfOther(role, operand as AnyArray);
  };

  /** The address of an array that the memory has not made: a view of it, or a guest. */
  const addressOfOther = (role: number, array: AnyArray): number => {
    if (array.buffer === buffer) return array.byteOffset;
    if ((role & needsHeld) !== 0) return -1;
    if (array.length === 0) return layout.zeros;
    let guest = guests.find((each) => each.array === array);
    if (!guest) {
      const address = memory.take(array.byteLength);
      if (address < 0) return -1;
      const Type = array.constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => AnyArray;
      guest = { array, copy: new Type(buffer, address, array.length), role };
      guest.copy.set(array as never);
      guests.push(guest);
    }
    guest.role |= role;
    return guest.copy.byteOffset;
  };

  const release = (hasResults: boolean): void => {
    for (const { array, copy, role } of guests.splice(0)) {
      if (hasResults && (role & isOutput) !== 0) array.set(copy as never);
      memory.give(copy.byteOffset);
    }
  };

  const wrap = (plain: Loose, roles: readonly number[] | number, run: Loose): Loose => {
    /** One array for all calls, which is passed on faster than a new one. */
    const passed: unknown[] = [];
    return (...operands) => {
      if (guests.length > 0) release(false); // the call before this one ended in an exception
      let canRun = true;
      for (let i = 0, array = 0; i < operands.length && canRun; i++) {
        if (typeof operands[i] !== 'object') {
          passed[i] = operands[i];
          continue;
        }
        const address = addressOf(typeof roles === 'number' ? roles : roles[array++], operands[i]);
        passed[i] = address;
        canRun = address >= 0;
      }
      const result = canRun ? run(...passed) : null;
      if (guests.length > 0) release(result !== null);
      return result === null ? plain(...operands) : result;
    };
  };

  return { memory, kernel: wrap as unknown as Marshal['kernel'] };
}

/** A kernel that is the first of two where the array at this place of its operands is Float32, else the second. */
export function byPrecision<Operands extends readonly unknown[], Result>(
  place: number,
  single: (...operands: Operands) => Result,
  double: (...operands: Operands) => Result,
): (...operands: Operands) => Result {
  return (...operands) => (isSingle(operands[place] as AnyArray) ? single : double)(...operands);
}

export function isSingle(array: AnyArray | null): array is Float32Array {
  return array instanceof Float32Array;
}
