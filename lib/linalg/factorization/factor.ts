/** A sparse factor LDLᵀ: it solves linear equations and counts eigenvalues. */

import { borrow, type Loan } from '../../wasm/borrow.ts';
import { panelKernels } from '../../wasm/families.ts';
import type { Analysis } from './analysis.ts';

/** Roundings of an entry beside its terms: those of the matrix itself, of the pivot and of the division. */
const extraTerms = 8;

export class Factor {
  /** The number of negative eigenvalues of the matrix: that of negative pivots, by Sylvester's law of inertia. */
  readonly negative: number;
  readonly #analysis: Analysis;
  /** The rows of each panel below its diagonal block. */
  readonly #rows: Int32Array;
  readonly #panels: Float64Array;
  /** D, in the order of elimination. */
  readonly #pivots: Float64Array;
  readonly #loans: readonly Loan[];
  /** The right-hand side in the order of elimination, then the rows of one panel. */
  readonly #work: Loan;

  constructor(
    analysis: Analysis,
    rows: Int32Array,
    panels: Float64Array,
    pivots: Float64Array,
    loans: readonly Loan[],
  ) {
    this.#analysis = analysis;
    this.#rows = rows;
    this.#panels = panels;
    this.#pivots = pivots;
    this.#loans = loans;
    this.#work = borrow(analysis.supernodes.tallest);
    let negative = 0;
    for (const pivot of pivots) if (pivot < 0) negative++;
    this.negative = negative;
  }

  /** Frees the memory. The factor must not be used afterwards. */
  close(): void {
    for (const loan of [this.#work, ...this.#loans]) loan.giveBack();
  }

  /** out ← A⁻¹·b for `width` right-hand sides, one after the other; out may be b. 4·width flops for each entry of the factor. */
  solve(b: Float64Array, out: Float64Array, width = 1): void {
    const { order } = this.#analysis.tree;
    const size = order.length;
    const x = new Float64Array(size * width);
    for (let c = 0; c < width; c++) for (let i = 0; i < size; i++) x[c * size + i] = b[c * size + order[i]];
    this.#forward(x, width);
    for (let c = 0; c < width; c++) for (let i = 0; i < size; i++) x[c * size + i] /= this.#pivots[i];
    this.#backward(x, width);
    for (let c = 0; c < width; c++) for (let i = 0; i < size; i++) out[c * size + order[i]] = x[c * size + i];
  }

  /**
   * A bound of how far rounding can have moved the eigenvalues of the pencil (A, M), for a positive diagonal M. LDLᵀ is exact for a
   * matrix A + E with |E| ≤ γ·|L||D||L|ᵀ (Higham 2002, theorem 10.3), where γ is ε times the number of terms of an entry. The
   * largest eigenvalue of a matrix without negative entries is at most its largest row sum, here that of M⁻¹|L||D||L|ᵀ.
   */
  rounding(mass: Float64Array): number {
    const { order } = this.#analysis.tree;
    const size = order.length;
    const scaled = new Float64Array(size);
    this.visitColumns((j, _rows, values) => {
      let sum = 1;
      for (const value of values) sum += Math.abs(value);
      scaled[j] = sum * Math.abs(this.#pivots[j]);
    });
    const sums = scaled.slice();
    const terms = new Int32Array(size).fill(extraTerms);
    this.visitColumns((j, rows, values) => {
      for (let i = 0; i < rows.length; i++) {
        sums[rows[i]] += Math.abs(values[i]) * scaled[j];
        terms[rows[i]]++;
      }
    });
    const largest = sums.reduce((most, sum, j) => Math.max(most, sum / mass[order[j]]), 0);
    return 2 * terms.reduce((most, count) => Math.max(most, count), 0) * Number.EPSILON * largest;
  }

  /** Calls `visit` with each column of L, without its diagonal, and with its pivot. Rows are places in the order of elimination. */
  visitColumns(visit: (column: number, rows: Int32Array, values: Float64Array, pivot: number) => void): void {
    const { count, first, heights, panelStarts, tallest } = this.#analysis.supernodes;
    const rows = new Int32Array(tallest);
    for (let s = 0, begin = 0; s < count; s++) {
      const columns = first[s + 1] - first[s];
      const below = heights[s] - columns;
      for (let i = 0; i < columns; i++) rows[i] = first[s] + i;
      for (let i = 0; i < below; i++) rows[columns + i] = this.#rows[begin + i];
      for (let j = 0, at = panelStarts[s]; j < columns; j++, at += heights[s]) {
        const values = this.#panels.subarray(at + j + 1, at + heights[s]);
        visit(first[s] + j, rows.subarray(j + 1, heights[s]), values, this.#pivots[first[s] + j]);
      }
      begin += below;
    }
  }

  #forward(x: Float64Array, width: number): void {
    const { count, first, heights, panelStarts } = this.#analysis.supernodes;
    const rows = this.#rows;
    const size = this.#pivots.length;
    const work = this.#work.array;
    const { solvePanel } = panelKernels();
    for (let s = 0, begin = 0; s < count; s++) {
      const columns = first[s + 1] - first[s];
      const below = heights[s] - columns;
      const panel = this.#panels.subarray(panelStarts[s], panelStarts[s + 1]);
      for (let offset = 0; offset < width * size; offset += size) {
        for (let j = 0; j < columns; j++) work[j] = x[offset + first[s] + j];
        for (let i = 0; i < below; i++) work[columns + i] = x[offset + rows[begin + i]];
        solvePanel(heights[s], columns, panel, work);
        for (let j = 0; j < columns; j++) x[offset + first[s] + j] = work[j];
        for (let i = 0; i < below; i++) x[offset + rows[begin + i]] = work[columns + i];
      }
      begin += below;
    }
  }

  #backward(x: Float64Array, width: number): void {
    const { count, first, heights, panelStarts, rowCount } = this.#analysis.supernodes;
    const rows = this.#rows;
    const size = this.#pivots.length;
    const work = this.#work.array;
    const { solvePanelTransposed } = panelKernels();
    for (let s = count - 1, begin = rowCount; s >= 0; s--) {
      const columns = first[s + 1] - first[s];
      const below = heights[s] - columns;
      begin -= below;
      const panel = this.#panels.subarray(panelStarts[s], panelStarts[s + 1]);
      for (let offset = 0; offset < width * size; offset += size) {
        for (let j = 0; j < columns; j++) work[j] = x[offset + first[s] + j];
        for (let i = 0; i < below; i++) work[columns + i] = x[offset + rows[begin + i]];
        solvePanelTransposed(heights[s], columns, panel, work);
        for (let j = 0; j < columns; j++) x[offset + first[s] + j] = work[j];
      }
    }
  }
}
