/** Rows of a matrix Y that are replaced or moved, with its moments YᵀDY and ηᵀY: routines and twins. */

import { type MovingRowsKernels, plainMovingRows } from '../../../kernels/batch/moving-rows.ts';
import type { Floats } from '../../../kernels/types.ts';
import type { Assembler, Code, Local, Routines } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input, isSingle, output } from '../../memory/marshal.ts';
import { weightsAt } from '../../memory/memory.ts';
import type { Host } from '../../threads/executor.ts';
import { byBytes, type Bytes } from '../columns.ts';
import { defineNarrow } from './narrow.ts';
import { wideRows } from './wide.ts';
import { defineWide } from './wide-routines.ts';

/** Rows of a table with more bytes than this are seldom in the cache, because a step fills it with parameters. */
const nearBytes = 2 ** 18;
/** Below this many products it does not pay to pass addresses: in blocks, and in unrolled code. */
const fewProducts = 2 ** 9;
const fewUnrolled = 2 ** 7;

export function defineMovingRows(module: Assembler) {
  return {
    narrow: byBytes((bytes) => defineNarrow(module, bytes)),
    wide: defineWide(module),
    fetchKept: defineFetchKept(module),
  };
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
        touch(mass, 8),
        touch(eta, etaStep),
        touch(kept, keptStep),
        rows.step(4),
      ]),
      seen,
    ];
  });
}

type Replace = Parameters<MovingRowsKernels['replaceRows']>;
type Move = Parameters<MovingRowsKernels['moveRows']>;

/** Rows of few columns have unrolled code, others are worked on in blocks. */
export function movingRowsTwins(
  { narrow, wide: wideRoutines, fetchKept }: Routines<typeof defineMovingRows>,
  { kernel, memory }: Host,
): MovingRowsKernels {
  const { replaceRows, multiplyRows, moveRows, mapRows, followRows } = plainMovingRows;
  const wide = byBytes((bytes) => wideRows(wideRoutines, memory, bytes));
  const replace = byBytes((bytes) =>
    kernel(
      (_isFar: boolean, ...operands: Replace) => replaceRows(...operands),
      [input, input, input, input, output, output, output],
      (isFar, count, width, rows, mass, eta, x, kept, gram, mean) => {
        const etaStep = eta ? 8 : 0;
        if (isFar) fetchKept(count, rows, mass, eta, etaStep, kept, bytes * width);
        const unrolled = narrow[bytes].replacements[width - 1];
        if (unrolled) return unrolled(count, rows, mass, eta, etaStep, x, kept, gram, mean);
        return wide[bytes].replaceRows(count, width, rows, mass, eta, x, kept, gram, mean);
      },
    ),
  );
  const move = byBytes((bytes) =>
    kernel(moveRows, [input, input, input, input, input, input, input, output, output, output], (...operands) => {
      const [count, width, rows, mass, eta, p, q, s, massExponent, length, product, kept, gram, mean] = operands;
      const unrolled = narrow[bytes].moves[width - 1];
      if (!unrolled) return wide[bytes].moveRows(...operands);
      const etaStep = eta ? 8 : 0;
      return unrolled(count, rows, mass, eta, etaStep, p, q, s, massExponent, product, kept, gram, mean, length);
    }),
  );
  const multiply = byBytes((bytes) =>
    kernel(multiplyRows, [input, input, input, output], (count, width, factors, rows, matrix, out) => {
      const [by, step] = weightsAt(factors);
      const unrolled = narrow[bytes].products[width - 1];
      return unrolled
        ? unrolled(count, by, step, rows, matrix, out)
        : wide[bytes].multiplyRows(count, width, by, step, rows, matrix, out);
    }),
  );
  const map = kernel(mapRows, [input, input, input, input, input, input, input, output], wide[8].mapRows);
  const follow = kernel(followRows, [input, input, input, input, output, output], wide[8].followRows);
  return {
    replaceRows(count, width, rows, mass, eta, x, kept, gram, mean) {
      const bytes = bytesOf(x, kept);
      const run = bytes ? replace[bytes] : null;
      const isFar = kept.byteLength > nearBytes;
      if (run) run(isFar, count, width, rows, mass, eta, x, kept, gram, mean);
      else replaceRows(count, width, rows, mass, eta, x, kept, gram, mean);
    },
    moveRows(...operands: Move) {
      const bytes = bytesOf(operands[10], operands[11]);
      (bytes ? move[bytes] : moveRows)(...operands);
    },
    multiplyRows(count, width, factors, rows, matrix, out) {
      const few = width > narrow[8].products.length ? fewProducts : fewUnrolled;
      const bytes = count * width * width < few ? null : bytesOf(rows, out);
      (bytes ? multiply[bytes] : multiplyRows)(count, width, factors, rows, matrix, out);
    },
    mapRows(...operands) {
      const [count, width] = operands;
      const isFew = count * width * width < fewProducts;
      (!isFew && bytesOf(operands[8], operands[9], operands[10]) === 8 ? map : mapRows)(...operands);
    },
    /** The plain twin adds the change of each row to the sums, and is as fast for few columns. */
    followRows(...operands) {
      const isWide = operands[1] > narrow[8].moves.length;
      (isWide && bytesOf(operands[4], operands[5]) === 8 ? follow : followRows)(...operands);
    },
  };
}

/** The bytes of a number if all arrays have the same precision, else null. */
function bytesOf(first: Floats, ...others: readonly Floats[]): Bytes | null {
  const single = isSingle(first);
  return others.some((other) => isSingle(other) !== single) ? null : single ? 4 : 8;
}
