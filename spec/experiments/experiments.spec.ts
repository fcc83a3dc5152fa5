/** Experiments are well formed, and their verdicts follow from the numbers. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Choices,
  type FinishedJob,
  type Experiment,
  type Json,
  minutesOf,
  shortRunCanConfirm,
} from '../../lib/experiments/shared/experiment.ts';
import type { LinearTask } from '../../lib/experiments/recipes/one-moon/jobs.ts';
import { rawResults, readResult } from '../../lib/experiments/report/raw.ts';
import { htmlReport, markdownReport, type Result, resultOf } from '../../lib/experiments/report/report.ts';
import { deviation, mean, overReplicas, powerLawExponent } from '../../lib/experiments/shared/statistics.ts';
import { experiments } from '../../lib/experiments/table.ts';
import { timeAxis } from '../../lib/experiments/shared/times.ts';
import type { TwoMoonsTask } from '../../lib/experiments/recipes/two-moons/jobs.ts';
import { workers } from '../../lib/experiments/workers.ts';

const test = suite('experiments');

const quick: Choices = { quick: true, replicas: null, epochs: null, seed: 0 };
const full: Choices = { quick: false, replicas: null, epochs: null, seed: 0 };

test('every experiment has a summary, settings, and jobs of a kind that has a worker', () => {
  for (const [name, experiment] of Object.entries(experiments)) {
    assert.match(name, /^[a-z0-9-]+$/);
    assert.ok(experiment.summary.length < 110, name);
    const minutes = [quick, full].map((choices) => minutesOf(experiment, choices, 2));
    assert.ok(minutes[0] > 0 && minutes[0] <= 2 && minutes[1] >= minutes[0], `${name} ${minutes}`);
    for (const choices of [quick, full, { quick: true, replicas: 3, epochs: 2, seed: 5 }]) {
      const jobs = experiment.jobs(choices);
      assert.ok(jobs.length > 0 && jobs.every(({ kind, weight }) => Object.hasOwn(workers, kind) && weight > 0), name);
      assert.equal(JSON.parse(JSON.stringify(jobs)), jobs);
      assert.ok(Object.keys(experiment.settings(choices)).length > 2);
    }
  }
});

test('the name of a job stands for the same task in all experiments', () => {
  for (const choices of [quick, full]) {
    const tasks = new Map<string, string>();
    for (const job of Object.values(experiments).flatMap((experiment) => experiment.jobs(choices))) {
      const name = `${job.kind}.${job.key}`;
      assert.match(name, /^[a-z0-9.-]+$/);
      const task = JSON.stringify(job.task);
      assert.is(tasks.get(name) ?? task, task, name);
      tasks.set(name, task);
    }
  }
});

test('the number of replicas is the one requested, and their seeds are consecutive', () => {
  const starts = (replicas: number | null): number[] => {
    const jobs = experiments['one-moon-linear'].jobs({ ...full, replicas, seed: 40 });
    return [...new Set(jobs.map(({ task }) => (task as unknown as LinearTask).start))];
  };
  assert.equal(starts(3), [40, 41, 42]);
  assert.equal(starts(null), [40, 41, 42, 43, 44]);
});

/** Finished jobs with numbers invented from the task. */
function pretend(
  experiment: Experiment,
  choices: Choices,
  numbers: (task: never, kind: string) => unknown,
  seconds: readonly number[] = [1, 2],
): FinishedJob[] {
  return experiment.jobs(choices).map(({ kind, key, task }) => ({
    kind,
    key,
    task,
    numbers: numbers(task as never, kind) as Json,
    seconds,
    clock: 'processor' as const,
  }));
}

const linear = experiments['one-moon-linear'];

/** Errors that decrease by a factor every epoch. A factor of 1 is stagnation. */
const falling = (factors: (task: LinearTask) => number) => (task: LinearTask) => ({
  rows: Array.from({ length: task.step === 'auto' ? 40 : task.epochs }, (_, i) =>
    Array(4).fill(factors(task) ** (i + 1)),
  ),
});

