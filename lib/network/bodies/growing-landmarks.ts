/** Landmarks in growing number, with the nearest ones of every point. */

import { subtask, type Task } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { isNearer } from '../../kernels/nearest/heap.ts';
import type { MetricOptions } from '../../graph/neighbors/metric.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { takePoints } from '../../sparse/points.ts';
import type { Points } from '../layers/inputs.ts';
import { landmarkOrder, Landmarks, type NearestLandmarks, nearestLandmarksSteps } from './landmarks.ts';

/** One landmark more than describes a point. */
const width = 17;

/**
 * The first points of a random order are the landmarks. To grow, only the new ones are searched for each point, and the
 * result is merged with what was found before. So all stages together search as long as the last one would alone.
 */
export class GrowingLandmarks {
  /** The points in the order in which they become landmarks. */
  readonly order: Int32Array;
  readonly #points: Points;
  readonly #metric: MetricOptions;
  /** The rows of the points that are landmarks, ascending. */
  #rows = new Int32Array(0);
  /** The nearest landmarks of every point. An index is a row of the points. */
  #nearest: NearestLandmarks = { indices: new Int32Array(0), squaredDistances: new Float32Array(0) };

  constructor(points: Points, seed: Seed, metric: MetricOptions) {
    this.#points = points;
    this.#metric = metric;
    this.order = landmarkOrder(points, seed);
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Adds landmarks until there are `count`. */
  *growSteps(count: number): Task<void> {
    const added = this.order.slice(this.count, count).toSorted();
    if (added.length === 0) return;
    const points = this.#points;
    const found = yield* nearestLandmarksSteps(
      takePoints(points, added),
      points,
      Math.min(width, added.length),
      this.#metric,
    );
    renumber(found.indices, added);
    this.#nearest = this.count === 0 ? found : mergeNearest(points.rows, this.#nearest, found);
    this.#rows = this.order.slice(0, count).toSorted();
  }

  /** The landmarks, and the features of all points. No landmarks can be added afterwards: the memory of the nearest ones is freed. */
  *finishSteps(): Task<Described> {
    const nearest = this.#nearest;
    this.#nearest = { indices: new Int32Array(0), squaredDistances: new Float32Array(0) };
    renumber(nearest.indices, this.#places());
    const landmarks = this.#landmarks();
    return { landmarks, features: yield* subtask(landmarks.describeSteps(this.#points.rows, nearest), 0, 1) };
  }

  /** The landmarks, and the features of these points; the same as those of `chooseLandmarks`. */
  *describeSteps(rows: Int32Array): Task<Described> {
    const landmarks = this.#landmarks();
    const places = this.#places();
    const nearest = this.#nearest;
    const each = nearest.indices.length / this.#points.rows;
    const indices = new Int32Array(rows.length * each);
    const squaredDistances = new Float32Array(rows.length * each);
    for (let i = 0, to = 0; i < rows.length; i++) {
      for (let from = rows[i] * each, k = 0; k < each; k++, from++, to++) {
        indices[to] = places[nearest.indices[from]];
        squaredDistances[to] = nearest.squaredDistances[from];
      }
    }
    const describe = landmarks.describeSteps(rows.length, { indices, squaredDistances });
    return { landmarks, features: yield* subtask(describe, 0, 1) };
  }

  #landmarks(): Landmarks {
    return new Landmarks(takePoints(this.#points, this.#rows), width - 1, this.#metric);
  }

  /** The place among the landmarks of each point that is one. */
  #places(): Int32Array {
    const places = new Int32Array(this.#points.rows);
    for (let place = 0; place < this.#rows.length; place++) places[this.#rows[place]] = place;
    return places;
  }
}

/** Landmarks, and features of points. */
interface Described {
  readonly landmarks: Landmarks;
  readonly features: CsrMatrix;
}

/** indices[e] ← names[indices[e]]. */
function renumber(indices: Int32Array, names: Int32Array): void {
  for (let e = 0; e < indices.length; e++) indices[e] = names[indices[e]];
}

/** The nearest of both, for every point: as many as there are, at most `width`. */
function mergeNearest(points: number, a: NearestLandmarks, b: NearestLandmarks): NearestLandmarks {
  const [aWidth, bWidth] = [a.indices.length / points, b.indices.length / points];
  const each = Math.min(width, aWidth + bWidth);
  const indices = new Int32Array(points * each);
  const squaredDistances = new Float32Array(points * each);
  for (let i = 0; i < points; i++) {
    let [p, q] = [i * aWidth, i * bWidth];
    const [pEnd, qEnd] = [p + aWidth, q + bWidth];
    for (let to = i * each; to < (i + 1) * each; to++) {
      const isFirst =
        q === qEnd || (p < pEnd && isNearer(a.squaredDistances[p], a.indices[p], b.squaredDistances[q], b.indices[q]));
      const [from, at] = isFirst ? [a, p++] : [b, q++];
      indices[to] = from.indices[at];
      squaredDistances[to] = from.squaredDistances[at];
    }
  }
  return { indices, squaredDistances };
}
