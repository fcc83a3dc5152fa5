/** Cases for the searches for neighbors. */

import { gaussianTable } from '../../../lib/graph/neighbors/tree/gaussian-tree.ts';
import { growTreeSteps, type KdTree } from '../../../lib/graph/neighbors/tree/kd-tree.ts';
import { type ReachTree, reachTreeSteps } from '../../../lib/graph/neighbors/tree/reach-tree.ts';
import { noIndex } from '../../../lib/kernels/nearest/heap.ts';
import type { JoinKernels } from '../../../lib/kernels/nearest/join.ts';
import type { ExtensionKernels } from '../../../lib/kernels/nearest/extension.ts';
import { leafSlots, type ReachKernels, stackLength } from '../../../lib/kernels/nearest/kd-reach.ts';
import type { NearestKernels } from '../../../lib/kernels/nearest/nearest.ts';
import { runSync } from '../../../lib/core/task.ts';
import { type Tensor, zeros } from '../../../lib/tensor/tensor.ts';
import type { Arg, Cases, Maker } from './arguments.ts';

export const nearestCases: Cases<NearestKernels & JoinKernels & ReachKernels & ExtensionKernels> = {
  siftPairs: {
    ulps: 0,
    dimensions: 2,
    make: (make, m, n) =>
      // Limits that few, about half, and all of the pairs are below.
      [-9, 0, 99].map((limit) => {
        const limits = (count: number) => {
          const array = make.single(count);
          for (let i = 0; i < count; i++) array[i] += limit;
          return array;
        };
        const [products, distances] = [make.single(m * n), make.single(m * n)];
        const [aNorms, bNorms] = [make.single(m), make.single(n)];
        return [m, n, products, aNorms, bNorms, limits(m), limits(n), make.indices(m * n, 1), distances];
      }),
  },
  listedDistances: {
    ulps: 0,
    dimensions: 3,
    make: (make, rows, count, d) => [
      [
        rows,
        count,
        d,
        make.indices(rows * count, 7),
        make.single(rows * d),
        make.single(7 * d),
        make.single(rows * count),
      ],
    ],
  },
  joinGroups: {
    ulps: 0,
    dimensions: 3,
    make: (make, groups, capacity, d) => {
      if (groups > 9 || capacity > 20) return [];
      // Limits that few, about half, and all of the pairs are below.
      return [0, d, 99 * d].map((limit) => {
        const room = capacity * capacity;
        const [news, counts] = [make.indices(groups, capacity + 1), make.indices(groups, capacity + 1)];
        for (let g = 0; g < groups; g++) news[g] = Math.min(news[g], counts[g]);
        const [surplus, limits] = [make.single(groups * capacity), make.single(groups * capacity)];
        for (let at = 0; at < groups * capacity; at++) limits[at] += limit;
        const lists = [make.indices(groups * capacity, 7), news, counts];
        const found = [make.indices(groups, 1), make.indices(2 * groups * room, 1), make.single(groups * room)];
        return ([] as Arg[]).concat([groups, capacity, room, d], lists, make.single(7 * d), surplus, limits, found);
      });
    },
  },
  offerPairs: {
    ulps: 0,
    dimensions: 3,
    make: (make, groups, room, width) => {
      if (width === 0) return [];
      const rows = 9;
      const found = make.indices(groups, room + 1);
      const distances = make.single(groups * room);
      // Distances that tie.
      for (let t = 0; t < groups * room; t++) distances[t] = Math.round(4 * Math.abs(distances[t]));
      const [tagged, nearest] = [make.indices(rows * width, 1), make.single(rows * width)];
      tagged.fill(noIndex, 0, rows * width);
      nearest.fill(1e30, 0, rows * width);
      return [[groups, room, width, found, make.indices(2 * groups * room, rows), distances, tagged, nearest]];
    },
  },
  powerSums: {
    ulps: 0,
    dimensions: 3,
    make: (make, m, n, d) =>
      [
        [1, 3],
        [Infinity, 8],
        [2, 1.5],
        [5, 9],
      ][(m + n + d) % 4].map((power) => {
        return [m, n, d, power, make.single(m * d), make.single(n * d), make.normals64(m * n)];
      }),
  },
  kdNearest: {
    ulps: 0,
    dimensions: 3,
    make: (make, size, count, dimension) => {
      if (size < 2 || count === 0 || dimension === 0 || dimension > 9) return [];
      const { leaves, starts, order, lowest, points, boxes } = treeOf(make, size, dimension);
      const [start, end] = [Math.floor(size / 3), size];
      const few = Math.min(count, size - 1);
      const tree = [starts, order, lowest, points, boxes];
      const counts = [start, end, few, dimension, leaves];
      const found = (end - start) * few;
      const powers = [2, 1, Infinity, 2, 2.5].slice((size + count) % 3);
      return [points, make.double(size * dimension)].map((x, k) =>
        ([] as Arg[]).concat(counts, 1 - k, powers[k], tree, x, make.indices(found, 1), make.single(found)),
      );
    },
  },
  keepNearest: {
    ulps: 0,
    dimensions: 3,
    make: (make, m, n, width) => {
      if (width === 0) return [];
      // Reaches within which few, about half, and all of the pairs are; heaps of far candidates; rounded numbers, so that distances tie.
      return [-9, 0, 99].map((reach) => {
        const [products, aNorms, bNorms, reaches] = [m * n, m, n, m].map((length) => make.single(length));
        for (let e = 0; e < m * n; e++) products[e] = Math.round(products[e]);
        for (const norms of [aNorms, bNorms]) norms.forEach((norm, i) => (norms[i] = Math.round(norm)));
        for (let i = 0; i < m; i++) reaches[i] = Math.round(reaches[i]) + reach;
        const [indices, distances, worst] = [make.indices(n * width, 1), make.single(n * width), make.single(n)];
        indices.fill(noIndex, 0, n * width);
        distances.fill(1e9, 0, n * width);
        worst.fill(1e9, 0, n);
        const [rows, places] = [make.indices(m, 100), make.indices(m * n, 1)];
        return [m, n, width, products, aNorms, bNorms, reaches, rows, indices, distances, worst, places];
      });
    },
  },
  kdReach: {
    ulps: 0,
    lost: 16,
    dimensions: 3,
    make: (make, size, count, dimension) => {
      if (size < 2 || count === 0 || dimension === 0 || dimension > 9) return [];
      const [start, end] = [Math.floor(size / 3), size];
      const few = Math.min(count, size);
      const powers = [2, 1, Infinity, 2, 2.5].slice((size + count) % 3);
      // Room that suffices, and room that hardly does.
      return [size, 3].map((room, k) => {
        const reaches = Float32Array.from(make.double(size), (reach) => reach - 0.5);
        const { leaves, rows, lowest, columns, pairs } = reachTreeOf(make, size, dimension, reaches);
        const tree = [make.placed(rows), make.placed(lowest), make.placed(columns), make.placed(pairs)];
        const [found, noted] = [(end - start) * few, (end - start) * (room + 1)];
        return ([] as Arg[]).concat(
          [start, end, few, dimension, leaves, room, powers[k]],
          tree,
          make.double(size * dimension),
          make.indices(found, 1),
          make.single(found),
          make.indices(noted, 1),
          make.single(noted),
          make.double((end - start) * stackLength),
        );
      });
    },
  },
  kdGaussian: {
    ulps: 0,
    lost: 13,
    dimensions: 3,
    make: (make, size, count, dimension) => {
      if (size < 2 || count === 0 || dimension === 0 || dimension > 9) return [];
      const [start, end] = [Math.floor(size / 3), size];
      const powers = [2, 1, Infinity, 2, 2.5].slice((size + count) % 3);
      // Room that suffices, and room for little more than a leaf; kernels that see few points and that see most.
      return [size + leafSlots + 1, leafSlots + 2].map((room, k) => {
        const sigma = 0.2 + 0.3 * k;
        const { leaves, rows, columns, pairs } = reachTreeOf(make, size, dimension, new Float32Array(size));
        const noted = (end - start) * (room + 1);
        return ([] as Arg[]).concat(
          [start, end, dimension, leaves, room, powers[k]],
          [make.placed(rows), make.placed(columns), make.placed(pairs)],
          make.double(size * dimension),
          make.placed(gaussianTable(sigma, 0.01, Math.fround(10 * sigma * sigma))!),
          make.indices(noted, 1),
          make.single(noted),
          make.double((end - start) * stackLength),
        );
      });
    },
  },
  weightedSums: {
    ulps: 0,
    dimensions: 3,
    make: (make, rows, fours, entries) => {
      const starts = make.indices(rows + 1, 1);
      // Rows of different lengths, empty ones among them.
      for (let i = 0; i < rows; i++) starts[i + 1] = starts[i] + ((i * 7 + entries) % (entries + 1));
      const [width, count] = [4 * fours, starts[rows]];
      const [columns, values] = [make.indices(count, 9), make.single(count)];
      const sums = [make.double(rows), make.double(rows * width)];
      return [[rows, width, starts, columns, values, make.double(9 * width), ...sums]];
    },
  },
};

/** Points of which every other coordinate is an integer, so that distances tie. */
function pointsOf(make: Maker, size: number, dimension: number): Tensor {
  const points = zeros([size, dimension], 'double');
  points.data.set(make.double(size * dimension).subarray(0, points.size));
  for (let at = 0; at < points.size; at += 2) points.data[at] = Math.round(points.data[at]);
  return points;
}

/** A tree with arrays in the same memory as the others. */
function treeOf(make: Maker, size: number, dimension: number): KdTree {
  const tree = runSync(growTreeSteps(pointsOf(make, size, dimension)));
  return {
    ...tree,
    starts: make.placed(tree.starts),
    order: make.placed(tree.order),
    lowest: make.placed(tree.lowest),
    points: make.placed(tree.points),
    boxes: make.placed(tree.boxes),
  };
}

function reachTreeOf(make: Maker, size: number, dimension: number, reaches: Float32Array): ReachTree {
  return runSync(reachTreeSteps(pointsOf(make, size, dimension), undefined, reaches));
}
