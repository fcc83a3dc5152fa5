/** How does an eigensolver that runs in one go let others have a turn? It is stopped at a product, and begun again with those it has had. */

import type { Work } from '../../core/pace.ts';
import { lanczos, type LanczosOptions, type LanczosResult } from '../../linalg/lanczos/lanczos.ts';
import type { LinearOperator } from '../../linalg/lanczos/operator.ts';

/** A turn has products of about so many entries of a dense matrix in all, ... */
const entriesPerTurn = 2 ** 23;
/** ... or this share of those before it, so that repeating them never takes long beside making them. */
const share = 1 / 16;

const pause = new Error('the turn is over');

/**
 * `lanczos`, to the bit, for operators whose products cost much more than the vectors around them: dense matrices. Same seed,
 * same products: so they are recorded, size·8 bytes each, and handed out again.
 */
export function* lanczosInTurns(operator: LinearOperator, options: LanczosOptions): Work<LanczosResult> {
  const { size } = operator;
  const made: Float64Array[] = [];
  for (;;) {
    const most = made.length + Math.ceil(Math.max(entriesPerTurn / size ** 2, share * made.length));
    let next = 0;
    const recorded: LinearOperator = {
      size,
      apply(x, y) {
        if (next === most) throw pause;
        if (next === made.length) {
          operator.apply(x, y);
          made.push(y.slice());
        } else {
          y.set(made[next]);
        }
        next++;
      },
    };
    try {
      return lanczos(recorded, options);
    } catch (error) {
      if (error !== pause) throw error;
    }
    yield made.length / (made.length + 100);
  }
}
