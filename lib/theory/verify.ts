/** `verify` checks statements on many instances and returns the evidence: the worst instance and a verdict for each. */

import { badKind, badValue, checkChoice, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, type Task, type WaitingTask } from '../core/task.ts';
import { buildGraph } from '../graph/build-graph.ts';
import { checkDegrees, checkGraph, type Graph, graphFrom } from '../graph/graph.ts';
import { type Formulas, formulaRules, formulas as defaultFormulas } from './instances/formulas.ts';
import {
  checkMagnitude,
  type GivenPencil,
  givenInstances,
  givenPencil,
  graphInstances,
  type InstanceSource,
  type Law,
  randomInstances,
} from './instances/instances.ts';
import { isBreakdown, catchBreakdown } from './instances/iteration.ts';
import type { Evidence, Observation, Statement } from './instances/statement.ts';
import { type StatementName, statements } from './statements.ts';
import { Tally } from './tally.ts';

/** The instances on which statements are checked, and their number. */
export interface VerifyOptions extends ProgressOptions {
  /**
   * The number of pencils on which each statement is checked. Default: set by the statement. Statements about large graphs
   * and about laws always use their own number: one instance takes seconds, and slopes fitted to a few draws are random.
   */
  readonly instances?: number | undefined;
  /** The seeds of instances start at a million times this number. Default: 0. */
  readonly seed?: number | undefined;
  /** The seed of a single instance to check. Excludes `seed` and `instances`. */
  readonly replay?: number | undefined;
  /** A graph to use instead of random pencils: small neighborhoods of it, or all of it for statements about the solver. */
  readonly graph?: Graph | undefined;
  /** W and D to use instead of random ones. W is divided by a power of two if the eigenvalues are not of order one. */
  readonly pencil?: GivenPencil | undefined;
  /** Points in the plane and their density, for statements about large graphs and about the limit of many points. */
  readonly law?: Law | undefined;
  /** Formulas to check instead of those of the solver and of the corrected lemmas. */
  readonly formulas?: Partial<Formulas> | undefined;
}

const rules: Rules<VerifyOptions> = {
  ...progressRules,
  instances: 'number',
  seed: 'number',
  replay: 'number',
  graph: 'object',
  pencil: 'object',
  law: 'object',
  formulas: formulaRules,
};

const caller = 'verify';

/** The number of seeds reserved for a run, so that runs with different seeds share none. */
const seedsPerRun = 1_000_000;

/** The maximal number of draws per instance that meets the assumptions. */
const drawsPerInstance = 60;

/** The graph on which the solver is checked: the connected graph of the paper's one moon. */
const moon = { count: 2000, recipe: { kind: 'gaussian', sigma: 0.2, threshold: 0.6 } } as const;

/** Evidence on each statement, in the given order. Statements whose assumptions no instance meets are left out. */
export async function verify(names: readonly StatementName[], options: VerifyOptions = {}): Promise<Evidence[]> {
  checkNames(names);
  checkOptions(caller, options, rules);
  const { seed = 0, replay, instances, law, progress } = options;
  checkCount(caller, 'seed', seed);
  if (replay !== undefined) checkReplay(replay, options);
  if (instances !== undefined) checkCount(caller, 'instances', instances, 1);
  if ((instances ?? 0) > seedsPerRun) throw badValue(caller, `at most ${seedsPerRun} instances`, instances);
  const source = sourceOf(options);
  const formulas = { ...defaultFormulas, ...options.formulas };
  for (const name of names) checkNeeds(name, options);
  const found: Evidence[] = [];
  for (const [i, name] of names.entries()) {
    const statement: Statement = statements[name];
    const own = statement.instances;
    const count = statement.about === 'pencils' ? (instances ?? own) : own;
    const seeds =
      replay === undefined ? range(seed * seedsPerRun, Math.min(count * drawsPerInstance, seedsPerRun)) : [replay];
    const report = (fraction: number): void => progress?.((i + fraction) / names.length);
    const taskOptions = { ...options, progress: report };
    const tally = new Tally(name, statement, formulas);
    // oxlint-disable no-await-in-loop -- one statement after another
    if (statement.about === 'pencils')
      await runAsync(checkPencilsSteps(statement, tally, source, seeds, count, formulas), taskOptions);
    else if (statement.about === 'graphs') {
      const graph = options.graph ?? (await moonGraph(law!, seeds[0]));
      for (const draw of seeds.slice(0, count)) {
        const drawn = options.graph ?? (draw === seeds[0] ? graph : await moonGraph(law!, draw));
        const observation = await runAsync(checkGraphSteps(statement, drawn, draw, formulas), taskOptions);
        if (observation) tally.add(draw, `graph of ${drawn.size} nodes`, observation);
      }
    } else {
      const draws = range(seeds[0], count);
      const reportOrAbort = (fraction: number): void => {
        options.signal?.throwIfAborted();
        report(fraction);
      };
      tally.add(draws[0], `${count} draws`, await statement.check(law!, draws, formulas, reportOrAbort));
      tally.instances = count;
    }
    // oxlint-enable no-await-in-loop
    if (tally.instances > 0) found.push(tally.evidence());
  }
  return found;
}

