/** Marshaling: a SIMD kernel gets addresses in place of arrays, and its plain twin runs where that is impossible. */

import { type KernelMemory, layout } from './memory.ts';

export type AnyArray = Float32Array | Float64Array | Int32Array;

/**
 * How an operand reaches the SIMD code: a value as it is, an array as the address of its first number. `in` arrays are read, `out`
 * arrays are read and written; with 32 they must be Float32. Arrays outside the kernels' memory are copied for the length of
 * a call. A `held` array is never copied: it must lie in the memory.
 */
export type Role = 'value' | 'in' | 'out' | 'in32' | 'out32' | 'held';

type Roles<Operands extends readonly unknown[]> = {
  readonly [K in keyof Operands]: Operands[K] extends AnyArray | null ? Exclude<Role, 'value'> : 'value';
};

/** Absent arrays have the address of the zeros. */
type Addresses<Operands extends readonly unknown[]> = {
  [K in keyof Operands]: Operands[K] extends AnyArray | null ? number : Operands[K];
};

const isArray = 1;
const isOutput = 2;
const needsFloat32 = 4;
const needsHeld = 8;
const flagsOf: Record<Role, number> = {
  value: 0,
  in: isArray,
  out: isArray | isOutput,
  in32: isArray | needsFloat32,
  out32: isArray | isOutput | needsFloat32,
  held: isArray | needsHeld,
};

/** An array from outside and its copy in the memory. */
interface Guest {
  readonly array: AnyArray;
  readonly copy: AnyArray;
  isOutput: boolean;
}

type Loose = (...operands: unknown[]) => unknown;

export class Marshal {
  readonly memory: KernelMemory;
  readonly #guests: Guest[] = [];
  /** Whether an operand of the present call cannot be had as an address. */
  #refused = false;

  constructor(memory: KernelMemory) {
    this.memory = memory;
  }

  /**
   * `plain` as a kernel that calls `run` with addresses; outputs are copied back afterwards. `plain` runs instead where an array
   * has the wrong precision, where the memory has no room for a copy, and where `run` returns null, having written nothing.
   * Operands are written out: rest parameters would cost an allocation per call.
   */
  kernel<Operands extends readonly unknown[], Result>(
    plain: (...operands: Operands) => Result,
    roles: Roles<Operands>,
    run: (...operands: Addresses<Operands>) => Result | null,
  ): (...operands: Operands) => Result {
    const [fa, fb, fc, fd, fe, ff, fg, fh, fi, fj, fk, fl, fm, fn, fo] = flagsFor(roles as readonly Role[]);
    const [fallback, call] = [plain as unknown as Loose, run as unknown as Loose];
    const kernel: Loose = (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) => {
      if (this.#guests.length > 0) this.#release(false); // the call before this one ended in an exception
      const pa = fa === 0 ? a : this.#take(fa, a);
      const pb = fb === 0 ? b : this.#take(fb, b);
      const pc = fc === 0 ? c : this.#take(fc, c);
      const pd = fd === 0 ? d : this.#take(fd, d);
      const pe = fe === 0 ? e : this.#take(fe, e);
      const pf = ff === 0 ? f : this.#take(ff, f);
      const pg = fg === 0 ? g : this.#take(fg, g);
      const ph = fh === 0 ? h : this.#take(fh, h);
      const pi = fi === 0 ? i : this.#take(fi, i);
      const pj = fj === 0 ? j : this.#take(fj, j);
      const pk = fk === 0 ? k : this.#take(fk, k);
      const pl = fl === 0 ? l : this.#take(fl, l);
      const pm = fm === 0 ? m : this.#take(fm, m);
      const pn = fn === 0 ? n : this.#take(fn, n);
      const po = fo === 0 ? o : this.#take(fo, o);
      let result: unknown = null;
      if (this.#refused) this.#refused = false;
      else result = call(pa, pb, pc, pd, pe, pf, pg, ph, pi, pj, pk, pl, pm, pn, po);
      if (this.#guests.length > 0) this.#release(result !== null);
      return result === null ? fallback(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) : result;
    };
    return kernel as unknown as typeof plain;
  }

  #take(flags: number, operand: unknown): unknown {
    if (operand === null) return layout.zeros;
    if ((flags & needsFloat32) !== 0 && !(operand instanceof Float32Array)) return this.#refuse();
    return this.memory.addresses.get(operand as AnyArray) ?? this.#locate(flags, operand as AnyArray);
  }

  /** The address of an array that was not made by the memory: a view of it, or a guest. */
  #locate(flags: number, array: AnyArray): number {
    const { buffer } = this.memory;
    if (array.buffer === buffer) return array.byteOffset;
    if ((flags & needsHeld) !== 0 || this.#refused) return this.#refuse();
    if (array.length === 0) return layout.zeros;
    let guest = this.#guests.find((each) => each.array === array);
    if (!guest) {
      const address = this.memory.take(array.byteLength);
      if (address < 0) return this.#refuse();
      const Type = array.constructor as new (buffer: ArrayBufferLike, offset: number, length: number) => AnyArray;
      guest = { array, copy: new Type(buffer, address, array.length), isOutput: false };
      guest.copy.set(array as never);
      this.#guests.push(guest);
    }
    guest.isOutput ||= (flags & isOutput) !== 0;
    return guest.copy.byteOffset;
  }

  #refuse(): number {
    this.#refused = true;
    return layout.zeros;
  }

  #release(hasResults: boolean): void {
    for (const guest of this.#guests.splice(0)) {
      if (hasResults && guest.isOutput) guest.array.set(guest.copy as never);
      this.memory.give(guest.copy.byteOffset);
    }
  }
}

function flagsFor(roles: readonly Role[]): number[] {
  return Array.from({ length: 15 }, (_, i) => flagsOf[roles[i] ?? 'value']);
}

export function isSingle(array: AnyArray | null): array is Float32Array {
  return array instanceof Float32Array;
}
