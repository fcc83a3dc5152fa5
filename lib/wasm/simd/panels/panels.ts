/** Dense panels of a sparse factorization: routines and twins. */

import { group, type PanelKernels, plainPanels } from '../../../kernels/panels.ts';
import type { Assembler, Code, Handle, Local, Routines } from '../../assembler/assembler.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { held } from '../../memory/marshal.ts';
import { type Host } from '../../threads/executor.ts';
import { defineRowDots, defineSubtract } from '../vectors/vectors.ts';

export function definePanels(module: Assembler) {
  const strips = [1, 2, 3, 4].map((columns) => defineStrip(module, columns));
  return {
    pack: definePack(module, false),
    packScaled: definePack(module, true),
    block: defineBlock(module, strips),
    subtract: defineSubtract(module),
    dots: defineRowDots(module),
  };
}

type Strip = Handle<readonly ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'], null>;

/**
 * pack(tiles, inner, a, aStride, pivots, out): copies four rows after another, tile by tile: out[tile][k][4]. With `scaled`, column k
 * is multiplied by pivots[k]. May read up to three numbers beyond the last row.
 */
function definePack(module: Assembler, scaled: boolean) {
  return module.define(taking(6), ([tiles, inner, a, aStride, pivots, out], declare) => {
    const [from, by, left] = variables(declare, 'i32', 3);
    const factor = declare('v128');
    const scale = (value: Code): Code => (scaled ? f64x2.multiply(factor, value) : value);
    return whileAtLeast(tiles, 1, [
      from.set(a),
      by.set(pivots),
      left.set(inner),
      whileAtLeast(left, 1, [
        scaled ? factor.set(v128.loadSplat64(by)) : [],
        [0, 16].map((half) => v128.store(out, scale(v128.load(from, half)), half)),
        from.advance(aStride),
        by.step(8),
        out.step(32),
      ]),
      a.step(32),
    ]);
  });
}

/** strip(rows, inner, a, b, c, cStride): C −= A·Bᵀ for packed rows A and up to four packed rows B, the columns of C. */
function defineStrip(module: Assembler, columns: number): Strip {
  return module.define(taking(6), ([rows, inner, a, b, c, cStride], declare) => {
    const sums = Array.from({ length: columns }, () => variables(declare, 'v128', 2));
    const values = variables(declare, 'v128', 2);
    const factor = declare('v128');
    const [left, from, by, to] = variables(declare, 'i32', 4);
    /** As many rows as there are numbers in these vectors: two, or one. */
    const tile = (lanes: readonly (1 | 2)[]): Code => {
      const load = (at: Local, h: number): Code => (lanes[h] === 2 ? v128.load(at, 16 * h) : v128.loadTwo(at, 16 * h));
      const store = (value: Local, h: number): Code =>
        lanes[h] === 2 ? v128.store(to, value, 16 * h) : v128.storeTwo(to, value, 16 * h);
      const each = (visit: (sum: Local, h: number) => Code): Code => [
        to.set(c),
        sums.map((line) => [lanes.map((_, h) => visit(line[h], h)), to.advance(cStride)]),
      ];
      return [
        each((sum, h) => sum.set(load(to, h))),
        left.set(inner),
        from.set(a),
        by.set(b),
        whileAtLeast(left, 1, [
          lanes.map((_, h) => values[h].set(v128.load(from, 16 * h))),
          sums.map((line, j) => [
            factor.set(v128.loadSplat64(by, 8 * j)),
            lanes.map((_, h) => line[h].set(f64x2.subtract(line[h], f64x2.multiply(values[h], factor)))),
          ]),
          from.step(32),
          by.step(32),
        ]),
        each(store),
      ];
    };
    const ragged: Record<number, readonly (1 | 2)[]> = { 1: [1], 2: [2], 3: [2, 1] };
    return [
      whileAtLeast(rows, 4, [tile([2, 2]), a.advance(i32.shiftLeft(inner, 5)), c.step(32)]),
      [1, 2, 3].map((count) => when(i32.eq(rows, i32.constant(count)), tile(ragged[count]))),
    ];
  });
}

/**
 * block(from, to, columns, inner, a, b, c, cStride): rows from … to−1 of the update, from the first column to the diagonal. `from` is
 * a multiple of four; a, b and c are those of row 0 and column 0.
 */
