/** How are pieces of a file cut so that no line is torn? */

import { badValue } from '../../core/check.ts';
import { join } from './compression.ts';
import { lineFeed } from './decimal.ts';

/** Longer lines are refused, so that a file without line ends does not pile up in memory. */
export const longestLine = 1 << 16;

/** The same bytes in blocks that end with a line feed each; one is added to the last line if it has none. */
export async function* wholeLines(
  caller: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array(0);
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(lineFeed) + 1;
    if (end > 0) yield rest.length > 0 ? join([rest, piece.subarray(0, end)]) : piece.subarray(0, end);
    rest = end > 0 ? piece.slice(end) : join([rest, piece]);
    if (rest.length > longestLine) throw badValue(caller, `lines of at most ${longestLine} bytes`, 'a longer one');
  }
  if (rest.length > 0) yield join([rest, Uint8Array.of(lineFeed)]);
}