test('the verdicts on linear algebra follow from the errors', () => {
  const verdicts = (factors: (task: LinearTask) => number, choices = full): (boolean | null)[] =>
    linear.review(pretend(linear, choices, falling(factors)), choices).claims.map(({ agrees }) => agrees);
  const asInPaper = ({ step, scheme }: LinearTask): number => (step === 'auto' ? 0.5 : scheme === 'local' ? 1 : 0.95);
  assert.equal(verdicts(asInPaper), [true, true, true, true, true]);
  assert.equal(
    verdicts(({ step }) => (step === 'auto' ? 0.5 : 1)),
    [false, true, true, true, true],
  );
  assert.equal(
    verdicts(({ step }) => (step === 'auto' ? 0.5 : 0.95)),
    [true, false, false, true, true],
  );
  assert.equal(
    verdicts((task) => (task.scheme === 'full' ? 0.94 : asInPaper(task))),
    [true, true, true, false, true],
  );
  assert.equal(
    verdicts((task) => (task.step === 'auto' ? 0.9 : asInPaper(task))),
    [true, true, true, true, false],
  );

  // After half of 300 epochs is after the 150th.
  const counted = (task: LinearTask) => ({ rows: Array.from({ length: task.epochs }, (_, i) => Array(4).fill(i + 1)) });
  assert.match(
    linear.review(pretend(linear, full, counted), full).claims[1].measured,
    /^Errors 300 .* were 150 \/ 150 /,
  );

  // Errors that stagnate at the end have converged if they are small, and have not otherwise.
  const soon = ({ step, scheme, epochs }: LinearTask): number[] =>
    Array.from({ length: epochs }, (_, i) => (step === 'auto' || scheme !== 'local' ? Math.max(0.5 ** i, 1e-9) : 0.9));
  const early = (task: LinearTask) => ({ rows: soon(task).map((error) => Array(4).fill(error)) });
  assert.equal(
    linear.review(pretend(linear, full, early), full).claims.map(({ agrees }) => agrees),
    [true, true, true, true, true],
  );

  // A short run can confirm that errors decrease, not that they never will.
  assert.equal(verdicts(asInPaper, quick), [true, true, true, true, true]);
  const few: Choices = { ...full, epochs: 4 };
  assert.equal(verdicts(asInPaper, few), [null, null, null, true, true]);
  assert.equal(verdicts(({ step }) => (step === 'auto' ? 0.9 : 0.3), few), [true, false, false, true, null]); // oxfmt-ignore
});

test('the verdicts on two moons follow from accuracies and their spread', () => {
  const moons = experiments['two-moons'];
  const verdicts = (accuracy: (task: TwoMoonsTask) => number, choices: Choices): (boolean | null)[] => {
    const picture = { x: [0, 1], y: [0, 1], shade: [0, 1] };
    const pictures = { train: picture, test: picture };
    const done = pretend(moons, choices, (task: TwoMoonsTask, kind) =>
      kind === 'two-moons'
        ? { rows: Array.from({ length: task.epochs }, () => Array(2).fill(accuracy(task))), pictures }
        : { rows: [[0.999, 0.999]], pictures },
    );
    return moons.review(done, choices).claims.map(({ agrees }) => agrees);
  };
  const spread = ({ method, start }: TwoMoonsTask): number => (method === 'specnet1' ? 0.75 + 0.2 * (start % 2) : 0.85);
  assert.equal(verdicts(spread, full), [true, true, true]);
  assert.equal(
    verdicts(({ start }) => 0.8 + 0.1 * (start % 2), full),
    [true, false, true],
  );
  const unequal = ({ method }: TwoMoonsTask): number => (method === 'specnet1' ? 0.6 : 0.9);
  assert.equal(verdicts(unequal, full).slice(0, 1), [false]);
  assert.equal(verdicts(unequal, quick).slice(0, 2), [null, null], 'a short run does not tell');
  assert.equal(verdicts(spread, { ...full, replicas: 2 })[1], null, 'nor do so few starts');
});

