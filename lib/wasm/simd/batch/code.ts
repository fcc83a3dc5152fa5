/** Which instructions serve a batch of listed rows? They slice, unite and replace them; products are with the sparse ones. */

import {
  type Assembler,
  type Declare,
  type Signature,
  taking,
  variables,
  when,
  whileAtLeast,
} from '../../assembler/assembler.ts';
import type { Code, Local } from '../../assembler/code.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { defineScale } from '../elementwise/code.ts';
import { defineSampledProduct, defineTurn } from './gradient-code.ts';
import { defineAdamProduct } from '../optimizer/code.ts';
import { defineListedProducts } from './listed-code.ts';

export function defineBatch(module: Assembler): void {
  defineListedProducts(module);
  defineSlice(module);
  defineUnion(module);
  defineFetchOfKept(module);
  for (let width = 1; width <= widest; width++) {
    defineReplacement(module, width);
    defineMove(module, width);
  }
  defineTurn(module);
  defineSampledProduct(module);
  defineAdamProduct(module);
  defineScale(module, true);
}

/** Columns of rows that are replaced and moved by code of their own, without loops over so few; more are left to the plain twins. */
export const widest = 8;

const four = i32.constant(4);
const times4 = (value: Code): Code => i32.multiply(value, four);

/** slice(count, rows, starts, columns, values, outStarts, outColumns, outValues) */
function defineSlice(module: Assembler): void {
  module.define('slice', taking(8), (locals, declare) => {
    const [count, rows, starts, columns, values, outStarts, outColumns, outValues] = locals;
    const [row, bytes, at] = variables(declare, 'i32', 3);
    return [
      i32.store(outStarts, i32.constant(0)),
      whileAtLeast(count, 1, [
        row.set(i32.add(starts, times4(i32.load(rows)))),
        bytes.set(times4(i32.subtract(i32.load(row, 4), i32.load(row)))),
        row.set(times4(i32.load(row))),
        i32.copy(i32.add(outColumns, at), i32.add(columns, row), bytes),
        i32.copy(i32.add(outValues, at), i32.add(values, row), bytes),
        at.advance(bytes),
        outStarts.step(4),
        i32.store(outStarts, i32.shiftRight(at, 2)),
        rows.step(4),
      ]),
    ];
  });
}

/** union(count, batch, starts, columns, stamp, stamps, out): how many */
function defineUnion(module: Assembler): void {
  const signature: Signature = { ...taking(7), result: 'i32' };
  module.define('union', signature, ([count, batch, starts, columns, stamp, stamps, out], declare) => {
    const [left, row, entries, column, mark, end] = variables(declare, 'i32', 6);
    const meet = (list: Local): Code => [
      i32.store(end, i32.load(list)),
      mark.set(i32.add(stamps, times4(i32.load(list)))),
      end.advance(times4(i32.notEqual(i32.load(mark), stamp))),
      i32.store(mark, stamp),
      list.step(4),
    ];
    return [
      end.set(out),
      row.set(batch),
      left.set(count),
      whileAtLeast(left, 1, meet(row)),
      whileAtLeast(count, 1, [
        row.set(i32.add(starts, times4(i32.load(batch)))),
        entries.set(i32.subtract(i32.load(row, 4), i32.load(row))),
        column.set(i32.add(columns, times4(i32.load(row)))),
        whileAtLeast(entries, 1, meet(column)),
        batch.step(4),
      ]),
      i32.shiftRight(i32.subtract(end, out), 2),
    ];
  });
}

/**
 * fetchKept(count, rows, mass, eta, etaStep, kept, keptStep): reads what is kept of the listed rows, which lie anywhere:
 * to wait for many at once takes less time than for one after the other. Returns a number without a meaning.
 */
function defineFetchOfKept(module: Assembler): void {
  const signature: Signature = { ...taking(7), result: 'i32' };
  module.define('fetchKept', signature, ([count, rows, mass, eta, etaStep, kept, keptStep], declare) => {
    const [row, seen] = variables(declare, 'i32', 2);
    const see = (array: Local, step: Code): Code =>
      seen.set(i32.xor(seen, i32.load(i32.add(array, i32.multiply(row, step)))));
    return [
      whileAtLeast(count, 1, [
        row.set(i32.load(rows)),
        see(mass, i32.constant(8)),
        see(eta, etaStep),
        see(kept, keptStep),
        rows.step(4),
      ]),
      seen,
    ];
  });
}

