/** The table of all differentiable operations. */

import * as arithmetic from './arithmetic.ts';
import * as factorizations from './factorizations.ts';
import * as products from './products.ts';

export const operations = {
  add: arithmetic.add,
  subtract: arithmetic.subtract,
  multiply: arithmetic.multiply,
  scale: arithmetic.scale,
  addBias: arithmetic.addBias,
  activate: arithmetic.activate,
  convert: arithmetic.convert,
  gatherRows: arithmetic.gatherRows,
  scaleRows: arithmetic.scaleRows,
  sum: arithmetic.sum,
  mean: arithmetic.mean,
  traceOfProduct: arithmetic.traceOfProduct,
  matmul: products.matmul,
  transpose: products.transpose,
  dense: products.dense,
  sparseDense: products.sparseDense,
  csrMatmul: products.csrMatmul,
  cholesky: factorizations.cholesky,
  qrOrthogonal: factorizations.qrOrthogonal,
  qrTriangular: factorizations.qrTriangular,
  solveTriangular: factorizations.solveTriangular,
  invertTriangular: factorizations.invertTriangular,
};
