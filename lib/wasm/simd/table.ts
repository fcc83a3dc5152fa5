/** The SIMD twins of the kernel table, which share one module. */

import type { Kernels } from '../../kernels/table.ts';
import type { Assembler, Routines } from '../assembler/assembler.ts';
import type { Host } from '../threads/executor.ts';
import { denseTwins } from './dense/dense.ts';
import { defineLayout } from './dense/layout.ts';
import { defineDense } from './dense/tiles.ts';
import { defineElementwise, elementwiseTwins } from './elementwise/elementwise.ts';
import { defineOptimizers, optimizerTwins } from './optimizer/optimizer.ts';
import { defineReduce, reduceTwins } from './reduce/reduce.ts';
import { defineRows, rowTwins } from './rows/rows.ts';
import { defineSparse, sparseTwins } from './sparse/sparse.ts';

export function defineTable(module: Assembler) {
  const layout = defineLayout(module);
  return {
    layout,
    dense: defineDense(module, layout.pack),
    elementwise: defineElementwise(module),
    rows: defineRows(module),
    reduce: defineReduce(module),
    optimizer: defineOptimizers(module),
    sparse: defineSparse(module),
  };
}

export function tableTwins(routines: Routines<typeof defineTable>, host: Host): Kernels {
  const { layout, dense, elementwise, rows, reduce, optimizer, sparse } = routines;
  return {
    ...denseTwins(dense, layout, elementwise, host),
    ...elementwiseTwins(elementwise, host),
    ...rowTwins(rows, layout, host),
    ...reduceTwins(reduce, layout, host),
    ...optimizerTwins(optimizer, elementwise, host),
    ...sparseTwins(sparse, layout, host),
  };
}
