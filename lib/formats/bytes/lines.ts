/** Pieces of a file regrouped into blocks of whole lines. */

import { badValue } from '../../core/check.ts';
import { concatenate } from './compression.ts';
import { lineFeed } from './decimal.ts';

/** Longer lines are refused, so that a file without line ends does not fill the memory. */
export const maxLineBytes = 1 << 16;

/** The same bytes in blocks that end with a line feed. Adds one to the last line if it has none. */
export async function* wholeLines(
  caller: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array(0);
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(lineFeed) + 1;
    if (end > 0) yield rest.length > 0 ? concatenate([rest, piece.subarray(0, end)]) : piece.subarray(0, end);
    rest = end > 0 ? piece.slice(end) : concatenate([rest, piece]);
    if (rest.length > maxLineBytes) {
      throw badValue(caller, `lines of at most ${maxLineBytes} bytes`, `${rest.length} or more`);
    }
  }
  if (rest.length > 0) yield concatenate([rest, Uint8Array.of(lineFeed)]);
}
