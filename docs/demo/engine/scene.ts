/** Converts points, graph and eigenvectors to what the page draws. */

import { runSync } from '../../../lib/core/task.ts';
import type { Dataset } from '../../../lib/formats/dataset.ts';
import type { Graph } from '../../../lib/graph/graph.ts';
import { kernels } from '../../../lib/kernels/table.ts';
import { lanczosSteps } from '../../../lib/linalg/lanczos/lanczos.ts';
import type { Tensor } from '../../../lib/tensor/tensor.ts';
import type { Scene } from '../protocol.ts';
import type { FileData } from './user-file.ts';

/** The largest number of edges drawn. More are an unreadable gray cloud, and slow. */
const mostEdges = 16_000;

export interface Placement {
  readonly places: Float32Array;
  readonly spatial: boolean;
  readonly origin: Float32Array;
  readonly axes: readonly Float32Array[];
}

/**
 * Points with two or three columns are drawn as they are, all others in the plane of their first two principal
 * components.
 */
export function place(points: Tensor): Placement {
  const { rows, cols, data } = points;
  const spatial = cols === 3;
  const shown = spatial ? 3 : 2;
  const origin = cols <= 3 ? new Float32Array(cols) : meanOf(points);
  const axes =
    cols <= 3
      ? Array.from({ length: shown }, (_, j) => Float32Array.from({ length: cols }, (__, c) => Number(c === j)))
      : principalAxes(points, origin, shown);
  const places = new Float32Array(3 * rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < shown; j++) {
      let sum = 0;
      for (let c = 0; c < cols; c++) sum += (data[i * cols + c] - origin[c]) * axes[j][c];
      places[3 * i + j] = sum;
    }
  }
  return { places, spatial, origin, axes };
}

function meanOf({ rows, cols, data }: Tensor): Float32Array {
  const sums = new Float64Array(cols);
  for (let i = 0; i < data.length; i++) sums[i % cols] += data[i];
  return Float32Array.from(sums, (sum) => sum / rows);
}

function principalAxes({ rows, cols, data }: Tensor, mean: Float32Array, count: number): Float32Array[] {
  const centered = Float64Array.from(data, (value, i) => value - mean[i % cols]);
  const product = new Float64Array(rows);
  // Xᵀ(Xx): the covariance matrix of many columns would be too large.
  const operator = {
    size: cols,
    apply: (x: Float64Array, y: Float64Array): void => {
      kernels.matmul(rows, 1, cols, centered, x, product, false);
      kernels.matmulTransposeA(cols, 1, rows, centered, product, y, false);
    },
  };
  const { vectors } = runSync(lanczosSteps(operator, { count, tolerance: 1e-6 }));
  return Array.from({ length: count }, (_, j) =>
    Float32Array.from({ length: cols }, (__, c) => vectors.data[c * vectors.cols + j]),
  );
}

/** Takes every m-th edge, so that all regions are thinned equally. */
export function someEdges({ weights: { rows, starts, columns } }: Graph): { edges: Int32Array; edgeCount: number } {
  let edgeCount = 0;
  const each = (visit: (i: number, j: number) => void): void => {
    for (let i = 0; i < rows; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) if (columns[e] > i) visit(i, columns[e]);
    }
  };
  each(() => edgeCount++);
  const stride = Math.max(1, edgeCount / mostEdges);
  const edges = new Int32Array(2 * Math.min(edgeCount, mostEdges));
  let seen = 0;
  let kept = 0;
  each((i, j) => {
    if (seen++ < kept * stride || 2 * kept >= edges.length) return;
    edges[2 * kept] = i;
    edges[2 * kept + 1] = j;
    kept++;
  });
  return { edges: edges.subarray(0, 2 * kept), edgeCount };
}

const graphWords: Record<Graph['origin']['kind'], string> = {
  given: 'given',
  gaussian: 'Gaussian kernel',
  indicator: 'ball',
  kernel: 'kernel',
  knn: 'nearest neighbors',
  'knn-gaussian': 'nearest neighbors, Gaussian',
  'self-tuned': 'self-tuned',
};

/** Describes data and graph in words, without anything that is slow to compute. Files have the names that they have. */
export function describe(
  data: Dataset | FileData,
  graph: Graph,
): Pick<Scene, 'title' | 'totalRows' | 'notes' | 'graph' | 'parts' | 'labelNames'> {
  const isFile = 'totalRows' in data;
  return {
    title: isFile ? data.name : data.name[0].toUpperCase() + data.name.slice(1),
    totalRows: isFile ? data.totalRows : graph.size,
    notes: isFile ? data.notes : [],
    graph: `${graphWords[graph.origin.kind]}, ${(graph.weights.nonzeros / graph.size).toFixed(0)} neighbors each`,
    parts: graph.components.count,
    labelNames: data.labelNames ?? [],
  };
}

/** The first two columns, row by row. */
export function firstTwo({ rows, cols, data }: Tensor): Float32Array {
  const result = new Float32Array(2 * rows);
  for (let i = 0; i < rows; i++) {
    result[2 * i] = data[i * cols];
    result[2 * i + 1] = data[i * cols + 1];
  }
  return result;
}

export function firstColumn({ rows, cols, data }: Tensor): Float32Array {
  return Float32Array.from({ length: rows }, (_, i) => data[i * cols]);
}
