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
export type { NdArray, NdArraySource } from './tensor/interop.ts';
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
export type { ProgressOptions } from './core/task.ts';
export { batchNeighbors } from './graph/batch-neighbors.ts';
export { laplacian } from './graph/laplacian.ts';
export type { GraphOperator, LaplacianKind } from './graph/laplacian.ts';
export { nearestAmong, nearestNeighbors } from './graph/neighbors/neighbors.ts';
export type { NeighborMethod, NeighborOptions, Neighbors, QueryOptions } from './graph/neighbors/neighbors.ts';
export { radiusAmong, radiusNeighbors } from './graph/neighbors/radius.ts';
export type { RadiusOptions } from './graph/neighbors/radius.ts';
export type { RadiusRows } from './graph/neighbors/hit-list.ts';
export { reorder } from './graph/reorder.ts';
export type { ReorderedGraph } from './graph/reorder.ts';
export { eigenfunctions } from './theory/continuum/eigenfunctions.ts';
export type { EigenfunctionOptions, Eigenfunctions } from './theory/continuum/eigenfunctions.ts';

export { lanczos } from './linalg/lanczos/lanczos.ts';
export type { LanczosOptions, LanczosResult } from './linalg/lanczos/lanczos.ts';
export type { LinearOperator } from './linalg/lanczos/operator.ts';
export type { LanczosProgress } from './linalg/lanczos/search.ts';

export { accuracy, adjustedRandIndex, normalizedMutualInformation } from './embedding/clustering/agreement.ts';
export type { Labels } from './embedding/clustering/agreement.ts';
export { diffusionMap, laplacianEigenmap } from './embedding/eigenmaps/eigenmap.ts';
export type { DiffusionMapOptions, Eigenmap, EigenmapOptions } from './embedding/eigenmaps/eigenmap.ts';
export { kMeans, nearestCenters } from './embedding/clustering/k-means.ts';
export type { KMeans, KMeansOptions } from './embedding/clustering/k-means.ts';
export { nystrom } from './embedding/eigenmaps/nystrom.ts';
export type { NystromSource } from './embedding/eigenmaps/nystrom.ts';
export { spectralClustering } from './embedding/clustering/spectral-clustering.ts';
export type { SpectralClusteringOptions, SpectralClusters } from './embedding/clustering/spectral-clustering.ts';
export { spectrum } from './spectral/spectrum/spectrum.ts';
export type { Spectrum, SpectrumOptions } from './spectral/spectrum/spectrum.ts';

export { Mlp } from './network/bodies/mlp.ts';
export type { MlpOptions } from './network/bodies/mlp.ts';
export type { Layer } from './network/layers/layer.ts';
export type { Initial } from './network/layers/initial.ts';
export type { Points } from './network/layers/inputs.ts';
export { hiddenLayers } from './network/bodies/body.ts';
export type { Body } from './network/bodies/body.ts';
export { chooseLandmarks, Landmarks } from './network/bodies/landmarks.ts';
export type { LandmarkOptions } from './network/bodies/landmarks.ts';
export { Optimizer } from './network/optimizer/optimizer.ts';
export type { OptimizerOptions, OptimizerState } from './network/optimizer/optimizer.ts';
export type { Rate, RateSchedule } from './network/optimizer/schedule.ts';
export { train } from './spectral/train/train.ts';
export type { EpochState, TrainingState, TrainMethod, TrainOptions } from './spectral/train/options.ts';
export { ritzHead } from './spectral/ritz/ritz-head.ts';
export type { RitzHead, RitzOptions } from './spectral/ritz/ritz-head.ts';

export { FittedEmbedding, SpectralEmbedding } from './embedding/spectral-embedding.ts';
export type { Diagnostics, FitOptions, SpectralEmbeddingOptions } from './embedding/spectral-embedding.ts';
export { DiffusionMap, FittedClustering, FittedDiffusionMap, SpectralClustering } from './embedding/estimators.ts';
export type { ClusteringOptions, DiffusionOptions } from './embedding/estimators.ts';
export type { PointSource } from './embedding/model/point-table.ts';
export { loadModel, loadTraining, saveModel, saveTraining } from './embedding/model/model-file.ts';
export { exportOnnx } from './embedding/onnx/onnx.ts';
export { transform } from './embedding/model/model.ts';
export type { LandmarkModel, Model, NetworkModel } from './embedding/model/model.ts';
export { solve } from './spectral/solve/solve.ts';
export type { Solution } from './spectral/solve/solve.ts';
export type { SolveOptions, StepChoice } from './spectral/solve/settings.ts';
export { StepTooLarge } from './spectral/solve/step-too-large.ts';
export { rayleighRitz } from './spectral/ritz/rayleigh-ritz.ts';
export type { RayleighRitz, RayleighRitzOptions } from './spectral/ritz/rayleigh-ritz.ts';
export type { EpochRecord, SolverState } from './spectral/solve/state.ts';
export type { Preconditioner, StepMemory, StepRule } from './spectral/descent/step-rule.ts';
export type { RitzBlock, RitzMemory } from './spectral/ritz/ritz.ts';
export type { Moments } from './spectral/descent/moments.ts';
export type { BatchOrder } from './spectral/descent/batches.ts';
export type { Method } from './spectral/descent/objective.ts';
export type { PencilKind } from './spectral/pencil/pencil.ts';
export type { Scheme } from './spectral/descent/view.ts';
export type { RotationOptions } from './spectral/descent/descent.ts';

export { verify } from './theory/verify.ts';
export type { VerifyOptions } from './theory/verify.ts';
export { statements } from './theory/statements.ts';
export type { StatementName } from './theory/statements.ts';
export type { Counterexample, Evidence, Finding, Statement, Verdict } from './theory/instances/statement.ts';
export type { GivenPencil, Instance, Law } from './theory/instances/instances.ts';
export type { Formulas } from './theory/instances/formulas.ts';
export type { SmallPencil } from './theory/instances/small-pencil.ts';
