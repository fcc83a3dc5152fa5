/**
 * How do many long vectors meet one? They are kept as rows, four to a block, so that a loop over a block reads one array:
 * in plain JavaScript that is a quarter faster than an array for each row. Row r lies in blocks[r >> 2] from (r & 3)·n on.
 */

/** Numbers of the one vector that stay in the first-level cache (16 KB) while the rows go by. */
const piece = 2048;
/** Columns that are combined at a time: those of 40 rows before and 16 after stay in the second-level cache (450 KB). */
const band = 1024;

/** Row r as a view. Makes the blocks up to it where they are missing. */
export function rowOf(n: number, r: number, blocks: Float64Array[]): Float64Array {
  while (blocks.length <= r >> 2) blocks.push(new Float64Array(4 * n));
  return blocks[r >> 2].subarray((r & 3) * n, ((r & 3) + 1) * n);
}

/** out[r] = row r·x for r < count. 2·n·count flops, one pass over the rows. */
export function dotRows(
  n: number,
  count: number,
  blocks: readonly Float64Array[],
  x: Float64Array,
  out: Float64Array,
): void {
  out.fill(0, 0, count);
  for (let from = 0; from < n; from += piece) {
    const to = Math.min(n, from + piece);
    let r = 0;
    for (; r + 4 <= count; r += 4) dotFour(n, from, to, blocks[r >> 2], x, r, out);
    for (; r < count; r++) out[r] += dotOne(from, to, blocks[r >> 2], (r & 3) * n, x);
  }
}

/** x −= Σ factors[r − first]·row r for first ≤ r < end, in place; returns Σ x² of what is left. One pass over the rows. */
export function subtractRows(
  n: number,
  first: number,
  end: number,
  blocks: readonly Float64Array[],
  factors: Float64Array,
  x: Float64Array,
): number {
  let squares = 0;
  for (let from = 0; from < n; from += piece) {
    const to = Math.min(n, from + piece);
    for (let r = first; r < end;) {
      if ((r & 3) === 0 && r + 4 <= end) {
        subtractFour(n, from, to, blocks[r >> 2], r - first, factors, x);
        r += 4;
      } else {
        subtractOne(from, to, blocks[r >> 2], (r & 3) * n, factors[r - first], x);
        r++;
      }
    }
    squares += dotOne(from, to, x, 0, x);
  }
  return squares;
}

/** How many numbers `combineRows` needs as room. */
export function combineWork(kept: number): number {
  return (kept + 1) * band;
}

/**
 * Row first + j ← Σᵢ factors[i·count + j]·row first + i, i < count, for j < kept ≤ count, in place; the rows beyond are
 * left as they were. `work` has `combineWork(kept)` numbers whose contents are lost. 2·n·count·kept flops.
 */
export function combineRows(
  n: number,
  first: number,
  count: number,
  kept: number,
  factors: Float64Array,
  blocks: readonly Float64Array[],
  work: Float64Array,
): void {
  for (let from = 0; from < n; from += band) {
    const width = Math.min(band, n - from);
    work.fill(0);
    for (let i = 0; i < count;) {
      const r = first + i;
      const block = blocks[r >> 2];
      if ((r & 3) === 0 && i + 4 <= count) {
        // Where `kept` is odd the last pair spills into spare room, with the factors of the next column.
        for (let j = 0; j < kept; j += 2)
          addFourToTwo(n, from, width, block, i * count + j, count, factors, j * band, work);
        i += 4;
      } else {
        for (let j = 0; j < kept; j++) addOne(width, block, (r & 3) * n + from, factors[i * count + j], j * band, work);
        i++;
      }
    }
    for (let j = 0; j < kept; j++) {
      const r = first + j;
      blocks[r >> 2].set(work.subarray(j * band, j * band + width), (r & 3) * n + from);
    }
  }
}

