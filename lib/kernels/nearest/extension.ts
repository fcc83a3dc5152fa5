/** Kernels of the Nyström extension. A family of its own, so that only the extension loads the SIMD twins. */

import { kdGaussian } from './kd-gaussian.ts';

/**
 * Row i of out[rows×width] = Σₑ values[e]·(row columns[e] of x), and degrees[i] = Σₑ values[e], with e from starts[i] to
 * starts[i+1]−1. `width` is a multiple of four. In Float64, in the order of storage, in both twins. 2·entries·(width + 1) flops.
 */
export function weightedSums(
  rows: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Float32Array,
  x: Float64Array,
  degrees: Float64Array,
  out: Float64Array,
): void {
  for (let i = 0; i < rows; i++) {
    const [start, end] = [starts[i], starts[i + 1]];
    let degree = 0;
    for (let e = start; e < end; e++) degree += values[e];
    degrees[i] = degree;
    for (let c = 0, o = i * width; c < width; c += 4, o += 4) {
      let [a, b, p, q] = [0, 0, 0, 0];
      for (let e = start; e < end; e++) {
        const at = columns[e] * width + c;
        const weight = values[e];
        a += weight * x[at];
        b += weight * x[at + 1];
        p += weight * x[at + 2];
        q += weight * x[at + 3];
      }
      out[o] = a;
      out[o + 1] = b;
      out[o + 2] = p;
      out[o + 3] = q;
    }
  }
}

/** The plain twins. */
export const plainExtension = { kdGaussian, weightedSums };

export type ExtensionKernels = typeof plainExtension;
