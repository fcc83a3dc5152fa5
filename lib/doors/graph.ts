/** `specnet/graph`: neighbors, affinity graphs and their Laplacians. */

export { buildGraph } from '../graph/build-graph.ts';
export type { GraphOptions, GraphRecipe } from '../graph/build-graph.ts';
export { graphFrom } from '../graph/graph.ts';
export type { Graph, GraphOrigin, Join, VariableBandwidth } from '../graph/graph.ts';
export type { Components } from '../graph/components.ts';
export { normalizeDensity } from '../graph/density.ts';
export { batchNeighbors } from '../graph/batch-neighbors.ts';
export { laplacian } from '../graph/laplacian.ts';
export type { GraphOperator, LaplacianKind } from '../graph/laplacian.ts';
export { nearestAmong, nearestNeighbors } from '../graph/neighbors/neighbors.ts';
export type {
  NeighborMethod,
  NeighborOptions,
  NeighborOrigin,
  Neighbors,
  QueryOptions,
} from '../graph/neighbors/neighbors.ts';
export { radiusAmong, radiusNeighbors } from '../graph/neighbors/radius.ts';
export type { RadiusOptions } from '../graph/neighbors/radius.ts';
export type { RadiusRows } from '../graph/neighbors/hit-list.ts';
export { reorder } from '../graph/reorder.ts';
export type { ReorderedGraph } from '../graph/reorder.ts';
export type { GaussianOptions, IndicatorOptions, KernelOptions } from '../graph/affinity/compact-affinity.ts';
export type {
  KnnGaussianOptions,
  KnnOptions,
  LeastWeightOptions,
  NeighborhoodOptions,
  NeighborRecipe,
  SelfTunedOptions,
} from '../graph/affinity/neighbor-affinity.ts';
export type { Points } from '../sparse/points.ts';
export type { Metric, MetricOptions } from '../graph/neighbors/metric.ts';
export type { PrecomputedNeighbors } from '../graph/neighbors/precomputed.ts';
export type { GraphSource, SourceMetric, SourceMetricOptions } from '../graph/neighbors/source.ts';
export type { ConnectOptions, DensityOptions } from '../graph/affinity/weights.ts';
export type { BandwidthOptions } from '../graph/affinity/variable-bandwidth.ts';
