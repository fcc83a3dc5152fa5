/** The figures and the chart in docs/sparse-kernels.md are those of the recorded benchmark. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chartPath, documentPath, joinReports, recordedBenchmark, withBenchmark } from '../../bench/sparse-kernels.ts';
import { matrixNames, plotBenchmark } from '../../lib/doors/benchmark.ts';
import { rejects } from '../rejects.ts';

const test = suite('document of sparse products');

const text = readFileSync(documentPath, 'utf8');
const report = recordedBenchmark();

test('every figure is that of the record, and the chart is drawn from it', async () => {
  assert.fixture(text, await withBenchmark(text, report));
  assert.is(readFileSync(chartPath, 'utf8'), plotBenchmark(report, 'svg'));
  assert.match(text, 'sparse-kernels/roofline.svg');
});

test('a changed record changes the document', async () => {
  const [first, ...others] = report.matrices;
  const renamed = { ...first, name: 'another-small' };
  assert.match(await withBenchmark(text, { ...report, matrices: [renamed, ...others] }), '| another-small');
});

test('the record has the small and the medium set and two large matrices, and no kernel failed', () => {
  const names = report.matrices.map(({ name }) => name);
  assert.equal(names, [...matrixNames('small'), ...matrixNames('medium'), 'stencil-2d-large', 'stencil-3d-large']);
  assert.ok(report.matrices.every(({ failed }) => failed.length === 0));
});

test('joined reports have the best limits, and rows rated by them', () => {
  const faster = {
    ...report.limits,
    bandwidth: report.limits.bandwidth.map(({ bytes, one, all }) => ({ bytes, one: 2 * one, all: all / 2 })),
  };
  const [first, second, third] = report.matrices;
  const joined = joinReports([
    { ...report, matrices: [second] },
    { ...report, limits: faster, matrices: [third, first] },
  ]);
  assert.equal(
    joined.matrices.map(({ name }) => name),
    [first.name, second.name, third.name],
  );
  assert.is(joined.limits.bandwidth[0].one, 2 * report.limits.bandwidth[0].one);
  assert.is(joined.limits.bandwidth[0].all, report.limits.bandwidth[0].all);
  const slice = ({ rows }: typeof first) => rows.find(({ operation }) => operation === 'slice')!;
  assert.ok(Math.abs(slice(joined.matrices[0]).share - slice(first).share / 2) < 1e-12);
  const elsewhere = { ...report, machine: { ...report.machine, processor: 'another' } };
  assert.throws(() => joinReports([report, elsewhere]), /expected reports of one machine and version, got others/);
});

test('an unknown name is refused', () =>
  rejects(
    () => withBenchmark('<!-- figures: rats -->\n<!-- end -->\n', report),
    /expected the name of figures, got rats/,
  ));

test.run();
