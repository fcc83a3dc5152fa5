/** Rows of a matrix Y that are replaced or moved, with its moments YᵀDY and ηᵀY: routines and twins. */

import { type MovingRowsKernels, plainMovingRows } from '../../../kernels/batch/moving-rows.ts';
import type { Assembler, Code, Declare, Local, Routines } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { input, input32, output, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';

/** Rows of up to this many columns have unrolled code. */
const widest = 8;

/** Rows of a table with more bytes than this are seldom in the cache, because a step fills it with parameters. */
const nearBytes = 2 ** 18;

export function defineMovingRows(module: Assembler) {
  const widths = Array.from({ length: widest }, (_, i) => i + 1);
  return {
    /** By width − 1. */
    replacements: widths.map((width) => defineReplacement(module, width)),
    moves: widths.map((width) => defineMove(module, width)),
    fetchKept: defineFetchKept(module),
  };
}

/** A row of `width` columns as pairs of Float64. The last pair may be half empty. */
class Pairs {
  readonly places: readonly number[];
  readonly columns: readonly number[];
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
    this.columns = Array.from({ length: width }, (_, k) => k);
    this.places = this.columns.slice(0, Math.ceil(width / 2));
  }

  variables(declare: Declare): readonly Local[] {
    return variables(declare, 'v128', this.places.length);
  }

  /** Pair h of a row of Float32. */
  singles(from: Local, h: number): Code {
    return f64x2.fromLower((this.#isWhole(h) ? v128.loadTwo : v128.loadOne)(from, 8 * h));
  }

  storeSingles(to: Local, h: number, pair: Code): Code {
    return (this.#isWhole(h) ? v128.storeTwo : v128.storeOne)(to, pair, 8 * h);
  }

  /** Pair h of row k of a matrix of Float64. */
  doubles(from: Local, k: number, h: number): Code {
    return (this.#isWhole(h) ? v128.load : v128.loadTwo)(from, 8 * (k * this.#width + 2 * h));
  }

  /** Column k of a row, twice. */
  column(row: readonly Local[], k: number): Code {
    const pair = row[k >> 1];
    return v128.shuffle(pair, pair, k % 2 === 0 ? [0, 1, 0, 1] : [2, 3, 2, 3]);
  }

  /** gram += weight·(freshᵀ·fresh − oldᵀ·old), mean += rowEta·(fresh − old). */
  follow(weight: Local, rowEta: Local, fresh: readonly Local[], old: readonly Local[], gram: Local, mean: Local): Code {
    const change = (k: number, h: number): Code => {
      const [now, before] = [fresh, old].map((row) => f64x2.multiply(this.column(row, k), row[h]));
      return f64x2.multiply(weight, f64x2.subtract(now, before));
    };
    return this.places.map((h) => [
      this.#addTo(mean, 0, h, f64x2.multiply(rowEta, f64x2.subtract(fresh[h], old[h]))),
      this.columns.map((k) => this.#addTo(gram, k, h, change(k, h))),
    ]);
  }

  #addTo(to: Local, k: number, h: number, value: Code): Code {
    const sum = f64x2.add(this.doubles(to, k, h), value);
    return (this.#isWhole(h) ? v128.store : v128.storeTwo)(to, sum, 8 * (k * this.#width + 2 * h));
  }

  #isWhole(h: number): boolean {
    return 2 * h + 2 <= this.#width;
  }
}

/** (count, rows, mass, eta, etaStep, x, kept, gram, mean); etaStep is 8, or 0 for one number for all. */
function defineReplacement(module: Assembler, width: number) {
  return module.define(taking(9), (locals, declare) => {
    const [count, rows, mass, eta, etaStep, x, kept, gram, mean] = locals;
    const pairs = new Pairs(width);
    const row = declare('i32');
    const [weight, rowEta] = variables(declare, 'v128', 2);
    const [old, fresh] = [0, 1].map(() => pairs.variables(declare));
    return whileAtLeast(count, 1, [
      row.set(i32.load(rows)),
      weight.set(v128.loadSplat64(i32.add(mass, i32.shiftLeft(row, 3)))),
      rowEta.set(v128.loadSplat64(i32.add(eta, i32.multiply(row, etaStep)))),
      row.set(i32.add(kept, i32.multiply(row, i32.constant(4 * width)))),
      pairs.places.map((h) => [old[h].set(pairs.singles(row, h)), fresh[h].set(pairs.singles(x, h))]),
      pairs.places.map((h) => pairs.storeSingles(row, h, f64x2.toLower(fresh[h]))),
      pairs.follow(weight, rowEta, fresh, old, gram, mean),
      x.step(4 * width),
      rows.step(4),
    ]);
  });
}

/** (count, rows, mass, eta, etaStep, p, q, s, massExponent, product, kept, gram, mean, length), etaStep as above. */
function defineMove(module: Assembler, width: number) {
  return module.define(taking(13, 'f64'), (locals, declare) => {
    const [count, rows, mass, eta, etaStep, p, q, s, massExponent, product, kept, gram, mean, length] = locals;
    const pairs = new Pairs(width);
    const [row, left] = variables(declare, 'i32', 2);
    const [weight, divisor, rowEta, along, sum] = variables(declare, 'v128', 5);
    const [old, affinity, fresh] = [0, 1, 2].map(() => pairs.variables(declare));
    /** start + numbers·matrix, in pair h. */
    const times = (start: Code, numbers: readonly Local[], matrix: Local, h: number): Code =>
      pairs.columns.reduce<Code>(
        (all, k) => f64x2.add(all, f64x2.multiply(pairs.column(numbers, k), pairs.doubles(matrix, k, h))),
        start,
      );
    return [
      along.set(f64x2.splat(length)),
      whileAtLeast(count, 1, [
        row.set(i32.load(rows)),
        weight.set(v128.loadSplat64(i32.add(mass, i32.shiftLeft(row, 3)))),
        rowEta.set(v128.loadSplat64(i32.add(eta, i32.multiply(row, etaStep)))),
        row.set(i32.add(kept, i32.multiply(row, i32.constant(4 * width)))),
        // Rows of mass 0 stay as they are.
        when(f64.less(f64.constant(0), f64x2.firstLane(weight)), [
          divisor.set(f64x2.splat(f64.constant(1))),
          left.set(massExponent),
          whileAtLeast(left, 1, divisor.set(f64x2.multiply(divisor, weight))),
          pairs.places.map((h) => [old[h].set(pairs.singles(row, h)), affinity[h].set(pairs.singles(product, h))]),
          pairs.places.map((h) => [
            sum.set(f64x2.multiply(weight, times(f64x2.splat(f64.constant(0)), old, p, h))),
            sum.set(f64x2.add(sum, times(f64x2.multiply(rowEta, pairs.doubles(s, 0, h)), affinity, q, h))),
            sum.set(f64x2.add(old[h], f64x2.multiply(along, f64x2.divide(sum, divisor)))),
            sum.set(f64x2.toLower(sum)),
            pairs.storeSingles(row, h, sum),
            fresh[h].set(f64x2.fromLower(sum)),
          ]),
          pairs.follow(weight, rowEta, fresh, old, gram, mean),
        ]),
        product.step(4 * width),
        rows.step(4),
      ]),
    ];
  });
}

/**
 * (count, rows, mass, eta, etaStep, kept, keptStep): prefetches the listed rows of `kept`, which can be
 * anywhere in memory. Waiting for many reads at once takes less time than for one after the other. The result has no meaning.
 */
function defineFetchKept(module: Assembler) {
  return module.define({ ...taking(7), result: 'i32' }, (locals, declare) => {
    const [count, rows, mass, eta, etaStep, kept, keptStep] = locals;
    const [row, seen] = variables(declare, 'i32', 2);
    const touch = (array: Local, step: Code): Code =>
      seen.set(i32.xor(seen, i32.load(i32.add(array, i32.multiply(row, step)))));
    return [
      whileAtLeast(count, 1, [
        row.set(i32.load(rows)),
        touch(mass, i32.constant(8)),
        touch(eta, etaStep),
        touch(kept, keptStep),
        rows.step(4),
      ]),
      seen,
    ];
  });
}

export function movingRowsTwins(routines: Routines<typeof defineMovingRows>, { kernel }: Host): MovingRowsKernels {
  const { replacements, moves, fetchKept } = routines;
  const replaceRows = kernel(
    (_isFar: boolean, ...operands: Parameters<typeof plainMovingRows.replaceRows>) =>
      plainMovingRows.replaceRows(...operands),
    [input, input, input, input32, output32, output, output],
    (isFar, count, width, rows, mass, eta, x, kept, gram, mean) => {
      const replace = replacements[width - 1];
      if (!replace) return null;
      const etaStep = eta ? 8 : 0;
      if (isFar) fetchKept(count, rows, mass, eta, etaStep, kept, 4 * width);
      return replace(count, rows, mass, eta, etaStep, x, kept, gram, mean);
    },
  );
  return {
    replaceRows: (count, width, rows, mass, eta, x, kept, gram, mean) =>
      replaceRows(kept.byteLength > nearBytes, count, width, rows, mass, eta, x, kept, gram, mean),
    moveRows: kernel(
      plainMovingRows.moveRows,
      [input, input, input, input, input, input, input32, output32, output, output],
      (count, width, rows, mass, eta, p, q, s, massExponent, length, product, kept, gram, mean) => {
        const move = moves[width - 1];
        const etaStep = eta ? 8 : 0;
        return move
          ? move(count, rows, mass, eta, etaStep, p, q, s, massExponent, product, kept, gram, mean, length)
          : null;
      },
    ),
  };
}
