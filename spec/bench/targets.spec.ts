/** Targets are judged by the figures that they name. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { givenRow, rivalOf } from '../../bench/report/row.ts';
import { judge } from '../../bench/report/targets.ts';

const test = suite('targets');

const verdictOf = (row: ReturnType<typeof givenRow>, group: 'dense' | 'train' | 'steady', of: string): string => {
  const found = judge({ [group]: [row] }).filter((target) => target.kernel === row.kernel);
  const wanted = found.find(
    (target) => row.size.startsWith(target.size) && ('of' in target ? target.of : target.rival) === of,
  );
  return wanted?.verdict ?? 'no such target';
};

test('a share of the peak is met from below', () => {
  const row = givenRow('A·B', '512×512·512', 1, { checksum: 0 });
  assert.is(verdictOf({ ...row, percentOfPeak: 89.9 }, 'dense', 'peak'), 'missed');
  assert.is(verdictOf({ ...row, percentOfPeak: 90 }, 'dense', 'peak'), 'met');
  assert.is(verdictOf(row, 'dense', 'peak'), 'not measured');
});

test('a time is met from above', () => {
  assert.is(verdictOf(givenRow('epoch', 'one moon', 25, { checksum: 0 }), 'train', 'time'), 'met');
  assert.is(verdictOf(givenRow('epoch', 'one moon', 25.1, { checksum: 0 }), 'train', 'time'), 'missed');
});

test('a rival has to take long enough, and one that failed was not measured', () => {
  const row = (time: number) =>
    givenRow('last fifth', 'MNIST', 1, { checksum: 0, others: { 'first fifth': rivalOf(time, 1) } });
  assert.is(verdictOf(row(0.95), 'steady', 'first fifth'), 'met');
  assert.is(verdictOf(row(0.94), 'steady', 'first fifth'), 'missed');
  const failed = { ...row(1), others: { 'first fifth': { error: 'failed' } } };
  assert.is(verdictOf(failed, 'steady', 'first fifth'), 'not measured');
});

test('groups that did not run are not judged', () => {
  assert.equal(judge({}), []);
});

test.run();
