/** The solver: leading eigenvectors of a graph by SpecNet1, SpecNet2 or TriOFM on free rows, batch by batch. */

import { badKind, badValue, checkFinite, showShape } from '../../core/check.ts';
import { runAsync, subtask, type Task } from '../../core/task.ts';
import { Random } from '../../core/random.ts';
import { checkGraph, type Graph, graphFingerprint } from '../../graph/graph.ts';
import { checkMatrix } from '../../linalg/matrix.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { BlowUp } from '../descent/descent.ts';
import { randomRows } from '../descent/rows/free-rows.ts';
import { objectives } from '../descent/objective.ts';
import { type Pencil, pencilOf } from '../pencil/pencil.ts';
import { checkReference, coordinates, measure, measureRows, qualityOf, vectorsOf } from '../ritz/quality.ts';
import type { Eigenpairs } from '../ritz/rayleigh-ritz.ts';
import { columnPairs, extrapolate, leadingPairs, ritzPairs, type RitzPairs } from '../ritz/ritz.ts';
import { Run } from './run.ts';
import { caller, resolveOptions, type SolveSettings, type SolveOptions } from './settings.ts';
import type { Beginning, EpochRecord, SolverState } from './state.ts';
import { largestWorkingLengthSteps, rises, StepTooLarge, unboundedSearch } from './step-too-large.ts';

/** The eigenpairs found, the trace of the epochs, and the state to continue from. */
export interface Solution extends Eigenpairs {
  /** Whether all residuals are within the tolerance. */
  readonly converged: boolean;
  /** One record for each epoch of this call. */
  readonly trace: readonly EpochRecord[];
  /** For the option `from` of a call that continues. */
  readonly state: SolverState;
}

/** Columns with a smaller eigenvalue get the length of this one. Otherwise f2 would shrink them to zero, and they could not grow again. */
const leastValue = 1e-3;

/**
 * The leading eigenvectors of a graph without isolated nodes. Throws `StepTooLarge` if a constant step makes the rows grow
 * without bound, and `NotPositiveDefinite` if columns become dependent.
 */
export async function solve(graph: Graph, options: SolveOptions): Promise<Solution> {
  checkGraph(caller, graph);
  return runAsync(solveSteps(graph, resolveOptions(graph, options), options), options);
}

function* solveSteps(graph: Graph, settings: SolveSettings, options: SolveOptions): Task<Solution> {
  const { precision, epochs, clock } = settings;
  const pencil = pencilOf(caller, graph, settings.pencil, settings.deflate, precision);
  if (options.reference) checkReference(caller, pencil, settings.components, options.reference);
  const beginning = options.from
    ? checkState(graph, settings, options.from)
    : begin(graph, pencil, settings, options.start);
  const run = new Run(settings, pencil, beginning);
  const earlier = beginning.seconds ?? 0;
  const start = clock();
  const trace: EpochRecord[] = [];
  const tooLargeSteps = function* (what: string, done: number): Task<never> {
    if (settings.rule.length === 'search') throw unboundedSearch(trace.length + 1, what);
    const worked = yield* largestWorkingLengthSteps(settings, pencil, beginning, done);
    throw new StepTooLarge(settings.rule.length, trace.length + 1, what, worked);
  };
  let lowest = Infinity;
  const started = pairsOf(run, pencil, settings);
  run.ritz ??= { pairs: started, direction: null };
  let pairs = leadingPairs(started, settings.components);
  let converged = within(pairs, settings);
  const first = run.epoch;
  while (run.epoch < epochs && !converged) {
    const done = (run.epoch - first) / (epochs - first);
    try {
      yield* subtask(run.sweepSteps(), done, done + 1 / (epochs - first));
    } catch (error) {
      if (!(error instanceof BlowUp)) throw error;
      yield* tooLargeSteps(error.message, done);
    }
    const { pairs: all, f2, gradientNorm } = reviewEpoch(run, pencil, settings);
    pairs = leadingPairs(all, settings.components);
    const record: EpochRecord = {
      epoch: run.epoch,
      eigenvalues: pairs.values,
      residuals: pairs.residuals,
      ...qualityOf(pencil, pairs, f2, options.reference),
      gradientNorm,
      step: Math.abs(run.descent.length),
      flops: run.descent.counters.flops,
      seconds: earlier + clock() - start,
    };
    lowest = Math.min(lowest, record.f2);
    if (rises(settings, lowest, record.f2)) yield* tooLargeSteps(`f2 rose from ${lowest} to ${record.f2}`, done);
    trace.push(record);
    options.onEpoch?.(record);
    converged = within(pairs, settings);
  }
  return {
    eigenvalues: pairs.values,
    eigenvectors: vectorsOf(pencil, pairs),
    residuals: pairs.residuals,
    converged,
    trace,
    state: run.state(trace.at(-1)?.seconds ?? earlier),
  };
}

