/** SIMD twins of the kernels on dense panels of a sparse factorization. */

import { group, type PanelKernels, plainPanels } from '../../../kernels/panels.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import { held } from '../../memory/marshal.ts';
import { layout } from '../../memory/memory.ts';
import type { Host } from '../../threads/executor.ts';
import { defineSolves } from './solves.ts';
import { defineUpdates } from './updates.ts';

export function definePanels(module: Assembler) {
  return { ...defineUpdates(module), ...defineSolves(module) };
}

/** The rows of an update that one call computes: 64 rows of some hundred columns stay in the second-level cache. */
const rowsPerBlock = 64;

export function panelTwins(
  { pack, block, eliminate, extendAdd, lower, upper }: Routines<typeof definePanels>,
  host: Host,
): PanelKernels {
  const { memory } = host;
  const sums = memory.take(8 * group);
  return {
    subtractOuter: host.kernel(
      plainPanels.subtractOuter,
      held,
      (rows, columns, inner, stride, a, pivots, outStride, out) => {
        if (rows === 0 || columns === 0 || inner === 0) return undefined;
        const [tiles, scaledTiles] = [rows, columns].map((count) => Math.ceil(count / group));
        const packed = memory.scratch(8 * group * inner * (tiles + scaledTiles));
        if (packed < 0) return null;
        const scaled = packed + 8 * group * inner * tiles;
        pack(tiles, inner, a, 8 * stride, layout.one64, 0, packed);
        pack(scaledTiles, inner, a, 8 * stride, pivots, 8, scaled);
        const executor = host.chooseExecutor(inner * columns * (2 * rows - columns));
        const deferred = executor.defer(block);
        // The last rows first, since they have the most columns.
        for (let to = rows; to > 0;) {
          const from = rowsPerBlock * Math.floor((to - 1) / rowsPerBlock);
          deferred(from, to, columns, inner, packed, scaled, out, 8 * outStride);
          to = from;
        }
        return executor.finish();
      },
    ),
    eliminatePanel: host.kernel(plainPanels.eliminatePanel, held, (height, columns, stride, panel, pivots) => {
      const packed = memory.scratch(8 * group * columns);
      if (packed < 0) return null;
      return eliminate(height, columns, 8 * stride, panel, pivots, packed);
    }),
    extendAdd: host.kernel(plainPanels.extendAdd, held, extendAdd),
    solveLower: host.kernel(plainPanels.solveLower, held, lower),
    solveUpper: host.kernel(plainPanels.solveUpper, held, (count, first, heights, rows, panels, x, work) => {
      let [below, length] = [0, 0];
      for (let s = 0; s < count; s++) {
        const columns = memory.entries(first + 4 * s, 1);
        const height = memory.int32[heights / 4 + s];
        below += height - columns;
        length += height * columns;
      }
      const last = 4 * (count - 1);
      upper(count, first + last, heights + last, rows + 4 * below, panels + 8 * length, x, work, sums);
    }),
  };
}
