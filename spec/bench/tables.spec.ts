/** The figures in docs/real-data.md are those of the recorded run, and the scores behind them are what they say. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lossOf, recordedTables, tablesPath, withTableFigures } from '../../bench/tables/document.ts';
import { scoresOf } from '../../bench/tables/scores.ts';
import { tfIdf } from '../../bench/tables/tf-idf.ts';
import { toDense } from '../../lib/doors/sparse.ts';
import { tensor } from '../../lib/index.ts';
import { rejects } from '../rejects.ts';

const test = suite('tables of real data');

const text = readFileSync(tablesPath, 'utf8');
const run = recordedTables();

test('every figure is that of the recorded run', async () => {
  assert.fixture(text, await withTableFigures(text, run));
  await rejects(() => withTableFigures('<!-- figures: arj -->\n<!-- end -->\n', run), /the name of figures, got arj/);
});

test('nowhere is the default more than 0.02 below exact eigenvectors of the same graph', () => {
  assert.is(run.sets.length, 9);
  for (const { name, runs } of run.sets) {
    const { ours, exact } = runs;
    if (!ours || !exact || 'error' in ours || 'error' in exact) throw new Error(`${name} was not measured`);
    assert.ok(lossOf(ours, exact) <= 0.02, `${name}: ${JSON.stringify([ours, exact])}`);
  }
});

test('ten votes decide, and outliers count nowhere', () => {
  const points = tensor(Array.from({ length: 31 }, (_, i) => [i === 30 ? 5.2 : i < 15 ? i / 100 : 10 + i / 100]));
  const labels = Int32Array.from({ length: 31 }, (_, i) => (i === 30 ? 2 : i < 15 ? 0 : 1));
  const fresh = tensor([[0.05], [10.05], [4], [5]]);
  const train = { points, labels };
  const held = { points: fresh, labels: Int32Array.of(0, 1, 1, 2) };
  const split = { clusters: 2, isSparse: false, outlier: 2, train, test: held };
  const clusters = Int32Array.from(labels, (label) => (label === 0 ? 1 : 0));
  const { ari, nmi, accuracy } = scoresOf(split, clusters, { train: points, test: fresh });
  assert.equal([ari, nmi], [1, 1]);
  assert.ok(Math.abs(accuracy! - 2 / 3) < 1e-12, `${accuracy}`);
  assert.is(scoresOf(split, clusters, null).accuracy, null);
});

test('words in nearly all texts or in few are left out, and rare ones weigh more', () => {
  const texts = Array.from({ length: 20 }, (_, i) => `the ${i < 5 ? 'apple apple' : 'pear'} ${i === 0 ? 'once' : ''}`);
  const points = tfIdf(texts.map((each, i) => (i < 10 ? `${each} half` : each)));
  assert.equal([points.rows, points.cols], [20, 2]);
  const rows = toDense(points).toArray() as number[][];
  const apple = Math.log1p(2) * Math.log(20 / 5);
  assert.ok(
    rows[0].some((value) => Math.abs(value - apple) < 1e-6),
    `${rows[0]}`,
  );
  assert.ok(
    rows[12].every((value) => value === 0),
    'pear is in more than half of the texts',
  );
});

test.run();
