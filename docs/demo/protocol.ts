/** The calls between page and worker. */

import type { GraphRecipe } from '../../lib/graph/build-graph.ts';
import type { CheckReport } from '../../lib/wasm/kernel-check.ts';
import type { Lane, Settings } from './settings.ts';
import type { UserFile } from './user-file.ts';

/** The calls that the page makes. The worker answers them one after another, except for `watch`, which never ends. */
export interface SessionCalls {
  readonly watch: { readonly input: null; readonly notice: SessionEvent; readonly output: never };
  /** Shows other points. If it fails or is aborted, the points before stay, and learning goes on. */
  readonly open: Call<{ readonly settings: Settings; readonly file: UserFile | null }>;
  readonly run: Call<boolean>;
  readonly step: Call<null>;
  readonly reset: Call<null>;
  readonly change: Call<readonly Lane[]>;
  readonly switchSimd: Call<boolean>;
  readonly embed: Call<Float32Array>;
  /** The points that are shown, for another worker. */
  readonly task: Call<null, Task>;
  readonly save: Call<{ readonly lane: number; readonly format: 'specnet' | 'onnx' }, Uint8Array>;
  readonly load: Call<UserFile>;
  /** Tells the fraction done. */
  readonly bench: Call<null, CheckReport>;
}

interface Call<Input, Output = void> {
  readonly input: Input;
  readonly notice: number;
  readonly output: Output;
}

/** Points in the user's units, and the recipe of their graph. */
export interface Task {
  readonly points: { readonly data: Float32Array | Float64Array; readonly shape: readonly number[] };
  readonly graph: GraphRecipe;
}

/** The events of the session. They are sent to the page whichever call caused them. */
export type SessionEvent =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'opened'; readonly scene: Scene }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'running'; readonly running: boolean }
  | { readonly kind: 'simd'; readonly enabled: boolean; readonly reason: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The points, their graph and its eigenvectors, as needed for drawing. */
export interface Scene {
  readonly title: string;
  readonly size: number;
  /** The rows of the file of which the points are a sample; else the number of points. */
  readonly totalRows: number;
  /** What the reader of a file noticed, in sentences. */
  readonly notes: readonly string[];
  /** The number of columns of a point. */
  readonly columns: number;
  /** The place of each point, three numbers each. The third is 0 in the plane. */
  readonly places: Float32Array;
  readonly spatial: boolean;
  /** Converts a place to a point: origin + Σ place_j·axis_j. */
  readonly origin: Float32Array;
  readonly axes: readonly Float32Array[];
  readonly labels: Int32Array | null;
  readonly labelNames: readonly string[];
  /** One number per point, if the points were generated along a parameter. */
  readonly along: Float32Array | null;
  /** Pairs of nodes: a sample of the edges. */
  readonly edges: Int32Array;
  readonly edgeCount: number;
  readonly graph: string;
  readonly parts: number;
  /** The exact nontrivial eigenvalues. */
  readonly eigenvalues: readonly number[];
  /** `components` numbers per point. */
  readonly truth: Float32Array;
  readonly components: number;
  /** If the points are images: 28×28 numbers from 0 to 1 each. */
  readonly images: Float32Array | null;
  readonly seconds: { readonly graph: number; readonly eigenvectors: number };
}

/** The progress of one method. */
export interface Frame {
  readonly lane: number;
  readonly steps: number;
  readonly epoch: number;
  /** Seconds spent on steps alone. */
  readonly seconds: number;
  readonly stepsPerSecond: number;
  /** The progress in words. */
  readonly detail: string;
  readonly done: boolean;
  readonly eigenvalues: readonly number[];
  /** The relative error of each eigenvector against the exact one. */
  readonly errors: readonly number[];
  /** f2 − f2* of the coordinates at their optimal scale. */
  readonly gap: number;
  /** The first two coordinates of each point. */
  readonly coordinates: Float32Array;
  /** The same for the new points. */
  readonly embedded: Float32Array;
}
