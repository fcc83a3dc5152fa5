/** References for the graph specs: the distances of all pairs, computed and sorted directly. */

import { type Precision, type Random, tensor, type Tensor } from '../../lib/index.ts';
import { type Neighbors } from '../../lib/doors/graph.ts';
import { zeros } from '../../lib/doors/tensor.ts';

export function squared(points: Tensor, i: number, queries: Tensor, j: number): number {
  let sum = 0;
  for (let p = 0; p < points.cols; p++) {
    sum += (points.data[i * points.cols + p] - queries.data[j * points.cols + p]) ** 2;
  }
  return sum;
}

type Row = readonly (readonly [index: number, squaredDistance: number])[];

/** Row i: the k nearest points to query i. With `self`, a point counts as its own neighbor. */
export function nearestByHand(points: Tensor, queries: Tensor, k: number, self: 'in' | 'out' | 'other'): Row[] {
  return Array.from({ length: queries.rows }, (_row, i) => {
    const all = Array.from(
      { length: points.rows },
      (_, j) => [j, Math.fround(squared(points, j, queries, i))] as const,
    );
    const others = all.filter(([j]) => self === 'other' || j !== i).toSorted(byDistance);
    return self === 'in' ? [all[i], ...others.slice(0, k - 1)].toSorted(byDistance) : others.slice(0, k);
  });
}

export function rowsOf({ neighbors, indices, squaredDistances }: Neighbors): Row[] {
  return Array.from({ length: indices.length / neighbors }, (_row, i) =>
    Array.from({ length: neighbors }, (_, k) => {
      return [indices[i * neighbors + k], squaredDistances[i * neighbors + k]] as const;
    }),
  );
}

function byDistance(a: readonly [number, number], b: readonly [number, number]): number {
  return a[1] - b[1] || a[0] - b[0];
}

export function uniformPoints(random: Random, n: number, d: number, precision: Precision = 'single'): Tensor {
  const points = zeros([n, d], precision);
  random.fillUniform(points.data);
  return points;
}

/** Integers below `bound`: many points coincide, and many distances are equal. */
export function latticePoints(random: Random, n: number, d: number, bound: number): Tensor {
  const points = zeros([n, d]);
  for (let at = 0; at < points.size; at++) points.data[at] = random.integer(bound);
  return points;
}

/** Points around a few centers, so that neighborhoods differ in density. */
export function clusteredPoints(random: Random, n: number, d: number, centers: number, width: number): Tensor {
  const middle = uniformPoints(random, centers, d);
  const points = zeros([n, d]);
  for (let i = 0; i < n; i++) {
    const c = random.integer(centers);
    for (let p = 0; p < d; p++) points.data[i * d + p] = middle.data[c * d + p] + width * random.normal();
  }
  return points;
}

/** Two clusters of width 1 in double precision. Every second point is shifted by `offset` in every column. */
export function twoClouds(random: Random, n: number, d: number, offset: number): Tensor {
  const points = zeros([n, d], 'double');
  for (let at = 0; at < points.size; at++) points.data[at] = random.normal() + (Math.floor(at / d) % 2) * offset;
  return points;
}

export const line = (...numbers: number[]): Tensor => tensor(numbers.map((x) => [x]));
