/** Tries of NPY and IDX: headers built from parts that fit or nearly fit, contents of any bits, and changed bytes. */

import { gzipSync } from 'node:zlib';
import type { Random } from '../../../../lib/index.ts';
import { readIdx, readNpyTensor } from '../../../../lib/doors/formats.ts';
import { byteMutations, mutate, textMutations } from '../../../formats/mutations.ts';
import { attempted, type Kind, type Means, Misread, type Outcome, pick, requireSame } from '../kind.ts';

export async function openNpy({ reader }: Means): Promise<Kind> {
  return {
    async attempt(random) {
      const bytes = anyNpy(random);
      const given = random.integer(6) === 0 ? new Uint8Array(gzipSync(bytes)) : bytes;
      const read = await attempted(() => readNpyTensor(given, { precision: 'double' }));
      if (!read) return 'refused';
      if (!reader) return 'accepted';
      return compare(read, await reader.read('npy', bytes));
    },
  };
}

export async function openIdx({ reader }: Means): Promise<Kind> {
  return {
    async attempt(random) {
      const bytes = anyIdx(random);
      const read = await attempted(() => readIdx(bytes));
      if (!read) return 'refused';
      if (!reader) return 'accepted';
      return compare(read, await reader.read('idx', bytes));
    },
  };
}

interface Numbers {
  readonly shape: readonly number[];
  readonly data: ArrayLike<number>;
}

function compare(
  read: Numbers,
  expected: { readonly shape: readonly number[]; readonly numbers: Float64Array } | null,
): Outcome {
  if (!expected) return 'unread';
  if (read.shape.join() !== expected.shape.join())
    throw new Misread(`shape ${read.shape} instead of ${expected.shape}`);
  requireSame(read.data, expected.numbers, 'numbers');
  return 'accepted';
}

const types = '<f4 <f8 >f4 >f8 =f8 |i1 <i2 >i4 <i8 |u1 <u2 >u4 <u8 |b1 ?'.split(' ');
const oddTypes = '<c8 <c16 |S3 <U2 <M8 |O f4 <f2 >f16 <i3 i8 |V8 <f04 <f4x b1 <b1 |f8 |i4'.split(' ');

/** A file whose parts fit, one of them odd in half of all tries, or with changed bytes. */
export function anyNpy(random: Random): Uint8Array {
  const descr = random.integer(8) === 0 ? pick(random, oddTypes) : pick(random, types);
  const shape = anyShape(random);
  const sizes = random.integer(12) === 0 ? oddSizes(random, shape) : shape.join(', ') + (shape.length === 1 ? ',' : '');
  const order = pick(random, ['False', 'False', 'True', 'False', 'True', random.integer(9) === 0 ? 'None' : 'False']);
  const entries = [`'descr': '${descr}'`, `'fortran_order': ${order}`, `'shape': (${sizes})`];
  if (random.integer(5) === 0) entries.reverse();
  if (random.integer(20) === 0) entries.push(pick(random, ["'extra': 1", entries[0], "'shape': (1,)"]));
  if (random.integer(20) === 0) entries.splice(random.integer(3), 1);
  const comma = pick(random, [', ', ',', ', ']);
  let header = `{${entries.join(comma)}${pick(random, [', ', ',', ''])}}`;
  if (random.integer(4) === 0) {
    header = new TextDecoder('latin1').decode(mutate(random, new TextEncoder().encode(header), textMutations));
  }
  const size = Number(/\d+/.exec(descr)?.[0] ?? 1);
  const count = shape.reduce((a, b) => a * b, 1);
  const length = Math.max(0, count * size + pick(random, [0, 0, 0, 0, 0, 0, 1, -1, size, -size]));
  const content = anyContent(random, length, descr);
  const bytes = joinNpy(random, header, content);
  return random.integer(4) === 0 ? mutate(random, bytes, byteMutations) : bytes;
}

function joinNpy(random: Random, header: string, content: Uint8Array): Uint8Array {
  const version = pick(random, [1, 1, 1, 2, 3, random.integer(30) === 0 ? 4 : 1]);
  const minor = random.integer(40) === 0 ? 1 : 0;
  const prefix = version === 1 ? 10 : 12;
  const text = `${header.padEnd(pick(random, [0, 54, 118]))}\n`;
  const stated = text.length + (random.integer(30) === 0 ? pick(random, [1, -1, 60_000, 1e6]) : 0);
  const length = version === 1 ? [stated & 255, (stated >> 8) & 255] : [0, 8, 16, 24].map((by) => (stated >> by) & 255);
  const before = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, minor, ...length];
  const bytes = new Uint8Array(prefix + text.length + content.length);
  bytes.set(before);
  for (let i = 0; i < text.length; i++) bytes[prefix + i] = text.charCodeAt(i);
  bytes.set(content, prefix + text.length);
  return bytes;
}

/** Bits of any kind; for 64-bit integers mostly ones that a double holds. */
function anyContent(random: Random, length: number, descr: string): Uint8Array {
  const content = new Uint8Array(length);
  const style = random.integer(4);
  for (let i = 0; i < length; i++) content[i] = style === 0 ? 0 : random.integer(style === 1 ? 3 : 256);
  if (/[iu]8$/.test(descr) && random.integer(5) > 0) {
    for (let i = 0; i < length; i++)
      if (i % 8 === (descr[0] === '>' ? 0 : 7) || i % 8 === (descr[0] === '>' ? 1 : 6)) content[i] = 0;
  }
  return content;
}

function anyShape(random: Random): number[] {
  const axes = pick(random, [0, 1, 1, 2, 2, 2, 2, 3, 4]);
  return Array.from({ length: axes }, () => pick(random, [0, 1, 1, 2, 3, 4, 5]));
}

function oddSizes(random: Random, shape: readonly number[]): string {
  const odd = [
    '-1',
    '2.0',
    '1e1',
    '99999999999',
    '2L',
    "'3'",
    'None',
    '0x2',
    '01',
    '+2',
    '2**3',
    'True',
    '(1,)',
    '1_0',
  ];
  return [...shape, pick(random, odd)].join(', ') + pick(random, ['', ',']);
}

const idxTypes = [8, 9, 11, 12, 13, 14];

function anyIdx(random: Random): Uint8Array {
  const code = random.integer(12) === 0 ? random.integer(256) : pick(random, idxTypes);
  const size = [1, 1, 0, 2, 4, 4, 8][code - 8] ?? 1;
  const shape = Array.from({ length: pick(random, [1, 1, 2, 2, 3, 4]) }, () => pick(random, [0, 1, 2, 3, 7]));
  const count = shape.reduce((a, b) => a * b, 1);
  if (random.integer(10) === 0) shape[random.integer(shape.length)] = pick(random, [2 ** 31, 2 ** 32 - 1, 65_536, 5]);
  const length = Math.max(0, count * size + pick(random, [0, 0, 0, 0, 0, 1, -1, size]));
  const offset = 4 + 4 * shape.length;
  const bytes = new Uint8Array(offset + length);
  const view = new DataView(bytes.buffer);
  bytes[2] = code;
  bytes[3] = shape.length + (random.integer(15) === 0 ? pick(random, [1, -1, 200]) : 0);
  for (const [axis, side] of shape.entries()) view.setUint32(4 + 4 * axis, side);
  bytes.set(anyContent(random, length, ''), offset);
  return random.integer(4) === 0 ? mutate(random, bytes, byteMutations) : bytes;
}
