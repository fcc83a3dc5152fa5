/** The roofline model: the highest speed that a machine allows, given the operations and the bytes of a call. */

import type { Precision } from '../../tensor/tensor.ts';
import type { MachineLimits } from '../machine/limits.ts';
import type { Mode } from './operations.ts';

/** The rates of a row, and the limits that the machine sets. */
export interface Rated {
  /** Floating-point operations and bytes of a call; the bytes by the model: each array once. */
  readonly flops: number;
  readonly bytes: number;
  readonly gflops: number;
  readonly gbs: number;
  /** The GB/s of the level of memory that holds these bytes. */
  readonly bandwidth: number;
  /** The GFLOP/s that bandwidth and arithmetic allow. */
  readonly roof: number;
  /** What sets the limit. */
  readonly bound: 'memory' | 'arithmetic';
  /** The fraction of the limit that was reached. Above 1 if data stay in a faster level than the model assumes. */
  readonly share: number;
}

/** The GB/s at which a working set of `bytes` is read: interpolated between the two nearest measured sets, by the logarithm of their bytes. */
export function bandwidthOf({ bandwidth }: MachineLimits, bytes: number, threads: 'one' | 'all'): number {
  const above = bandwidth.findIndex((set) => set.bytes >= bytes);
  if (above < 0) return bandwidth.at(-1)![threads];
  if (above === 0) return bandwidth[0][threads];
  const [low, high] = [bandwidth[above - 1], bandwidth[above]];
  const fraction = Math.log(bytes / low.bytes) / Math.log(high.bytes / low.bytes);
  return low[threads] + fraction * (high[threads] - low[threads]);
}

/** The rates of a call with these flops and bytes, from its time in milliseconds. */
export function rate(
  limits: MachineLimits,
  mode: Mode,
  precision: Precision,
  flops: number,
  bytes: number,
  milliseconds: number,
): Rated {
  const threads = mode === 'threads' ? 'all' : 'one';
  const bandwidth = bandwidthOf(limits, bytes, threads);
  const [gflops, gbs] = [flops, bytes].map((amount) => amount / milliseconds / 1e6);
  const byMemory = (flops / bytes) * bandwidth;
  const peak = limits.peak[precision][threads];
  const bound = byMemory <= peak ? 'memory' : 'arithmetic';
  const share = bound === 'memory' ? gbs / bandwidth : gflops / peak;
  return { flops, bytes, gflops, gbs, bandwidth, roof: Math.min(byMemory, peak), bound, share };
}
