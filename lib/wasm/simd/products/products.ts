/** Sparse products: the twins of both precisions. */

import { plainProducts, type ProductKernels } from '../../../kernels/formats/products.ts';
import { input, output } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import type { Bytes } from '../columns.ts';
import type { ProductRoutines } from './routines.ts';
import { runBlocked, runRows, runSliced, runTransposed } from './run.ts';

export function productTwins(routines: ProductRoutines, host: Host): ProductKernels {
  const { kernel } = host;
  const [matrix, others] = [[input, input, input] as const, [input, output] as const];
  const twinsOf = (bytes: Bytes): ProductKernels => ({
    csrProduct: kernel(plainProducts.csrProduct, [...matrix, ...others], runRows(routines[bytes].rows, host, bytes)),
    csrTransposeProduct: kernel(
      plainProducts.csrTransposeProduct,
      [...matrix, ...others],
      runTransposed(routines[bytes].transposed, routines.clear, host, bytes),
    ),
    slicedProduct: kernel(
      plainProducts.slicedProduct,
      [input, ...matrix, ...others],
      runSliced(routines[bytes].sliced, host, bytes),
    ),
    blockedProduct: kernel(
      plainProducts.blockedProduct,
      [...matrix, ...others],
      runBlocked(routines[bytes].blocked, host, bytes),
    ),
  });
  const [single, double] = [twinsOf(4), twinsOf(8)];
  return {
    csrProduct: byPrecision(single.csrProduct, double.csrProduct, plainProducts.csrProduct),
    csrTransposeProduct: byPrecision(
      single.csrTransposeProduct,
      double.csrTransposeProduct,
      plainProducts.csrTransposeProduct,
    ),
    slicedProduct: byPrecision(single.slicedProduct, double.slicedProduct, plainProducts.slicedProduct),
    blockedProduct: byPrecision(single.blockedProduct, double.blockedProduct, plainProducts.blockedProduct),
  };
}

/** The twin of the precision of all arrays, or the plain kernel where they differ. */
function byPrecision<Operands extends readonly unknown[]>(
  single: (...operands: Operands) => void,
  double: (...operands: Operands) => void,
  plain: (...operands: Operands) => void,
): (...operands: Operands) => void {
  return (...operands) => {
    const isSingle = operands.some((operand) => operand instanceof Float32Array);
    const isDouble = operands.some((operand) => operand instanceof Float64Array);
    (isSingle && isDouble ? plain : isSingle ? single : double)(...operands);
  };
}
