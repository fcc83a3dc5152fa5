/** The demo shows its results as text, as JSON and as a self-contained page. */

import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawPage } from '../../lib/cli/commands/demo/page.ts';
import { runDemo } from '../../lib/cli/commands/demo/run.ts';
import { inFolder, run } from './run.ts';

const test = suite('specnet demo');

const small = { points: 400, epochs: 3, seed: 1, now: () => 0, progress: () => {} };

test('the result is measured: quotients below the exact eigenvalues, errors, and accuracy on the moons', async () => {
  const reported: string[] = [];
  const { eigenvalues, learned, curve } = await runDemo({ ...small, progress: (text) => void reported.push(text) });
  const [regression, trained] = learned;
  for (const { eigenvalues: found } of learned) {
    for (const [k, value] of found.entries()) assert.ok(value <= eigenvalues[k] + 1e-9 && value > 0.5);
  }
  assert.ok(regression.errors[0] < 0.03, `${regression.errors}`);
  assert.ok(regression.accuracy.seen > 0.99 && regression.accuracy.unseen > 0.98, JSON.stringify(regression.accuracy));
  assert.ok(trained.errors[0] > regression.errors[0], 'three epochs are few');
  assert.equal(
    curve.map(({ epoch }) => epoch),
    [1, 2, 3],
  );
  assert.ok(Math.abs(curve[2].accuracy - trained.accuracy.seen) < 0.01, 'the curve ends where training does');
  assert.match(
    reported.join('\n'),
    /building the graph.*exact eigenvectors.*regression on landmarks.*SpecNet2 .* … \d+ %/s,
  );
});

test('the page is self-contained: every point in every picture, no script, no external resource', async () => {
  const demo = await runDemo(small);
  const page = drawPage(demo);
  assert.is([...page.matchAll(/<circle /g)].length, 2 * 3 * 400);
  assert.not.match(page, /<script|https?:|url\(|src=|href=|NaN|undefined/);
  assert.match(page, /prefers-color-scheme: dark/);
  assert.match(page, /<polyline /);
  assert.match(page, />epoch</);
  assert.is([...page.matchAll(/<svg role="img" aria-label="[^"]+" /g)].length, 2 * 3 + 1, 'pictures have names');
  for (const { name, accuracy } of demo.learned) {
    assert.ok(page.includes(`<th>${name}</th>`) && page.includes(`<td>${accuracy.unseen.toFixed(4)}</td>`));
  }
  for (const [, x, y] of page.matchAll(/cx="([\d.-]+)" cy="([\d.-]+)"/g)) {
    assert.ok(Number(x) >= 0 && Number(x) <= 360 && Number(y) >= 0 && Number(y) <= 260, `${x}, ${y}`);
  }
  const without = drawPage({ ...demo, curve: demo.curve.slice(0, 1) });
  assert.not.match(without, /<polyline /, 'one epoch makes no curve');
});

test('without --json, a table and the path of the page are printed', () =>
  inFolder(async (folder) => {
    const page = `${folder}/moons.html`;
    const { code, out } = await run(['demo', '--epochs', '1', '--out', page]);
    assert.is(code, 0);
    assert.match(out, /^Two moons of 1000 points each\. Building the graph took /);
    assert.match(out, /\n +regression on landmarks +SpecNet2 neighbor, 1 epochs\n/);
    assert.match(out, /\naccuracy on test points +(1\.0000|0\.99\d\d) /);
    assert.ok(out.endsWith(`\nPage: ${page}\n`));
    assert.match(readFileSync(page, 'utf8'), /^<!doctype html>/);
    assert.not(existsSync('specnet-demo.html'));
  }));

test.run();
