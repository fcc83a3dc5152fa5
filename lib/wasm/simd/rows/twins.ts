/** How do the kernels on rows call their routines? Each falls back on its plain twin for Float64 and for want of room. */

import * as plain from '../../../kernels/rows.ts';
import type { Kernels } from '../../../kernels/table.ts';
import type { Routines } from '../module.ts';
import { isSingle, type Stage } from '../../memory/stage.ts';

type RowTwins = Pick<Kernels, 'gatherRows' | 'scatterAddRows' | 'scaleRows' | 'transpose'>;

export function rowTwins(wasm: Routines, stage: Stage): RowTwins {
  return {
    gatherRows(count, cols, rows, x, out) {
      if (!stage.open(rows, x, out)) return plain.gatherRows(count, cols, rows, x, out);
      wasm.gather(count, cols, stage.at(rows), stage.at(x), stage.at(out));
      stage.close(out);
    },
    scatterAddRows(count, cols, rows, x, out) {
      if (!stage.open(rows, x, out)) return plain.scatterAddRows(count, cols, rows, x, out);
      wasm.scatterAdd(count, cols, stage.at(rows), stage.at(x), stage.at(out));
      stage.close(out);
    },
    scaleRows(rows, cols, factors, x, out, accumulate) {
      if (!isSingle(x) || !isSingle(out) || !stage.admit(factors, x, out))
        return plain.scaleRows(rows, cols, factors, x, out, accumulate);
      const name = isSingle(factors) ? 'scaleRows' : 'scaleRows64';
      wasm[accumulate ? `${name}+` : name](rows, cols, stage.at(factors), stage.at(x), stage.at(out));
      stage.close(out);
    },
    transpose(rows, cols, x, out, accumulate) {
      if (accumulate || !stage.open(x, out)) return plain.transpose(rows, cols, x, out, accumulate);
      wasm.transpose(rows, cols, stage.at(x), 4 * cols, stage.at(out), 4 * rows);
      stage.close(out);
    },
  };
}
