/** Which instructions serve a batch of listed rows? They slice, unite and replace them; products are with the sparse ones. */

import { type Assembler, type Signature, taking, variables, when, whileAtLeast } from './assembler.ts';
import type { Code, Local } from './code.ts';
import * as f32 from './instructions/f32.ts';
import * as f64 from './instructions/f64.ts';
import * as f64x2 from './instructions/f64x2.ts';
import * as i32 from './instructions/i32.ts';
import * as v128 from './instructions/v128.ts';
import { defineScale } from './elementwise-code.ts';
import { defineAdamProduct } from './optimise-code.ts';
import { defineListedProducts } from './listed-code.ts';

export function defineBatch(module: Assembler): void {
  defineListedProducts(module);
  defineSlice(module);
  defineUnion(module);
  defineReplacement(module);
  defineFetchOfKept(module);
  for (let width = 1; width <= widestMove; width++) defineMove(module, width);
  defineAdamProduct(module);
  defineScale(module, true);
}

/** Columns of rows that are moved by code of their own, without loops over so few; more are left to the plain twin. */
export const widestMove = 8;

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

/** replace(count, width, rows, mass, eta, etaStep, x, kept, gram, mean); etaStep is 8, or 0 for one number for all */
function defineReplacement(module: Assembler): void {
  module.define('replace', taking(10), (locals, declare) => {
    const [count, width, rows, mass, eta, etaStep, x, kept, gram, mean] = locals;
    const [row, old, entry, column, s, t, freshT, oldT] = variables(declare, 'i32', 8);
    const [weight, share, fresh, stale] = variables(declare, 'f64', 4);
    const single = (pointer: Local): Code => f64.fromF32(f32.load(pointer));
    const addTo = (pointer: Local, value: Code): Code => f64.store(pointer, f64.add(f64.load(pointer), value));
    return whileAtLeast(count, 1, [
      row.set(i32.load(rows)),
      weight.set(f64.load(i32.add(mass, i32.shiftLeft(row, 3)))),
      share.set(f64.load(i32.add(eta, i32.multiply(row, etaStep)))),
      old.set(i32.add(kept, times4(i32.multiply(row, width)))),
      entry.set(gram),
      column.set(mean),
      s.set(width),
      whileAtLeast(s, 1, [
        fresh.set(single(x)),
        stale.set(single(old)),
        addTo(column, f64.multiply(share, f64.subtract(fresh, stale))),
        fresh.set(f64.multiply(weight, fresh)),
        stale.set(f64.multiply(weight, stale)),
        freshT.set(x),
        oldT.set(old),
        t.set(s),
        whileAtLeast(t, 1, [
          addTo(entry, f64.subtract(f64.multiply(fresh, single(freshT)), f64.multiply(stale, single(oldT)))),
          [freshT, oldT].map((pointer) => pointer.step(4)),
          entry.step(8),
        ]),
        // Column s of the old row was read for the last time.
        v128.storeOne(old, v128.loadOne(x)),
        [x, old].map((pointer) => pointer.step(4)),
        column.step(8),
        // From the end of row s to the diagonal of row s + 1.
        entry.advance(i32.shiftLeft(i32.add(i32.subtract(width, s), i32.constant(1)), 3)),
      ]),
      rows.step(4),
    ]);
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

/**
 * move{width}(count, rows, mass, eta, etaStep, p, q, s, power, product, kept, gram, mean, length); etaStep is 8, or 0 for
 * one number for all
 */
function defineMove(module: Assembler, width: number): void {
  module.define(`move${width}`, taking(13, 'f64'), (locals, declare) => {
    const [count, rows, mass, eta, etaStep, p, q, s, power, product, kept, gram, mean, length] = locals;
    const pairs = Array.from({ length: Math.ceil(width / 2) }, (_, h) => h);
    const [row, left] = variables(declare, 'i32', 2);
    const [weight, divisor, part, along, sum] = variables(declare, 'v128', 5);
    const [old, affinity, fresh] = [0, 1, 2].map(() => variables(declare, 'v128', pairs.length));
    /** Of a pair of columns that is whole, and of the last one if there is an odd number. */
    const isWhole = (h: number): boolean => 2 * h + 2 <= width;
    const singles = (from: Local, h: number): Code =>
      f64x2.fromLower((isWhole(h) ? v128.loadTwo : v128.loadOne)(from, 8 * h));
    const doubles = (from: Local, k: number, h: number): Code =>
      (isWhole(h) ? v128.load : v128.loadTwo)(from, 8 * (k * width + 2 * h));
    const column = (numbers: Local[], k: number): Code => {
      const pair = numbers[k >> 1];
      return v128.shuffle(pair, pair, k % 2 === 0 ? [0, 1, 0, 1] : [2, 3, 2, 3]);
    };
    /** start + numbers·matrix, in pair h. */
    const times = (start: Code, numbers: Local[], matrix: Local, h: number): Code =>
      columns.reduce<Code>(
        (all, k) => f64x2.add(all, f64x2.multiply(column(numbers, k), doubles(matrix, k, h))),
        start,
      );
    const columns = Array.from({ length: width }, (_, k) => k);
    const addTo = (to: Local, k: number, h: number, value: Code): Code =>
      (isWhole(h) ? v128.store : v128.storeTwo)(to, f64x2.add(doubles(to, k, h), value), 8 * (k * width + 2 * h));
    return [
      along.set(f64x2.splat(length)),
      whileAtLeast(count, 1, [
        row.set(i32.load(rows)),
        weight.set(v128.loadSplat64(i32.add(mass, i32.shiftLeft(row, 3)))),
        part.set(v128.loadSplat64(i32.add(eta, i32.multiply(row, etaStep)))),
        row.set(i32.add(kept, i32.multiply(row, i32.constant(4 * width)))),
        // Rows of mass 0 stay as they are.
        when(f64.less(f64.constant(0), f64x2.firstLane(weight)), [
          divisor.set(f64x2.splat(f64.constant(1))),
          left.set(power),
          whileAtLeast(left, 1, divisor.set(f64x2.multiply(divisor, weight))),
          pairs.map((h) => [old[h].set(singles(row, h)), affinity[h].set(singles(product, h))]),
          pairs.map((h) => [
            sum.set(f64x2.multiply(weight, times(f64x2.splat(f64.constant(0)), old, p, h))),
            sum.set(f64x2.add(sum, times(f64x2.multiply(part, doubles(s, 0, h)), affinity, q, h))),
            sum.set(f64x2.add(old[h], f64x2.multiply(along, f64x2.divide(sum, divisor)))),
            sum.set(f64x2.toLower(sum)),
            (isWhole(h) ? v128.storeTwo : v128.storeOne)(row, sum, 8 * h),
            fresh[h].set(f64x2.fromLower(sum)),
          ]),
          pairs.map((h) => addTo(mean, 0, h, f64x2.multiply(part, f64x2.subtract(fresh[h], old[h])))),
          columns.map((k) =>
            pairs.map((h) => {
              const [now, before] = [fresh, old].map((numbers) => f64x2.multiply(column(numbers, k), numbers[h]));
              return addTo(gram, k, h, f64x2.multiply(weight, f64x2.subtract(now, before)));
            }),
          ),
        ]),
        product.step(4 * width),
        rows.step(4),
      ]),
    ];
  });
}
