/** The public surface of `specnet`: names listed by hand, held by a spec. Files are read and written by `specnet/files`. */

export { Random } from './core/random.ts';
export type { RandomState, Seed } from './core/random.ts';

export { kernels, plainKernels } from './kernels/table.ts';
export type { Kernels } from './kernels/table.ts';
export type { Activation, Floats } from './kernels/types.ts';
export { disableSimd, enableSimd, simdStatus } from './wasm/simd.ts';
export type { SimdStatus } from './wasm/simd.ts';
export { setThreads } from './wasm/set-threads.ts';

export { Tensor, zeros } from './tensor/tensor.ts';
export type { NestedArray, Precision, Shape } from './tensor/tensor.ts';
export { tensor } from './tensor/convert.ts';
export type { ShapedNumbers } from './tensor/convert.ts';
export { fromNdarray, toNdarray } from './tensor/interop.ts';
export { Workspace } from './tensor/workspace.ts';

export { CsrMatrix } from './sparse/csr.ts';
export { diagonalMatrix, fromCsr, fromDense, fromTriplets, identity } from './sparse/build.ts';
export type { CsrArrays, MatrixShape, Triplets } from './sparse/build.ts';
export { combine, mapValues, symmetrize } from './sparse/combine.ts';
export type { SymmetricPart } from './sparse/combine.ts';
export { asymmetry, bandwidth, diagonal, rowSums, toDense, toTriplets } from './sparse/inspect.ts';
export { neighborsOf, sliceBlock, sliceRows } from './sparse/slice.ts';
export { BatchSlicer } from './sparse/batch.ts';
export type { BatchSlice } from './sparse/batch.ts';
export { permute, permuteRows } from './sparse/reorder.ts';
export { inversePermutation } from './sparse/indices.ts';
export { reverseCuthillMcKee } from './sparse/cuthill-mckee.ts';

export { NotPositiveDefinite } from './linalg/cholesky.ts';
export {
  fromMlMatrix,
  generalizedEigen,
  numericalRank,
  singularValues,
  symmetricEigen,
  thinSvd,
  toMlMatrix,
} from './linalg/eigen.ts';
export type { GeneralizedEigen, GeneralizedEigenOptions, SymmetricEigen, ThinSvd } from './linalg/eigen.ts';
export { alignRotation, alignSigns, principalAngles, relativeErrors } from './linalg/subspace.ts';
export type { Alignment } from './linalg/subspace.ts';
export type { SolveTriangularOptions, Triangle, TriangularOptions } from './linalg/triangular.ts';

export { stopGradient, Tape } from './autodiff/tape.ts';
export type { Operand, Variable } from './autodiff/tape.ts';
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
} from './autodiff/functions.ts';
export type { Transpositions } from './autodiff/products.ts';
export { checkGradient } from './autodiff/gradient-check.ts';
export type { GradientCheck, GradientCheckOptions } from './autodiff/gradient-check.ts';

export { buildGraph } from './graph/build-graph.ts';
export type { GraphOptions, GraphRecipe } from './graph/build-graph.ts';
export { graphFrom } from './graph/graph.ts';
export type { Graph, GraphOrigin } from './graph/graph.ts';
export type { Components } from './graph/components.ts';
export type { Watch } from './core/pace.ts';
export { batchNeighbors } from './graph/batch-neighbors.ts';
export { laplacian } from './graph/laplacian.ts';
export type { GraphOperator, LaplacianKind } from './graph/laplacian.ts';
export { nearestAmong, nearestNeighbors } from './graph/neighbors.ts';
export type { NeighborMethod, NeighborOptions, Neighbors, QueryOptions } from './graph/neighbors.ts';
export { radiusAmong, radiusNeighbors } from './graph/radius.ts';
export type { RadiusOptions } from './graph/radius.ts';
export type { RadiusRows } from './graph/hit-list.ts';
export { reorder } from './graph/reorder.ts';
export type { ReorderedGraph } from './graph/reorder.ts';
export { eigenfunctions } from './graph/eigenfunctions.ts';
export type { EigenfunctionOptions, Eigenfunctions } from './graph/eigenfunctions.ts';

