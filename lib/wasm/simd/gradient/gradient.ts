/** Gradients of few rows that are mostly zeros: the transpose of such rows, and products only where an entry is. */

import { type GradientKernels, plainGradient } from '../../../kernels/batch/gradient.ts';
import type { Assembler, Code, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { input, input32, output, output32 } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { accessOf, addLanes, addProduct, element, forEachRow, stepAll } from '../loops.ts';
import { adamTwins, defineAdam, defineOrderedRow, type OrderedRow } from './adam.ts';
import { defineMasked, maskedTwins } from './masked-product.ts';

export function defineGradient(module: Assembler) {
  const orderedRow = defineOrderedRow(module);
  return {
    transpose: defineTranspose(module),
    sampled: defineSampledProduct(module),
    masked: defineMasked(module),
    ordered: defineOrderedProduct(module, orderedRow),
    adam: defineAdam(module, orderedRow),
  };
}

const times4 = (value: Code): Code => i32.shiftLeft(value, 2);

/** (rows, cols, starts, columns, values, outStarts, outColumns, outValues) */
function defineTranspose(module: Assembler) {
  return module.define(taking(8), (locals, declare) => {
    const [rows, cols, starts, columns, values, outStarts, outColumns, outValues] = locals;
    const [left, at, key, sum, row] = variables(declare, 'i32', 5);
    const keyOf = (column: Code): Code => key.set(element(outStarts, i32.load(column)));
    return [
      i32.fill(outStarts, 0, times4(i32.add(cols, 1))),
      // Count the entries of each column, one place behind it.
      left.set(i32.load(element(starts, rows))),
      at.set(columns),
      whileAtLeast(left, 1, [keyOf(at), i32.store(i32.add(key, 4), i32.add(i32.load(key, 4), 1)), at.step(4)]),
      // Sum the counts to where each column begins.
      left.set(cols),
      at.set(outStarts),
      whileAtLeast(left, 1, [sum.advance(i32.load(at)), i32.store(at, sum), at.step(4)]),
      // Distribute the entries, which moves each start to that of the next column.
      forEachRow(rows, starts, left, [
        whileAtLeast(left, 1, [
          keyOf(columns),
          at.set(times4(i32.load(key))),
          i32.store(key, i32.add(i32.load(key), 1)),
          i32.store(i32.add(outColumns, at), row),
          i32.store(i32.add(outValues, at), i32.load(values)),
          stepAll([columns, values], 4),
        ]),
        row.step(1),
      ]),
      i32.copy(i32.add(outStarts, 4), outStarts, times4(cols)),
      i32.store(outStarts, 0),
    ];
  });
}

/** (rows, cols, inner, starts, columns, a, b, out): columns point at the first entry of the first row. */
function defineSampledProduct(module: Assembler) {
  return module.define(taking(8), (locals, declare) => {
    const [rows, cols, inner, starts, columns, a, b, out] = locals;
    const sums = variables(declare, 'v128', 4);
    const [entries, left, from, by] = variables(declare, 'i32', 4);
    const some = (lanes: 4 | 1, chains: number): Code =>
      whileAtLeast(left, lanes * chains, [
        sums.slice(0, chains).map((sum, v) => {
          const { load } = accessOf(lanes, 16 * v);
          return addProduct(sum, load(from), load(by));
        }),
        stepAll([from, by], 4 * lanes * chains),
      ]);
    return forEachRow(rows, starts, entries, [
      i32.fill(out, 0, times4(cols)),
      whileAtLeast(entries, 1, [
        sums.map((sum) => sum.set(f32x4.constant(0))),
        from.set(a),
        by.set(element(b, i32.multiply(i32.load(columns), inner))),
        left.set(inner),
        some(4, 4),
        some(4, 1),
        some(1, 1),
        sums[0].set(f32x4.add(f32x4.add(sums[0], sums[1]), f32x4.add(sums[2], sums[3]))),
        addLanes(sums[0]),
        v128.storeOne(element(out, i32.load(columns)), sums[0]),
        columns.step(4),
      ]),
      a.advance(times4(inner)),
      out.advance(times4(cols)),
    ]);
  });
}

/** (rows, width, starts, columns, values, x, out): S·x, with pointers to the first column and value of the first row. */
function defineOrderedProduct(module: Assembler, orderedRow: OrderedRow) {
  return module.define(taking(7), ([rows, width, starts, columns, values, x, out], declare) => {
    const entries = declare('i32');
    return forEachRow(rows, starts, entries, [
      when(
        entries,
        orderedRow.call(columns, values, x, times4(width), entries, width, out),
        i32.fill(out, 0, times4(width)),
      ),
      [columns, values].map((pointer) => pointer.advance(times4(entries))),
      out.advance(times4(width)),
    ]);
  });
}

export function gradientTwins(routines: Routines<typeof defineGradient>, host: Host): GradientKernels {
  const { transpose, sampled, masked, ordered, adam } = routines;
  const { memory } = host;
  const { transposeRows, sampledProduct, orderedProduct } = plainGradient;
  return {
    ...adamTwins(adam, host),
    ...maskedTwins(masked, host),
    transposeRows: host.kernel(transposeRows, [input, input, input32, output, output, output32], transpose),
    sampledProduct: host.kernel(sampledProduct, [input, input, input32, input32, output32], sampled),
    orderedProduct: host.kernel(
      orderedProduct,
      [input, input, input32, input32, output32],
      (rows, width, starts, columns, values, x, out) => {
        const executor = host.chooseExecutor(2 * memory.entries(starts, rows) * width);
        inChunks(executor, rows, ordered, (product, i, count) => {
          const at = 4 * memory.firstEntry(starts, i);
          product(count, width, starts + 4 * i, columns + at, values + at, x, out + 4 * i * width);
        });
        return executor.finish();
      },
    ),
  };
}
