/** The header of a .npy file: magic bytes, a version, and a Python dictionary with three keys. */

import { badValue, excerpt } from '../../core/check.ts';
import { concatenate } from '../bytes/compression.ts';

export interface NpyHeader {
  readonly dtype: string;
  readonly bigEndian: boolean;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
  /** Where the elements begin. */
  readonly offset: number;
}

export const hostIsLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** NumPy itself refuses headers of more than 10,000 bytes unless it is told to trust the file. */
const maxHeaderBytes = 1 << 16;

/** The header of the file. Errors name `caller`. */
export function parseHeader(caller: string, bytes: Uint8Array): NpyHeader {
  if (bytes.length < 12 || magic.some((byte, k) => bytes[k] !== byte)) {
    throw badValue(caller, 'a .npy array', 'bytes without a .npy header');
  }
  const [version, minor] = bytes.subarray(6, 8);
  if (version < 1 || version > 3) throw badValue(caller, 'version 1, 2 or 3 of .npy', version);
  if (minor !== 0) throw badValue(caller, `version ${version}.0 of .npy`, `${version}.${minor}`);
  const { begin, offset } = spanOf(bytes);
  const limit = Math.min(bytes.length, maxHeaderBytes);
  if (offset > limit) throw badValue(caller, `a .npy header within ${limit} bytes`, offset);
  const text = new TextDecoder('latin1').decode(bytes.slice(begin, offset)).trim();
  const { descr, fortran_order: fortranOrder, shape, ...others } = parseDictionary(text);
  const type = /^([<>|=]?)([a-zA-Z]\d+)$/.exec(typeof descr === 'string' ? descr : '');
  const sizes = Array.isArray(shape) && shape.every((size) => Number.isInteger(size) && size >= 0);
  if (!type || !sizes || typeof fortranOrder !== 'boolean' || Object.keys(others).length > 0) {
    throw badValue(caller, "a .npy header with a plain 'descr', 'fortran_order' and 'shape'", excerpt(text));
  }
  const bigEndian = type[1] === '>' || (type[1] === '=' && !hostIsLittleEndian);
  return { dtype: type[2], bigEndian, fortranOrder, shape, offset };
}

/** The header, from the first bytes of a file; null if these end within the header. Errors name `caller`. */
export function parseBegin(caller: string, begin: Uint8Array): NpyHeader | null {
  if (begin.length < 12 || begin.length < Math.min(spanOf(begin).offset, maxHeaderBytes)) return null;
  return parseHeader(caller, begin);
}

/** The number of bytes of the elements. A character (U) has four bytes. */
export function contentLength(dtype: string, shape: readonly number[]): number {
  const size = Number(dtype.slice(1)) * (dtype[0] === 'U' ? 4 : 1);
  return shape.includes(0) ? 0 : shape.reduce((a, b) => a * b, size);
}

/** Where the dictionary begins and ends. */
function spanOf(bytes: Uint8Array): { readonly begin: number; readonly offset: number } {
  const begin = bytes[6] === 1 ? 10 : 12;
  return { begin, offset: begin + bytes.subarray(8, begin).reduceRight((length, byte) => 256 * length + byte, 0) };
}

/** A header of version 1 followed by the content. Pads the header with blanks so that its length is a multiple of 64. */
export function joinHeader(descr: string, shape: readonly number[], content: Uint8Array): Uint8Array {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  const length = Math.ceil((10 + text.length + 1) / 64) * 64;
  const before = Uint8Array.of(...magic, 1, 0, (length - 10) & 255, (length - 10) >> 8);
  return concatenate([before, new TextEncoder().encode(`${text.padEnd(length - 11)}\n`), content]);
}

/** Rewrites `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }` as JSON and parses it. Returns {} on failure. */
function parseDictionary(text: string): Record<string, unknown> {
  const json = text
    .replace(/['()]|True|False/g, (python) => spelling[python])
    .replace(/(\d)L/g, '$1')
    .replace(/,\s*([\]}])/g, '$1');
  try {
    return { ...JSON.parse(json) };
  } catch {
    return {};
  }
}

const spelling: Record<string, string> = { "'": '"', '(': '[', ')': ']', True: 'true', False: 'false' };
