/** The fast path for CSV rows of plain numbers without quotes: one pass over the bytes. */

import { carriageReturn, exactPowers, lineFeed, space, tab } from '../bytes/decimal.ts';
import { nearestDouble } from './decimal.ts';
import { quote } from './fields.ts';
import { role } from './layout.ts';

const plus = 43;
const minus = 45;
const point = 46;
const zero = 48;

/**
 * Reads the row at bytes[at…]. A line feed must follow the last byte.
 * roles: one for each column. span: overwritten by the start and end of the label's bytes. out: numbers go to out[offset…].
 * limit: the absolute value that a number must not reach. Returns the offset of the next row, or −1 for a row that is not
 * plain; then out holds a part of it. Numbers equal those of `Number`, and are rounded once more if out is in single
 * precision. Cost: each byte is read once.
 */
export function readPlainRow(
  bytes: Uint8Array,
  at: number,
  separator: number,
  roles: Uint8Array,
  span: Int32Array,
  out: Float32Array | Float64Array,
  offset: number,
  limit: number,
): number {
  const otherBlank = separator === tab ? space : tab;
  const last = roles.length - 1;
  let to = offset;
  for (let column = 0; column <= last; column++) {
    let byte = bytes[at];
    while (byte === space || byte === otherBlank) byte = bytes[++at];
    const from = at;
    if (roles[column] === role.point) {
      const negative = byte === minus;
      if (negative || byte === plus) at++;
      const first = at;
      let mantissa = 0;
      let digit = bytes[at] - zero;
      while (digit >= 0 && digit <= 9) {
        mantissa = mantissa * 10 + digit;
        digit = bytes[++at] - zero;
      }
      let digits = at - first;
      let power = 0;
      if (bytes[at] === point) {
        const fraction = ++at;
        digit = bytes[at] - zero;
        while (digit >= 0 && digit <= 9) {
          mantissa = mantissa * 10 + digit;
          digit = bytes[++at] - zero;
        }
        power = fraction - at;
        digits -= power;
      }
      if (digits === 0) return -1;
      if ((bytes[at] | 32) === 101) {
        const sign = bytes[++at];
        if (sign === plus || sign === minus) at++;
        const begin = at;
        let exponent = 0;
        digit = bytes[at] - zero;
        while (digit >= 0 && digit <= 9) {
          exponent = exponent * 10 + digit;
          digit = bytes[++at] - zero;
        }
        if (at === begin) return -1;
        power += sign === minus ? -exponent : exponent;
      }
      let value: number;
      if (mantissa < 2 ** 53 && power >= -22 && power <= 22) {
        // One correctly rounded operation (Clinger 1990).
        value = power < 0 ? mantissa / exactPowers[-power] : mantissa * exactPowers[power];
      } else {
        value = nearestDouble(bytes, from, at, power);
      }
      if (!(value < limit)) return -1;
      out[to++] = negative ? -value : value;
    } else {
      while (byte !== separator && byte !== lineFeed && byte !== carriageReturn && byte !== quote) {
        if (separator === space && byte === tab) break;
        byte = bytes[++at];
      }
      if (roles[column] === role.label) {
        span[0] = from;
        span[1] = at;
      }
    }
    const stop = at;
    byte = bytes[at];
    while (byte === space || byte === otherBlank) byte = bytes[++at];
    if (column < last) {
      if (separator === space) {
        if (at === stop) return -1;
      } else {
        if (byte !== separator) return -1;
        at++;
      }
    }
  }
  if (bytes[at] === carriageReturn) at++;
  return bytes[at] === lineFeed ? at + 1 : -1;
}
