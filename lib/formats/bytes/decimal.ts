/** `ByteCursor`: reads numbers from the bytes of a text without creating strings. Decimals are correctly rounded. */

export const tab = 9;
export const lineFeed = 10;
export const carriageReturn = 13;
export const space = 32;
const plus = 43;
const minus = 45;
const point = 46;
const zero = 48;

/** The powers of ten that a double represents exactly. */
export const exactPowers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Every method advances `at` past the bytes it has read. */
export class ByteCursor {
  bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Skips blanks and tabs. Returns whether there were any. */
  skipBlanks(): boolean {
    const from = this.at;
    while (this.bytes[this.at] === space || this.bytes[this.at] === tab) this.at++;
    return this.at > from;
  }

  /** A whole number without a sign; −1 if there is none. Only approximate beyond 2⁵³. */
  whole(): number {
    const bytes = this.bytes;
    const from = this.at;
    let at = from;
    let value = 0;
    for (let digit = bytes[at] - zero; digit >= 0 && digit <= 9; digit = bytes[++at] - zero) value = value * 10 + digit;
    this.at = at;
    return at > from ? value : -1;
  }

  /**
   * A decimal number; NaN if there is none. It consists of a sign, digits with or without a point, and an exponent after e,
   * E or, from Fortran, d or D. If the digits are a whole number below 2⁵³ and the power of ten is at most 10²² either way,
   * one correctly rounded operation suffices (Clinger 1990). Everything else is parsed by Number.
   */
  decimal(): number {
    const bytes = this.bytes;
    const from = this.at;
    let at = from;
    const negative = bytes[at] === minus;
    if (negative || bytes[at] === plus) at++;
    let mantissa = 0;
    const first = at;
    for (let digit = bytes[at] - zero; digit >= 0 && digit <= 9; digit = bytes[++at] - zero) {
      mantissa = mantissa * 10 + digit;
    }
    let digits = at - first;
    let power = 0;
    if (bytes[at] === point) {
      const fraction = ++at;
      for (let digit = bytes[at] - zero; digit >= 0 && digit <= 9; digit = bytes[++at] - zero) {
        mantissa = mantissa * 10 + digit;
      }
      power = fraction - at;
      digits -= power;
    }
    this.at = at;
    if (digits === 0) return NaN;
    const letter = bytes[at] | 32; // lower case
    if (letter === 101 || letter === 100) {
      const exponent = this.#exponent();
      if (Number.isNaN(exponent)) return NaN;
      power += exponent;
    }
    if (mantissa < 2 ** 53 && power >= -22 && power <= 22) {
      const size = power < 0 ? mantissa / exactPowers[-power] : mantissa * exactPowers[power];
      return negative ? -size : size;
    }
    return this.#parseByNumber(from);
  }

  /** The exponent after its letter: an optional sign and digits. */
  #exponent(): number {
    const sign = this.bytes[++this.at];
    if (sign === plus || sign === minus) this.at++;
    const size = this.whole();
    return size < 0 ? NaN : sign === minus ? -size : size;
  }

  #parseByNumber(from: number): number {
    let text = '';
    for (let k = from; k < this.at; k++) {
      const byte = this.bytes[k];
      text += (byte | 32) === 100 ? 'e' : String.fromCharCode(byte);
    }
    return Number(text);
  }
}
