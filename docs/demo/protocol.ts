/** What do page and worker say to each other? */

import type { CheckReport } from '../../lib/wasm/kernel-check.ts';
import type { Lane, Settings } from './settings.ts';

/** From the page. */
export type Request =
  | { readonly kind: 'open'; readonly settings: Settings; readonly csv: CsvFile | null }
  | { readonly kind: 'run'; readonly running: boolean }
  | { readonly kind: 'step' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'lanes'; readonly lanes: readonly Lane[] }
  | { readonly kind: 'simd'; readonly enabled: boolean }
  | { readonly kind: 'embed'; readonly points: Float32Array }
  | { readonly kind: 'save'; readonly lane: number; readonly format: 'specnet' | 'onnx' }
  | { readonly kind: 'load'; readonly bytes: Uint8Array }
  | { readonly kind: 'bench' };

export interface CsvFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** From the worker. */
export type Answer =
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'opened'; readonly scene: Scene }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'running'; readonly running: boolean }
  | { readonly kind: 'simd'; readonly enabled: boolean; readonly reason: string }
  | { readonly kind: 'saved'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'bench'; readonly report: CheckReport }
  | { readonly kind: 'failed'; readonly during: Request['kind'] | 'learn'; readonly message: string };

/** The points, their graph and its eigenvectors, as a picture needs them. */
export interface Scene {
  readonly title: string;
  readonly size: number;
  /** Columns of a point. */
  readonly columns: number;
  /** Three numbers a point, where it is drawn; the third is 0 in the plane. */
  readonly places: Float32Array;
  readonly spatial: boolean;
  /** How a place becomes a point: origin + Σ place_j·axis_j. */
  readonly origin: Float32Array;
  readonly axes: readonly Float32Array[];
  readonly labels: Int32Array | null;
  readonly labelNames: readonly string[];
  /** One number a point where it was drawn along something. */
  readonly along: Float32Array | null;
  /** Pairs of nodes, some of all edges. */
  readonly edges: Int32Array;
  readonly edgeCount: number;
  readonly graph: string;
  readonly parts: number;
  /** Exact, the trivial ones left out. */
  readonly eigenvalues: readonly number[];
  /** components numbers a point. */
  readonly truth: Float32Array;
  readonly components: number;
  /** Where points are images: 28×28 numbers from 0 to 1 each. */
  readonly images: Float32Array | null;
  readonly seconds: { readonly graph: number; readonly eigenvectors: number };
}

/** How far one that races has come. */
export interface Frame {
  readonly lane: number;
  readonly steps: number;
  readonly epoch: number;
  /** Spent on steps alone. */
  readonly seconds: number;
  readonly stepsPerSecond: number;
  /** What the method calls its progress, in words. */
  readonly detail: string;
  readonly done: boolean;
  readonly eigenvalues: readonly number[];
  /** Of each eigenvector, relative, against the exact one. */
  readonly errors: readonly number[];
  /** f2 − f2* of the coordinates at their best scale. */
  readonly gap: number;
  /** The first two coordinates of each point. */
  readonly coordinates: Float32Array;
  /** The same of the points that were asked for. */
  readonly embedded: Float32Array;
}
