/** A graph and the factorization of its Laplacian, which the direct solver and the proof of completeness share. */

import { badValue } from '../../core/check.ts';
import type { WaitingTask } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import type { LaplacianKind } from '../../graph/laplacian.ts';
import type { Analysis } from '../../linalg/factorization/analysis.ts';
import { type Breadth, measureBreadth } from '../../linalg/factorization/breadth.ts';
import type { Census } from '../../linalg/factorization/inertia.ts';
import type { LaplacianPencil } from '../../linalg/factorization/laplacian-pencil.ts';
import type { ShiftInvertOptions, ShiftInvertResult } from '../../linalg/factorization/shift-invert.ts';
import { loadSteps } from './load.ts';

/**
 * Factors that need more memory are refused: the kernels' memory has 4 GiB, and the eigenvectors need some of it. An analysis
 * ends once it is clear that a factorization would take more flops: hours.
 */
const limits = { bytes: 2 ** 31, flops: 1e13 };

/** On smaller graphs, Lanczos needs milliseconds. */
const leastForForecast = 500;

export class FactoredGraph {
  readonly graph: Graph;
  readonly kind: LaplacianKind;
  #pencil: LaplacianPencil | null = null;
  #breadth: Breadth | null = null;
  /** The last analysis, and the limit under which it was made. Null if the graph was beyond the limit. */
  #known: { readonly analysis: Analysis | null; readonly limit: number } = { analysis: null, limit: 0 };

  readonly #limits: typeof limits;

  constructor(graph: Graph, kind: LaplacianKind, most: Partial<typeof limits> = {}) {
    this.#limits = { ...limits, ...most };
    this.graph = graph;
    this.kind = kind;
  }

  /** Null for a small graph, on which a forecast is not worthwhile. */
  get breadth(): Breadth | null {
    const { size, weights } = this.graph;
    if (size < leastForForecast) return null;
    return (this.#breadth ??= measureBreadth({ size, starts: weights.starts, columns: weights.columns }));
  }

  /** Whether an analysis was made, so that its result costs nothing. */
  get isAnalyzed(): boolean {
    return this.#known.analysis !== null;
  }

  /** What a factorization costs. Null if it takes more than `flopLimit` flops, or too much memory. It is made once. */
  *analysisSteps(flopLimit: number): WaitingTask<Analysis | null> {
    const limit = Math.min(flopLimit, this.#limits.flops);
    if (!this.#known.analysis && this.#known.limit < limit) {
      const { analyzeGraphSteps } = yield* loadSteps();
      this.#known = { analysis: yield* analyzeGraphSteps(this.graph, limit), limit };
    }
    const { analysis } = this.#known;
    return analysis && analysis.flops <= limit && analysis.bytes <= this.#limits.bytes ? analysis : null;
  }

  /** The same without a limit of time. Refuses a graph that needs too much memory, in words, for what `option` asks. */
  *requiredAnalysisSteps(option: string): WaitingTask<Analysis> {
    const found = yield* this.analysisSteps(Infinity);
    if (found) return found;
    const { analysis } = this.#known;
    const most = `at most ${gibibytes(this.#limits.bytes)} GiB`;
    const got = analysis
      ? `${gibibytes(analysis.bytes)} GiB for ${analysis.entries.toExponential(1)} entries`
      : `more than ${this.#limits.flops.toExponential(0)} flops`;
    throw badValue('spectrum', `a graph whose factor takes ${most}, for ${option}`, got, 'Leave that option out.');
  }

  /** The smoothest pairs of the Laplacian, by Lanczos on the inverse of its shifted matrix. */
  *shiftInvertSteps(analysis: Analysis, options: ShiftInvertOptions): WaitingTask<ShiftInvertResult> {
    const { shiftInvertSteps } = yield* loadSteps();
    return yield* shiftInvertSteps(yield* this.#pencilSteps(), analysis, options);
  }

  /** Counts the eigenvalues of the Laplacian up to the last of these. */
  *censusSteps(analysis: Analysis, values: Float64Array, residuals: Float64Array): WaitingTask<Census> {
    const { censusSteps } = yield* loadSteps();
    return yield* censusSteps(yield* this.#pencilSteps(), analysis, values, residuals);
  }

  /** (L, D) for the normalized operators, (L, I) for D − W. */
  *#pencilSteps(): WaitingTask<LaplacianPencil> {
    const { laplacianPencil } = yield* loadSteps();
    const { graph, kind } = this;
    return (this.#pencil ??= laplacianPencil(
      graph,
      kind === 'unnormalized' ? new Float64Array(graph.size).fill(1) : graph.degrees,
    ));
  }
}

function gibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
