/** The numbers of a sparse LDLᵀ factorization, by the multifrontal method (Duff & Reid 1983). */

import type { Task } from '../../core/task.ts';
import { group } from '../../kernels/panels.ts';
import type { Floats } from '../../kernels/types.ts';
import { borrow, type Loan } from '../../wasm/borrow.ts';
import { panelKernels } from '../../wasm/panel-family.ts';
import type { Analysis } from './analysis.ts';
import { Factor } from './factor.ts';

/** The numbers of a symmetric matrix A = diag(diagonal) + factor·S, where S has the entries `values` off the diagonal of the pattern. */
export interface SymmetricValues {
  readonly diagonal: Float64Array;
  readonly values: Floats;
  readonly factor: number;
}

/** A pivot that is smaller than this times the largest entry of the diagonal cannot be told from rounding. */
const tiniestPivot = 1e-14;
/** A pause after this many flops, some milliseconds of work. */
const flopsPerYield = 4e6;

/** A factorization that ended early, at this column of the order: its pivot was too small, or not finite. */
export interface TinyPivot {
  readonly column: number;
  readonly pivot: number;
}

/**
 * PAPᵀ = LDLᵀ without pivoting. The panel of a supernode is assembled from the entries of A and the updates of its children,
 * its columns are eliminated, and what they subtract from later columns is its own update. The factor must be closed.
 */
export function* factorizeSteps(analysis: Analysis, matrix: SymmetricValues): Task<Factor | TinyPivot> {
  const { pattern, supernodes, flops } = analysis;
  const { count, first, heights, panelStarts, stackLength } = supernodes;
  const rows = analysis.rows();
  const loans: Loan[] = [];
  const take = (length: number): Float64Array => {
    loans.push(borrow(length));
    return loans.at(-1)!.array.fill(0);
  };
  let factor: Factor | null = null;
  try {
    const panels = take(panelStarts[count]);
    const pivots = take(pattern.size);
    const stack = take(stackLength);
    const largest = matrix.diagonal.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const scratch = take(Math.ceil(supernodes.tallest / 2));
    const places = new Int32Array(scratch.buffer, scratch.byteOffset, supernodes.tallest);
    const assembly = new Assembly(analysis, matrix, rows, stack, places);
    let [done, work] = [0, 0];
    for (let s = 0; s < count; s++) {
      const columns = first[s + 1] - first[s];
      const height = heights[s];
      const panel = panels.subarray(panelStarts[s], panelStarts[s + 1]);
      const own = pivots.subarray(first[s], first[s + 1]);
      const update = assembly.assemble(s, panel);
      eliminate(height, 0, columns, panel, own);
      const tiny = own.findIndex((pivot) => !(Math.abs(pivot) > tiniestPivot * largest && Number.isFinite(pivot)));
      if (tiny >= 0) return { column: first[s] + tiny, pivot: own[tiny] };
      const below = height - columns;
      panelKernels().subtractOuter(below, below, columns, height, panel.subarray(columns), own, below, update);
      assembly.release(s);
      work += columns * height * height;
      if (work < flopsPerYield) continue;
      done += work;
      work = 0;
      yield Math.min(1, done / (1.5 * flops));
    }
    // The places and the stack are needed no more.
    for (const loan of loans.splice(2)) loan.giveBack();
    factor = new Factor(analysis, rows, panels, pivots, loans);
    return factor;
  } finally {
    if (!factor) for (const loan of loans) loan.giveBack();
  }
}

/** Panels with more columns are eliminated in halves, so that the product between them can use all threads. */
const wide = 64;

/** Eliminates columns from … to−1 of a panel, to which all columns before them were applied. */
function eliminate(height: number, from: number, to: number, panel: Float64Array, pivots: Float64Array): void {
  const { eliminatePanel, subtractOuter } = panelKernels();
  const diagonal = from * height + from;
  if (to - from > wide) {
    const middle = from + group * Math.ceil((to - from) / (2 * group));
    eliminate(height, from, middle, panel, pivots);
    const [known, rest] = [panel.subarray(from * height + middle), panel.subarray(middle * height + middle)];
    const own = pivots.subarray(from, middle);
    subtractOuter(height - middle, to - middle, middle - from, height, known, own, height, rest);
    eliminate(height, middle, to, panel, pivots);
  } else {
    eliminatePanel(height - from, to - from, height, panel.subarray(diagonal), pivots.subarray(from, to));
  }
}

