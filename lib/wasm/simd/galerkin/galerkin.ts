/** Galerkin products of a pencil: routines and twins. */

import { type GalerkinKernels, plainGalerkin } from '../../../kernels/galerkin.ts';
import type { Assembler, Code, Declare, Local, Routines } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { byPrecision, held } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import type { Bytes } from '../columns.ts';
import { element, element64, entriesOf } from '../loops.ts';

export function defineGalerkin(module: Assembler) {
  return {
    /** Without entries of B, by the size of a weight, and with them. */
    single: defineMultiply(module, 4, false),
    double: defineMultiply(module, 8, false),
    both: defineMultiply(module, 4, true),
    restrict: defineRestrict(module),
  };
}

/** A region of the outputs, in which rows of pairs are summed. */
interface Region {
  readonly places: Local;
  readonly outColumns: Local;
  readonly outPairs: Local;
  readonly room: Local;
}

/** Rows of sums in a region, one after the other. A place is the index of an entry in the region. */
function rowsOfSums({ places, outColumns, outPairs, room }: Region, declare: Declare) {
  const [begin, end, mark, place, isKnown, at] = variables(declare, 'i32', 6);
  /** The pair at `end` is zero, so that entries that are new and old ones are summed alike, without a branch. */
  const clearNext = v128.store(i32.add(outPairs, i32.shiftLeft(end, 4)), f64x2.splat(f64.constant(0)));
  return {
    end,
    beginRow: [begin.set(end), clearNext],
    /** Whether as many entries more may not fit. */
    isFull: (count: Code): Code => i32.atLeast(i32.add(end, count), room),
    /** Adds a pair to the sum of a column. */
    add: (column: Local, pair: Code): Code => [
      mark.set(element(places, column)),
      place.set(i32.load(mark)),
      isKnown.set(i32.lessThanUnsigned(i32.subtract(place, begin), i32.subtract(end, begin))),
      // Any place in memory, where this one is arbitrary.
      place.set(i32.select(place, end, isKnown)),
      isKnown.set(i32.and(isKnown, i32.eq(i32.load(element(outColumns, place)), column))),
      place.set(i32.select(place, end, isKnown)),
      i32.store(mark, place),
      i32.store(element(outColumns, place), column),
      at.set(i32.add(outPairs, i32.shiftLeft(place, 4))),
      v128.store(at, f64x2.add(v128.load(at), pair)),
      end.advance(i32.isZero(isKnown)),
      clearNext,
    ],
  };
}

/**
 * (rows, first, starts, columns, weights, masses, diagonals, rowStarts, rowColumns, rowValues, places, outColumns, outPairs, ends, room): a
 * chunk of rows, the first one being row `first`.
 */
function defineMultiply(module: Assembler, bytes: Bytes, hasMasses: boolean) {
  return module.define(taking(15), (locals, declare) => {
    const [rows, first, starts, columns, weights, masses, diagonals, rowStarts, rowColumns, rowValues, ...others] =
      locals;
    const [places, outColumns, outPairs, ends, room] = others;
    const [entries, left, from, column, value, listed, weight, mass] = variables(declare, 'i32', 8);
    const [pair, signs, factor] = variables(declare, 'v128', 3);
    const { end, beginRow, isFull, add } = rowsOfSums({ places, outColumns, outPairs, room }, declare);
    const isFit = declare('i32');
    /** Adds `pair` times the row of P at `from`, an address of rowStarts. */
    const addRow: Code = [
      left.set(entriesOf(from)),
      when(
        isFull(left),
        [isFit.set(i32.constant(0)), entries.set(i32.constant(0))],
        [
          from.set(i32.load(from)),
          column.set(element(rowColumns, from)),
          value.set(element(rowValues, from)),
          whileAtLeast(left, 1, [
            listed.set(i32.load(column)),
            factor.set(f64x2.multiply(pair, f64x2.fromLower(v128.loadSplat(value)))),
            add(listed, factor),
            column.step(4),
            value.step(4),
          ]),
        ],
      ),
    ];
    const weightPair = bytes === 8 ? v128.loadTwo(weight) : v128.loadOne(weight);
    const widened =
      bytes === 8 ? weightPair : f64x2.fromLower(hasMasses ? v128.loadLane(mass, weightPair, 1) : weightPair);
    const at = declare('i32');
    return [
      signs.set(f64x2.splat(f64.constant(-1))),
      starts.advance(i32.shiftLeft(first, 2)),
      ends.advance(i32.shiftLeft(first, 2)),
      diagonals.advance(i32.shiftLeft(first, 4)),
      isFit.set(i32.constant(1)),
      whileAtLeast(rows, 1, [
        beginRow,
        pair.set(v128.load(diagonals)),
        from.set(element(rowStarts, first)),
        entries.set(entriesOf(starts)),
        at.set(i32.load(starts)),
        weight.set(bytes === 8 ? element64(weights, at) : element(weights, at)),
        mass.set(element(masses, at)),
        at.set(element(columns, at)),
        addRow,
        // No entries are left where a row does not fit.
        whileAtLeast(entries, 1, [
          pair.set(widened),
          negateFirst(pair, signs),
          from.set(element(rowStarts, i32.load(at))),
          at.step(4),
          weight.step(bytes),
          mass.step(4),
          addRow,
        ]),
        i32.store(ends, i32.select(end, i32.constant(-1), isFit)),
        starts.step(4),
        ends.step(4),
        diagonals.step(16),
        first.step(1),
        // The last row that is tried does not fit.
        rows.set(i32.select(rows, i32.constant(1), isFit)),
      ]),
    ];
  });
}

