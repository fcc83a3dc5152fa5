/** Seeded random arrays for the kernel benches: ours in the kernels' memory, all others on the heap. */

import { Random } from '../../lib/core/random.ts';
import { allocator } from '../../lib/kernels/table.ts';
import { kernels, type Kernels, plainKernels } from '../../lib/wasm/all-kernels.ts';
import { setThreads } from '../../lib/wasm/set-threads.ts';
import { enableSimd, prepareKernels } from '../../lib/wasm/simd.ts';

// This runs before the first array is made, so that all arrays of `ours` lie in the kernels' memory.
prepareKernels();

/** The kernels that every row compares: those used when SIMD is on, and the plain ones. All use one thread. */
export function bothTwins(): { simd: Kernels; plain: Kernels } {
  setThreads(1);
  const status = enableSimd();
  if (!status.enabled) throw new Error(`There is no SIMD to measure here: ${status.reason}.`);
  return { simd: { ...kernels }, plain: plainKernels };
}

/** The same numbers twice: `ours` in the memory that the SIMD kernels read directly, `heap` on the ordinary heap. */
export interface Pair<T> {
  readonly ours: T;
  readonly heap: T;
}

export function normals(seed: string, length: number, deviation = 1): Pair<Float32Array> {
  const ours = allocator.float32(length);
  new Random(seed).fillNormal(ours, 0, deviation);
  return { ours, heap: ours.slice() };
}

export function zeros(length: number): Pair<Float32Array> {
  return { ours: allocator.float32(length), heap: new Float32Array(length) };
}

/** Random values in [0.5, 1.5), for example degrees. */
export function positives(seed: string, length: number): Pair<Float64Array> {
  const ours = allocator.float64(length);
  new Random(seed).fillUniform(ours, 0.5, 1.5);
  return { ours, heap: ours.slice() };
}

/** `count` distinct rows out of `rows`, in random order. */
export function someRows(seed: string, count: number, rows: number): Pair<Int32Array> {
  const heap = new Random(seed).permutation(rows).slice(0, count);
  const ours = allocator.int32(count);
  ours.set(heap);
  return { ours, heap };
}

export interface RawCsr {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float32Array;
}

/** A random n×n matrix with `perRow` distinct, sorted columns per row: anywhere, or at most `band` from the diagonal. */
export function randomCsr(seed: string, n: number, perRow: number, band = n): Pair<RawCsr> {
  const random = new Random(seed);
  const heap = {
    starts: Int32Array.from({ length: n + 1 }, (_, i) => i * perRow),
    columns: new Int32Array(n * perRow),
    values: new Float32Array(n * perRow),
  };
  const takenBy = new Int32Array(n).fill(-1);
  for (let i = 0, e = 0; i < n; i++) {
    const low = Math.max(0, i - band);
    const high = Math.min(n, i + band + 1);
    for (const end = e + perRow; e < end;) {
      const column = low + random.integer(high - low);
      if (takenBy[column] === i) continue;
      takenBy[column] = i;
      heap.columns[e++] = column;
    }
    heap.columns.subarray(e - perRow, e).sort();
  }
  random.fillUniform(heap.values);
  const ours = {
    starts: allocator.int32(n + 1),
    columns: allocator.int32(n * perRow),
    values: allocator.float32(n * perRow),
  };
  ours.starts.set(heap.starts);
  ours.columns.set(heap.columns);
  ours.values.set(heap.values);
  return { ours, heap };
}
