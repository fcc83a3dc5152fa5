/**
 * Products of the normal equations, two columns at a time. Each function meets arrays of one type only: an engine would compile code for
 * all types that it has met, which takes longer.
 */

import type { Floats } from '../../kernels/types.ts';

/** out[rows×width] = S·x for S[rows×·] in CSR and x[·×width]. Sums in the order of storage. 2·nonzeros·width flops. */
export function multiplyDoubles(
  rows: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Float64Array,
  x: Float64Array,
  out: Float64Array,
): void {
  let c = 0;
  for (; c + 2 <= width; c += 2) {
    for (let i = 0, e = starts[0]; i < rows; i++) {
      let [s, t] = [0, 0];
      for (const end = starts[i + 1]; e < end; e++) {
        const value = values[e];
        const at = columns[e] * width + c;
        s += value * x[at];
        t += value * x[at + 1];
      }
      out[i * width + c] = s;
      out[i * width + c + 1] = t;
    }
  }
  if (c === width) return;
  for (let i = 0, e = starts[0]; i < rows; i++) {
    let sum = 0;
    for (const end = starts[i + 1]; e < end; e++) sum += values[e] * x[columns[e] * width + c];
    out[i * width + c] = sum;
  }
}

/** out[·×width] += HᵀDH·x for H[rows×·] in CSR and x[·×width]. Adds up the rows in their order. 4·nonzeros·width flops. */
export function addNormalProduct(
  rows: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  degrees: Float64Array,
  x: Float64Array,
  out: Float64Array,
): void {
  let c = 0;
  for (; c + 2 <= width; c += 2) {
    for (let i = 0; i < rows; i++) {
      const [begin, end] = [starts[i], starts[i + 1]];
      let [s, t] = [0, 0];
      for (let e = begin; e < end; e++) {
        const value = values[e];
        const at = columns[e] * width + c;
        s += value * x[at];
        t += value * x[at + 1];
      }
      s *= degrees[i];
      t *= degrees[i];
      for (let e = begin; e < end; e++) {
        const value = values[e];
        const at = columns[e] * width + c;
        out[at] += value * s;
        out[at + 1] += value * t;
      }
    }
  }
  if (c === width) return;
  for (let i = 0; i < rows; i++) {
    const [begin, end] = [starts[i], starts[i + 1]];
    let sum = 0;
    for (let e = begin; e < end; e++) sum += values[e] * x[columns[e] * width + c];
    sum *= degrees[i];
    for (let e = begin; e < end; e++) out[columns[e] * width + c] += values[e] * sum;
  }
}
