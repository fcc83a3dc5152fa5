/** A sparse factor LDLᵀ: it solves linear equations and counts eigenvalues. */

import { borrow, type Loan } from '../../wasm/borrow.ts';
import { panelKernels } from '../../wasm/panel-family.ts';
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
  /** Space for the rows of one panel, then for a right-hand side in the order of elimination. */
  readonly #work: Loan;
  /** Where panels begin, how high they are, and their rows, in the kernels' memory. */
  readonly #indices: { readonly first: Int32Array; readonly heights: Int32Array; readonly rows: Int32Array };

  constructor(analysis: Analysis, rows: Int32Array, panels: Float64Array, pivots: Float64Array, loans: Loan[]) {
    this.#analysis = analysis;
    this.#rows = rows;
    this.#panels = panels;
    this.#pivots = pivots;
    const { first, heights, tallest } = analysis.supernodes;
    this.#work = borrow(tallest + analysis.pattern.size);
    const inKernelMemory = (array: Int32Array): Int32Array => {
      const loan = borrow(Math.ceil(array.length / 2));
      loans.push(loan);
      const copy = new Int32Array(loan.array.buffer, loan.array.byteOffset, array.length);
      copy.set(array);
      return copy;
    };
    this.#indices = { first: inKernelMemory(first), heights: inKernelMemory(heights), rows: inKernelMemory(rows) };
    this.#loans = loans;
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
    const { count, tallest } = this.#analysis.supernodes;
    const { first, heights, rows } = this.#indices;
    const size = order.length;
    const work = this.#work.array.subarray(0, tallest);
    const x = this.#work.array.subarray(tallest);
    const pivots = this.#pivots;
    const { solveLower, solveUpper } = panelKernels();
    for (let from = 0; from < width * size; from += size) {
      for (let i = 0; i < size; i++) x[i] = b[from + order[i]];
      solveLower(count, first, heights, rows, this.#panels, x, work);
      for (let i = 0; i < size; i++) x[i] /= pivots[i];
      solveUpper(count, first, heights, rows, this.#panels, x, work);
      for (let i = 0; i < size; i++) out[from + order[i]] = x[i];
    }
  }

  /**
   * A bound of how far rounding can have moved the eigenvalues of the pencil (A, M), for a positive diagonal M. LDLᵀ is exact for a
   * matrix A + E with |E| ≤ γ·|L||D||L|ᵀ (Higham 2002, theorem 10.3), where γ is ε times the number of terms of an entry. The
   * largest eigenvalue of a matrix without negative entries is at most its largest row sum, here that of M⁻¹|L||D||L|ᵀ.
   */
  rounding(mass: Float64Array): number {
    const { order } = this.#analysis.tree;
    const size = order.length;
    const { count, first, heights, panelStarts, tallest } = this.#analysis.supernodes;
    const [panels, rows] = [this.#panels, this.#rows];
    const scaled = new Float64Array(size);
    for (let s = 0; s < count; s++) {
      for (let j = first[s], at = panelStarts[s]; j < first[s + 1]; j++, at += heights[s]) {
        let sum = 1;
        for (let i = at + j - first[s] + 1; i < at + heights[s]; i++) sum += Math.abs(panels[i]);
        scaled[j] = sum * Math.abs(this.#pivots[j]);
      }
    }
    const sums = scaled.slice();
    const terms = new Int32Array(size).fill(extraTerms);
    const ofPanel = new Float64Array(tallest);
    for (let s = 0, begin = 0; s < count; s++) {
      const columns = first[s + 1] - first[s];
      const height = heights[s];
      const own = first[s];
      // Column by column, as the panel is stored. Of a row, the entries left of the diagonal count.
      ofPanel.fill(0, 0, height);
      for (let j = 0, at = panelStarts[s]; j < columns; j++, at += height) {
        const by = scaled[own + j];
        for (let i = j + 1; i < height; i++) ofPanel[i] += Math.abs(panels[at + i]) * by;
      }
      for (let i = 0; i < height; i++) {
        const row = i < columns ? own + i : rows[begin + i - columns];
        sums[row] += ofPanel[i];
        terms[row] += Math.min(i, columns);
      }
      begin += height - columns;
    }
    const largest = sums.reduce((most, sum, j) => Math.max(most, sum / mass[order[j]]), 0);
    return 2 * terms.reduce((most, each) => Math.max(most, each), 0) * Number.EPSILON * largest;
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
}
