/** A checksum as text, for names and contents of files. */

import { crc32 } from '../core/crc32.ts';

/** The CRC-32 of bytes, or of a text in UTF-8, as eight hexadecimal digits. */
export function checksum(content: Uint8Array | string): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return crc32(bytes).toString(16).padStart(8, '0');
}
