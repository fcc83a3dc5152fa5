/** solve gives the results of the library, as text and as JSON. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { oneMoon } from '../../datasets/index.ts';
import { writeCsv } from '../../lib/doors/formats.ts';
import { buildGraph, spectrum } from '../../lib/index.ts';
import { solve } from '../../lib/doors/solver.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('specnet solve');

const data = oneMoon({ n: 150, seed: 3 });
const graphFlags = ['--graph', 'gaussian', '--sigma', '0.2', '--threshold', '0.3'];

/** The command on a file of points, its report, and the graph of the same points. */
async function solved(flags: readonly string[]) {
  let outcome = { code: -1, out: '', err: '' };
  let written = '';
  await inFolder(async (folder) => {
    const path = put(folder, 'points.csv', await writeCsv(data));
    const out = `${folder}/vectors.csv`;
    outcome = await run(['solve', path, ...graphFlags, '--out', out, ...flags]);
    if (outcome.code < 2) written = readFileSync(out, 'utf8');
  });
  return { ...outcome, written };
}

test('JSON holds the pairs of the library to the bit, and a trace against Lanczos', async () => {
  const graph = await buildGraph(data.points, { kind: 'gaussian', sigma: 0.2, threshold: 0.3 });
  const reference = await spectrum(graph, { count: 3 });
  const options = { components: 2, method: 'specnet2', scheme: 'full', batch: 20, seed: 5, reference } as const;
  const expected = await solve(graph, options);
  const { code, out } = await solved(['-k', '2', '--scheme', 'full', '--batch', '20', '--seed', '5', '--json']);
  assert.is(code, 0);
  const report = JSON.parse(out);
  assert.equal(Object.keys(report), ['eigenvalues', 'residuals', 'trace', 'converged', 'table']);
  assert.equal(report.eigenvalues, [...expected.eigenvalues]);
  assert.equal(report.residuals, [...expected.residuals]);
  assert.is(report.converged, true);
  assert.is(report.trace.length, expected.trace.length);
  assert.equal(Object.keys(report.trace[0]), ['epoch', 'errors', 'objective', 'seconds']);
  assert.is(report.trace[1].objective, expected.trace[1].f2);
  assert.ok(Math.max(...report.trace.at(-1).errors) < 1e-6);
});

test('people get a table, a file gets the vectors', async () => {
  const { code, out, written } = await solved(['--method', 'specnet1', '--precision', 'single']);
  assert.is(code, 0);
  assert.match(out, /λ of D⁻¹W  residual  error\n/);
  assert.match(out, /\n\d+ epochs in /);
  assert.is(written.split('\n')[0], 'psi1,psi2');
  assert.is(written.trim().split('\n').length, 151);
});

test('a solve that has not converged is reported: exit 1; a step that is too large is refused', async () => {
  const short = await solved(['--step', '0.01', '--epochs', '3', '--json']);
  assert.is(short.code, 1);
  assert.is(JSON.parse(short.out).converged, false);
  assert.match(short.err, /^specnet solve: not converged after 3 epochs; residuals up to .*\. Raise --epochs\.\n$/);
  const large = await run(['solve', 'none.csv', '--step', 'large']);
  assert.is(large.code, 2);
  assert.match(large.err, /step to be a number above 0/);
  assert.is((await run(['solve', 'none.csv', '--scheme', 'near'])).code, 2);
});

test.run();
