/** Options of the solver: their defaults and checks. */

import { badKind, badValue, checkChoice, checkCount } from '../../core/check.ts';
import { checkOptions, defined, type Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { checkTwoNodes, type Graph } from '../../graph/graph.ts';
import { type Precision, precisions, type Tensor } from '../../tensor/tensor.ts';
import { type BatchOrder, batchOrders } from '../descent/batches.ts';
import type { RotationOptions } from '../descent/descent.ts';
import { type SolverMethod, solverMethods } from '../descent/objective.ts';
import { type PencilKind, pencilKinds } from '../pencil/pencil.ts';
import type { Spectrum } from '../spectrum/spectrum.ts';
import type { EpochRecord, SolverState } from './state.ts';
import { preconditioners, type StepRule } from '../descent/step-rule.ts';
import { type Scheme, schemes } from '../descent/view.ts';

/**
 * A number is the constant step of the paper, which depends on the unit of the weights. 'auto' needs no tuning: it makes sweeps of power iteration, extrapolated by
 * Rayleigh-Ritz after each epoch. 'conjugate' means conjugate gradients on the full batch, with exact line search.
 */
export type StepChoice = 'auto' | 'conjugate' | number | StepRule;

/** The eigenpairs to compute, the method, scheme and step, and when to stop. */
export interface SolveOptions extends ProgressOptions, Partial<RotationOptions> {
  /** The number of nontrivial eigenpairs to compute. Without `deflate`, the trivial one counts too. */
  readonly components: number;
  /**
   * Default: 'specnet2'. 'triofm' is SpecNet2 with ordered columns: each becomes an eigenvector itself, so that no Rayleigh-Ritz is
   * needed at the end. `accelerate`, `guard`, line search and conjugate gradients are refused, because its direction is not
   * the gradient of any function.
   */
  readonly method?: SolverMethod;
  /** Default: 'neighbor'. */
  readonly scheme?: Scheme;
  /** Rows in a batch, at most all. Default: 50; all rows for step 'conjugate', and for step 'auto' with specnet1. */
  readonly batch?: number;
  /** Default: 'shuffled'. */
  readonly order?: BatchOrder;
  /** Default: 'auto'. */
  readonly step?: StepChoice;
  /** Extrapolate by Rayleigh-Ritz after each epoch. Default: true for the step 'auto', else false. */
  readonly accelerate?: boolean;
  /** The number of extra columns of Y, which make the wanted ones converge faster. Default: half of `components`, at least 2, with `accelerate`; else 0. */
  readonly guard?: number;
  /** The total number of epochs, including those before `from`. Default: 300. */
  readonly epochs?: number;
  /** The solve ends when all residuals ‖D^-½(Wx − λDx)‖ of unit x are at most this. Default: 1e-8, or 1e-7 in single precision. */
  readonly tolerance?: number;
  readonly seed?: Seed;
  /** The precision of Y and W. Moments are always in Float64. Default: 'double'. */
  readonly precision?: Precision;
  /** 'random-walk' is (W, D), 'symmetric' is (D^-½WD^-½, I). Default: 'random-walk'. */
  readonly pencil?: PencilKind;
  /** Deflate the trivial eigenpair by W − ηηᵀ (eq:uopt2). Default: true. */
  readonly deflate?: boolean;
  /** Rows to start from, n×components, copied. Default: random rows from the seed. */
  readonly start?: Tensor;
  /** The state of an earlier solve. The solve continues from it, with the same bits as without the pause if the options are the same. */
  readonly from?: SolverState;
  /** Eigenpairs to measure errors against in the trace: `spectrum(graph, …)` with at least the wanted pairs. */
  readonly reference?: Spectrum;
  /** Called after each epoch. */
  readonly onEpoch?: (record: EpochRecord) => void;
  /** A clock in seconds, for the trace only. Default: `performance.now() / 1000`. */
  readonly clock?: () => number;
}

const stepRules: Rules<StepRule> = { precondition: preconditioners, length: checkLength, conjugate: 'boolean' };

const rules: Rules<SolveOptions> = {
  ...progressRules,
  components: 'number',
  method: solverMethods,
  scheme: schemes,
  batch: 'number',
  order: batchOrders,
  step: checkStep,
  accelerate: 'boolean',
  guard: 'number',
  epochs: 'number',
  tolerance: 'number',
  seed: 'seed',
  precision: precisions,
  pencil: pencilKinds,
  deflate: 'boolean',
  orthogonalize: ['gram', 'support'],
  rotate: ['before', 'after'],
  start: 'object',
  from: 'object',
  reference: 'object',
  onEpoch: 'function',
  clock: 'function',
};

export interface SolveSettings extends Required<
  Omit<SolveOptions, 'start' | 'from' | 'reference' | 'onEpoch' | 'step' | 'progress' | 'signal'>
> {
  readonly rule: StepRule;
  /** Columns of Y: components and guard. */
  readonly width: number;
}

const defaults = {
  method: 'specnet2',
  scheme: 'neighbor',
  order: 'shuffled',
  step: 'auto',
  epochs: 300,
  seed: 0,
  precision: 'double',
  pencil: 'random-walk',
  deflate: true,
  orthogonalize: 'gram',
  rotate: 'after',
} as const;

const defaultBatch = 50;
/** The step 'auto' of triofm. Curvatures in units of D are at most 8, so that steps below 2/8 are stable. */
const orderedLength = 0.2;
const tolerances: Record<Precision, number> = { single: 1e-7, double: 1e-8 };
/** The public function that errors name. */
export const caller = 'solve';

export function resolveOptions(graph: Graph, options: SolveOptions): SolveSettings {
  checkOptions(caller, options, rules);
  const all = { ...defaults, ...defined(options) };
  if (all.deflate) checkTwoNodes(caller, graph);
  checkCount(caller, 'components', all.components, 1);
  const most = graph.size - Number(all.deflate);
  if (all.components > most)
    throw badValue(caller, `at most ${most} components of ${graph.size} nodes`, all.components);
  const whole = all.step === 'conjugate' || (all.step === 'auto' && all.method === 'specnet1');
  const { batch = whole ? graph.size : Math.min(defaultBatch, graph.size) } = options;
  checkCount(caller, 'batch', batch, 1);
  if (batch > graph.size) throw badValue(caller, `a batch of at most ${graph.size} rows`, batch);
  checkCount(caller, 'epochs', all.epochs);
  const { tolerance = tolerances[all.precision] } = options;
  if (!(tolerance >= 0)) throw badValue(caller, 'a tolerance of at least 0', tolerance);
  const rule = ruleOf(all.step, all.method, all.scheme);
  const isOrdered = all.method === 'triofm';
  if (isOrdered) checkOrdered(rule, options);
  const { accelerate = all.step === 'auto' && !isOrdered, clock = () => performance.now() / 1000 } = options;
  const defaultGuard = accelerate ? Math.max(2, Math.ceil(all.components / 2)) : 0;
  const { guard = Math.min(defaultGuard, most - all.components) } = options;
  checkCount(caller, 'guard', guard);
  const width = all.components + guard;
  if (width > most) throw badValue(caller, `at most ${most - all.components} columns as guard`, guard);
  checkRule(rule, all.method, all.scheme, batch === graph.size);
  if (rule.precondition === 'columns' && !accelerate) {
    const remedy = 'Without it all columns tend to the same eigenvector.';
    throw badValue(caller, "accelerate with the precondition 'columns'", accelerate, remedy);
  }
  if (all.method === 'specnet1' && all.scheme === 'local' && batch < width) {
    throw badValue(caller, `batches of at least ${width} rows, one for each column`, batch);
  }
  return { ...all, batch, tolerance, rule, accelerate, guard, width, clock };
}

function checkLength(_: string, name: string, length: StepRule['length']): void {
  if (length === 'search' || (typeof length === 'number' && length > 0 && Number.isFinite(length))) return;
  throw badValue(caller, `${name} to be above 0, or 'search'`, length);
}

function checkStep(_: string, name: string, step: StepChoice): void {
  if (step === 'auto' || step === 'conjugate') return;
  if (typeof step === 'number') return checkLength(caller, name, step);
  if (typeof step !== 'object') throw badKind(caller, "step to be 'auto', 'conjugate', a number or a rule", step);
  checkOptions(caller, step, stepRules, name);
}

/**
 * Length 1 of the gram rule and length 0.5 of f1 make the same step: Y_B becomes (D⁻¹WY)_B up to a change of columns. f1 takes a
 * little less, because it orthogonalizes immediately: a full step on a graph with few nonzero eigenvalues would make columns
 * dependent.
 */
function ruleOf(step: StepChoice, method: SolverMethod, scheme: Scheme): StepRule {
  if (typeof step === 'number') return { precondition: 'none', length: step };
  if (step === 'conjugate') return { precondition: 'degree', length: 'search', conjugate: true };
  if (step !== 'auto') return step;
  if (method === 'specnet1') return { precondition: 'none', length: 0.47 };
  if (method === 'triofm') return { precondition: 'degree', length: orderedLength };
  return scheme === 'local' ? { precondition: 'degree', length: 'search' } : { precondition: 'columns', length: 1 };
}

/** The rules of ordered columns: a constant step along the direction itself, or along n·D⁻¹ times it. */
function checkOrdered({ precondition, length, conjugate }: StepRule, { accelerate, guard }: SolveOptions): void {
  const field = 'The direction of triofm is not the gradient of any function, so that there is no minimum along it.';
  if (length === 'search' || conjugate) {
    throw badValue(caller, 'a constant step for triofm', conjugate ? 'conjugate gradients' : "length 'search'", field);
  }
  if (precondition === 'gram' || precondition === 'columns') {
    const remedy = 'Others mix the columns, which would lose their order.';
    throw badValue(caller, "the precondition 'none' or 'degree' for triofm", `'${precondition}'`, remedy);
  }
  if (!accelerate && !guard) return;
  const remedy = 'Its columns are eigenvectors without Rayleigh-Ritz.';
  throw badValue(caller, 'no accelerate and no guard for triofm', accelerate ? 'accelerate' : `guard ${guard}`, remedy);
}

function checkRule(rule: StepRule, method: SolverMethod, scheme: Scheme, wholeBatch: boolean): void {
  checkChoice(caller, 'step.precondition', rule.precondition, preconditioners);
  if (rule.length === undefined) throw badKind(caller, "step.length to be above 0, or 'search'", rule.length);
  if (method === 'specnet1' && (rule.precondition !== 'none' || rule.length === 'search' || rule.conjugate)) {
    throw badValue(
      caller,
      'a constant step for specnet1',
      'another rule',
      "Its gradient has D⁻¹ already; 'auto' is 0.47.",
    );
  }
  if (rule.conjugate && (scheme === 'local' || !wholeBatch || rule.length !== 'search')) {
    const remedy = "Omit `batch`, and use the scheme 'full' or 'neighbor'.";
    const got = scheme === 'local' ? "scheme 'local'" : wholeBatch ? `length ${rule.length}` : 'a smaller batch';
    throw badValue(caller, "all rows in one batch and length 'search' for conjugate gradients", got, remedy);
  }
}
