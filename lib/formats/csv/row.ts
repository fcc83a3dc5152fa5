/** How are the numbers of a CSV row read fast? One pass over bytes, for rows without quotes; any other is declined. */

import { carriageReturn, lineFeed, space, tab } from '../bytes/decimal.ts';
import { nearestDouble } from './decimal.ts';
import { quote } from './fields.ts';
import { role } from './layout.ts';

const plus = 43;
const minus = 45;
const point = 46;
const zero = 48;

/** Powers of ten that a double holds exactly. */
const exactPowers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * Reads the row at bytes[at…]. A line feed has to stand behind the last byte.
 * roles: one for each column. span: where the label's bytes begin and end, overwritten. out: numbers go to out[offset…].
 * below: the size a number must not reach. Returns where the next row begins, or −1 for a row that is not plain: then
 * out holds part of it. Numbers are those of `Number`, rounded once more where out is single; cost is one look at each byte.
 */
export function readPlainRow(
  bytes: Uint8Array,
  at: number,
  separator: number,
  roles: Uint8Array,
  span: Int32Array,
  out: Float32Array | Float64Array,
  offset: number,
  below: number,
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
        // One exact operation (Clinger 1990).
        value = power < 0 ? mantissa / exactPowers[-power] : mantissa * exactPowers[power];
      } else {
        value = nearestDouble(bytes, from, at, power);
      }
      if (!(value < below)) return -1;
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
