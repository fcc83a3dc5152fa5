/** Arguments for kernels: random arrays in the kernels' memory or elsewhere, with gaps that reveal stray writes. */

import * as assert from 'uvu/assert';
import type { Random } from '../../../lib/core/random.ts';
import { type Allocator, allocator } from '../../../lib/kernels/table.ts';

export type Arg = number | boolean | string | null | Float32Array | Float64Array | Int32Array;
export type Maker = ReturnType<typeof maker>;

/** Argument lists for a kernel. `ulps`: allowed difference in ε of the sum of magnitudes. `lost`: the argument that is scratch space. */
export interface Case {
  readonly ulps: number;
  readonly lost?: number;
  readonly dimensions: 1 | 2 | 3;
  make(make: Maker, m: number, n: number, k: number): Arg[][];
}

/** A case for each kernel of some families. */
export type Cases<Kernels> = { readonly [Name in keyof Kernels]: Case };

/** Allocates side by side in three large arrays of the kernels' memory. `reset` starts over. Gaps reveal stray writes. */
export function arena(): Allocator & { reset(): void } {
  const [floats, doubles, indices] = [allocator.float32(4e6), allocator.float64(1e6), allocator.int32(1e6)];
  assert.is(floats.buffer, indices.buffer, 'in the memory');
  let used = { floats: 0, doubles: 0, indices: 0 };
  return {
    float32: (length) => floats.subarray(used.floats, (used.floats += length)),
    float64: (length) => doubles.subarray(used.doubles, (used.doubles += length)),
    int32: (length) => indices.subarray(used.indices, (used.indices += length)),
    reset: () => {
      used = { floats: 0, doubles: 0, indices: 0 };
    },
  };
}

/** Random arrays allocated by `memory`, longer than needed so that writes out of bounds are seen. */
export function maker(random: Random, memory: Allocator) {
  const margin = 5;
  return {
    single: (length: number) => {
      const array = memory.float32(length + margin);
      random.fillNormal(array);
      return array;
    },
    double: (length: number) => {
      const array = memory.float64(length + margin);
      random.fillUniform(array, 0.5, 2);
      return array;
    },
    normals64: (length: number) => {
      const array = memory.float64(length + margin);
      random.fillNormal(array);
      return array;
    },
    indices: (length: number, count: number) => {
      const array = memory.int32(length + margin);
      for (let i = 0; i < length; i++) array[i] = random.integer(count);
      return array;
    },
    /** The same numbers in that memory. */
    placed: <T extends Int32Array | Float64Array>(array: T): T => {
      const copy = array instanceof Int32Array ? memory.int32(array.length) : memory.float64(array.length);
      copy.set(array);
      return copy as T;
    },
    /** Rows with 0 … 8 entries, and sometimes 40. */
    csr: (rows: number, cols: number) => {
      const starts = memory.int32(rows + 1).fill(0);
      for (let i = 0; i < rows; i++)
        starts[i + 1] = starts[i] + (cols === 0 ? 0 : i % 7 === 3 ? 40 : random.integer(9));
      const columns = memory.int32(starts[rows]);
      for (let e = 0; e < columns.length; e++) columns[e] = random.integer(cols);
      const values = memory.float32(starts[rows]);
      random.fillNormal(values);
      return { starts, columns, values };
    },
  };
}
