/** Detects a network whose outputs have become constant. If all ReLU units of a layer are 0 for all points, no step changes it again. */

import type { Network } from '../../network/bodies/network.ts';
import { chainOf } from '../../network/layers/chain.ts';
import { evenlySpaced } from './evenly-spaced.ts';
import type { LoopSource } from './options.ts';

/** Outputs that differ by less than this, relative to their size, count as equal. */
const sameOutput = 1e-6;

/** Returns a function that evaluates the network on up to 1024 of the points and tells whether its outputs are constant. */
export function collapseTest(network: Network, { size, take }: LoopSource): () => boolean {
  const sample = take(evenlySpaced(size));
  // A chain evaluates in the same buffers every time.
  const chain = chainOf('train', network.layers, sample);
  return () => {
    const { cols, data } = chain.forward(null);
    const least = data.slice(0, cols);
    const most = data.slice(0, cols);
    for (let i = cols; i < data.length; i++) {
      least[i % cols] = Math.min(least[i % cols], data[i]);
      most[i % cols] = Math.max(most[i % cols], data[i]);
    }
    const isSame = (high: number, j: number): boolean =>
      high - least[j] <= sameOutput * Math.max(Math.abs(high), Math.abs(least[j]));
    return sample.rows > 1 && most.every(isSame);
  };
}
