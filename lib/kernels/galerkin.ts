/**
 * Galerkin products of a pencil (A, B), for the multilevel eigensolver: sparse rows of pairs, of an entry from A and one from B, whose
 * number is not known in advance. A family of its own, so that only the solver loads the SIMD twins.
 *
 * Rows are computed in chunks of `chunk` rows, from row `from` on. Chunk c has region c of the outputs, of `room` entries. The columns of a row, each once
 * and in the order in which they are first met, go to outColumns, the pairs to outPairs, and the number of entries of the region
 * up to the end of the row to ends[row]. Where a row may not fit, ends[row] is −1, and the chunk ends there. A zero pair follows the last entry.
 * `places` is scratch of `width` numbers for each chunk, with arbitrary contents.
 */

import type { Floats } from './types.ts';

/**
 * Rows of (A·P, B·P) for from ≤ row < to. The off-diagonal entries of A are −weights, those of B masses, or zeros if masses is null,
 * as it is where weights are Float64. Their diagonals are the pairs of `diagonals`. P has `width` columns. The columns of row i of P come first. O(Σ entries of the rows of P that are read).
 */
export function multiplyPencil(
  from: number,
  to: number,
  chunk: number,
  room: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  weights: Floats,
  masses: Float32Array | null,
  diagonals: Float64Array,
  rowStarts: Int32Array,
  rowColumns: Int32Array,
  rowValues: Float32Array,
  places: Int32Array,
  outColumns: Int32Array,
  outPairs: Float64Array,
  ends: Int32Array,
): void {
  let [begin, end] = [0, 0];

  /** Adds (a, b) times row j of P to the row that begins at `begin`. False if it might not fit. */
  const add = (region: number, j: number, a: number, b: number): boolean => {
    if (end + rowStarts[j + 1] - rowStarts[j] >= room) return false;
    const [first, known] = [region * room, region * width];
    for (let t = rowStarts[j]; t < rowStarts[j + 1]; t++) {
      const place = placeOf(rowColumns[t], begin, end, first, known, places, outColumns, outPairs);
      if (place === end) end++;
      outPairs[2 * (first + place)] += a * rowValues[t];
      outPairs[2 * (first + place) + 1] += b * rowValues[t];
    }
    return true;
  };

  for (let first = from, region = 0; first < to; first += chunk, region++) {
    end = 0;
    for (let i = first; i < Math.min(to, first + chunk); i++) {
      begin = end;
      clear(region * room + end, outPairs);
      let fits = add(region, i, diagonals[2 * i], diagonals[2 * i + 1]);
      for (let e = starts[i]; fits && e < starts[i + 1]; e++) {
        fits = add(region, columns[e], -weights[e], masses ? masses[e] : 0);
      }
      ends[i] = fits ? end : -1;
      if (!fits) break;
    }
  }
}

/**
 * Rows of (PᵀAP, PᵀBP) for from ≤ row < to, from rows of Pᵀ and the `pairs` of (A·P, B·P). Column k of row k comes first. O(Σ entries of the
 * pairs that are read).
 */
export function restrictPencil(
  from: number,
  to: number,
  chunk: number,
  room: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Float32Array,
  pairStarts: Int32Array,
  pairColumns: Int32Array,
  pairs: Float32Array,
  places: Int32Array,
  outColumns: Int32Array,
  outPairs: Float64Array,
  ends: Int32Array,
): void {
  for (let first = from, region = 0; first < to; first += chunk, region++) {
    const [base, known] = [region * room, region * width];
    let end = 0;
    for (let k = first; k < Math.min(to, first + chunk); k++) {
      const begin = end;
      clear(base + end, outPairs);
      let fits = end + 1 < room;
      if (fits) {
        places[known + k] = end;
        outColumns[base + end++] = k;
        clear(base + end, outPairs);
      }
      for (let t = starts[k]; fits && t < starts[k + 1]; t++) {
        const [i, factor] = [columns[t], values[t]];
        fits = end + pairStarts[i + 1] - pairStarts[i] < room;
        if (!fits) break;
        for (let e = pairStarts[i]; e < pairStarts[i + 1]; e++) {
          const place = placeOf(pairColumns[e], begin, end, base, known, places, outColumns, outPairs);
          if (place === end) end++;
          outPairs[2 * (base + place)] += factor * pairs[2 * e];
          outPairs[2 * (base + place) + 1] += factor * pairs[2 * e + 1];
        }
      }
      ends[k] = fits ? end : -1;
      if (!fits) break;
    }
  }
}

/** The place of a column in its row, which has the places begin … end−1 of the region at `base`. A column that the row does not have yet gets the place `end`. */
function placeOf(
  column: number,
  begin: number,
  end: number,
  base: number,
  known: number,
  places: Int32Array,
  outColumns: Int32Array,
  outPairs: Float64Array,
): number {
  const place = places[known + column];
  if (place >= begin && place < end && outColumns[base + place] === column) return place;
  places[known + column] = end;
  outColumns[base + end] = column;
  clear(base + end + 1, outPairs);
  return end;
}

/** The pair after the last entry is 0, so that the next one can be added. */
function clear(place: number, outPairs: Float64Array): void {
  outPairs[2 * place] = 0;
  outPairs[2 * place + 1] = 0;
}

/** The plain twins, as in the table of all other kernels. */
export const plainGalerkin = { multiplyPencil, restrictPencil };

export type GalerkinKernels = typeof plainGalerkin;
