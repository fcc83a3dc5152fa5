/** Checksums: as text, for names and contents of files, and of the pages of large files. */

import * as zlib from 'node:zlib';
import { crc32 } from '../core/crc32.ts';

/** The CRC-32 of bytes, or of a text in UTF-8, as eight hexadecimal digits. */
export function checksum(content: Uint8Array | string): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return crc32(bytes).toString(16).padStart(8, '0');
}

/** The same CRC-32 as a number, several times as fast where Node has it, from 20.15 on. */
export const fastCrc32: (bytes: Uint8Array) => number = zlib.crc32 ? (bytes) => zlib.crc32(bytes) : crc32;
