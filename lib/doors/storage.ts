/** `specnet/storage`: graphs and points in files that need not fit in memory. Node only. */

export { storeGraph } from '../storage/store-graph.ts';
export type { StoreOptions } from '../storage/store-graph.ts';
export { buildStoredGraph } from '../storage/build-stored-graph.ts';
export type { BuildOptions, StoredRecipe } from '../storage/build-stored-graph.ts';
export type { Symmetry } from '../storage/buckets/merge-bucket.ts';
export { openStoredGraph, StoredGraph } from '../storage/graph/stored-graph.ts';
export type { StorageOptions } from '../storage/graph/stored-graph.ts';
export type { StoredGraphHeader } from '../storage/graph/graph-header.ts';
export { openStoredPoints, StoredPoints } from '../storage/stored-points.ts';
export { fitStored } from '../embedding/fit-stored.ts';
export { transformStored } from '../embedding/transform-stored.ts';
export type { StoredFit, StoredFitOptions } from '../embedding/model/stored-fit.ts';
export type { StoredCoordinates, StoredTransformOptions } from '../embedding/transform-stored.ts';
export type { CacheStatistics } from '../storage/arrays/page-cache.ts';
export type { RowLayout } from '../storage/arrays/paged-file.ts';
