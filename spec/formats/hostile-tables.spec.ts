/** Small tables that would take much time or memory, and archives that contradict themselves: refused in words, or read at once. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTable } from '../../lib/index.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';

const test = suite('hostile tables');

const numbers = (columns: number): string => Array.from({ length: columns }, (_, j) => j + 0.5).join();

test('a name that occurs in every column becomes distinct in time that grows with their number', async () => {
  const columns = 20_000;
  const table = await readTable(`${'a,'.repeat(columns - 1)}a\n${numbers(columns)}\n${numbers(columns)}\n`);
  assert.equal([table.points.cols, table.columnNames.at(-1)], [columns, `a.${columns}`]);
  assert.ok(table.notes.includes(`${columns - 5} more columns have a name that occurs again.`));
  assert.is(table.notes.filter((note) => note.startsWith("The name 'a' occurs again")).length, 4);
});

test('columns that lack most values are left out one by one, in time that grows with their number', async () => {
  // Every row lacks a value in some columns: all but those of half of the rows are left out.
  const [rows, columns] = [20, 4000];
  const lines = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (__, j) => (j % rows === i ? '' : i + j + 0.5)).join(),
  );
  const { points, leftOut } = await readTable(`${lines.join('\n')}\n`);
  assert.is(points.rows, rows / 2);
  assert.is(points.cols + leftOut.length, columns);
});

test('records that share no keys, and rows shorter than a first long one, are refused before they take memory', async () => {
  const keys = Array.from({ length: 5000 }, (_, i) => `{"k${i}":1}`).join('\n');
  assert.is(
    await refusalOf(readTable(keys)),
    'readTable: expected a value in at least one of 32 cells, got 5000 values in 5000 rows of 5000 columns. Leave out columns that are nearly empty.',
  );
  const long = `${numbers(300)}\n`;
  assert.match(
    await refusalOf(readTable(`${long.repeat(400)}${'1\n'.repeat(60_000)}`)),
    /^readTable: expected a value in at least one of 32 cells, got \d+ values in 55925 rows of 300 columns\./,
  );
  const nested = Array.from({ length: 5000 }, (_, i) => `{"x":${i},"y":${i * i},"a":{"k${i}":1}}`).join('\n');
  assert.equal((await readTable(nested)).leftOut, [{ name: 'a', reason: 'nested values' }]);
});

test('a message shows the beginning of a long name, not all of it', async () => {
  const name = 'n'.repeat(100_000);
  const message = await refusalOf(readTable(`${name}\nred\nblue\nred\n`));
  assert.match(message, `got only '${'n'.repeat(57)}…' (`);
  assert.ok(message.length < 400, `${message.length}`);
});

test('JSON that is nested too deep to walk through is refused', async () => {
  const deep = `${'['.repeat(50_000)}1${']'.repeat(50_000)}`;
  const objects = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const rule = 'readTable: expected lists and objects of at most 64 levels, got deeper ones.';
  await forEachInOrder([deep, `[{"a":${deep}}]`, objects, `[1,${deep}]`], async (text) => {
    assert.is(await refusalOf(readTable(text)), rule);
  });
});

test('UTF-16 with half a character at its end is refused', async () => {
  const text = '\ufeffa,b\n1,2\n3,4\n5,6\n';
  const whole = Buffer.from(text, 'utf16le');
  assert.is((await readTable(whole)).points.rows, 3);
  const rule =
    'readTable: expected text in UTF-16LE, got other bytes. The file may be truncated. Save the table as CSV in UTF-8.';
  await forEachInOrder([Buffer.of(1), Buffer.of(0, 0xd8)], async (more) => {
    assert.is(await refusalOf(readTable(Buffer.concat([whole, more]))), rule);
  });
  assert.is(await refusalOf(readTable(Buffer.from('\ufeff[{"a":1}]', 'utf16le').subarray(0, -1))), rule);
  const long = Buffer.from(`\ufeffa,b\n${'1,2\n'.repeat(40_000)}`, 'utf16le');
  assert.is((await readTable(long)).points.rows, 40_000, 'the first bytes may end within a character');
});

test.run();
