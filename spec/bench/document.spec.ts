/** The figures and charts in docs/performance.md are those of the recorded run. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chartsOf } from '../../bench/report/charts.ts';
import { documentPath, recordedRun, recordFolder, withFigures } from '../../bench/report/document.ts';
import type { Report } from '../../bench/report/report.ts';
import { groupNames } from '../../bench/report/row.ts';
import { judge } from '../../bench/report/targets.ts';
import { rejects } from '../rejects.ts';

const test = suite('performance document');

const text = readFileSync(documentPath, 'utf8');
const report = recordedRun();

test('every figure is that of the recorded run', async () => {
  assert.fixture(text, await withFigures(text, report));
});

test('a changed record changes the document, and hand-written words stay', async () => {
  const { dense } = report.groups;
  const [first, ...others] = dense!.rows;
  const slower = { ...first, ours: { ...first.ours, time: 123_456 } };
  const changed: Report = { ...report, groups: { ...report.groups, dense: { ...dense!, rows: [slower, ...others] } } };
  const found = await withFigures(text, changed);
  assert.match(found, '123 s');
  assert.is.not(found, text);
  const words = (page: string): string => page.replace(/(<!-- figures: .*? -->)[^]*?(<!-- end -->)/g, '$1$2');
  assert.is(words(found), words(text));
});

test('an unknown name is refused', () =>
  rejects(
    () => withFigures('<!-- figures: denes -->\n<!-- end -->\n', report),
    /expected the name of figures, got denes/,
  ));

test('the record has every group, and time to quality', () => {
  assert.equal(Object.keys(report.groups).toSorted(), [...groupNames].toSorted());
  assert.ok(report.quality.length > 0);
});

test('verdicts on targets are those of the recorded rows', () => {
  const rows = Object.fromEntries(Object.entries(report.groups).map(([name, group]) => [name, group.rows]));
  const place = ({ group, kernel, size }: Report['targets'][number]): string => `${group} ${kernel} ${size}`;
  const sorted = (targets: Report['targets']): Report['targets'] =>
    targets.toSorted((a, b) => place(a).localeCompare(place(b)));
  assert.equal(sorted(report.targets), sorted(judge(rows)));
});

test('charts are drawn of the recorded run', () => {
  const charts = chartsOf(report);
  const files = readdirSync(recordFolder).filter((name) => name.endsWith('.svg'));
  assert.equal(files.toSorted(), Object.keys(charts).toSorted());
  for (const [name, svg] of Object.entries(charts)) assert.is(readFileSync(recordFolder + name, 'utf8'), svg, name);
  for (const name of files) assert.match(text, `performance/${name}`);
});

test.run();
