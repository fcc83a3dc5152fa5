/** The table and the chart of moments in docs/embedding.md are those of the recorded run. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  embeddingPath,
  momentsChart,
  momentsChartPath,
  recordedMoments,
  withMoments,
} from '../../bench/quality/moments-document.ts';
import type { MomentErrors } from '../../bench/quality/moments.ts';

const test = suite('document of moments');

const text = readFileSync(embeddingPath, 'utf8');
const section = recordedMoments();

test('the table is that of the recorded run', async () => {
  assert.fixture(text, await withMoments(text, section));
  const [[batch, ...errors], ...others] = section.rows;
  assert.ok(errors.length > 0);
  assert.is.not(text, await withMoments(text, { ...section, rows: [[batch, ...errors.toReversed()], ...others] }));
});

test('the chart is drawn from the recorded run, and the page shows it', () => {
  assert.is(readFileSync(momentsChartPath, 'utf8'), momentsChart(section));
  assert.match(text, '](embedding/moments.svg)');
});

test('tracked moments are further off on average, and corrected ones noisier at the smallest batch', () => {
  const errors = section.figures as readonly MomentErrors[];
  assert.equal(
    errors.map(({ batch }) => batch),
    [2, 8, 64],
  );
  for (const { bias } of errors) assert.ok(bias.corrected < bias.tracked / 2);
  const [{ distance: smallest }, , { distance: largest }] = errors;
  assert.ok(smallest.corrected > smallest.tracked);
  assert.ok(largest.corrected < largest.tracked);
});

test.run();
