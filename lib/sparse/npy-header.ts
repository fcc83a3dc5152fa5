/** What stands before the elements of a .npy file? Magic bytes, a version, and a Python dictionary of three keys. */

import { badValue } from '../core/check.ts';

export interface NpyHeader {
  readonly dtype: string;
  readonly bigEndian: boolean;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
  /** Where the elements begin. */
  readonly offset: number;
}

export const littleEndianHere = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** NumPy's own limit on a header it reads without being told to trust it is 10,000. */
const longestHeader = 1 << 16;

/** Errors are in the name of `caller`. */
export function parseHeader(caller: string, bytes: Uint8Array): NpyHeader {
  if (bytes.length < 12 || magic.some((byte, k) => bytes[k] !== byte)) {
    throw badValue(caller, 'a .npy array, which begins with \\x93NUMPY', 'other bytes');
  }
  const version = bytes[6];
  if (version < 1 || version > 3) throw badValue(caller, 'version 1, 2 or 3 of .npy', version);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begin = version === 1 ? 10 : 12;
  const offset = begin + (version === 1 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (offset > bytes.length || offset > longestHeader) {
    throw badValue(caller, `a .npy header within ${Math.min(bytes.length, longestHeader)} bytes`, offset);
  }
  const text = new TextDecoder('latin1').decode(bytes.slice(begin, offset));
  const pairs = parsePairs(text.trim());
  const type = /^'([<>|=]?)([a-zA-Z]\d+)'$/.exec(pairs.get('descr') ?? '');
  const shape = /^\(\s*((?:\d+L?\s*,\s*)*(?:\d+L?\s*)?)\)$/.exec(pairs.get('shape') ?? '');
  if (!type || !shape || !pairs.has('fortran_order') || pairs.size !== 3) {
    const got = text.trim().replace(/[^\x20-\x7e]/g, '?');
    throw badValue(caller, "a .npy header with a plain 'descr', 'fortran_order' and 'shape'", got.slice(0, 100));
  }
  const sizes = shape[1].split(',').filter((size) => size.trim() !== '');
  return {
    dtype: type[2],
    bigEndian: type[1] === '>' || (type[1] === '=' && !littleEndianHere),
    fortranOrder: pairs.get('fortran_order') === 'True',
    shape: sizes.map((size) => Number.parseInt(size, 10)),
    offset,
  };
}

/** Header of version 1 and content in one, padded with blanks so that the elements begin at a multiple of 64. */
export function joinHeader(descr: string, shape: readonly number[], content: Uint8Array): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const length = Math.ceil((10 + text.length + 1) / 64) * 64;
  const result = new Uint8Array(length + content.length);
  result.set([...magic, 1, 0, (length - 10) & 255, (length - 10) >> 8]);
  result.set(new TextEncoder().encode(`${text.padEnd(length - 11)}\n`), 10);
  result.set(content, length);
  return result;
}

/** `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`; nothing if it is anything else. */
function parsePairs(text: string): Map<string, string> {
  const pairs = new Map<string, string>();
  if (!text.startsWith('{') || !text.endsWith('}')) return pairs;
  const inside = text.slice(1, -1).trim();
  const pair = /'(\w+)'\s*:\s*('[^']*'|True|False|\([^()]*\))\s*(?:,\s*|$)/y;
  while (pair.lastIndex < inside.length) {
    const match = pair.exec(inside);
    if (!match) return new Map();
    pairs.set(match[1], match[2]);
  }
  return pairs;
}