/** Panels and updates, as they are assembled from the matrix and from the updates of children. */
class Assembly {
  readonly #analysis: Analysis;
  readonly #matrix: SymmetricValues;
  readonly #rows: Int32Array;
  /** Updates that wait for their parents, one on top of the other. */
  readonly #stack: Float64Array;
  /** Where the rows of each panel begin. */
  readonly #begins: Int32Array;
  /** The place of a row in the panel that is assembled now. */
  readonly #positions: Int32Array;
  /** The places of the rows of a child, in the kernels' memory. */
  readonly #places: Int32Array;
  /** Supernodes whose updates are on the stack. */
  readonly #waiting: number[] = [];
  #top = 0;

  constructor(analysis: Analysis, matrix: SymmetricValues, rows: Int32Array, stack: Float64Array, places: Int32Array) {
    const { count, first, heights } = analysis.supernodes;
    this.#analysis = analysis;
    this.#matrix = matrix;
    this.#rows = rows;
    this.#stack = stack;
    this.#places = places;
    this.#positions = new Int32Array(analysis.pattern.size);
    this.#begins = new Int32Array(count + 1);
    for (let s = 0; s < count; s++) this.#begins[s + 1] = this.#begins[s] + heights[s] - (first[s + 1] - first[s]);
  }

  /** Adds everything that belongs to a supernode to its panel. Returns its update, on top of the stack. */
  assemble(s: number, panel: Float64Array): Float64Array {
    const { tree, supernodes } = this.#analysis;
    const { order } = tree;
    const entries = tree.below;
    const { diagonal, values, factor } = this.#matrix;
    const positions = this.#positions;
    const begin = supernodes.first[s];
    const end = supernodes.first[s + 1];
    const height = supernodes.heights[s];
    const below = height - (end - begin);
    for (let j = begin; j < end; j++) positions[j] = j - begin;
    const own = this.#rows.subarray(this.#begins[s], this.#begins[s] + below);
    for (let i = 0; i < below; i++) positions[own[i]] = end - begin + i;
    for (let j = begin; j < end; j++) {
      const column = (j - begin) * height;
      panel[column + j - begin] += diagonal[order[j]];
      for (let e = entries.starts[j]; e < entries.starts[j + 1]; e++) {
        panel[column + positions[entries.rows[e]]] += factor * values[entries.sources[e]];
      }
    }
    const update = this.#stack.subarray(this.#top, this.#top + below * below);
    update.fill(0);
    const { extendAdd } = panelKernels();
    const rows = this.#rows;
    let at = this.#top;
    for (let w = this.#waiting.length - 1; w >= 0 && supernodes.parents[this.#waiting[w]] === s; w--) {
      const child = this.#waiting[w];
      const first = this.#begins[child];
      const size = this.#begins[child + 1] - first;
      at -= size * size;
      const moved = this.#places.subarray(0, size);
      for (let i = 0; i < size; i++) moved[i] = positions[rows[first + i]];
      extendAdd(size, moved, this.#stack.subarray(at, at + size * size), end - begin, height, panel, update);
    }
    return update;
  }

  /** Removes the updates of the children, and puts that of the supernode in their place. */
  release(s: number): void {
    const { parents } = this.#analysis.supernodes;
    const sizeOf = (each: number): number => (this.#begins[each + 1] - this.#begins[each]) ** 2;
    const from = this.#top;
    while (this.#waiting.length > 0 && parents[this.#waiting.at(-1)!] === s) this.#top -= sizeOf(this.#waiting.pop()!);
    if (sizeOf(s) === 0) return;
    this.#stack.copyWithin(this.#top, from, from + sizeOf(s));
    this.#waiting.push(s);
    this.#top += sizeOf(s);
  }
}
