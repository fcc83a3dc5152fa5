/** Do reports of groups that ran apart become one, without a loss? */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { joined, theMachine } from '../../bench/apart.ts';
import { asText, type Report } from '../../bench/report.ts';
import { givenRow, type GroupName } from '../../bench/row.ts';
import { judge } from '../../bench/targets.ts';

const test = suite('groups apart');

const reportOf = (name: GroupName, scipy: string | null, notes: string[]): Report => {
  const rows = [givenRow('epoch', 'one moon', 30, { checksum: 2 })];
  return {
    machine: theMachine([1, 2, 3], scipy),
    quick: true,
    pace: { rounds: 1, milliseconds: 1 },
    groups: { [name]: { rows, notes: [`below ${name}`], seconds: 1 } },
    quality: [],
    targets: judge({ [name]: rows }),
    notes,
    checksum: 2,
  };
};
const section = { title: 'How good', settings: 'so', header: ['method'], rows: [['one']], notes: [], figures: {} };

test('groups, verdicts and sections are all there, and notes once', () => {
  const parts = [reportOf('train', null, ['no peers']), reportOf('sparse', 'scipy 1', ['no peers', 'no C'])];
  const whole = joined(parts, [section], [4, 5, 6]);
  assert.equal(Object.keys(whole.groups), ['train', 'sparse']);
  assert.equal(whole.notes, ['no peers', 'no C']);
  assert.is(whole.machine.scipy, 'scipy 1');
  assert.equal(whole.machine.load, [4, 5, 6]);
  assert.is(whole.checksum, 4);
  assert.is(whole.targets.length, parts[0].targets.length + parts[1].targets.length);
  const text = asText(whole);
  for (const part of ['below train', 'below sparse', 'How good', 'at most 25.0 ms', 'missed', 'no C']) {
    assert.match(text, part);
  }
});

test.run();
