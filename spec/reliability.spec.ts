/** The figures in docs/reliability.md are those of the recorded campaign, and it found nothing. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from './checks/campaign/kinds.ts';
import { documentPath, merge, recordedCampaign, withFigures } from './checks/campaign/record.ts';
import { type CampaignReport, failuresOf } from './checks/campaign/run.ts';
import { totalKills } from './checks/campaign/tables.ts';
import { rejects } from './rejects.ts';

const test = suite('reliability document');

const text = readFileSync(documentPath, 'utf8');
const report = recordedCampaign()!;

test('every figure is that of the recorded campaign', async () => {
  assert.fixture(text, await withFigures(text, report));
});

test('the record has every part, with as many tries and kills as the page says, and no failure', () => {
  assert.equal(Object.keys(report.kinds).toSorted(), Object.keys(kinds).toSorted());
  for (const [name, { tries }] of Object.entries(report.kinds))
    assert.ok(tries >= (name === 'options' ? 5000 : 20_000));
  assert.ok(totalKills(report.kills!).kills >= 200);
  assert.ok(report.fits!.fits >= 500);
  assert.equal(Object.keys(report.writes).toSorted(), ['failing writes', 'full disk', 'pairs']);
  assert.equal(failuresOf(report), []);
});

test('a changed record changes the document, an unknown name is refused, and parts replace parts', async () => {
  const csv = { ...report.kinds.csv, tries: 123_456 };
  const changed: CampaignReport = { ...report, kinds: { csv } };
  const merged = merge(report, changed);
  assert.equal([merged.kinds.csv.tries, merged.kinds.npy], [123_456, report.kinds.npy]);
  assert.equal(merged.kills, report.kills);
  assert.match(await withFigures(text, merged), '123,456');
  const unknown = '<!-- figures: kindz -->\n<!-- end -->\n';
  await rejects(() => withFigures(unknown, report), /expected the name of figures, got kindz/);
});

test.run();
