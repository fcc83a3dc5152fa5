/** The SIMD twin of the compression of rows. */

import { type CompressionKernels, compressRows, sectionRows, startOf } from '../../../kernels/batch/compression.ts';
import { input32, type Marshal, output, output32, value } from '../../memory/marshal.ts';
import type { ChooseExecutor } from '../../threads/executor.ts';
import { type CompressionRoutines, laneOrders } from './code.ts';

/** The cost of an entry of x. */
const flops = 20;

export function compressionTwins(
  { compress }: CompressionRoutines,
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): CompressionKernels {
  const { memory } = marshal;
  const orders = laneOrders();
  const table = memory.take(orders.length);
  if (table >= 0) new Uint8Array(memory.buffer, table, orders.length).set(orders);
  return {
    compressRows: marshal.kernel(
      compressRows,
      [value, value, input32, output, output, output32],
      (rows, cols, x, outStarts, outColumns, outValues) => {
        if (table < 0) return null;
        const executor = chooseExecutor(flops * rows * cols);
        const section = executor.defer(compress);
        for (let i = 0; i < rows; i += sectionRows) {
          const [count, from, starts] = [Math.min(sectionRows, rows - i), i * cols, outStarts + 4 * startOf(i)];
          section(count, cols, from, x + 4 * from, starts, outColumns, outValues, table);
        }
        executor.finish();
        let entries = 0;
        for (let i = 0; i < rows; i += sectionRows) {
          entries += memory.entries(outStarts + 4 * startOf(i), Math.min(sectionRows, rows - i));
        }
        return entries;
      },
    ),
  };
}
