/** `specnet`: what most users need. The doors in lib/doors export the rest, each the names of one room. */

export { FittedEmbedding, SpectralEmbedding } from './embedding/spectral-embedding.ts';
export type {
  Diagnostics,
  FitDiagnostics,
  FitOptions,
  SpectralEmbeddingOptions,
} from './embedding/spectral-embedding.ts';
export { DiffusionMap, FittedClustering, FittedDiffusionMap, SpectralClustering } from './embedding/estimators.ts';
export type { DiffusionMapOptions, SpectralClusteringOptions } from './embedding/estimators.ts';
export type { ClusterQuality } from './embedding/clustering/quality.ts';
export type { ClusterCandidate, ClusterChoice, ClusterCount } from './embedding/clustering/cluster-count.ts';
export type { ClusteringOptions, ClusterReport } from './embedding/clustering/cluster-rows.ts';
export type { ClusterStability } from './embedding/clustering/stability.ts';
export type { Assignment, Labeled, Labeling } from './embedding/clustering/labeling.ts';
export type { PointSource } from './embedding/model/point-table.ts';
export type { ProgressOptions } from './core/task.ts';

export { transform } from './embedding/model/model.ts';
export type { LandmarkModel, Model, ModelBase, NetworkModel } from './embedding/model/model.ts';
export { loadModel, saveModel } from './embedding/model/model-file.ts';
export { exportOnnx } from './embedding/onnx/onnx.ts';

export { openTable } from './formats/disk.ts';
export { readTable } from './formats/table/read-table.ts';
export type { TableOptions } from './formats/table/read-table.ts';
export type { Table } from './formats/table/table.ts';
export type { EncodedColumn, MissingRule, TableEncoding, TablePoints } from './formats/table/columns/encoding.ts';
export type { MissingValue } from './formats/table/columns/notation.ts';

export { buildGraph } from './graph/build-graph.ts';
export type { GraphOptions, GraphRecipe } from './graph/build-graph.ts';
export { graphFrom } from './graph/graph.ts';
export type { Graph, Join, VariableBandwidth } from './graph/graph.ts';
export { spectrum } from './spectral/spectrum/spectrum.ts';
export type { CertifyChoice } from './spectral/spectrum/certify.ts';
export type { Certificate, SolverReport } from './spectral/spectrum/solver-report.ts';
export type { SolverChoice } from './spectral/spectrum/solvers.ts';
export type { Spectrum, SpectrumOptions } from './spectral/spectrum/spectrum.ts';
export { nystrom } from './embedding/eigenmaps/nystrom.ts';
export type { NystromSource } from './embedding/eigenmaps/nystrom.ts';

export { accuracy, adjustedRandIndex, normalizedMutualInformation } from './embedding/clustering/agreement.ts';
export type { Labels } from './embedding/clustering/agreement.ts';

export { plotEmbedding } from './pictures/plot-embedding.ts';
export type { PlotColumn, PlotOptions, PlotValues } from './pictures/plot-embedding.ts';

export { disableSimd, enableSimd, simdStatus } from './wasm/simd.ts';
export type { SimdStatus } from './wasm/simd.ts';
export { setThreads } from './wasm/set-threads.ts';

export { Random } from './core/random.ts';
export type { RandomState, Seed } from './core/random.ts';
export { Tensor } from './tensor/tensor.ts';
export type { DataOf, NestedArray, Precision, Shape } from './tensor/tensor.ts';
export { tensor } from './tensor/convert.ts';
export type { ShapedNumbers } from './tensor/convert.ts';
export { CsrMatrix } from './sparse/csr.ts';
export type { FitFindings, ModelOptions } from './embedding/model-options.ts';
export type { PreprocessingOptions } from './embedding/preprocessing/fit-preprocessing.ts';
export type { Preprocessing, Scale } from './embedding/model/preprocess.ts';
export type { GaussianOptions, IndicatorOptions, KernelOptions } from './graph/affinity/compact-affinity.ts';
export type {
  KnnOptions,
  KnnGaussianOptions,
  SelfTunedOptions,
  NeighborhoodOptions,
  LeastWeightOptions,
} from './graph/affinity/neighbor-affinity.ts';
export type { Points } from './sparse/points.ts';
export type { Metric, MetricOptions } from './graph/neighbors/metric.ts';
export type { PrecomputedNeighbors } from './graph/neighbors/precomputed.ts';
export type { GraphSource, SourceMetric, SourceMetricOptions } from './graph/neighbors/source.ts';
export type { ConnectOptions, DensityOptions } from './graph/affinity/weights.ts';
export type { BandwidthOptions } from './graph/affinity/variable-bandwidth.ts';
