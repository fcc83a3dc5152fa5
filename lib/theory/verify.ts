/** What do instances say about a statement? Each is looked at, the worst is remembered, and a verdict comes of it. */

import { badKind, badValue, checkChoice, checkCount, checkOptions } from '../core/check.ts';
import { type ProgressOptions, runAsync, type Task } from '../core/task.ts';
import { buildGraph } from '../graph/build-graph.ts';
import { checkDegrees, checkGraph, type Graph, graphFrom } from '../graph/graph.ts';
import { type Formulas, formulas as ownFormulas } from './instances/formulas.ts';
import {
  checkUnit,
  type GivenPencil,
  givenInstances,
  givenPencil,
  graphInstances,
  type InstanceSource,
  type Law,
  randomInstances,
} from './instances/instances.ts';
import { isBreakdown, unlessBrokenDown } from './instances/iteration.ts';
import type { Evidence, Observation, Statement } from './instances/statement.ts';
import { type StatementName, statements } from './statements.ts';
import { Tally } from './tally.ts';

/** On what, and how often, statements are tried. */
export interface VerifyOptions extends ProgressOptions {
  /**
   * How many pencils each statement is tried on; its own number unless said. Statements about large graphs and laws keep
   * to their own: one takes seconds, and slopes that are fitted to a few draws are those of chance.
   */
  readonly instances?: number | undefined;
  /** Instances have the seeds from a million times this on; 0 unless said. */
  readonly seed?: number | undefined;
  /** The seed of one instance, which is looked at alone: without `seed` and `instances`. */
  readonly replay?: number | undefined;
  /** The user's own, in the place of random pencils: small neighbourhoods of it, and the whole of it for the solver. */
  readonly graph?: Graph | undefined;
  /** The user's own W and D, in the place of random ones; W over a power of two where eigenvalues are far from size one. */
  readonly pencil?: GivenPencil | undefined;
  /** Points in the plane and their density, for statements about large graphs and about growing ones. */
  readonly law?: Law | undefined;
  /** Other formulas to try, in the place of the solver's and of the corrected lemmas'. */
  readonly formulas?: Partial<Formulas> | undefined;
}

const caller = 'verify';

/** Seeds of one run, and no more, so that runs with different seeds share none. */
const seedsOfRun = 1_000_000;

/** So many draws for one that meets the assumptions are tried. */
const patience = 60;

/** The graph of points that the solver is tried on: that of the paper's one moon, connected. */
const moon = { count: 2000, recipe: { kind: 'gaussian', sigma: 0.2, threshold: 0.6 } } as const;

/** Evidence on each statement in turn. One that no instance meets the assumptions of is left out. */
export async function verify(names: readonly StatementName[], options: VerifyOptions = {}): Promise<Evidence[]> {
  checkNames(names);
  checkOptions(caller, options);
  const { seed = 0, replay, instances, law, progress } = options;
  checkCount(caller, 'seed', seed);
  if (replay !== undefined) checkReplay(replay, options);
  if (instances !== undefined) checkCount(caller, 'instances', instances, 1);
  if ((instances ?? 0) > seedsOfRun) throw badValue(caller, `at most ${seedsOfRun} instances`, instances);
  const source = sourceOf(options);
  const used = { ...ownFormulas, ...options.formulas };
  for (const name of names) checkNeeds(name, options);
  const found: Evidence[] = [];
  for (const [i, name] of names.entries()) {
    const statement: Statement = statements[name];
    const own = statement.instances;
    const count = statement.about === 'pencils' ? (instances ?? own) : own;
    const seeds = replay === undefined ? range(seed * seedsOfRun, Math.min(count * patience, seedsOfRun)) : [replay];
    const told = (fraction: number): void => progress?.((i + fraction) / names.length);
    const followed = { ...options, progress: told };
    const tally = new Tally(name, statement, used);
    // oxlint-disable no-await-in-loop -- one statement after another
    if (statement.about === 'pencils')
      await runAsync(onPencils(statement, tally, source, seeds, count, used), followed);
    else if (statement.about === 'graphs') {
      const graph = options.graph ?? (await moonGraph(law!, seeds[0]));
      for (const one of seeds.slice(0, count)) {
        const drawn = options.graph ?? (one === seeds[0] ? graph : await moonGraph(law!, one));
        const seen = await runAsync(onGraph(statement, drawn, one, used), followed);
        if (seen) tally.add(one, `graph of ${drawn.size} nodes`, seen);
      }
    } else {
      const draws = range(seeds[0], count);
      const stoppable = (fraction: number): void => {
        options.signal?.throwIfAborted();
        told(fraction);
      };
      tally.add(draws[0], `${count} draws`, await statement.check(law!, draws, used, stoppable));
      tally.instances = count;
    }
    // oxlint-enable no-await-in-loop
    if (tally.instances > 0) found.push(tally.evidence());
  }
  return found;
}

function* onPencils(
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
    const seen = unlessBrokenDown(() => statement.check(instance, formulas), brokenDown);
    if (seen) {
      const { kind, pencil, components } = instance;
      tally.add(seed, `${kind}, n = ${pencil.size}, K = ${components}`, seen, pencil);
    }
    yield tally.instances / count;
  }
}

function* onGraph(
  statement: Extract<Statement, { about: 'graphs' }>,
  graph: Graph,
  seed: number,
  formulas: Formulas,
): Task<Observation | null> {
  try {
    return yield* statement.check(graph, seed, formulas);
  } catch (error) {
    if (isBreakdown(error)) return brokenDown;
    throw error;
  }
}

/** An observation too. */
const brokenDown: Observation = { findings: [{ what: 'iterations that broke down', measured: 1, bound: 0 }] };

function checkNames(names: readonly string[]): void {
  if (!Array.isArray(names)) throw badKind(caller, 'an array of names of statements', names);
  for (const name of names) checkChoice(caller, 'each name', name, Object.keys(statements));
}

function checkReplay(replay: number, { seed, instances }: VerifyOptions): void {
  checkCount(caller, 'replay', replay);
  const idle = seed === undefined ? instances !== undefined && `instances ${instances}` : `seed ${seed}`;
  const remedy = 'It is itself the seed of the one instance that is looked at.';
  if (idle) throw badValue(caller, 'replay without seed and instances', idle, remedy);
}

function sourceOf({ graph, pencil, law }: VerifyOptions): InstanceSource {
  if (graph !== undefined && pencil !== undefined) throw badValue(caller, 'a graph or a pencil', 'both');
  if (pencil !== undefined) return givenInstances(givenPencil(caller, pencil));
  if (graph === undefined) return randomInstances(law);
  checkGraph(caller, graph);
  checkDegrees(caller, graph);
  if (graph.size < 3) throw badValue(caller, 'a graph of at least 3 nodes', graph.size);
  checkUnit(caller, 'degrees', graph.degrees);
  return graphInstances(graph);
}

function checkNeeds(name: StatementName, { graph, law }: VerifyOptions): void {
  const { about }: Statement = statements[name];
  if (about === 'pencils' || law || (about === 'graphs' && graph)) return;
  const wanted = about === 'graphs' ? 'a graph or a law' : 'a law';
  const remedy = 'oneMoon and oneMoonDensity of specnet/datasets make one.';
  throw badValue(caller, `${wanted} of points for '${name}'`, 'none', remedy);
}

/** In double precision. */
async function moonGraph(law: Law, seed: number): Promise<Graph> {
  const { weights } = await buildGraph(law.points(moon.count, seed), moon.recipe);
  return graphFrom(weights.copy('double'));
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}
