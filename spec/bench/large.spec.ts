/** The tables and the chart of docs/growth.md are those of the recorded runs, and growth is measured against n·log n. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  growthChart,
  growthChartPath,
  growthExponent,
  growthPath,
  recordedRuns,
  withGrowth,
} from '../../bench/large/document.ts';
import type { Run } from '../../bench/large/runs.ts';

const test = suite('document of growth');

const text = readFileSync(growthPath, 'utf8');
const recorded = recordedRuns();

test('the tables are those of the recorded runs', async () => {
  assert.fixture(text, await withGrowth(text, recorded));
  const slower = recorded.runs.map((run) => ({ ...run, seconds: run.seconds.map((value) => 2 * value) }));
  assert.is.not(text, await withGrowth(text, { ...recorded, runs: slower }));
});

test('the chart is drawn from the recorded runs, and the page shows it', () => {
  assert.is(readFileSync(growthChartPath, 'utf8'), growthChart(recorded));
  assert.match(text, '](growth/growth.svg)');
});

/** Runs of the same model whose time is a function of the number of points. */
const runsOf = (time: (n: number) => number): Run[] =>
  [1e4, 1e5, 1e6].map((n) => Object.assign({}, recorded.runs[0], { n, seconds: [2 * time(n), time(n)] }));

test('the exponent is 1 for n·log n, and 2 for its square; the fastest call counts', () => {
  const near = (n: number): number => 3e-6 * n * Math.log(n);
  assert.ok(Math.abs(growthExponent(runsOf(near)) - 1) < 1e-12);
  assert.ok(Math.abs(growthExponent(runsOf((n) => near(n) ** 2)) - 2) < 1e-12);
});

test('the recorded time grows no faster than n·log n up to a million points', () => {
  const ours = recorded.runs.filter(
    ({ task, data, by }) => task === 'model' && data === 'Swiss roll' && by === 'specnet',
  );
  assert.ok(ours.length >= 5 && growthExponent(ours) <= 1, `${ours.length}`);
  assert.equal(
    ours.map(({ n }) => n),
    ours.map(({ n }) => n).toSorted((a, b) => a - b),
  );
});

test.run();
