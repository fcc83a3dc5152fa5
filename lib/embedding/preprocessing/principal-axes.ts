/** Principal axes of centered points: the leading eigenvectors of their covariance matrix. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import { kernels } from '../../kernels/table.ts';
import { lanczosSteps } from '../../linalg/lanczos/lanczos.ts';
import type { LinearOperator } from '../../linalg/lanczos/operator.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';

/** A covariance matrix of more columns is not formed: it would take more than 128 MiB. */
const mostColumns = 4096;
/** The number of products that are summed between two reports of progress, and the least number of rows. */
const block = { products: 3e7, rows: 32 };

/**
 * The axes as columns, those with the largest variance first. The entry of largest magnitude of each is positive. Throws if
 * the points span fewer dimensions.
 */
export function* principalAxesSteps(
  caller: string,
  centered: Tensor<Float64Array>,
  count: number,
): Task<Tensor<Float64Array>> {
  const { rows, cols } = centered;
  const most = Math.min(cols, rows - 1);
  if (count > most) {
    const reason = most === cols ? 'the number of columns' : 'one less than the number of points';
    throw badValue(caller, `pca of at most ${most}, ${reason}`, count);
  }
  const operator =
    cols <= Math.min(rows, mostColumns)
      ? matrixOperator(yield* subtask(scatterSteps(centered), 0, 0.5))
      : scatterOperator(centered);
  const { values, vectors, converged } = yield* subtask(lanczosSteps(operator, { count }), 0.5, 1);
  const rank = values.filter((value) => value > cols * Number.EPSILON * values[0]).length;
  if (rank < count) {
    const remedy = 'The other directions have no variance.';
    throw badValue(caller, `pca of at most ${rank}, the number of dimensions that the points span`, count, remedy);
  }
  if (converged) return vectors;
  const remedy = 'Take fewer, or omit pca.';
  throw badValue(caller, 'principal components that Lanczos can tell apart', `${count} that did not converge`, remedy);
}

/** XᵀX, summed over blocks of rows. */
function* scatterSteps({ rows, cols, data }: Tensor<Float64Array>): Task<Tensor<Float64Array>> {
  const sum = zeros([cols, cols], 'double');
  const size = Math.max(block.rows, Math.floor(block.products / cols ** 2));
  for (let from = 0; from < rows; from += size) {
    const to = Math.min(rows, from + size);
    const part = data.subarray(from * cols, to * cols);
    kernels.matmulTransposeA(cols, cols, to - from, part, part, sum.data, from > 0);
    yield to / rows;
  }
  return sum;
}

function matrixOperator({ cols, data }: Tensor<Float64Array>): LinearOperator {
  return { size: cols, apply: (x, y) => kernels.matmul(cols, 1, cols, data, x, y, false) };
}

/** x ↦ Xᵀ(Xx), for points with more columns than rows. */
function scatterOperator({ rows, cols, data }: Tensor<Float64Array>): LinearOperator {
  const product = new Float64Array(rows);
  return {
    size: cols,
    apply(x, y) {
      kernels.matmul(rows, 1, cols, data, x, product, false);
      kernels.matmulTransposeA(cols, 1, rows, data, product, y, false);
    },
  };
}
