/** How are the little-endian numbers of a zip archive read and written? */

import { badValue } from '../core/check.ts';

/** Little-endian numbers at any place; a place outside is a file cut short. */
export class FieldReader {
  readonly #caller: string;
  readonly #archive: Uint8Array;
  readonly #view: DataView;

  constructor(caller: string, archive: Uint8Array) {
    this.#caller = caller;
    this.#archive = archive;
    this.#view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  }

  get length(): number {
    return this.#archive.length;
  }

  u16(at: number): number {
    return this.#view.getUint16(this.#inside(at, 2), true);
  }

  u32(at: number): number {
    return this.#view.getUint32(this.#inside(at, 4), true);
  }

  /** Exact below 2⁵³, and far outside of any file above. */
  u64(at: number): number {
    return this.u32(at) + this.u32(at + 4) * 2 ** 32;
  }

  bytes(at: number, length: number): Uint8Array {
    return this.#archive.subarray(this.#inside(at, length), at + length);
  }

  text(at: number, length: number): string {
    return new TextDecoder('latin1').decode(this.bytes(at, length).slice());
  }

  #inside(at: number, length: number): number {
    if (at >= 0 && at + length <= this.#archive.length) return at;
    throw badValue(this.#caller, 'a whole zip archive', 'one that points outside of itself');
  }
}

/** Little-endian numbers, given as width and value by turns. */
export function fields(numbers: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(64));
  let at = 0;
  for (let k = 0; k < numbers.length; k += 2) {
    if (numbers[k] === 2) view.setUint16(at, numbers[k + 1], true);
    else view.setUint32(at, numbers[k + 1], true);
    at += numbers[k];
  }
  return new Uint8Array(view.buffer, 0, at);
}