/** pair ← (−first lane, second lane). `signs` is −1 in both. */
function negateFirst(pair: Local, signs: Local): Code {
  return pair.set(v128.shuffle(f64x2.multiply(pair, signs), pair, [0, 1, 6, 7]));
}

/** (rows, first, starts, columns, values, pairStarts, pairColumns, pairs, places, outColumns, outPairs, ends, room): the same. */
function defineRestrict(module: Assembler) {
  return module.define(taking(13), (locals, declare) => {
    const [rows, first, starts, columns, values, pairStarts, pairColumns, pairs, ...others] = locals;
    const [places, outColumns, outPairs, ends, room] = others;
    const [entries, left, from, column, value, listed, at, isFit] = variables(declare, 'i32', 8);
    const [factor, pair] = variables(declare, 'v128', 2);
    const { end, beginRow, isFull, add } = rowsOfSums({ places, outColumns, outPairs, room }, declare);
    const stop: Code = [isFit.set(i32.constant(0)), entries.set(i32.constant(0))];
    return [
      starts.advance(i32.shiftLeft(first, 2)),
      ends.advance(i32.shiftLeft(first, 2)),
      isFit.set(i32.constant(1)),
      whileAtLeast(rows, 1, [
        beginRow,
        entries.set(entriesOf(starts)),
        from.set(i32.load(starts)),
        at.set(element(columns, from)),
        value.set(element(values, from)),
        when(isFull(1), stop, add(first, f64x2.splat(f64.constant(0)))),
        whileAtLeast(entries, 1, [
          from.set(element(pairStarts, i32.load(at))),
          factor.set(f64x2.fromLower(v128.loadSplat(value))),
          at.step(4),
          value.step(4),
          left.set(entriesOf(from)),
          when(isFull(left), stop, [
            from.set(i32.load(from)),
            column.set(element(pairColumns, from)),
            from.set(element64(pairs, from)),
            whileAtLeast(left, 1, [
              listed.set(i32.load(column)),
              pair.set(f64x2.multiply(factor, f64x2.fromLower(v128.loadTwo(from)))),
              add(listed, pair),
              column.step(4),
              from.step(8),
            ]),
          ]),
        ]),
        i32.store(ends, i32.select(end, i32.constant(-1), isFit)),
        starts.step(4),
        ends.step(4),
        first.step(1),
        rows.set(i32.select(rows, i32.constant(1), isFit)),
      ]),
    ];
  });
}

/** An entry of P that is read costs as much as this many flops. */
const flopsPerEntry = 16;

export function galerkinTwins(
  { single, double, both, restrict }: Routines<typeof defineGalerkin>,
  host: Host,
): GalerkinKernels {
  const { memory } = host;
  /** Visits chunks of rows: their number, the first row, and the region. */
  const inRegions = (
    from: number,
    to: number,
    size: number,
    visit: (count: number, first: number, region: number) => void,
  ): void => {
    for (let first = from, region = 0; first < to; first += size, region++)
      visit(Math.min(size, to - first), first, region);
  };
  /** The work of rows whose entries name rows of `reads` entries on average. */
  const workOf = (starts: number, from: number, to: number, reads: number): number =>
    flopsPerEntry * reads * (memory.firstEntry(starts, to) - memory.firstEntry(starts, from));

  const multiplyBy = (routine: typeof single): GalerkinKernels['multiplyPencil'] =>
    host.kernel(
      plainGalerkin.multiplyPencil,
      held,
      (from, to, chunk, room, width, starts, columns, weights, masses, diagonals, ...others) => {
        const [rowStarts, rowColumns, rowValues, places, outColumns, outPairs, ends] = others;
        const executor = host.chooseExecutor(workOf(starts, from, to, 3));
        const multiply = executor.defer(masses ? both : routine);
        inRegions(from, to, chunk, (count, first, region) => {
          const at = region * room;
          multiply(
            count,
            first,
            starts,
            columns,
            weights,
            masses,
            diagonals,
            rowStarts,
            rowColumns,
            rowValues,
            places + 4 * region * width,
            outColumns + 4 * at,
            outPairs + 16 * at,
            ends,
            room,
          );
        });
        executor.finish();
      },
    );

  return {
    multiplyPencil: byPrecision(7, multiplyBy(single), multiplyBy(double)),
    restrictPencil: host.kernel(
      plainGalerkin.restrictPencil,
      held,
      (from, to, chunk, room, width, starts, columns, values, pairStarts, pairColumns, pairs, ...others) => {
        const [places, outColumns, outPairs, ends] = others;
        const executor = host.chooseExecutor(workOf(starts, from, to, 10));
        const deferred = executor.defer(restrict);
        inRegions(from, to, chunk, (count, first, region) => {
          const at = region * room;
          const scratch = places + 4 * region * width;
          const [toColumns, toPairs] = [outColumns + 4 * at, outPairs + 16 * at];
          deferred(
            count,
            first,
            starts,
            columns,
            values,
            pairStarts,
            pairColumns,
            pairs,
            scratch,
            toColumns,
            toPairs,
            ends,
            room,
          );
        });
        executor.finish();
      },
    ),
  };
}
