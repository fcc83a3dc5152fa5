/** Figures of the quality of clusters: silhouettes of their coordinates, and conductances in the graph. */

import { badValue, checkCount } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import { kernels } from '../../kernels/table.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import type { Labels } from './agreement.ts';
import { clusterSizes } from './labeling.ts';

/** The separation of clusters. */
export interface ClusterQuality {
  /**
   * The mean silhouette of the points in the coordinates that were clustered (Rousseeuw 1987): (b − a) / max(a, b), where a
   * is the mean distance to the own cluster and b that to the nearest other one. From −1 to 1, larger is better. Measured
   * on a sample of 2,000 points if there are more. Null where it is not defined: for one cluster.
   */
  readonly silhouette: number | null;
  /** The number of points that the silhouette was measured on. */
  readonly silhouetteSample: number;
  /**
   * For each cluster, the weight of its edges to other clusters, relative to its volume or that of the rest, whichever is
   * smaller: 0 for a component of the graph, near 1 for nodes that belong elsewhere. 0 if there is one cluster; 1 for a
   * cluster without nodes.
   */
  readonly conductances: Float64Array;
}

/** For more points the silhouette is measured on a sample of this size. */
const sampleSize = 2000;

/** Distances are computed for this many points at a time. */
const block = 256;

/** Both figures as a task. The seed draws the sample. */
export function* qualitySteps(
  graph: Graph,
  rows: Tensor,
  labels: Int32Array,
  clusters: number,
  seed: Seed,
): Task<ClusterQuality> {
  const { silhouette, sample } = yield* silhouetteSteps(rows, labels, seed);
  return { silhouette, silhouetteSample: sample, conductances: conductances(graph, labels, clusters) };
}

/**
 * The conductance of each cluster of the nodes of a graph: the weight of its edges to other clusters, over the smaller of
 * its volume and the volume of the rest.
 */
export function conductances(graph: Graph, labels: Labels, clusters: number): Float64Array {
  const caller = 'conductances';
  checkCount(caller, 'clusters', clusters, 1);
  if (labels.length !== graph.size) throw badValue(caller, `${graph.size} labels, one for each node`, labels.length);
  const { starts, columns, values } = graph.weights;
  const cuts = new Float64Array(clusters);
  const volumes = new Float64Array(clusters);
  for (let i = 0; i < graph.size; i++) {
    const label = labels[i];
    if (!Number.isInteger(label) || label < 0 || label >= clusters) {
      throw badValue(caller, `labels from 0 to ${clusters - 1}`, `${label} at index ${i}`);
    }
    volumes[label] += graph.degrees[i];
    for (let e = starts[i]; e < starts[i + 1]; e++) if (labels[columns[e]] !== label) cuts[label] += values[e];
  }
  return cuts.map((cut, c) => {
    if (volumes[c] === 0) return 1;
    const smaller = Math.min(volumes[c], graph.volume - volumes[c]);
    return cut === 0 ? 0 : cut / smaller;
  });
}

/** All points, or a random sample of them, ascending. */
function sampleOf(points: number, seed: Seed): Int32Array {
  const order = Int32Array.from({ length: points }, (_, i) => i);
  if (points <= sampleSize) return order;
  new Random(seed).bringToFront(order, sampleSize);
  return order.slice(0, sampleSize).toSorted();
}

/** The mean silhouette among the points of a sample, null if they are all in one cluster, and the size of the sample. */
export function* silhouetteSteps(
  rows: Tensor,
  labels: Int32Array,
  seed: Seed,
): Task<{ silhouette: number | null; sample: number }> {
  const sample = sampleOf(rows.rows, seed);
  const points = zeros([sample.length, rows.cols]);
  for (const [to, from] of sample.entries()) {
    points.data.set(rows.data.subarray(from * rows.cols, (from + 1) * rows.cols), to * rows.cols);
  }
  const found = sample.map((i) => labels[i]);
  const sizes = clusterSizes(found, found.reduce((most, label) => Math.max(most, label), 0) + 1);
  if (sizes.filter((size) => size > 0).length < 2) return { silhouette: null, sample: sample.length };
  const distances = zeros([block, points.rows]);
  let sum = 0;
  for (let start = 0; start < points.rows; start += block) {
    const part = points.rowRange(start, Math.min(points.rows, start + block));
    kernels.squaredDistances(part.rows, points.rows, points.cols, part.data, points.data, distances.data);
    for (let i = 0; i < part.rows; i++) {
      const row = distances.data.subarray(i * points.rows, (i + 1) * points.rows);
      sum += silhouetteOf(row, found, sizes, found[start + i]);
    }
    yield start / points.rows;
  }
  return { silhouette: sum / points.rows, sample: sample.length };
}

/** From the squared distances of a point to all. 0 for the only point of its cluster, by convention. */
function silhouetteOf(squared: ArrayLike<number>, labels: Int32Array, sizes: Int32Array, own: number): number {
  if (sizes[own] === 1) return 0;
  const sums = new Float64Array(sizes.length);
  for (let j = 0; j < labels.length; j++) sums[labels[j]] += Math.sqrt(Math.max(0, squared[j]));
  const inside = sums[own] / (sizes[own] - 1);
  let outside = Infinity;
  for (let c = 0; c < sizes.length; c++) if (c !== own && sizes[c] > 0) outside = Math.min(outside, sums[c] / sizes[c]);
  const larger = Math.max(inside, outside);
  return larger === 0 ? 0 : (outside - inside) / larger;
}
