/** Rows of the points for the first layer: gathered from a table, or sliced from a sparse matrix. */

import { badKind, badValue, checkFinite, showShape } from '../../core/check.ts';
import { kernels } from '../../kernels/table.ts';
import { fromDense } from '../../sparse/build.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { RowSlicer } from '../../sparse/slices/row-slicer.ts';
import type { Points } from '../../sparse/points.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { copyToKernelMemory } from '../../tensor/kernel-memory.ts';
import { Workspace } from '../../tensor/workspace.ts';

export type { Points };

/** With a smaller fraction of nonzeros and at least `sparseFrom` columns, a sparse first layer is faster. */
const sparseBelow = 0.35;
const sparseFrom = 32;

/** The same points in the fastest format: sparse if they have few nonzeros, else dense in kernel memory. */
export function toKernelFormat(points: Points): Points {
  if (points instanceof CsrMatrix) return points;
  if (points.cols < sparseFrom) return copyToKernelMemory(points);
  return isSparseFaster(points.cols, points.size, nonzerosIn(points)) ? fromDense(points) : copyToKernelMemory(points);
}

/** Whether a sparse first layer is faster for points of `cols` columns, with `numbers` numbers in all, of which `nonzeros` are not zero. */
export function isSparseFaster(cols: number, numbers: number, nonzeros: number): boolean {
  return cols >= sparseFrom && nonzeros < sparseBelow * numbers;
}

export function nonzerosIn({ data }: Tensor): number {
  let nonzeros = 0;
  for (let i = 0; i < data.length; i++) if (data[i] !== 0) nonzeros++;
  return nonzeros;
}

/** Returns a function that gathers rows of the points, or all rows for null. Its result is valid until the next call. */
export function takerOf<P extends Points>(points: P): (rows: Int32Array | null) => P;
export function takerOf(points: Points): (rows: Int32Array | null) => Points {
  if (points instanceof CsrMatrix) {
    const slicer = new RowSlicer(points);
    return (rows) => (rows ? slicer.take(rows) : points);
  }
  const workspace = new Workspace();
  return (rows) => {
    if (!rows) return points;
    workspace.reset();
    const taken = workspace.take([rows.length, points.cols], points.precision);
    kernels.gatherRows(rows.length, points.cols, rows, points.data, taken.data);
    return taken;
  };
}

/** Accepts a table of finite numbers, dense or sparse, with at least one row and, if `cols` is given, that many columns. */
export function checkInputs(caller: string, points: Points, cols?: number): void {
  if (!(points instanceof Tensor || points instanceof CsrMatrix)) {
    throw badKind(caller, 'points as a tensor or a sparse matrix', points, 'tensor() makes one.');
  }
  if (points instanceof Tensor) {
    if (points.shape.length !== 2) {
      throw badValue(caller, 'points as a table, one point per row', `shape ${showShape(points.shape)}`);
    }
    checkFinite(caller, 'points', points.data, points.cols);
  }
  if (points.rows === 0) throw badValue(caller, 'at least one point', 'none');
  if (cols !== undefined && points.cols !== cols) throw badValue(caller, `points of ${cols} columns`, points.cols);
}

/** Refuses points whose precision is not that of the weights of a first layer. */
export function checkPrecision(caller: string, { precision }: Tensor, points: Points): void {
  if (points.precision === precision) return;
  const rule = `points of ${precision} precision, as the network's`;
  throw badValue(caller, rule, points.precision, 'copy() changes it.');
}
