/** Dense panels of a sparse factorization: routines and twins. */

import { group, type PanelKernels, plainPanels } from '../../../kernels/panels.ts';
import type { Assembler, Code, Handle, Local, Routines } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { held } from '../../memory/marshal.ts';
import { type Host } from '../../threads/executor.ts';
import { defineDot, defineRowDots, defineScale, defineSubtract, forEachDouble } from '../vectors/vectors.ts';

export function definePanels(module: Assembler) {
  const strips = [1, 2, 3, 4].map((columns) => defineStrip(module, columns));
  return {
    pack: definePack(module, false),
    packScaled: definePack(module, true),
    block: defineBlock(module, strips),
    eliminate: defineEliminate(module, strips),
    extendAdd: defineExtendAdd(module),
    ...defineSolves(module),
  };
}

type Strip = Handle<readonly ['i32', 'i32', 'i32', 'i32', 'i32', 'i32', 'i32', 'i32'], null>;

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

/**
 * strip(rows, inner, a, aStep, aTile, b, c, cStride): C −= A·Bᵀ for up to four packed rows B, the columns of C. Four rows of A are
 * next to each other; their next column is aStep bytes away, and the next four rows are aTile bytes away.
 */
function defineStrip(module: Assembler, columns: number): Strip {
  return module.define(taking(8), ([rows, inner, a, aStep, aTile, b, c, cStride], declare) => {
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
          from.advance(aStep),
          by.step(32),
        ]),
        each(store),
      ];
    };
    const ragged: Record<number, readonly (1 | 2)[]> = { 1: [1], 2: [2], 3: [2, 1] };
    return [
      whileAtLeast(rows, 4, [tile([2, 2]), a.advance(aTile), c.step(32)]),
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
          i32.constant(32),
          i32.shiftLeft(inner, 5),
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

/**
 * eliminate(height, columns, stride, panel, pivots, packed): eliminates the columns of a panel, four at a time: first the columns
 * before them are subtracted, with their rows scaled by pivots in `packed`, 32 bytes for each column, then they are eliminated one by one.
 */
function defineEliminate(module: Assembler, strips: readonly Strip[]) {
  const scale = defineScale(module, true);
  const divide = module.define(taking(2, 'f64'), ([n, a, divisor], declare) => {
    const divisors = declare('v128');
    return [
      divisors.set(f64x2.splat(divisor)),
      forEachDouble(n, [a], ({ load, store }) => store(a, f64x2.divide(load(a), divisors))),
    ];
  });
  return module.define(taking(6), ([height, columns, stride, panel, pivots, packed], declare) => {
    const [known, width, left, from, to, at] = variables(declare, 'i32', 6);
    const [column, other, j, k] = variables(declare, 'i32', 4);
    const factor = declare('f64');
    const bytes = (count: Code): Code => i32.shiftLeft(count, 3);
    /** At column `known`, on the diagonal. */
    const subtractKnown = [
      left.set(known),
      from.set(i32.add(panel, bytes(known))),
      to.set(packed),
      at.set(pivots),
      whileAtLeast(left, 1, [
        [0, 8, 16, 24].map((offset) => f64.store(to, f64.multiply(f64.load(at), f64.load(from, offset)), offset)),
        from.advance(stride),
        at.step(8),
        to.step(32),
      ]),
      [1, 2, 3, 4].map((count) =>
        when(
          i32.eq(width, i32.constant(count)),
          strips[count - 1].call(
            height,
            known,
            i32.add(panel, bytes(known)),
            stride,
            i32.constant(32),
            packed,
            column,
            stride,
          ),
        ),
      ),
    ];
    /** Column j of the four: the ones before it, then the division. `at` is its diagonal entry. */
    const eliminateColumn = [
      k.set(i32.constant(0)),
      other.set(i32.add(column, bytes(j))),
      left.set(j),
      whileAtLeast(left, 1, [
        factor.set(f64.multiply(f64.load(i32.add(pivots, bytes(i32.add(known, k)))), f64.load(other))),
        scale.call(i32.subtract(height, j), other, at, f64.subtract(f64.constant(0), factor)),
        other.advance(stride),
        k.step(1),
      ]),
      f64.store(i32.add(pivots, bytes(i32.add(known, j))), f64.load(at)),
      divide.call(i32.subtract(i32.subtract(height, j), i32.constant(1)), i32.add(at, i32.constant(8)), f64.load(at)),
      at.advance(i32.add(stride, i32.constant(8))),
      j.step(1),
    ];
    return [
      column.set(panel),
      whileAtLeast(columns, 1, [
        width.set(i32.select(i32.constant(group), columns, i32.atLeast(columns, i32.constant(group)))),
        when(known, subtractKnown),
        j.set(i32.constant(0)),
        at.set(column),
        to.set(width),
        whileAtLeast(to, 1, eliminateColumn),
        known.advance(width),
        height.set(i32.subtract(height, width)),
        column.advance(i32.multiply(width, i32.add(stride, i32.constant(8)))),
        columns.set(i32.subtract(columns, i32.subtract(width, i32.constant(1)))),
      ]),
    ];
  });
}

/** extendAdd(size, places, source, columns, height, panel, update): one number after the other, since their places are not contiguous. */
function defineExtendAdd(module: Assembler) {
  return module.define(taking(7), ([size, places, source, columns, height, panel, update], declare) => {
    const [left, target, place, from, to, step] = variables(declare, 'i32', 6);
    const bytes = (count: Code): Code => i32.shiftLeft(count, 3);
    const below = i32.subtract(height, columns);
    return [
      step.set(bytes(i32.add(size, i32.constant(1)))),
      whileAtLeast(size, 1, [
        target.set(i32.load(places)),
        when(
          i32.lessThan(target, columns),
          target.set(i32.add(panel, bytes(i32.multiply(target, height)))),
          target.set(i32.add(update, bytes(i32.subtract(i32.multiply(i32.subtract(target, columns), below), columns)))),
        ),
        left.set(size),
        place.set(places),
        from.set(source),
        whileAtLeast(left, 1, [
          to.set(i32.add(target, bytes(i32.load(place)))),
          f64.store(to, f64.add(f64.load(to), f64.load(from))),
          place.step(4),
          from.step(8),
        ]),
        places.step(4),
        source.advance(step),
      ]),
    ];
  });
}

/**
 * lower(count, first, heights, rows, panels, x, work) and upper(count, first, heights, rows, panels, x, work, sums): the solves. `upper`
 * starts at the last panel, with pointers to its entries of `first` and `heights`, to the end of `rows` and to that of `panels`.
 */
function defineSolves(module: Assembler) {
  const scale = defineScale(module, true);
  const subtract = defineSubtract(module);
  const dot = defineDot(module);
  const dots = defineRowDots(module);
  const negative = (at: Code): Code => f64.subtract(f64.constant(0), f64.load(at));
  const bytes = (count: Code): Code => i32.shiftLeft(count, 3);

  /** The number of columns of a panel, its height in bytes, how many rows are below, and where the columns are in x. */
  const open = ([columns, height, below, own]: readonly Local[], first: Local, heights: Local, x: Local): Code => [
    columns.set(i32.subtract(i32.load(first, 4), i32.load(first))),
    below.set(i32.subtract(i32.load(heights), columns)),
    height.set(bytes(i32.load(heights))),
    own.set(i32.add(x, bytes(i32.load(first)))),
  ];

  const lower = module.define(taking(7), ([count, first, heights, rows, panels, x, work], declare) => {
    const panel = variables(declare, 'i32', 4);
    const [columns, height, below, own] = panel;
    const [left, row, at, by] = variables(declare, 'i32', 4);
    const place = i32.add(x, bytes(i32.load(row)));
    const eachRow = (body: Code): Code => [
      row.set(rows),
      at.set(work),
      left.set(below),
      whileAtLeast(left, 1, [body, row.step(4), at.step(8)]),
    ];
    return whileAtLeast(count, 1, [
      open(panel, first, heights, x),
      eachRow(f64.store(at, f64.load(place))),
      // The triangle, column by column.
      left.set(columns),
      at.set(panels),
      by.set(own),
      whileAtLeast(left, 1, [
        at.step(8),
        scale.call(i32.subtract(left, i32.constant(1)), at, i32.add(by, i32.constant(8)), negative(by)),
        at.advance(height),
        by.step(8),
      ]),
      // The rows below it, four columns at a time.
      left.set(columns),
      at.set(i32.add(panels, bytes(columns))),
      by.set(own),
      whileAtLeast(left, 4, [
        subtract.call(below, by, at, height, work),
        at.advance(i32.shiftLeft(height, 2)),
        by.step(32),
      ]),
      whileAtLeast(left, 1, [scale.call(below, at, work, negative(by)), at.advance(height), by.step(8)]),
      eachRow(f64.store(place, f64.load(at))),
      panels.advance(i32.multiply(height, columns)),
      rows.advance(i32.shiftLeft(below, 2)),
      first.step(4),
      heights.step(4),
    ]);
  });

  const upper = module.define(taking(8), ([count, first, heights, rows, panels, x, work, sums], declare) => {
    const panel = variables(declare, 'i32', 4);
    const [columns, height, below, own] = panel;
    const [left, row, at, by, length] = variables(declare, 'i32', 5);
    const reduce = (to: Local, value: Code, offset = 0): Code =>
      f64.store(to, f64.subtract(f64.load(to, offset), value), offset);
    return whileAtLeast(count, 1, [
      open(panel, first, heights, x),
      panels.set(i32.subtract(panels, i32.multiply(height, columns))),
      rows.set(i32.subtract(rows, i32.shiftLeft(below, 2))),
      row.set(rows),
      at.set(work),
      left.set(below),
      whileAtLeast(left, 1, [f64.store(at, f64.load(i32.add(x, bytes(i32.load(row))))), row.step(4), at.step(8)]),
      left.set(columns),
      at.set(i32.add(panels, bytes(columns))),
      by.set(own),
      whileAtLeast(left, 4, [
        [0, 1, 2, 3].map((k) => f64.store(sums, f64.constant(0), 8 * k)),
        dots.call(below, at, height, work, sums),
        [0, 1, 2, 3].map((k) => reduce(by, f64.load(sums, 8 * k), 8 * k)),
        at.advance(i32.shiftLeft(height, 2)),
        by.step(32),
      ]),
      whileAtLeast(left, 1, [reduce(by, dot.call(below, at, work)), at.advance(height), by.step(8)]),
      // The triangle, from the last column to the first: `by` is behind it, and `at` behind its diagonal entry.
      left.set(columns),
      at.set(i32.add(panels, i32.add(i32.multiply(height, i32.subtract(columns, i32.constant(1))), bytes(columns)))),
      whileAtLeast(left, 1, [
        length.set(i32.subtract(columns, left)),
        row.set(i32.subtract(by, i32.constant(8))),
        reduce(row, dot.call(length, at, by)),
        by.step(-8),
        at.set(i32.subtract(i32.subtract(at, height), i32.constant(8))),
      ]),
      first.step(-4),
      heights.step(-4),
    ]);
  });
  return { lower, upper };
}

/** The rows of an update that one call computes: 64 rows of some hundred columns stay in the second-level cache. */
const rowsPerBlock = 64;

export function panelTwins(
  { pack, packScaled, block, eliminate, extendAdd, lower, upper }: Routines<typeof definePanels>,
  host: Host,
): PanelKernels {
  const { memory } = host;
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
    eliminatePanel: host.kernel(plainPanels.eliminatePanel, [held, held], (height, columns, stride, panel, pivots) => {
      const packed = memory.scratch(8 * group * columns);
      if (packed < 0) return null;
      return eliminate(height, columns, 8 * stride, panel, pivots, packed);
    }),
    extendAdd: host.kernel(plainPanels.extendAdd, [held, held, held, held], extendAdd),
    solveLower: host.kernel(
      plainPanels.solveLower,
      [held, held, held, held, held, held],
      (count, first, heights, rows, panels, x, work) => lower(count, first, heights, rows, panels, x, work),
    ),
    solveUpper: host.kernel(
      plainPanels.solveUpper,
      [held, held, held, held, held, held],
      (count, first, heights, rows, panels, x, work) => {
        let [below, length] = [0, 0];
        for (let s = 0; s < count; s++) {
          const columns = memory.int32[first / 4 + s + 1] - memory.int32[first / 4 + s];
          const height = memory.int32[heights / 4 + s];
          below += height - columns;
          length += height * columns;
        }
        const last = 4 * (count - 1);
        upper(count, first + last, heights + last, rows + 4 * below, panels + 8 * length, x, work, sums);
      },
    ),
  };
}