/** Rows of so many columns, in pairs of Float64, the last of which may be half empty. */
class Pairs {
  readonly places: readonly number[];
  readonly columns: readonly number[];
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
    this.columns = Array.from({ length: width }, (_, k) => k);
    this.places = this.columns.slice(0, Math.ceil(width / 2));
  }

  variables(declare: Declare): Local[] {
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
  column(row: Local[], k: number): Code {
    const pair = row[k >> 1];
    return v128.shuffle(pair, pair, k % 2 === 0 ? [0, 1, 0, 1] : [2, 3, 2, 3]);
  }

  /** gram += weight·(freshᵀ·fresh − oldᵀ·old), mean += share·(fresh − old). */
  follow(weight: Local, share: Local, fresh: Local[], old: Local[], gram: Local, mean: Local): Code {
    const change = (k: number, h: number): Code => {
      const [now, before] = [fresh, old].map((row) => f64x2.multiply(this.column(row, k), row[h]));
      return f64x2.multiply(weight, f64x2.subtract(now, before));
    };
    return this.places.map((h) => [
      this.#addTo(mean, 0, h, f64x2.multiply(share, f64x2.subtract(fresh[h], old[h]))),
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

/** replace{width}(count, rows, mass, eta, etaStep, x, kept, gram, mean); etaStep is 8, or 0 for one number for all */
function defineReplacement(module: Assembler, width: number): void {
  module.define(`replace${width}`, taking(9), (locals, declare) => {
    const [count, rows, mass, eta, etaStep, x, kept, gram, mean] = locals;
    const pairs = new Pairs(width);
    const row = declare('i32');
    const [weight, share] = variables(declare, 'v128', 2);
    const [old, fresh] = [0, 1].map(() => pairs.variables(declare));
    return whileAtLeast(count, 1, [
      row.set(i32.load(rows)),
      weight.set(v128.loadSplat64(i32.add(mass, i32.shiftLeft(row, 3)))),
      share.set(v128.loadSplat64(i32.add(eta, i32.multiply(row, etaStep)))),
      row.set(i32.add(kept, i32.multiply(row, i32.constant(4 * width)))),
      pairs.places.map((h) => [old[h].set(pairs.singles(row, h)), fresh[h].set(pairs.singles(x, h))]),
      pairs.places.map((h) => pairs.storeSingles(row, h, f64x2.toLower(fresh[h]))),
      pairs.follow(weight, share, fresh, old, gram, mean),
      x.step(4 * width),
      rows.step(4),
    ]);
  });
}

/**
 * move{width}(count, rows, mass, eta, etaStep, p, q, s, power, product, kept, gram, mean, length); etaStep is 8, or 0 for
 * one number for all
 */
function defineMove(module: Assembler, width: number): void {
  module.define(`move${width}`, taking(13, 'f64'), (locals, declare) => {
    const [count, rows, mass, eta, etaStep, p, q, s, power, product, kept, gram, mean, length] = locals;
    const pairs = new Pairs(width);
    const [row, left] = variables(declare, 'i32', 2);
    const [weight, divisor, share, along, sum] = variables(declare, 'v128', 5);
    const [old, affinity, fresh] = [0, 1, 2].map(() => pairs.variables(declare));
    /** start + numbers·matrix, in pair h. */
    const times = (start: Code, numbers: Local[], matrix: Local, h: number): Code =>
      pairs.columns.reduce<Code>(
        (all, k) => f64x2.add(all, f64x2.multiply(pairs.column(numbers, k), pairs.doubles(matrix, k, h))),
        start,
      );
    return [
      along.set(f64x2.splat(length)),
      whileAtLeast(count, 1, [
        row.set(i32.load(rows)),
        weight.set(v128.loadSplat64(i32.add(mass, i32.shiftLeft(row, 3)))),
        share.set(v128.loadSplat64(i32.add(eta, i32.multiply(row, etaStep)))),
        row.set(i32.add(kept, i32.multiply(row, i32.constant(4 * width)))),
        // Rows of mass 0 stay as they are.
        when(f64.less(f64.constant(0), f64x2.firstLane(weight)), [
          divisor.set(f64x2.splat(f64.constant(1))),
          left.set(power),
          whileAtLeast(left, 1, divisor.set(f64x2.multiply(divisor, weight))),
          pairs.places.map((h) => [old[h].set(pairs.singles(row, h)), affinity[h].set(pairs.singles(product, h))]),
          pairs.places.map((h) => [
            sum.set(f64x2.multiply(weight, times(f64x2.splat(f64.constant(0)), old, p, h))),
            sum.set(f64x2.add(sum, times(f64x2.multiply(share, pairs.doubles(s, 0, h)), affinity, q, h))),
            sum.set(f64x2.add(old[h], f64x2.multiply(along, f64x2.divide(sum, divisor)))),
            sum.set(f64x2.toLower(sum)),
            pairs.storeSingles(row, h, sum),
            fresh[h].set(f64x2.fromLower(sum)),
          ]),
          pairs.follow(weight, share, fresh, old, gram, mean),
        ]),
        product.step(4 * width),
        rows.step(4),
      ]),
    ];
  });
}
