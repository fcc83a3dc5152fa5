/** Detects a network whose outputs have become constant. If all ReLU units of a layer are 0 for all points, no step changes it again. */

import { type Points, takerOf } from '../../network/layers/inputs.ts';
import type { Network } from '../../network/bodies/network.ts';

/** The number of points that are tested, evenly spaced among all. */
const sampled = 1024;
/** Outputs that differ by less than this, relative to their size, count as equal. */
const sameOutput = 1e-6;

/** Returns a function that evaluates the network on up to 1024 of these points and tells whether its outputs are constant. */
export function collapseTest(network: Network, points: Points): () => boolean {
  const count = Math.min(points.rows, sampled);
  const places = Int32Array.from({ length: count }, (_, i) => Math.floor((i * points.rows) / count));
  const sample = takerOf(points)(places);
  return () => {
    const { cols, data } = network.evaluate(sample);
    const least = data.slice(0, cols);
    const most = data.slice(0, cols);
    for (let i = cols; i < data.length; i++) {
      least[i % cols] = Math.min(least[i % cols], data[i]);
      most[i % cols] = Math.max(most[i % cols], data[i]);
    }
    const isSame = (high: number, j: number): boolean =>
      high - least[j] <= sameOutput * Math.max(Math.abs(high), Math.abs(least[j]));
    return count > 1 && most.every(isSame);
  };
}
