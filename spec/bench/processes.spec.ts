/** Reports of groups that ran in separate processes merge into one report without loss. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { joined, measureInProcesses, theMachine } from '../../bench/processes.ts';
import type { jsonOf } from '../../bench/child.ts';
import { asText, type Report } from '../../bench/report/report.ts';
import { givenRow, type GroupName } from '../../bench/report/row.ts';
import { judge } from '../../bench/report/targets.ts';

const test = suite('groups in processes');

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

test('a group that fails is noted, its targets are not measured, and the others are there', async () => {
  const measure = async (_script: string, [name]: readonly string[]): Promise<unknown> => {
    if (name === 'steady' || name === 'quality') throw new Error('./main.ts ended with exit 1.');
    return reportOf(name as GroupName, null, []);
  };
  const before = process.exitCode;
  try {
    const whole = await measureInProcesses(['train', 'steady'], [], ['one-moon-time'], measure as typeof jsonOf);
    assert.is(process.exitCode, 1);
    assert.equal(Object.keys(whole.groups), ['train']);
    const failures = ['steady', 'quality'].map((what) => `${what} failed: ./main.ts ended with exit 1.`);
    assert.equal(whole.notes, failures);
    const open = whole.targets.filter(({ group }) => group === 'steady');
    assert.ok(open.length > 0 && open.every(({ verdict }) => verdict === 'not measured'));
    const nothing = await measureInProcesses(['steady'], [], [], measure as typeof jsonOf).catch(
      (error: Error) => error,
    );
    assert.is((nothing as Error).message, failures[0]);
  } finally {
    process.exitCode = before;
  }
});

test.run();
