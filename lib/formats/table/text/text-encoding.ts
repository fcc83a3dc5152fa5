/** Text in other encodings and with other line ends, converted to UTF-8 with line feeds. */

import { badValue } from '../../../core/check.ts';
import { carriageReturn, lineFeed } from '../../bytes/decimal.ts';
import type { Wording } from '../wording.ts';

/** The encoding of a text: one that TextDecoder knows, and whether lines end with a carriage return alone. */
export interface TextEncoding {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  readonly hasReturnsOnly: boolean;
}

/** The encoding by the byte order mark, else by zero bytes, else UTF-8 if that is valid. Refuses binary data. */
export function detectEncoding(wording: Wording, head: Uint8Array, final: boolean): TextEncoding {
  const encoding = encodingOf(head, final);
  if (encoding === 'utf-8' || encoding === 'windows-1252') {
    const zero = head.indexOf(0);
    if (zero >= 0) {
      const remedy = 'Save the table as CSV in UTF-8.';
      throw badValue(wording.caller, 'a table as text', `a zero byte at offset ${zero}`, remedy);
    }
  }
  return { encoding, hasReturnsOnly: head.includes(carriageReturn) && !head.includes(lineFeed) };
}

function encodingOf(head: Uint8Array, final: boolean): TextEncoding['encoding'] {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  // ASCII text in UTF-16 has a zero in every second byte.
  let [even, odd] = [0, 0];
  const pairs = Math.min(512, head.length >> 1);
  for (let k = 0; k < pairs; k++) {
    if (head[2 * k] === 0) even++;
    if (head[2 * k + 1] === 0) odd++;
  }
  if (pairs > 2 && odd > 0.8 * pairs && even === 0) return 'utf-16le';
  if (pairs > 2 && even > 0.8 * pairs && odd === 0) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !final });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** Decodes text in this encoding. Refuses bytes that are not valid in it. */
export function decodeText({ caller }: Wording, encoding: TextEncoding['encoding'], decode: () => string): string {
  try {
    return decode();
  } catch {
    const remedy = 'The file may be truncated. Save the table as CSV in UTF-8.';
    throw badValue(caller, `text in ${encoding.toUpperCase()}`, 'other bytes', remedy);
  }
}

/** The pieces in UTF-8 without a byte order mark, with line feeds. `isAll`: whether the text ends with them. */
export async function* toUtf8(
  wording: Wording,
  pieces: AsyncIterable<Uint8Array>,
  { encoding, hasReturnsOnly }: TextEncoding,
  isAll = true,
): AsyncGenerator<Uint8Array> {
  if (encoding === 'utf-8' && !hasReturnsOnly) {
    yield* withoutMark(pieces);
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new TextEncoder();
  const convert = (decode: () => string): Uint8Array => {
    const text = decodeText(wording, encoding, decode);
    return encoder.encode(hasReturnsOnly ? text.replaceAll('\r', '\n') : text);
  };
  for await (const piece of pieces) yield convert(() => decoder.decode(piece, { stream: true }));
  if (isAll) yield convert(() => decoder.decode());
}

async function* withoutMark(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    const hasMark = isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf;
    if (piece.length > 0) isFirst = false;
    yield hasMark ? piece.subarray(3) : piece;
  }
}
