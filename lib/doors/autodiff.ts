/** `specnet/autodiff`: differentiable operations on tensors, the tape, and the gradient check. */

export { stopGradient, Tape } from '../autodiff/tape.ts';
export type { Operand, Result, Variable } from '../autodiff/tape.ts';
export {
  add,
  addBias,
  cholesky,
  convert,
  dense,
  gatherRows,
  invertTriangular,
  matmul,
  mean,
  multiply,
  relu,
  scale,
  scaleRows,
  sigmoid,
  softplus,
  solveTriangular,
  subtract,
  sum,
  tanh,
  thinQr,
  traceOfProduct,
  transpose,
} from '../autodiff/functions.ts';
export type { Transpositions } from '../autodiff/products.ts';
export { checkGradient } from '../autodiff/gradient-check.ts';
export type { GradientCheck, GradientCheckOptions } from '../autodiff/gradient-check.ts';
export type { BackwardCall, Call, Operation, Pullback } from '../autodiff/operation.ts';
