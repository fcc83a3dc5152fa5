/** The Nyström extension: Gaussian weights in a tree, and weighted sums of rows. Routines and twins. */

import { type ExtensionKernels, plainExtension } from '../../../kernels/nearest/extension.ts';
import { stackLength } from '../../../kernels/nearest/kd-reach.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input, output } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { addProduct64, clearSums, forEachRow, stepAll } from '../loops.ts';
import { defineGaussian } from './kd-gaussian.ts';
import { flopsOfVisitor, routineOf } from './tree-code.ts';

export function defineExtension(module: Assembler) {
  return { kdGaussian: defineGaussian(module), weightedSums: defineSums(module) };
}

/** (rows, width, starts, columns, values, x, degrees, out): four columns, `width` ≥ 4 apart in x and out; the degree as well. */
function defineSums(module: Assembler) {
  return module.define(taking(8), ([rows, width, starts, columns, values, x, degrees, out], declare) => {
    const sums = variables(declare, 'v128', 3);
    const value = declare('v128');
    const [entries, at, bytes] = variables(declare, 'i32', 3);
    return [
      bytes.set(i32.shiftLeft(width, 3)),
      forEachRow(rows, starts, entries, [
        clearSums(sums),
        whileAtLeast(entries, 1, [
          value.set(f64x2.fromLower(v128.loadSplat(values))),
          at.set(i32.add(x, i32.multiply(i32.load(columns), bytes))),
          addProduct64(sums[0], value, v128.load(at)),
          addProduct64(sums[1], value, v128.load(at, 16)),
          sums[2].set(f64x2.add(sums[2], value)),
          stepAll([columns, values], 4),
        ]),
        v128.store(out, sums[0]),
        v128.store(out, sums[1], 16),
        f64.store(degrees, f64x2.firstLane(sums[2])),
        degrees.step(8),
        out.advance(bytes),
      ]),
    ];
  });
}

export function extensionTwins(routines: Routines<typeof defineExtension>, host: Host): ExtensionKernels {
  const { memory } = host;
  return {
    kdGaussian: host.kernel(
      plainExtension.kdGaussian,
      [input, input, input, input, input, output, output, output],
      (start, end, dimension, leaves, room, power, rows, columns, pairs, x, table, hits, weights, stack) => {
        const routine = routineOf(routines.kdGaussian, power);
        if (!routine) return null;
        const executor = host.chooseExecutor(flopsOfVisitor * (end - start));
        inChunks(executor, end - start, routine, (search, i, some) => {
          const [noted, first] = [4 * i * (room + 1), x + 8 * (start + i) * dimension];
          const own = [hits + noted, weights + noted, stack + 8 * i * stackLength] as const;
          search(some, dimension, leaves, room, rows, columns, pairs, first, table, ...own);
        });
        return executor.finish();
      },
    ),
    weightedSums: host.kernel(
      plainExtension.weightedSums,
      [input, input, input, input, output, output],
      (rows, width, starts, columns, values, x, degrees, out) => {
        if (width === 0) return null;
        const executor = host.chooseExecutor(2 * memory.entries(starts, rows) * (width + 1));
        for (let c = 0; c < width; c += 4) {
          inChunks(executor, rows, routines.weightedSums, (sum, i, some) => {
            const first = 4 * memory.firstEntry(starts, i);
            const [from, to] = [x + 8 * c, out + 8 * (i * width + c)];
            sum(some, width, starts + 4 * i, columns + first, values + first, from, degrees + 8 * i, to);
          });
        }
        return executor.finish();
      },
    ),
  };
}