test('a claim about a full training is not confirmed by a short one', () => {
  const verdicts = (name: string, direct: number, choices: Choices): (boolean | null)[] => {
    const embedding = { train: { first: [0], second: [0] }, test: { first: [0], second: [0] } };
    const done = pretend(experiments[name], choices, (task: { epochs?: number }, kind) => ({
      rows: Array.from({ length: task.epochs ?? 1 }, () => Array(6).fill(kind === 'direct' ? direct : 0.1)),
      embedding,
      truth: embedding,
      neighbors: 620,
    }));
    const timed = done.map((one) => Object.assign(one, { seconds: one.kind === 'direct' ? [1, 1] : [10] }));
    return experiments[name].review(timed, choices).claims.map(({ agrees }) => agrees);
  };
  for (const name of ['one-moon-network', 'classical']) {
    assert.equal([full, quick].map((choices) => verdicts(name, 0.05, choices).at(-1)), [true, null], name); // oxfmt-ignore
    assert.equal([full, quick].map((choices) => verdicts(name, 0.5, choices).at(-1)), [false, false], name); // oxfmt-ignore
  }
});

test('the verdicts on MNIST follow from the losses', () => {
  const verdicts = (gap: number, ours: number, choices = full): (boolean | null)[] => {
    const done = pretend(experiments.mnist, choices, (task: { epochs?: number }, kind) => ({
      rows: Array.from({ length: task.epochs ?? 1 }, () => Array(3).fill(kind === 'mnist' ? gap : ours)),
      eigenvalues: [1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9],
      batchNeighbors: [45, 90, 180],
      pictures: null,
      vote: null,
    }));
    return experiments.mnist.review(done, choices).claims.map(({ agrees }) => agrees);
  };
  const [neighbors, minimum, f1, small, spread, , , regression] = verdicts(0.2, 0.02);
  assert.equal([neighbors, minimum, f1, small, spread, regression], [true, false, true, false, false, true]);
  assert.equal([verdicts(-0.2, 0.02)[2], verdicts(10, 0.02)[1]], [false, true]);
  assert.equal([verdicts(0.2, 0.3).at(-1), verdicts(0.2, 0.02, quick).at(-1)], [false, null]);
  const short: Choices = { ...full, replicas: 3, epochs: 20 };
  assert.equal(verdicts(0.2, 0.02, short).slice(3, 5), [null, null], 'a short run refutes neither level nor spread');
});

test('seconds of an epoch are next to those of the authors, and have to fall as batches grow', () => {
  const claimOf = (secondsOf: (batch: number) => number) => {
    const done = pretend(experiments.mnist, full, (task: { epochs?: number }) => ({
      rows: Array.from({ length: task.epochs ?? 1 }, () => [0.2, 0.2, 0.2]),
      eigenvalues: [1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9],
      batchNeighbors: [45, 90, 180],
      pictures: null,
      vote: null,
    }));
    const timed = done.map((one) => {
      const { batch = 1, epochs = 1 } = one.task as { batch?: number; epochs?: number };
      return Object.assign(one, { seconds: Array.from({ length: epochs }, (_, e) => (e + 1) * secondsOf(batch)) });
    });
    return experiments.mnist.review(timed, full).claims.find(({ claim }) => claim.includes('31, 15.7, 9.9 s'))!;
  };
  const inverse = claimOf((batch) => 16 / batch);
  assert.is(inverse.agrees, true);
  assert.match(inverse.measured, /^8[.0]*, 4[.0]*, 2[.0]* s /);
  assert.is(claimOf((batch) => batch).agrees, false);
});

test('the verdict on MNIST against time follows from losses and seconds', () => {
  const verdict = (
    secondsOf: { specnet1: number; specnet2: number },
    nears: boolean,
    choices = full,
  ): boolean | null => {
    const done = pretend(experiments.mnist, choices, (task: { epochs?: number; method?: string }) => ({
      rows: Array.from({ length: task.epochs ?? 1 }, (_, e) =>
        Array(3).fill(task.method === 'specnet1' ? 0.2 : nears && e >= 10 ? 0.1 : 0.3),
      ),
      eigenvalues: [1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9],
      batchNeighbors: [45, 90, 180],
      pictures: null,
      vote: null,
    })).map((one) => {
      const { method, epochs } = one.task as { method: 'specnet1' | 'specnet2'; epochs?: number };
      const each = secondsOf[method] ?? 1;
      return Object.assign(one, { seconds: Array.from({ length: epochs ?? 1 }, (_, e) => (e + 1) * each) });
    });
    const claims = experiments.mnist.review(done, choices).claims.filter(({ claim }) => claim.includes('against time'));
    assert.is(claims.length, 1);
    return claims[0].agrees;
  };
  assert.is(verdict({ specnet1: 1, specnet2: 10 }, true), true, '11 epochs of 10 s end after 50 of 1 s');
  assert.is(verdict({ specnet1: 1, specnet2: 2 }, true), false, '11 epochs of 2 s do not');
  assert.is(verdict({ specnet1: 1, specnet2: 2 }, false), true, 'never as near');
  const short: Choices = { ...full, epochs: 20 };
  for (const each of [2, 10]) assert.is(verdict({ specnet1: 1, specnet2: each }, true, short), null, 'a short run');
});

