/** `specnet/linalg`: dense factorizations, eigenproblems, angles between subspaces, Lanczos and a multilevel eigensolver. */

export { NotPositiveDefinite } from '../linalg/cholesky.ts';
export {
  fromMlMatrix,
  generalizedEigen,
  numericalRank,
  singularValues,
  symmetricEigen,
  thinSvd,
  toMlMatrix,
} from '../linalg/eigen.ts';
export type { GeneralizedEigen, GeneralizedEigenOptions, SymmetricEigen, ThinSvd } from '../linalg/eigen.ts';
export { alignRotation, alignSigns, principalAngles, relativeErrors } from '../linalg/subspace.ts';
export type { Alignment } from '../linalg/subspace.ts';
export type { SolveTriangularOptions, Triangle, TriangularOptions } from '../linalg/triangular.ts';
export { lanczos } from '../linalg/lanczos/lanczos.ts';
export type { LanczosOptions, LanczosResult } from '../linalg/lanczos/lanczos.ts';
export type { LinearOperator } from '../linalg/lanczos/operator.ts';
export type { LanczosProgress } from '../linalg/lanczos/search.ts';
export { multilevel } from '../linalg/multilevel/multilevel.ts';
export type { Completeness, MultilevelOptions, MultilevelResult } from '../linalg/multilevel/multilevel.ts';
export type { AffinityGraph } from '../linalg/multilevel/hierarchy/finest.ts';
export type { MultilevelProgress } from '../linalg/multilevel/iteration/iteration.ts';
export { cholesky, invertTriangular, solveTriangular, thinQr } from '../autodiff/functions.ts';