/** Random rows; a given start replaces their first columns. */
function begin(graph: Graph, { mass }: Pencil, settings: SolveSettings, start: Tensor | undefined): Beginning {
  const { components, width, precision } = settings;
  const seeded = new Random(settings.seed);
  const rows = randomRows(seeded.fork('start'), graph.size, width, mass, precision);
  if (start) {
    checkMatrix(caller, 'start', start);
    checkRows('start', graph, components, start);
    checkFinite(caller, 'start', start.data, start.cols);
    for (let p = 0; p < start.size; p++) {
      rows.data[Math.floor(p / components) * width + (p % components)] = start.data[p];
    }
  }
  return { rows, random: seeded.fork('batches').state() };
}

/** The pairs that the rows stand for: Ritz pairs in their span, or ordered columns themselves. */
function pairsOf({ rows }: Run, pencil: Pencil, { method }: SolveSettings): RitzPairs {
  return (method === 'triofm' ? columnPairs : ritzPairs)(caller, pencil, rows.stored);
}

interface Review {
  readonly pairs: RitzPairs;
  readonly f2: number;
  readonly gradientNorm: number;
}

/** The pairs after an epoch, and f2 and the gradient of Y. With `accelerate`, Y becomes the best rows of its span. */
function reviewEpoch(run: Run, pencil: Pencil, settings: SolveSettings): Review {
  const { accelerate, method, components } = settings;
  const y = run.rows.stored;
  if (method === 'triofm') {
    return { pairs: pairsOf(run, pencil, settings), ...measureRows(pencil, objectives.triofm, y) };
  }
  if (!accelerate) {
    const pairs = pairsOf(run, pencil, settings);
    return { pairs, ...measure(pencil, method, pairs, coordinates(pencil, pairs, y)) };
  }
  const [pairs, memory] = extrapolate(pencil, y, run.ritz!);
  run.ritz = memory;
  const lengths = pairs.values.map(
    (value) => pencil.size * (method === 'specnet1' ? 1 : Math.sqrt(Math.max(value, leastValue))),
  );
  for (let p = 0; p < y.size; p++) y.data[p] = pairs.rows.data[p] * lengths[p % y.cols];
  run.measure();
  const m = new Float64Array(components * components);
  for (let j = 0; j < components; j++) m[j * components + j] = lengths[j];
  const leading = leadingPairs(pairs, components);
  return { pairs: leading, ...measure(pencil, method, leading, { within: m, trivial: null }) };
}

function within({ residuals }: RitzPairs, { tolerance }: SolveSettings): boolean {
  return residuals.every((residual) => residual <= tolerance);
}

function checkRows(name: string, graph: Graph, width: number, rows: Tensor): void {
  if (rows.rows === graph.size && rows.cols === width) return;
  throw badValue(caller, `${name} to be ${graph.size}×${width}`, showShape(rows.shape));
}

function checkState(graph: Graph, settings: SolveSettings, state: SolverState): SolverState {
  const { width, precision, pencil, deflate, epochs } = settings;
  if (!(state?.rows instanceof Tensor) || typeof state.random !== 'object') {
    throw badKind(caller, 'the state of a solution to continue from', state);
  }
  checkRows('the rows to continue from', graph, width, state.rows);
  const isOfGraph = state.graph === graphFingerprint(graph);
  if (!isOfGraph)
    throw badValue(caller, 'the state of a solution of this graph', 'one of another graph', 'Omit `from`.');
  if (state.rows.precision !== precision) {
    throw badValue(caller, `precision '${state.rows.precision}', as the state has`, `'${precision}'`);
  }
  if (state.pencil !== pencil) throw badValue(caller, `pencil '${state.pencil}', as the state has`, `'${pencil}'`);
  if (state.deflate !== deflate) throw badValue(caller, `deflate ${state.deflate}, as the state has`, deflate);
  if (state.epoch > epochs) {
    const rule = `at least ${state.epoch} epochs, as many as the state has`;
    throw badValue(caller, rule, epochs, 'Raise epochs.');
  }
  return state;
}