test('the report depends only on the numbers, also after a round trip through JSON, and is self-contained', () => {
  const replicas = pretend(
    linear,
    quick,
    falling(() => 0.9),
  );
  const result = resultOf('one-moon-linear', linear, { choices: quick, machine: 'a <machine>', replicas });
  const [{ raw }] = rawResults([result]);
  const again = readResult('one-moon-linear', linear, () => JSON.parse(JSON.stringify(raw))) as Result;
  for (const report of [htmlReport, markdownReport]) {
    const text = report([result]);
    assert.is(report([again]), text);
    assert.not.match(text, /NaN|undefined|\[object/);
    for (const { claim, measured } of result.review.claims) {
      assert.ok(text.includes(claim) && text.includes(measured.replaceAll('>', '&gt;').replaceAll('<', '&lt;')));
    }
  }
  const page = htmlReport([result]);
  assert.match(page, /Of 4 claims of the paper, \d agree, \d differ and \d are undecided; of 1 claims that we add, /);
  assert.match(page, /a &lt;machine&gt;/);
  assert.not.match(page.replaceAll('http://www.w3.org/2000/svg', ''), /https?:|<script|<link|@import|url\(/);
  assert.match(page, /prefers-color-scheme: dark/);
});

test('a replica that experiments share is in one file, and a file that lacks it says so', () => {
  const names = ['one-moon-network', 'one-moon-pencil'] as const;
  const embedding = { train: { first: [0], second: [0] }, test: { first: [0], second: [0] } };
  const numbers = (task: { epochs?: number }) => ({
    rows: Array.from({ length: task.epochs ?? 1 }, () => [0.1, 0.2, 0.1, 0.2, 0.01, 0.02]),
    embedding,
    truth: embedding,
    neighbors: 620,
  });
  const resultsOf = (seconds: number) =>
    names.map((name) => {
      const replicas = pretend(experiments[name], quick, numbers, [seconds]);
      return resultOf(name, experiments[name], { choices: quick, machine: '', replicas });
    });
  const results = resultsOf(1);
  const files = new Map(rawResults(results).map(({ name, raw }) => [name, JSON.parse(JSON.stringify(raw))]));
  const read = (name: string): unknown => files.get(name);
  const pencil = files.get('one-moon-pencil').replicas as { in?: string; numbers?: unknown }[];
  assert.is(pencil.filter((one) => one.in === 'one-moon-network' && !one.numbers).length, 4);
  assert.is(pencil.filter((one) => one.numbers).length, 4, 'those of its own');
  const again = names.map((name) => readResult(name, experiments[name], read) as Result);
  assert.equal(again, results);

  // Measurements of another run are other replicas.
  const mixed = rawResults([results[0], resultsOf(2)[1]]);
  assert.not.match(JSON.stringify(mixed[1].raw), /"in":/);

  files.delete('one-moon-network');
  assert.equal(readResult('one-moon-pencil', experiments['one-moon-pencil'], read), {
    problem: 'lacks the replica network specnet1-full-0, which should be in the file of one-moon-network',
  });
  for (const raw of [
    undefined,
    7,
    {},
    { choices: null, replicas: [] },
    { format: 3, choices: quick, replicas: [3] },
    { ...files.get('one-moon-pencil'), format: 1 },
  ]) {
    assert.equal(readResult('data', experiments.data, () => raw), { problem: 'is damaged or from another version' }); // oxfmt-ignore
  }
});

test('a run of fewer epochs than the paper can confirm, and cannot refute', () => {
  const epochs = { quick: 20, full: 50 };
  const verdicts = (choices: Choices) => [true, false].map((agrees) => shortRunCanConfirm(agrees, choices, epochs));
  assert.equal(verdicts(full), [true, false]);
  assert.equal(verdicts({ ...full, epochs: 50 }), [true, false]);
  assert.equal(verdicts({ ...full, epochs: 10 }), [true, null]);
  assert.equal(verdicts(quick), [true, null]);
  for (const name of ['one-moon-linear', 'one-moon-network', 'two-moons', 'mnist', 'mnist-k10']) {
    const choices = { ...full, epochs: 7, replicas: 1 };
    const tasks = experiments[name].jobs(choices).map(({ task }) => task as unknown as { epochs?: number });
    assert.ok(tasks.every((task) => task.epochs === undefined || task.epochs === 7) && tasks[0].epochs === 7, name);
    assert.is(experiments[name].settings(choices).epochs, 7);
  }
});

test('corrected moments are compared with the paper’s rule by errors, by the worst accuracy, and by the gap', () => {
  const { corrected } = experiments;
  const verdicts = (choices: Choices, error: number, accuracy: number, gap: number) => {
    const numbers = ({ moments }: { moments?: string }, kind: string): object => {
      const isCorrected = moments === 'corrected';
      const of: Record<string, number[]> = {
        network: [1, 1, 1, 1, isCorrected ? error : 0.02, isCorrected ? error : 0.02],
        'two-moons': [isCorrected ? accuracy : 0.9, 1],
        mnist: [1, 1, isCorrected ? gap : 1],
      };
      return { rows: [of[kind], of[kind]] };
    };
    const { claims, figures } = corrected.review(pretend(corrected, choices, numbers), choices);
    assert.equal(figures.map(({ panels }) => panels.length), [2, 2, 2]); // oxfmt-ignore
    return claims.map(({ agrees }) => agrees);
  };
  assert.equal(verdicts(full, 0.009, 0.991, 0.4), [true, true, true]);
  assert.equal(verdicts(full, 0.011, 0.989, 0.6), [false, false, false]);
  assert.equal(verdicts(quick, 0.011, 0.989, 0.6), [null, null, null]);
  const [paper, ours] = ['tracked', 'corrected'].map((rule) =>
    corrected.jobs(full).find(({ key }) => key.includes(rule))!,
  );
  assert.equal(
    [(paper.task as { moments?: string }).moments, (ours.task as { moments?: string }).moments],
    [undefined, 'corrected'],
  );
});

test('times name their clock, and the wall clock if clocks differ', () => {
  const done = pretend(linear, quick, falling(() => 0.9)); // oxfmt-ignore
  assert.is(timeAxis(done, 'of training').label, 'CPU seconds of training');
  const mixed = done.with(3, { ...done[3], clock: 'wall' });
  assert.is(timeAxis(mixed, 'of training').label, 'wall-clock seconds of training');
});

test('this code reproduces the recorded report from the recorded JSON', () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(`docs/results/${name}.json`, 'utf8'));
  const results = Object.entries(experiments).map(([name, experiment]) => {
    const result = readResult(name, experiment, read);
    if ('problem' in result) throw new Error(`${name} ${result.problem}`);
    return result;
  });
  const remedy = 'npx specnet reproduce --resume --out docs/results writes it anew';
  assert.ok(readFileSync('docs/results/report.md', 'utf8') === markdownReport(results), remedy);
  assert.ok(readFileSync('docs/results/report.html', 'utf8') === htmlReport(results), remedy);
});

test('means, deviations and powers', () => {
  assert.is(mean([1, 2, 6]), 3);
  assert.is(deviation([1, 3]), Math.SQRT2);
  assert.is(deviation([4]), 0);
  assert.equal(
    overReplicas(
      [
        [1, 2, 3],
        [3, 4],
      ],
      mean,
    ),
    [2, 3],
  );
  assert.ok(Math.abs(powerLawExponent([1, 2, 4, 8], [3, 12, 48, 192]) - 2) < 1e-12);
});

test.run();
