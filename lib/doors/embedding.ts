/** `specnet/embedding`: estimators, models and their files, eigenmaps, Nyström extension and clustering. */

export { accuracy, adjustedRandIndex, normalizedMutualInformation } from '../embedding/clustering/agreement.ts';
export type { Labels } from '../embedding/clustering/agreement.ts';
export { diffusionMap, laplacianEigenmap } from '../embedding/eigenmaps/eigenmap.ts';
export type { GraphDiffusionOptions, Eigenmap, EigenmapOptions } from '../embedding/eigenmaps/eigenmap.ts';
export { kMeans, nearestCenters } from '../embedding/clustering/k-means.ts';
export type { KMeans, KMeansOptions } from '../embedding/clustering/k-means.ts';
export { nystrom, nystromExtension } from '../embedding/eigenmaps/nystrom.ts';
export type { NystromExtension, NystromSource } from '../embedding/eigenmaps/nystrom.ts';
export { conductances } from '../embedding/clustering/quality.ts';
export type { ClusterQuality } from '../embedding/clustering/quality.ts';
export type { ClusterCandidate, ClusterChoice, ClusterCount } from '../embedding/clustering/cluster-count.ts';
export type { ClusteringOptions, ClusterReport } from '../embedding/clustering/cluster-rows.ts';
export type { ClusterStability } from '../embedding/clustering/stability.ts';
export type { Assignment, Labeled, Labeling } from '../embedding/clustering/labeling.ts';
export { spectralClustering } from '../embedding/clustering/spectral-clustering.ts';
export type { GraphClusteringOptions, SpectralClusters } from '../embedding/clustering/spectral-clustering.ts';
export { FittedEmbedding, SpectralEmbedding } from '../embedding/spectral-embedding.ts';
export type {
  Diagnostics,
  FitDiagnostics,
  FitOptions,
  SpectralEmbeddingOptions,
} from '../embedding/spectral-embedding.ts';
export { DiffusionMap, FittedClustering, FittedDiffusionMap, SpectralClustering } from '../embedding/estimators.ts';
export type { SpectralClusteringOptions, DiffusionMapOptions } from '../embedding/estimators.ts';
export type { PointSource } from '../embedding/model/point-table.ts';
export { loadModel, loadTraining, saveModel, saveTraining } from '../embedding/model/model-file.ts';
export { exportOnnx } from '../embedding/onnx/onnx.ts';
export { transform } from '../embedding/model/model.ts';
export type { LandmarkModel, Model, ModelBase, NetworkModel } from '../embedding/model/model.ts';
export type { FitFindings, ModelOptions } from '../embedding/model-options.ts';
export type { LandmarkReport, LandmarkStage } from '../spectral/regression/choose-landmarks.ts';
export type { PreprocessingOptions } from '../embedding/preprocessing/fit-preprocessing.ts';
export type { Preprocessing, Scale } from '../embedding/model/preprocess.ts';
