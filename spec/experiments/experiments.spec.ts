/** Are experiments well made, and do their verdicts follow from the numbers? */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Choices, Done, Experiment, Json } from '../../lib/experiments/experiment.ts';
import type { LinearTask } from '../../lib/experiments/one-moon-jobs.ts';
import { htmlReport, markdownReport, rawResult, resultOf } from '../../lib/experiments/report.ts';
import { deviation, mean, overReplicas, power } from '../../lib/experiments/statistics.ts';
import { experiments } from '../../lib/experiments/table.ts';
import type { TwoMoonsTask } from '../../lib/experiments/two-moons-jobs.ts';
import { workers } from '../../lib/experiments/workers.ts';

const test = suite('experiments');

const quick: Choices = { quick: true, replicas: null, seed: 0 };
const full: Choices = { quick: false, replicas: null, seed: 0 };

test('each has a line for the list, settings, and jobs of kinds that somebody does', () => {
  for (const [name, experiment] of Object.entries(experiments)) {
    assert.match(name, /^[a-z0-9-]+$/);
    assert.ok(experiment.summary.length < 100 && experiment.minutes.quick > 0 && experiment.minutes.quick <= 2, name);
    for (const choices of [quick, full, { quick: true, replicas: 3, seed: 5 }]) {
      const jobs = experiment.jobs(choices);
      assert.ok(jobs.length > 0 && jobs.every(({ kind, weight }) => Object.hasOwn(workers, kind) && weight > 0), name);
      assert.equal(JSON.parse(JSON.stringify(jobs)), jobs);
      assert.ok(Object.keys(experiment.settings(choices)).length > 2);
    }
  }
});

test('a name is that of one task, whichever experiments ask for it', () => {
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

test('replicas are as many as asked for, with seeds one after the other', () => {
  const starts = (replicas: number | null): number[] => {
    const jobs = experiments['one-moon-linear'].jobs({ quick: false, replicas, seed: 40 });
    return [...new Set(jobs.map(({ task }) => (task as unknown as LinearTask).start))];
  };
  assert.equal(starts(3), [40, 41, 42]);
  assert.equal(starts(null), [40, 41, 42, 43, 44]);
});

/** Jobs that were done with numbers made up from the task. */
function pretend(experiment: Experiment, choices: Choices, numbers: (task: never, kind: string) => unknown): Done[] {
  return experiment.jobs(choices).map(({ kind, key, task }) => ({
    kind,
    key,
    task,
    numbers: numbers(task as never, kind) as Json,
    seconds: [1, 2],
  }));
}

const linear = experiments['one-moon-linear'];

/** Errors that fall by a factor every epoch: 1 is standstill. */
const falling = (factors: (task: LinearTask) => number) => (task: LinearTask) => ({
  rows: Array.from({ length: task.step === 'auto' ? 40 : task.epochs }, (_, i) =>
    Array(4).fill(factors(task) ** (i + 1)),
  ),
});

test('the verdicts on linear algebra follow from the errors', () => {
  const verdicts = (factors: (task: LinearTask) => number): (boolean | null)[] =>
    linear.review(pretend(linear, quick, falling(factors)), quick).claims.map(({ agrees }) => agrees);
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
  const apart = ({ method }: TwoMoonsTask): number => (method === 'specnet1' ? 0.6 : 0.9);
  assert.equal(verdicts(apart, full).slice(0, 1), [false]);
  assert.equal(verdicts(apart, quick).slice(0, 1), [null], 'a short run does not tell');
});

test('the report is made of the numbers, the same after a detour through JSON, and needs nothing from outside', () => {
  const replicas = pretend(
    linear,
    quick,
    falling(() => 0.9),
  );
  const result = resultOf('one-moon-linear', linear, { choices: quick, machine: 'a <machine>', replicas });
  const again = resultOf('one-moon-linear', linear, JSON.parse(JSON.stringify(rawResult(result))));
  for (const report of [htmlReport, markdownReport]) {
    const text = report([result]);
    assert.is(report([again]), text);
    assert.not.match(text, /NaN|undefined|\[object/);
    for (const { claim, measured } of result.review.claims) {
      assert.ok(text.includes(claim) && text.includes(measured.replaceAll('>', '&gt;').replaceAll('<', '&lt;')));
    }
  }
  const page = htmlReport([result]);
  assert.match(page, /a &lt;machine&gt;/);
  assert.not.match(page.replaceAll('http://www.w3.org/2000/svg', ''), /https?:|<script|<link|@import|url\(/);
  assert.match(page, /prefers-color-scheme: dark/);
});

test('the recorded report is what this code makes of the recorded JSON', () => {
  const results = Object.entries(experiments).map(([name, experiment]) =>
    resultOf(name, experiment, JSON.parse(readFileSync(`docs/results/${name}.json`, 'utf8'))),
  );
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
  assert.ok(Math.abs(power([1, 2, 4, 8], [3, 12, 48, 192]) - 2) < 1e-12);
});

test.run();