export { lanczos } from './linalg/lanczos.ts';
export type { LanczosOptions, LanczosResult } from './linalg/lanczos.ts';
export type { LinearOperator } from './linalg/lanczos-operator.ts';
export type { LanczosProgress } from './linalg/lanczos-search.ts';

export { accuracy, adjustedRandIndex, normalizedMutualInformation } from './embedding/agreement.ts';
export type { Labels } from './embedding/agreement.ts';
export { diffusionMap, laplacianEigenmap } from './embedding/eigenmap.ts';
export type { DiffusionMapOptions, Eigenmap, EigenmapOptions } from './embedding/eigenmap.ts';
export { kMeans, nearestCenters } from './embedding/k-means.ts';
export type { KMeans, KMeansOptions } from './embedding/k-means.ts';
export { nystrom } from './embedding/nystrom.ts';
export type { NystromSource } from './embedding/nystrom.ts';
export { spectralClustering } from './embedding/spectral-clustering.ts';
export type { SpectralClusteringOptions, SpectralClusters } from './embedding/spectral-clustering.ts';
export { spectrum } from './spectral/spectrum.ts';
export type { Spectrum, SpectrumOptions } from './spectral/spectrum.ts';

export { Mlp } from './network/mlp.ts';
export type { Layer, MlpOptions } from './network/mlp.ts';
export type { Initial } from './network/initial.ts';
export type { Points } from './network/inputs.ts';
export { hiddenLayers } from './network/body.ts';
export type { Body } from './network/body.ts';
export { chooseLandmarks, Landmarks } from './network/landmarks.ts';
export type { LandmarkOptions } from './network/landmarks.ts';
export { Optimizer } from './network/optimizer.ts';
export type { OptimizerOptions, OptimizerState } from './network/optimizer.ts';
export type { Rate, RateSchedule } from './network/schedule.ts';
export { train } from './spectral/train.ts';
export type { EpochState, TrainingState, TrainMethod, TrainOptions } from './spectral/train-settings.ts';
export { ritzHead } from './spectral/ritz-head.ts';
export type { RitzHead, RitzOptions } from './spectral/ritz-head.ts';

export { FittedEmbedding, SpectralEmbedding } from './embedding/spectral-embedding.ts';
export type { Diagnostics, FitOptions, SpectralEmbeddingOptions } from './embedding/spectral-embedding.ts';
export { DiffusionMap, FittedClustering, FittedDiffusionMap, SpectralClustering } from './embedding/estimators.ts';
export type { ClusteringOptions, DiffusionOptions } from './embedding/estimators.ts';
export type { PointSource } from './embedding/point-table.ts';
export { loadModel, loadTraining, saveModel, saveTraining } from './embedding/model-file.ts';
export { exportOnnx } from './embedding/onnx.ts';
export { transform } from './embedding/model.ts';
export type { LandmarkModel, Model, NetworkModel } from './embedding/model.ts';
export { solve } from './spectral/solve.ts';
export type { Solution } from './spectral/solve.ts';
export type { SolveOptions, StepChoice } from './spectral/settings.ts';
export { StepTooLarge } from './spectral/step-too-large.ts';
export { rayleighRitz } from './spectral/rayleigh-ritz.ts';
export type { RayleighRitz, RayleighRitzOptions } from './spectral/rayleigh-ritz.ts';
export type { EpochRecord } from './spectral/review.ts';
export type { SolverState } from './spectral/state.ts';
export type { Preconditioner, StepMemory, StepRule } from './spectral/step-rule.ts';
export type { RitzBlock, RitzMemory } from './spectral/ritz.ts';
export type { Moments } from './spectral/moments.ts';
export type { BatchOrder } from './spectral/batches.ts';
export type { Method } from './spectral/objective.ts';
export type { PencilKind } from './spectral/pencil.ts';
export type { Scheme } from './spectral/view.ts';
export type { RotationOptions } from './spectral/descent.ts';

export { verify } from './theory/verify.ts';
export type { VerifyOptions } from './theory/verify.ts';
export { statements } from './theory/statements.ts';
export type { StatementName } from './theory/statements.ts';
export type { Counterexample, Evidence, Finding, Statement, Verdict } from './theory/statement.ts';
export type { GivenPencil, Instance, Law } from './theory/instances.ts';
export type { Formulas } from './theory/formulas.ts';
export type { SmallPencil } from './theory/small-pencil.ts';