function defineBlock(module: Assembler, strips: readonly Strip[]) {
  return module.define(taking(8), ([from, to, columns, inner, a, b, c, cStride], declare) => {
    const [j, start] = variables(declare, 'i32', 2);
    const strip = (width: number): Code => [
      start.set(i32.select(j, from, i32.lessThan(from, j))),
      when(
        i32.lessThan(start, to),
        strips[width - 1].call(
          i32.subtract(to, start),
          inner,
          i32.add(a, i32.shiftLeft(i32.multiply(start, inner), 3)),
          b,
          i32.add(c, i32.shiftLeft(start, 3)),
          cStride,
        ),
      ),
    ];
    return [
      whileAtLeast(columns, group, [
        strip(group),
        b.advance(i32.shiftLeft(inner, 5)),
        c.advance(i32.shiftLeft(cStride, 2)),
        j.step(group),
      ]),
      [1, 2, 3].map((width) => when(i32.eq(columns, i32.constant(width)), strip(width))),
    ];
  });
}

/** The rows of an update that one call computes: 64 rows of some hundred columns stay in the second-level cache. */
const rowsPerBlock = 64;

export function panelTwins(
  { pack, packScaled, block, subtract, dots }: Routines<typeof definePanels>,
  host: Host,
): PanelKernels {
  const { memory } = host;
  const numbers = new Float64Array(memory.buffer);
  const sums = memory.take(8 * group);
  return {
    subtractOuter: host.kernel(
      plainPanels.subtractOuter,
      [held, held, held],
      (rows, columns, inner, stride, a, pivots, outStride, out) => {
        if (rows === 0 || columns === 0 || inner === 0) return undefined;
        const tiles = Math.ceil(rows / group);
        const packed = memory.scratch(8 * group * inner * (tiles + Math.ceil(columns / group)));
        if (packed < 0) return null;
        const scaled = packed + 8 * group * inner * tiles;
        pack(tiles, inner, a, 8 * stride, pivots, packed);
        packScaled(Math.ceil(columns / group), inner, a, 8 * stride, pivots, scaled);
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
    solvePanel: host.kernel(plainPanels.solvePanel, [held, held], (rows, columns, panel, x) => {
      let j = 0;
      for (; j + group <= columns; j += group) {
        for (let k = 0; k < group; k++) {
          const at = (panel + 8 * (j + k) * rows) / 8;
          const factor = numbers[x / 8 + j + k];
          for (let i = j + k + 1; i < j + group; i++) numbers[x / 8 + i] -= factor * numbers[at + i];
        }
        const below = j + group;
        subtract(rows - below, x + 8 * j, panel + 8 * (j * rows + below), 8 * rows, x + 8 * below);
      }
      for (; j < columns; j++) {
        const at = (panel + 8 * j * rows) / 8;
        const factor = numbers[x / 8 + j];
        for (let i = j + 1; i < rows; i++) numbers[x / 8 + i] -= factor * numbers[at + i];
      }
    }),
    solvePanelTransposed: host.kernel(
      plainPanels.solvePanelTransposed,
      [held, held],
      (rows, columns, panel, x) => {
        let j = columns;
        for (; j % group !== 0;) {
          j--;
          const at = (panel + 8 * j * rows) / 8;
          let sum = numbers[x / 8 + j];
          for (let i = j + 1; i < rows; i++) sum -= numbers[at + i] * numbers[x / 8 + i];
          numbers[x / 8 + j] = sum;
        }
        while (j > 0) {
          const below = j;
          j -= group;
          numbers.fill(0, sums / 8, sums / 8 + group);
          dots(rows - below, panel + 8 * (j * rows + below), 8 * rows, x + 8 * below, sums);
          for (let k = group - 1; k >= 0; k--) {
            const at = (panel + 8 * (j + k) * rows) / 8;
            let sum = numbers[x / 8 + j + k] - numbers[sums / 8 + k];
            for (let i = j + k + 1; i < below; i++) sum -= numbers[at + i] * numbers[x / 8 + i];
            numbers[x / 8 + j + k] = sum;
          }
        }
      },
    ),
  };
}
