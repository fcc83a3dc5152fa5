/** The calls that the worker of an embedding answers. */

import type { ClusterReport } from '../embedding/clustering/cluster-rows.ts';
import type { DiffusionMapOptions, SpectralClusteringOptions } from '../embedding/estimators.ts';
import type { FitDiagnostics, FitOptions, SpectralEmbeddingOptions } from '../embedding/spectral-embedding.ts';
import type { TableEncoding } from '../formats/table/columns/encoding.ts';
import type { Graph } from '../graph/graph.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Points as they are sent: `unpackPoints` restores their source. */
export type SentPoints = { readonly kind: 'ndarray' | 'table' | 'other'; readonly source: unknown };

/** A model that stays in the worker. */
export interface HeldModel {
  /** The number by which the worker knows it. */
  readonly model: number;
  readonly eigenvalues: Float64Array;
  /** The columns of the table of its points; null if these came from no table. */
  readonly columns: TableEncoding | null;
}

/** What `fit` returns, without the model and the graph, which stay in the worker. */
export interface SentEmbedding extends HeldModel {
  readonly embedding: Tensor;
  readonly converged: boolean;
  readonly diagnostics: FitDiagnostics;
}

/** What `SpectralClustering.fit` returns, likewise. */
export interface SentClustering extends ClusterReport {
  readonly base: SentEmbedding;
  readonly centers: Tensor<Float32Array>;
  readonly converged: boolean;
}

/** What `DiffusionMap.fit` returns, likewise. */
export interface SentDiffusionMap {
  readonly base: SentEmbedding;
  readonly time: number;
  readonly embedding: Tensor;
}

interface Call<Input, Output> {
  readonly input: Input;
  /** The fraction done. */
  readonly notice: number;
  readonly output: Output;
}

interface FitInput<Options> {
  readonly points: SentPoints;
  readonly options: Options;
  /** What the graph is, or is built from, if it is not the points. */
  readonly source: Pick<FitOptions, 'graph' | 'distances' | 'neighbors'>;
}

interface ApplyInput {
  readonly model: number;
  readonly points: SentPoints;
}

export interface EmbeddingCalls {
  readonly setThreads: Call<number, void>;
  readonly fit: Call<FitInput<SpectralEmbeddingOptions>, SentEmbedding>;
  readonly cluster: Call<FitInput<SpectralClusteringOptions>, SentClustering>;
  readonly diffusionMap: Call<FitInput<DiffusionMapOptions>, SentDiffusionMap>;
  readonly loadModel: Call<Uint8Array, HeldModel>;
  readonly transform: Call<ApplyInput, Tensor>;
  /** `transform` of a diffusion map. */
  readonly diffuse: Call<ApplyInput, Tensor>;
  readonly predict: Call<ApplyInput, Int32Array>;
  readonly saveModel: Call<number, Uint8Array>;
  readonly graph: Call<number, Graph>;
  readonly release: Call<number, void>;
}
