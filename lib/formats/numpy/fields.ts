/** Reads and writes the little-endian numbers of a zip archive, by lists of their widths in bytes. */

import { badValue } from '../../core/check.ts';

/** Consecutive whole numbers of these widths, starting at `at`. */
export function readFields(caller: string, archive: Uint8Array, at: number, widths: readonly number[]): number[] {
  let from = at;
  return widths.map((width) => {
    const bytes = bytesAt(caller, archive, from, width);
    from += width;
    return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
  });
}

export function writeFields(widths: readonly number[], values: readonly number[]): Uint8Array {
  return Uint8Array.from(
    widths.flatMap((width, k) => [0, 8, 16, 24].slice(0, width).map((bits) => values[k] >>> bits)),
  );
}

/** A view of `length` bytes. Refuses a range that ends beyond the archive, which must then be truncated. */
export function bytesAt(caller: string, archive: Uint8Array, at: number, length: number): Uint8Array {
  if (at + length <= archive.length) return archive.subarray(at, at + length);
  throw badValue(
    caller,
    'a whole zip archive, below 4 GiB',
    `${archive.length} bytes that refer to byte ${at + length}`,
    'The file may be truncated.',
  );
}
