/** The nearest double to a decimal with many digits, in double-double arithmetic without strings. */

const minus = 45;
const plus = 43;
const point = 46;
const zero = 48;

/** 10⁰ … 10⁶⁰ as sums of two doubles, exact to 106 bits. */
const largestPower = 60;
const powers = Array.from({ length: largestPower + 1 }, (_, exponent) => 10n ** BigInt(exponent));
const powersHigh = Float64Array.from(powers, Number);
const powersLow = Float64Array.from(powers, (power, k) => Number(power - BigInt(powersHigh[k])));

/** This many digits fit into a double exactly. Two doubles hold 30 digits. */
const digitsInPart = 15;

/**
 * The absolute value of the decimal in bytes[from…to−1]: its digits, read as a whole number, times 10^power. Correctly
 * rounded. Cost: one more read of each byte and about forty operations.
 */
export function nearestDouble(bytes: Uint8Array, from: number, to: number, power: number): number {
  let first = 0;
  let second = 0;
  let digits = 0;
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at];
    if (byte === point || byte === plus || byte === minus) continue;
    const digit = byte - zero;
    if (digit < 0 || digit > 9) break; // the exponent, which `power` contains
    if (digits === 2 * digitsInPart) return parseByNumber(bytes, from, to);
    if (digits < digitsInPart) first = first * 10 + digit;
    else second = second * 10 + digit;
    if (digits > 0 || digit > 0) digits++;
  }
  if (digits === 0) return 0;
  if (!(Math.abs(power) <= largestPower)) return parseByNumber(bytes, from, to);

  // high + low = first·10^k + second.
  const shift = powersHigh[Math.max(0, digits - digitsInPart)];
  const product = first * shift;
  let high = product + second;
  let low = productError(first, shift, product) + sumError(product, second, high);

  // Multiplied or divided by the power of ten, with a relative error below 2⁻¹⁰⁰.
  const size = Math.abs(power);
  const scale = powersHigh[size];
  if (power < 0) {
    const quotient = high / scale;
    const back = quotient * scale;
    low = (high - back - productError(quotient, scale, back) + low - quotient * powersLow[size]) / scale;
    high = quotient;
  } else if (power > 0) {
    const scaled = high * scale;
    low = productError(high, scale, scaled) + (high * powersLow[size] + low * scale);
    high = scaled;
  }
  const uncertainty = Math.abs(low) * 2 ** -40 + high * 2 ** -96;
  const result = high + low;
  return high + (low - uncertainty) === result && high + (low + uncertainty) === result
    ? result
    : parseByNumber(bytes, from, to);
}

/** a·b − product, exactly (Dekker 1971). */
function productError(a: number, b: number, product: number): number {
  const aHigh = upperHalf(a);
  const bHigh = upperHalf(b);
  const aLow = a - aHigh;
  const bLow = b - bHigh;
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}

/** a + b − sum, exactly (Knuth). */
function sumError(a: number, b: number, sum: number): number {
  const part = sum - a;
  return a - (sum - part) + (b - part);
}

/** The leading 26 bits of a. */
function upperHalf(a: number): number {
  const c = 134217729 * a; // 2²⁷ + 1
  return c - (c - a);
}

/** The absolute value by the language's own parser. */
function parseByNumber(bytes: Uint8Array, from: number, to: number): number {
  let text = '';
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]);
  return Math.abs(Number(text));
}
