/** Writes protocol buffer messages. Each field is its number and wire type, followed by its value. */

import { concatenate } from '../../formats/bytes/compression.ts';

/** A nonnegative integer, a string, or bytes, which may be a nested message. */
export type Field = readonly [field: number, value: number | string | Uint8Array];

/** The wire types in use. */
const varint = 0;
const lengthDelimited = 2;

export function message(...fields: readonly Field[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [field, value] of fields) {
    if (typeof value === 'number') {
      parts.push(encodeVarint(8 * field + varint), encodeVarint(value));
      continue;
    }
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
    parts.push(encodeVarint(8 * field + lengthDelimited), encodeVarint(bytes.length), bytes);
  }
  return concatenate(parts);
}

/** Seven bits per byte, lowest first. All bytes but the last have the highest bit set. */
function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