function* checkPencilsSteps(
  statement: Extract<Statement, { about: 'pencils' }>,
  tally: Tally,
  source: InstanceSource,
  seeds: readonly number[],
  count: number,
  formulas: Formulas,
): Task<void> {
  for (const seed of seeds) {
    if (tally.instances === count) return;
    const instance = source(seed);
    const observation = catchBreakdown(() => statement.check(instance, formulas), breakdown);
    if (observation) {
      const { kind, pencil, components } = instance;
      tally.add(seed, `${kind}, n = ${pencil.size}, K = ${components}`, observation, pencil);
    }
    yield tally.instances / count;
  }
}

function* checkGraphSteps(
  statement: Extract<Statement, { about: 'graphs' }>,
  graph: Graph,
  seed: number,
  formulas: Formulas,
): WaitingTask<Observation | null> {
  try {
    return yield* statement.checkSteps(graph, seed, formulas);
  } catch (error) {
    if (isBreakdown(error)) return breakdown;
    throw error;
  }
}

/** A breakdown of the iteration counts as a failed finding. */
const breakdown: Observation = { findings: [{ what: 'iterations that broke down', measured: 1, bound: 0 }] };

function checkNames(names: readonly string[]): void {
  if (!Array.isArray(names)) throw badKind(caller, 'an array of names of statements', names);
  for (const name of names) checkChoice(caller, 'each name', name, Object.keys(statements));
}

function checkReplay(replay: number, { seed, instances }: VerifyOptions): void {
  checkCount(caller, 'replay', replay);
  const unused = seed === undefined ? instances !== undefined && `instances ${instances}` : `seed ${seed}`;
  const remedy = 'replay is itself the seed of the one instance. Omit the others.';
  if (unused) throw badValue(caller, 'replay without seed and instances', unused, remedy);
}

function sourceOf({ graph, pencil, law }: VerifyOptions): InstanceSource {
  if (graph !== undefined && pencil !== undefined)
    throw badValue(caller, 'a graph or a pencil', 'both', 'Omit one of them.');
  if (pencil !== undefined) return givenInstances(givenPencil(caller, pencil));
  if (graph === undefined) return randomInstances(law);
  checkGraph(caller, graph);
  checkDegrees(caller, graph);
  if (graph.size < 3) throw badValue(caller, 'a graph of at least 3 nodes', graph.size);
  checkMagnitude(caller, 'degrees', graph.degrees);
  return graphInstances(graph);
}

function checkNeeds(name: StatementName, { graph, law }: VerifyOptions): void {
  const { about }: Statement = statements[name];
  if (about === 'pencils' || law || (about === 'graphs' && graph)) return;
  const required = about === 'graphs' ? 'a graph or a law' : 'a law';
  const remedy = 'Pass a law, for example made of oneMoon and oneMoonDensity of specnet/datasets.';
  throw badValue(caller, `${required} of points for '${name}'`, 'none', remedy);
}

/** The graph of one draw, in double precision. */
async function moonGraph(law: Law, seed: number): Promise<Graph> {
  const { weights } = await buildGraph(law.points(moon.count, seed), moon.recipe);
  return graphFrom(weights.copy('double'));
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}
