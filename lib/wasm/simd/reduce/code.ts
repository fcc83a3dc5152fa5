/** Routines that sum Float32 data in Float64. */

import type { Assembler, Bound, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { forEachElement, type Lanes, total } from '../loops.ts';

export type ReduceRoutines = Bound<ReturnType<typeof defineReduce>>;

/** Tiles of Aᵀ·diag(w)·B: so many columns of A by so many of B. */
export const gramTiles = [4, 2, 1] as const;

export function defineReduce(module: Assembler) {
  return {
    /** By the places of both widths in `gramTiles`. */
    grams: gramTiles.map((left) => gramTiles.map((right) => defineGram(module, left, right))),
    /** dot(n, a, b): Σ a[i]·b[i] */
    dot: module.define({ ...taking(3), result: 'f64' }, ([n, a, b], declare) => sumOf(n, [a, b], declare)),
    /** sum(n, a): Σ a[i] */
    sum: module.define({ ...taking(2), result: 'f64' }, ([n, a], declare) => sumOf(n, [a], declare)),
  };
}

/** (rows, a, aRow, b, bRow, w, wStep, out, outRow): out[p×q] += Σᵢ w[i]·a[i,·]ᵀ·b[i,·], weights and out in Float64. */
function defineGram(module: Assembler, p: number, q: Lanes) {
  return module.define(taking(9), (locals, declare) => {
    const [rows, a, aRow, b, bRow, w, wStep, out, outRow] = locals;
    const halves = Math.ceil(q / 2);
    const sums = Array.from({ length: p }, () => variables(declare, 'v128', halves));
    const fromB = variables(declare, 'v128', halves);
    const [loaded, weight, fromA] = variables(declare, 'v128', 3);
    const pointer = declare('i32');
    const flush = (line: readonly Local[]): Code =>
      q === 1
        ? f64.store(pointer, f64.add(f64.load(pointer), f64x2.firstLane(line[0])))
        : line.map((sum, h) => v128.store(pointer, f64x2.add(v128.load(pointer, 16 * h), sum), 16 * h));
    return [
      whileAtLeast(rows, 1, [
        loaded.set(v128.loadLanes[q](b)),
        weight.set(v128.loadSplat64(w)),
        fromB.map((half, h) => half.set(f64x2.multiply(weight, halfOf(loaded, h)))),
        sums.map((line, s) => [
          fromA.set(f64x2.fromLower(v128.loadSplat(a, 4 * s))),
          line.map((sum, h) => sum.set(f64x2.add(sum, f64x2.multiply(fromA, fromB[h])))),
        ]),
        a.advance(aRow),
        b.advance(bRow),
        w.advance(wStep),
      ]),
      pointer.set(out),
      sums.map((line) => [flush(line), pointer.advance(outRow)]),
    ];
  });
}

/** The sum of the products of one or two arrays. */
function sumOf(n: Local, arrays: readonly Local[], declare: Declare): Code {
  const sums = variables(declare, 'v128', 2);
  const loaded = arrays.map(() => declare('v128'));
  return [
    forEachElement(n, [4, 1], arrays, ({ load }) => [
      loaded.map((value, i) => value.set(load(arrays[i]))),
      sums.map((sum, h) => {
        const terms = loaded.map((value) => halfOf(value, h));
        return sum.set(f64x2.add(sum, terms.length > 1 ? f64x2.multiply(...terms) : terms));
      }),
    ]),
    f64.add(...sums.map(total)),
  ];
}

/** Floats 0 and 1 of a vector, or 2 and 3, as doubles. */
function halfOf(value: Local, h: number): Code {
  return f64x2.fromLower(h === 0 ? value : v128.shuffle(value, value, [2, 3, 2, 3]));
}
