/** The Galerkin products PᵀAP and PᵀBP: the pencil of the next coarser level. */

import type { Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { galerkinKernels } from '../../../wasm/galerkin-family.ts';
import { EntryList } from './entry-list.ts';
import { chunkOf, type Level, type LevelComponents, makeLevel } from './level.ts';
import type { Prolongation } from './prolongation.ts';
import { RowRegions } from './row-regions.ts';

/** AP may have `perEntry` times as many entries as A, and `always` entries in any case. Hubs would make it dense. */
const mostProducts = { perEntry: 4, always: 1 << 18 };

/** The next coarser level, or null as soon as it has more than `limit` entries, or AP too many. */
export function* galerkinSteps(
  level: Level,
  prolongation: Prolongation,
  components: LevelComponents,
  limit: number,
  loans: Loans,
): Task<Level | null> {
  const products: Products | null = yield* productSteps(level, prolongation, loans);
  if (!products) return null;
  const { coarse, transposed } = prolongation;
  const { columns: productColumns, values } = products.entries;
  const starts = loans.int32(coarse + 1);
  starts[0] = 0;
  const [inner, middles, outer] = [0, 1, 2].map(() => loans.int32(coarse));
  const chunk = chunkOf(coarse);
  const entries = new EntryList(limit / 2, [1, 1], loans);
  const diagonal = loans.float64(coarse);
  const reads = (transposed.starts[coarse] * products.starts[level.size]) / Math.max(1, level.size);
  const regions = new RowRegions(coarse, coarse, reads, loans);
  const isSparse = yield* regions.fillSteps(
    (from, to) => {
      const { starts: rows, columns, values: factors } = transposed;
      const { chunk: rowsAtOnce, room, places, columns: found, pairs, ends } = regions;
      const { restrictPencil } = galerkinKernels();
      const { starts: begins } = products;
      restrictPencil(
        from,
        to,
        rowsAtOnce,
        room,
        coarse,
        rows,
        columns,
        factors,
        begins,
        productColumns,
        values[0],
        places,
        found,
        pairs,
        ends,
      );
    },
    (from, to, at) => {
      const { columns: found, pairs, ends } = regions;
      for (let k = from, begin = at; k < to; begin = at + ends[k++]) {
        const last = at + ends[k];
        // Column k itself is the first.
        diagonal[k] = pairs[2 * begin + 1];
        // Columns of other chunks, then those left of the diagonal, then those right of it.
        const chunkStart = k - (k % chunk);
        let end = entries.length;
        entries.reserve(end + last - begin);
        const [weights, masses] = entries.values;
        for (let part = chunk < coarse ? 0 : 1; part < 3; part++) {
          if (part === 1) inner[k] = end;
          if (part === 2) middles[k] = end;
          for (let f = begin + 1; f < last; f++) {
            const j = found[f];
            if (part !== (j < chunkStart || j >= chunkStart + chunk ? 0 : j < k ? 1 : 2)) continue;
            entries.columns[end] = j;
            weights[end] = -pairs[2 * f];
            masses[end++] = pairs[2 * f + 1];
          }
        }
        entries.length = end;
        outer[k] = end;
        starts[k + 1] = end;
        if (end > limit) return false;
      }
      return true;
    },
  );
  regions.giveBack();
  products.giveBack();
  if (!isSparse) {
    entries.giveBack();
    loans.giveBack(starts, inner, middles, outer, diagonal);
    return null;
  }
  const { columns, values: numbers } = entries.trim();
  const massMatrix = { diagonal, weights: numbers[1] };
  const mass = restrict(level.mass, prolongation, loans);
  return makeLevel(
    { starts, columns, weights: numbers[0], inner, middles, outer },
    mass,
    massMatrix,
    components,
    loans,
  );
}

/** Pᵀ·mass. */
function restrict(mass: Float64Array, { coarse, transposed }: Prolongation, loans: Loans): Float64Array {
  const result = loans.float64(coarse).fill(0);
  for (let k = 0; k < coarse; k++) {
    for (let t = transposed.starts[k]; t < transposed.starts[k + 1]; t++) {
      result[k] += transposed.values[t] * mass[transposed.columns[t]];
    }
  }
  return result;
}

/** Sparse rows with pairs of entries of AP and of BP. */
interface Products {
  readonly starts: Int32Array;
  readonly entries: EntryList;
  giveBack(): void;
}

/** AP and BP, or null if there are too many entries. The entries of BP are among those of AP, or zero. */
function* productSteps(level: Level, prolongation: Prolongation, loans: Loans): Task<Products | null> {
  const { size, pivots, weights, columns, mass, massMatrix } = level;
  const { coarse, starts: rowStarts, columns: rowColumns, values } = prolongation;
  const most = Math.max(mostProducts.always, mostProducts.perEntry * (level.starts[size] + size));
  const starts = loans.int32(size + 1);
  starts[0] = 0;
  const entries = new EntryList(2 * rowColumns.length, [2], loans);
  const diagonals = loans.float64(2 * size);
  const inertia = massMatrix?.diagonal ?? mass;
  for (let i = 0; i < size; i++) {
    diagonals[2 * i] = pivots[i];
    diagonals[2 * i + 1] = inertia[i];
  }
  const reads = (level.starts[size] + size) * (rowColumns.length / Math.max(1, size));
  const regions = new RowRegions(size, coarse, reads, loans);
  const isSparse = yield* regions.fillSteps(
    (from, to) => {
      const { chunk, room, places, columns: found, pairs, ends } = regions;
      galerkinKernels().multiplyPencil(
        from,
        to,
        chunk,
        room,
        coarse,
        level.starts,
        columns,
        weights,
        massMatrix?.weights ?? null,
        diagonals,
        rowStarts,
        rowColumns,
        values,
        places,
        found,
        pairs,
        ends,
      );
    },
    (from, to, at) => {
      const { columns: found, pairs, ends } = regions;
      const first = entries.length;
      for (let i = from; i < to; i++) starts[i + 1] = first + ends[i];
      const count = to > from ? ends[to - 1] : 0;
      entries.reserve(first + count);
      entries.columns.set(found.subarray(at, at + count), first);
      entries.values[0].set(pairs.subarray(2 * at, 2 * (at + count)), 2 * first);
      entries.length += count;
      return entries.length <= most;
    },
  );
  regions.giveBack();
  loans.giveBack(diagonals);
  const giveBack = (): void => {
    entries.giveBack();
    loans.giveBack(starts);
  };
  if (isSparse) return { starts, entries, giveBack };
  giveBack();
  return null;
}

/** Rows of PᵀAP from which their number of entries is estimated. */
const sampledRows = 128;

/** An estimate of the number of entries of PᵀAP, from some of its rows. It takes a fraction of the time of AP, and may be too low. */
export function estimateFill({ size, starts, columns }: Level, prolongation: Prolongation): number {
  const { coarse, starts: rows, columns: places, transposed } = prolongation;
  const stamps = new Int32Array(coarse).fill(-1);
  const stride = Math.ceil(coarse / sampledRows);
  let [sampled, found] = [0, 0];
  let budget = starts[size];
  for (let k = 0; k < coarse && budget > 0; k += stride, sampled++) {
    for (let t = transposed.starts[k]; t < transposed.starts[k + 1]; t++) {
      const i = transposed.columns[t];
      for (let e = starts[i]; e < starts[i + 1] && budget > 0; e++) {
        budget -= rows[columns[e] + 1] - rows[columns[e]];
        for (let p = rows[columns[e]]; p < rows[columns[e] + 1]; p++) {
          if (stamps[places[p]] === k) continue;
          stamps[places[p]] = k;
          found++;
        }
      }
    }
  }
  return (found / Math.max(1, sampled)) * coarse;
}
