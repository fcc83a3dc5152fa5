/** The SIMD twins of the kernel table, which share one module. */

import type { Kernels } from '../../kernels/table.ts';
import type { Assembler, Bound } from '../assembler/assembler.ts';
import type { Marshal } from '../memory/marshal.ts';
import type { ChooseExecutor } from '../threads/executor.ts';
import { defineDense } from './dense/code.ts';
import { defineLayout } from './dense/layout-code.ts';
import { denseTwins } from './dense/twins.ts';
import { defineElementwise } from './elementwise/code.ts';
import { elementwiseTwins } from './elementwise/twins.ts';
import { defineOptimizers } from './optimizer/code.ts';
import { optimizerTwins } from './optimizer/twins.ts';
import { defineReduce } from './reduce/code.ts';
import { reduceTwins } from './reduce/twins.ts';
import { defineRows } from './rows/code.ts';
import { rowTwins } from './rows/twins.ts';
import { defineSparse } from './sparse/code.ts';
import { sparseTwins } from './sparse/twins.ts';

export type TableRoutines = Bound<ReturnType<typeof defineTable>>;

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

export function tableTwins(routines: TableRoutines, marshal: Marshal, chooseExecutor: ChooseExecutor): Kernels {
  const { layout, dense, elementwise, rows, reduce, optimizer, sparse } = routines;
  return {
    ...denseTwins(dense, layout, elementwise, marshal, chooseExecutor),
    ...elementwiseTwins(elementwise, marshal),
    ...rowTwins(rows, layout, marshal),
    ...reduceTwins(reduce, layout, marshal),
    ...optimizerTwins(optimizer, elementwise, marshal, chooseExecutor),
    ...sparseTwins(sparse, layout, marshal, chooseExecutor),
  };
}
