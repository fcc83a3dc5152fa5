/** Corrupts a valid file by seeded flips, cuts, insertions, repetitions and odd words. */

import type { Random } from '../../lib/index.ts';

export type Entry = readonly [row: number, column: number, value: number];

/** Texts that readers of numbers and lines often mishandle. */
const words =
  `0 1 -1 2 5 99 2147483647 2147483648 4294967297 99999999999999999999 1.5 -0 .5 5. +3 1e5 1E-3 1d2 1D+2 1e400 1e-400 nan
  inf 0x10 1e 1e+ . - % %% %%MatrixMarket matrix array coordinate real integer pattern general symmetric skew-symmetric
  hermitian complex 0.1234567890123456789 123456789012345678 1_0 1,2 \u00e9 \u0000 \r \t \n \r\n \n\n`
    .split(' ')
    .concat(' ', '', '\n1 1 1\n', '\n2 1\n', '\n% x\n');

type Mutation = (random: Random, bytes: Uint8Array) => Uint8Array;

const flipBit: Mutation = (random, bytes) => {
  const copy = bytes.slice();
  if (copy.length > 0) copy[random.integer(copy.length)] ^= 1 << random.integer(8);
  return copy;
};

const setByte: Mutation = (random, bytes) => {
  const copy = bytes.slice();
  if (copy.length > 0) copy[random.integer(copy.length)] = random.integer(256);
  return copy;
};

const truncate: Mutation = (random, bytes) => bytes.slice(0, random.integer(bytes.length + 1));

const removeSpan: Mutation = (random, bytes) => {
  const [from, to] = span(random, bytes);
  return splice(bytes, from, to, new Uint8Array(0));
};

const repeatSpan: Mutation = (random, bytes) => {
  const [from, to] = span(random, bytes);
  return splice(bytes, to, to, bytes.slice(from, to));
};

const moveSpan: Mutation = (random, bytes) => {
  const [from, to] = span(random, bytes);
  const at = random.integer(bytes.length + 1);
  return splice(bytes, at, Math.min(bytes.length, at + to - from), bytes.slice(from, to));
};

const insertBytes: Mutation = (random, bytes) => {
  const at = random.integer(bytes.length + 1);
  return splice(
    bytes,
    at,
    at,
    Uint8Array.from({ length: 1 + random.integer(8) }, () => random.integer(256)),
  );
};

const insertWord: Mutation = (random, bytes) => {
  const at = random.integer(bytes.length + 1);
  return splice(bytes, at, at, anyWord(random));
};

/** Replaces a number, or some of its digits, by an odd word. */
const replaceNumber: Mutation = (random, bytes) => {
  const text = new TextDecoder('latin1').decode(bytes);
  const numbers = [...text.matchAll(/[-+.\deE]+/g)];
  if (numbers.length === 0) return bytes;
  const chosen = numbers[random.integer(numbers.length)];
  return splice(bytes, chosen.index, chosen.index + chosen[0].length, anyWord(random));
};

const changeDigit: Mutation = (random, bytes) => {
  const digits = [...bytes.keys()].filter((k) => bytes[k] >= 48 && bytes[k] <= 57);
  if (digits.length === 0) return bytes;
  const copy = bytes.slice();
  copy[digits[random.integer(digits.length)]] = 48 + random.integer(10);
  return copy;
};

export const byteMutations = [flipBit, setByte, truncate, removeSpan, repeatSpan, moveSpan, insertBytes];
export const textMutations = [...byteMutations, insertWord, replaceNumber, changeDigit, changeDigit, replaceNumber];

/** Mostly one change, sometimes up to four. */
export function mutate(random: Random, bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  let result = bytes;
  const count = random.integer(3) > 0 ? 1 : 1 + random.integer(4);
  for (let k = 0; k < count; k++) result = mutations[random.integer(mutations.length)](random, result);
  return result;
}

function span(random: Random, bytes: Uint8Array): [from: number, to: number] {
  const from = random.integer(bytes.length + 1);
  return [from, Math.min(bytes.length, from + 1 + random.integer(random.integer(2) > 0 ? 4 : 40))];
}

function splice(bytes: Uint8Array, from: number, to: number, middle: Uint8Array): Uint8Array {
  return Uint8Array.of(...bytes.subarray(0, from), ...middle, ...bytes.subarray(to));
}

function anyWord(random: Random): Uint8Array {
  return new TextEncoder().encode(words[random.integer(words.length)]);
}
