/** Rows of few columns that are replaced or moved one by one, with unrolled code: routines. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { repeat, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { type Bytes, loadPair, type Pair, storePair } from '../columns.ts';

/** Rows of up to this many columns have unrolled code. */
const widest = 8;

const zero = f64x2.splat(f64.constant(0));

/** Routines by width − 1, for rows of numbers of `bytes` bytes. */
export function defineNarrow(module: Assembler, bytes: Bytes) {
  const widths = Array.from({ length: widest }, (_, i) => i + 1);
  return {
    replacements: widths.map((width) => defineReplacement(module, width, bytes)),
    moves: widths.map((width) => defineMove(module, width, bytes)),
    products: widths.map((width) => defineProduct(module, width, bytes)),
  };
}

/** A row of `width` columns as pairs of Float64. The last pair may be half empty. */
class Pairs {
  readonly places: readonly number[];
  readonly columns: readonly number[];
  readonly #width: number;
  readonly #bytes: Bytes;

  constructor(width: number, bytes: Bytes) {
    this.#width = width;
    this.#bytes = bytes;
    this.columns = Array.from({ length: width }, (_, k) => k);
    this.places = this.columns.slice(0, Math.ceil(width / 2));
  }

  variables(declare: Declare): readonly Local[] {
    return variables(declare, 'v128', this.places.length);
  }

  /** Pair h of a row. */
  load(from: Local, h: number): Code {
    return loadPair(this.#bytes, this.#pair(h), from, 2 * h);
  }

  /** A pair in the precision of the row, and such a pair in Float64 again. */
  rounded(pair: Code): Code {
    return this.#bytes === 4 ? f64x2.toLower(pair) : pair;
  }

  widened(pair: Code): Code {
    return this.#bytes === 4 ? f64x2.fromLower(pair) : pair;
  }

  /** Writes a rounded pair. */
  store(to: Local, h: number, pair: Code): Code {
    return storePair(this.#bytes, this.#pair(h), to, pair, 2 * h);
  }

  /** Pair h of row k of a matrix of Float64. */
  doubles(from: Local, k: number, h: number): Code {
    return loadPair(8, this.#pair(h), from, k * this.#width + 2 * h);
  }

  /** Column k of a row, twice. */
  column(row: readonly Local[], k: number): Code {
    const pair = row[k >> 1];
    return v128.shuffle(pair, pair, k % 2 === 0 ? [0, 1, 0, 1] : [2, 3, 2, 3]);
  }

  /** start + row·matrix, in pair h. */
  times(start: Code, row: readonly Local[], matrix: Local, h: number): Code {
    return this.columns.reduce<Code>(
      (all, k) => f64x2.add(all, f64x2.multiply(this.column(row, k), this.doubles(matrix, k, h))),
      start,
    );
  }

  /** Reads mass and η of the next listed row, and points to the row in `kept`. `etaStep` is 8, or 0 for one number for all. */
  find(
    row: Local,
    rows: Local,
    mass: Local,
    weight: Local,
    eta: Local,
    etaStep: Local,
    rowEta: Local,
    kept: Local,
  ): Code {
    return [
      row.set(i32.load(rows)),
      weight.set(v128.loadSplat64(i32.add(mass, i32.shiftLeft(row, 3)))),
      rowEta.set(v128.loadSplat64(i32.add(eta, i32.multiply(row, etaStep)))),
      row.set(i32.add(kept, i32.multiply(row, this.#bytes * this.#width))),
      rows.step(4),
    ];
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
    return storePair(8, this.#pair(h), to, sum, k * this.#width + 2 * h);
  }

  #pair(h: number): Pair {
    return 2 * h + 2 <= this.#width ? 2 : 1;
  }
}

/** (count, rows, mass, eta, etaStep, x, kept, gram, mean) */
function defineReplacement(module: Assembler, width: number, bytes: Bytes) {
  return module.define(taking(9), (locals, declare) => {
    const [count, rows, mass, eta, etaStep, x, kept, gram, mean] = locals;
    const pairs = new Pairs(width, bytes);
    const row = declare('i32');
    const [weight, rowEta] = variables(declare, 'v128', 2);
    const [old, fresh] = [0, 1].map(() => pairs.variables(declare));
    return whileAtLeast(count, 1, [
      pairs.find(row, rows, mass, weight, eta, etaStep, rowEta, kept),
      pairs.places.map((h) => [old[h].set(pairs.load(row, h)), fresh[h].set(pairs.load(x, h))]),
      pairs.places.map((h) => pairs.store(row, h, pairs.rounded(fresh[h]))),
      pairs.follow(weight, rowEta, fresh, old, gram, mean),
      x.step(bytes * width),
    ]);
  });
}

/** (count, rows, mass, eta, etaStep, p, q, s, massExponent, product, kept, gram, mean, length) */
function defineMove(module: Assembler, width: number, bytes: Bytes) {
  return module.define(taking(13, 'f64'), (locals, declare) => {
    const [count, rows, mass, eta, etaStep, p, q, s, massExponent, product, kept, gram, mean, length] = locals;
    const pairs = new Pairs(width, bytes);
    const [row, left] = variables(declare, 'i32', 2);
    const [weight, divisor, rowEta, along, sum] = variables(declare, 'v128', 5);
    const [old, affinity, fresh] = [0, 1, 2].map(() => pairs.variables(declare));
    return [
      along.set(f64x2.splat(length)),
      whileAtLeast(count, 1, [
        pairs.find(row, rows, mass, weight, eta, etaStep, rowEta, kept),
        // Rows of mass 0 stay as they are.
        when(f64.less(f64.constant(0), f64x2.firstLane(weight)), [
          divisor.set(f64x2.splat(f64.constant(1))),
          repeat(left, massExponent, divisor.set(f64x2.multiply(divisor, weight))),
          pairs.places.map((h) => [old[h].set(pairs.load(row, h)), affinity[h].set(pairs.load(product, h))]),
          pairs.places.map((h) => [
            sum.set(f64x2.multiply(weight, pairs.times(zero, old, p, h))),
            sum.set(f64x2.add(sum, pairs.times(f64x2.multiply(rowEta, pairs.doubles(s, 0, h)), affinity, q, h))),
            sum.set(f64x2.add(old[h], f64x2.multiply(along, f64x2.divide(sum, divisor)))),
            sum.set(pairs.rounded(sum)),
            pairs.store(row, h, sum),
            fresh[h].set(pairs.widened(sum)),
          ]),
          pairs.follow(weight, rowEta, fresh, old, gram, mean),
        ]),
        product.step(bytes * width),
      ]),
    ];
  });
}

/** (count, factors, step, rows, matrix, out); the factors are `step` bytes apart. */
function defineProduct(module: Assembler, width: number, bytes: Bytes) {
  return module.define(taking(6), ([count, factors, step, rows, matrix, out], declare) => {
    const pairs = new Pairs(width, bytes);
    const factor = declare('v128');
    const row = pairs.variables(declare);
    return whileAtLeast(count, 1, [
      factor.set(v128.loadSplat64(factors)),
      pairs.places.map((h) => row[h].set(pairs.load(rows, h))),
      pairs.places.map((h) =>
        pairs.store(out, h, pairs.rounded(f64x2.multiply(factor, pairs.times(zero, row, matrix, h)))),
      ),
      factors.advance(step),
      [rows, out].map((pointer) => pointer.step(bytes * width)),
    ]);
  });
}
