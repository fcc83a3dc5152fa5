/** How is a message of protocol buffers written? Field by field: its number, how it is coded, and its value. */

import { join } from '../../formats/bytes/compression.ts';

/** Whole numbers from 0 on, texts, and bytes, which may be a message of their own. */
export type Field = readonly [field: number, value: number | string | Uint8Array];

/** The wire types that are used here. */
const varint = 0;
const lengthDelimited = 2;

export function message(...fields: readonly Field[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [field, value] of fields) {
    if (typeof value === 'number') {
      parts.push(wholeNumber(8 * field + varint), wholeNumber(value));
      continue;
    }
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
    parts.push(wholeNumber(8 * field + lengthDelimited), wholeNumber(bytes.length), bytes);
  }
  return join(parts);
}

/** Seven bits a byte, the lowest first; all bytes but the last have the highest bit set. */
function wholeNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
