/** The Galerkin products PᵀAP and PᵀBP: the pencil of the next coarser level. */

import type { Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { EntryList } from './entry-list.ts';
import { chunkOf, entriesPerYield, type Level, type LevelComponents, makeLevel } from './level.ts';
import type { Prolongation } from './prolongation.ts';

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
  const [stiffness, inertia] = products.entries.values;
  const { columns: productColumns } = products.entries;
  const starts = loans.int32(coarse + 1);
  starts[0] = 0;
  const [inner, middles, outer] = [0, 1, 2].map(() => loans.int32(coarse));
  const chunk = chunkOf(coarse);
  const entries = new EntryList(limit / 2, 2, loans);
  const place = new Int32Array(coarse).fill(-1);
  const found = new Int32Array(coarse);
  const [fromA, fromB] = [new Float64Array(coarse), new Float64Array(coarse)];
  const diagonal = loans.float64(coarse);
  let pause = entriesPerYield;
  for (let k = 0, work = 0; k < coarse; k++) {
    // Column k itself is the first, so that the diagonal of B has a place.
    found[0] = k;
    place[k] = k;
    fromA[k] = 0;
    fromB[k] = 0;
    let count = 1;
    for (let t = transposed.starts[k]; t < transposed.starts[k + 1]; t++) {
      const i = transposed.columns[t];
      const factor = transposed.values[t];
      work += products.starts[i + 1] - products.starts[i];
      for (let e: number = products.starts[i]; e < products.starts[i + 1]; e++) {
        const j = productColumns[e];
        if (place[j] !== k) {
          place[j] = k;
          found[count++] = j;
          fromA[j] = 0;
          fromB[j] = 0;
        }
        fromA[j] += factor * stiffness[e];
        fromB[j] += factor * inertia[e];
      }
    }
    diagonal[k] = fromB[k];
    // Columns of other chunks, then those left of the diagonal, then those right of it.
    const chunkStart = k - (k % chunk);
    let end = entries.length;
    entries.reserve(end + count);
    const [weights, masses] = entries.values;
    for (let part = chunk < coarse ? 0 : 1; part < 3; part++) {
      if (part === 1) inner[k] = end;
      if (part === 2) middles[k] = end;
      for (let f = 1; f < count; f++) {
        const j = found[f];
        if (part !== (j < chunkStart || j >= chunkStart + chunk ? 0 : j < k ? 1 : 2)) continue;
        entries.columns[end] = j;
        weights[end] = -fromA[j];
        masses[end++] = fromB[j];
      }
    }
    entries.length = end;
    outer[k] = end;
    starts[k + 1] = entries.length;
    if (entries.length > limit) {
      products.giveBack();
      entries.giveBack();
      loans.giveBack(starts, inner, middles, outer, diagonal);
      return null;
    }
    if (work < pause) continue;
    pause += entriesPerYield;
    yield 0;
  }
  products.giveBack();
  const { columns, values } = entries.trim();
  const massMatrix = { diagonal, weights: values[1] };
  const mass = restrict(level.mass, prolongation, loans);
  return makeLevel({ starts, columns, weights: values[0], inner, middles, outer }, mass, massMatrix, components, loans);
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

/** Sparse rows with the entries of AP and of BP. */
interface Products {
  readonly starts: Int32Array;
  readonly entries: EntryList;
  giveBack(): void;
}

/** AP and BP, or null if there are too many entries. The entries of BP are among those of AP, or zero. */
function* productSteps(
  level: Level,
  { coarse, starts: rows, columns, values }: Prolongation,
  loans: Loans,
): Task<Products | null> {
  const { size, pivots, weights, mass, massMatrix } = level;
  const most = Math.max(mostProducts.always, mostProducts.perEntry * (level.starts[size] + size));
  const starts = loans.int32(size + 1);
  starts[0] = 0;
  const entries = new EntryList(2 * columns.length, 2, loans);
  const giveBack = (): void => {
    entries.giveBack();
    loans.giveBack(starts);
  };
  const place = new Int32Array(coarse).fill(-1);
  const [fromA, fromB] = [new Float64Array(coarse), new Float64Array(coarse)];
  let pause = entriesPerYield;
  for (let i = 0, work = 0; i < size; i++) {
    const first = entries.length;
    let end = first;
    entries.reserve(first + reachOf(level, rows, i));
    const found = entries.columns;
    // Row i of P times the diagonals comes first.
    for (let t = rows[i]; t < rows[i + 1]; t++) {
      const k = columns[t];
      place[k] = end;
      found[end++] = k;
      fromA[k] = pivots[i] * values[t];
      fromB[k] = (massMatrix ? massMatrix.diagonal[i] : mass[i]) * values[t];
    }
    for (let e = level.starts[i]; e < level.starts[i + 1]; e++) {
      const row = level.columns[e];
      const a = weights[e];
      const b = massMatrix ? massMatrix.weights[e] : 0;
      work += rows[row + 1] - rows[row];
      for (let t = rows[row]; t < rows[row + 1]; t++) {
        const k = columns[t];
        if (place[k] < first) {
          place[k] = end;
          found[end++] = k;
          fromA[k] = -a * values[t];
          fromB[k] = b * values[t];
        } else {
          fromA[k] -= a * values[t];
          fromB[k] += b * values[t];
        }
      }
    }
    entries.length = end;
    const [stiffness, inertia] = entries.values;
    for (let e = first; e < end; e++) {
      stiffness[e] = fromA[found[e]];
      inertia[e] = fromB[found[e]];
    }
    starts[i + 1] = end;
    if (end > most) {
      giveBack();
      return null;
    }
    if (work < pause) continue;
    pause += entriesPerYield;
    yield 0;
  }
  return { starts, entries, giveBack };
}

/** A bound of the number of entries of row i of AP. */
function reachOf({ starts, columns }: Level, rows: Int32Array, i: number): number {
  let count = rows[i + 1] - rows[i];
  for (let e = starts[i]; e < starts[i + 1]; e++) count += rows[columns[e] + 1] - rows[columns[e]];
  return count;
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
