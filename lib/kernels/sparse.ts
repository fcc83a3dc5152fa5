/** Products of a CSR matrix with a dense one. */

import type { CsrArguments, Floats } from './types.ts';

type Product = [...matrix: CsrArguments, x: Floats, out: Floats, accumulate: boolean];
type CsrMatmul = (rows: number, width: number, ...product: Product) => void;
type CsrColumns = (rows: number, width: number, c: number, ...product: Product) => void;

/**
 * out[rows×width] = S·x for S[rows×·] in CSR and x row-major with `width` columns, added to `out` if `accumulate`.
 * Sums in Float64, in the order of storage; in the SIMD twin in Float32. `values` may be of another type than x and
 * `out`. 2·nonzeros·width flops. `out` is not x.
 */
export const csrMatmul: CsrMatmul = (rows, width, starts, columns, values, x, out, accumulate) => {
  let c = 0;
  for (; c + 4 <= width; c += 4) csrFour(rows, width, c, starts, columns, values, x, out, accumulate);
  for (; c + 2 <= width; c += 2) csrTwo(rows, width, c, starts, columns, values, x, out, accumulate);
  for (; c < width; c++) csrOne(rows, width, c, starts, columns, values, x, out, accumulate);
};

/** Columns c … c+3 of the product. */
const csrFour: CsrColumns = (rows, width, c, starts, columns, values, x, out, accumulate) => {
  for (let i = 0, o = c; i < rows; i++, o += width) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      const at = columns[e] * width + c;
      s0 += value * x[at];
      s1 += value * x[at + 1];
      s2 += value * x[at + 2];
      s3 += value * x[at + 3];
    }
    out[o] = accumulate ? out[o] + s0 : s0;
    out[o + 1] = accumulate ? out[o + 1] + s1 : s1;
    out[o + 2] = accumulate ? out[o + 2] + s2 : s2;
    out[o + 3] = accumulate ? out[o + 3] + s3 : s3;
  }
};

/** Columns c and c+1 of the product. */
const csrTwo: CsrColumns = (rows, width, c, starts, columns, values, x, out, accumulate) => {
  for (let i = 0, o = c; i < rows; i++, o += width) {
    let s0 = 0;
    let s1 = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      const at = columns[e] * width + c;
      s0 += value * x[at];
      s1 += value * x[at + 1];
    }
    out[o] = accumulate ? out[o] + s0 : s0;
    out[o + 1] = accumulate ? out[o + 1] + s1 : s1;
  }
};

/** Column c of the product. */
const csrOne: CsrColumns = (rows, width, c, starts, columns, values, x, out, accumulate) => {
  for (let i = 0, o = c; i < rows; i++, o += width) {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) sum += values[e] * x[columns[e] * width + c];
    out[o] = accumulate ? out[o] + sum : sum;
  }
};