/** Σ a[i]·b[i] for i < n. */
export function dot(n: number, a: Float64Array, b: Float64Array): number {
  return dotOne(0, n, a, 0, b);
}

/** x[i] *= factor for i < n. */
export function scaleInPlace(n: number, factor: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) x[i] *= factor;
}

/** Σ a[offset + i]·b[i] for from ≤ i < to, in four sums that do not wait for each other. */
function dotOne(from: number, to: number, a: Float64Array, offset: number, b: Float64Array): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = from;
  for (; i + 4 <= to; i += 4) {
    const at = offset + i;
    s0 += a[at] * b[i];
    s1 += a[at + 1] * b[i + 1];
    s2 += a[at + 2] * b[i + 2];
    s3 += a[at + 3] * b[i + 3];
  }
  for (; i < to; i++) s0 += a[offset + i] * b[i];
  return s0 + s1 + (s2 + s3);
}

/** out[r … r+3] += the products of a block's rows with x over from ≤ i < to. */
function dotFour(
  n: number,
  from: number,
  to: number,
  block: Float64Array,
  x: Float64Array,
  r: number,
  out: Float64Array,
): void {
  const second = 2 * n;
  const third = 3 * n;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = from; i < to; i++) {
    const value = x[i];
    s0 += block[i] * value;
    s1 += block[n + i] * value;
    s2 += block[second + i] * value;
    s3 += block[third + i] * value;
  }
  out[r] += s0;
  out[r + 1] += s1;
  out[r + 2] += s2;
  out[r + 3] += s3;
}

/** x −= the block's rows times factors[f … f+3] over from ≤ i < to. */
function subtractFour(
  n: number,
  from: number,
  to: number,
  block: Float64Array,
  f: number,
  factors: Float64Array,
  x: Float64Array,
): void {
  const second = 2 * n;
  const third = 3 * n;
  const f0 = factors[f];
  const f1 = factors[f + 1];
  const f2 = factors[f + 2];
  const f3 = factors[f + 3];
  for (let i = from; i < to; i++) {
    x[i] -= f0 * block[i] + f1 * block[n + i] + (f2 * block[second + i] + f3 * block[third + i]);
  }
}

/** x −= factor·a[offset + i] over from ≤ i < to. */
function subtractOne(from: number, to: number, a: Float64Array, offset: number, factor: number, x: Float64Array): void {
  for (let i = from; i < to; i++) x[i] -= factor * a[offset + i];
}

/** Two bands of `work`, at o and after it, += the block's rows times the factors at f, and those beside, `stride` apart. */
function addFourToTwo(
  n: number,
  from: number,
  width: number,
  block: Float64Array,
  f: number,
  stride: number,
  factors: Float64Array,
  o: number,
  work: Float64Array,
): void {
  const a0 = factors[f];
  const a1 = factors[f + stride];
  const a2 = factors[f + 2 * stride];
  const a3 = factors[f + 3 * stride];
  const b0 = factors[f + 1];
  const b1 = factors[f + stride + 1];
  const b2 = factors[f + 2 * stride + 1];
  const b3 = f + 3 * stride + 1 < factors.length ? factors[f + 3 * stride + 1] : 0;
  const at1 = from + n;
  const at2 = from + 2 * n;
  const at3 = from + 3 * n;
  const next = o + band;
  for (let i = 0; i < width; i++) {
    const v0 = block[from + i];
    const v1 = block[at1 + i];
    const v2 = block[at2 + i];
    const v3 = block[at3 + i];
    work[o + i] += a0 * v0 + a1 * v1 + (a2 * v2 + a3 * v3);
    work[next + i] += b0 * v0 + b1 * v1 + (b2 * v2 + b3 * v3);
  }
}

/** The band of `work` at o += factor·a[offset + i]. */
function addOne(width: number, a: Float64Array, offset: number, factor: number, o: number, work: Float64Array): void {
  for (let i = 0; i < width; i++) work[o + i] += factor * a[offset + i];
}
