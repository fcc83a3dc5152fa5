/** `readTable` reads ARFF and LIBSVM, and text with rare delimiters. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTable } from '../../lib/index.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';

const test = suite('tables of other trades');

const lines = (count: number, line: (i: number, x: string) => string): string =>
  Array.from({ length: count }, (_, i) => line(i, Math.sin(99 * i).toFixed(2))).join('\n');

test('ARFF: names and kinds stand in its header', async () => {
  const header = [
    '% 1. Title: birds',
    '%',
    "@RELATION 'two birds'",
    '',
    '@ATTRIBUTE "wing span" REAL',
    '@attribute mass\tNumeric',
    '@attribute seen date "yyyy-MM-dd"',
    "@attribute 'a note' string",
    "@attribute class {owl, 'tit, great'}",
    '@DATA',
  ];
  const row = (i: number, x: string): string =>
    `${x}, ${i === 3 ? '?' : i * i}, "2020-01-0${(i % 9) + 1}", 'it\\'s, %${i}', ${i % 2 ? "'tit, great'" : 'owl'}`;
  const table = await readTable(`${header.join('\r\n')}\r\n% a remark\r\n${lines(20, row)}, {2}\r\n`);
  assert.equal(table.columnNames, ['wing span', 'mass']);
  assert.equal(table.points.shape, [19, 2]);
  assert.equal([table.labelColumn, table.labelNames], ['class', ['owl', 'tit, great']]);
  assert.equal(table.missing, { mass: 1 });
  assert.equal(table.leftOut, [{ name: 'seen', reason: 'dates' }]);
  assert.is(table.ids?.[0], "it's, %0");
});

test('ARFF: a sparse row leaves out zeros and the first class', async () => {
  const header = '@relation t\n@attribute a numeric\n@attribute b numeric\n@attribute class {no, yes}\n@data\n';
  const { points, labels, labelNames } = await readTable(`${header}{1 2.5, 2 yes}\n{}\n{0 1, 1 ?}\n{0 3}\n`);
  assert.equal(points.toArray(), [
    [0, 2.5],
    [0, 0],
    [3, 0],
  ]);
  assert.equal(
    Array.from(labels!, (label) => labelNames![label]),
    ['yes', 'no', 'no'],
  );
});

test('ARFF that is broken is refused with its line', async () => {
  const header = '@relation t\n@attribute a numeric\n@attribute b {u,v}\n';
  const cases: [text: string, message: RegExp][] = [
    [`${header}@data\n1,u\n2\n`, /expected rows of 2 cells, as @attribute lines state, got 1 cell on line 6: '2'/],
    [`${header}@data\nx,u\n`, /expected a number in the numeric column 'a' on line 5, got 'x'/],
    [`${header}@data\n{7 1}\n`, /expected pairs of a column, from 0 to 1, and a value in braces on line 5, got '7 1'/],
    [`${header}1,u\n`, /expected @attribute NAME KIND on line 4 of an ARFF file, got 1,u/],
    [header, /expected an ARFF file with @attribute lines, @data and rows, got one without them/],
    [
      '@relation t\n@attribute a relational\n',
      /expected ARFF with one table, got a table within 'a'\. Save that as CSV\./,
    ],
    [`${header}@data\n`, /expected a table with at least one row, got none/],
  ];
  await forEachInOrder(cases, async ([text, message]) => {
    assert.match(await refusalOf(readTable(text)), message);
  });
});

test('LIBSVM: what a line leaves out is 0', async () => {
  const table = await readTable('+1 1:0.5 3:-2e0 # first\n-1 qid:4 2:1\n\n-1\n+1 1:7 4:.5\n');
  assert.equal(table.columnNames, ['x1', 'x2', 'x3', 'x4']);
  assert.equal(table.points.toArray(), [
    [0.5, 0, -2, 0],
    [0, 1, 0, 0],
    [0, 0, 0, 0],
    [7, 0, 0, 0.5],
  ]);
  assert.equal([table.labelColumn, [...table.labels!]], ['label', [1, -1, -1, 1]]);
  assert.equal(table.notes[0], 'Read as LIBSVM: what a line leaves out is 0.');
  const shorter = await readTable('1 2:3 3:1\n-1 2:1 3:2\n', { columns: table.encoding });
  assert.equal(shorter.points.shape, [2, 4], 'the last columns of a model are 0 in new rows without them');
});

test('LIBSVM that is too wide names the way to sparse points', async () => {
  const text = lines(50, (i) => `${i % 2} 3:0.5 ${5e6 + i}:1`);
  const message = /got 50 rows of 5000049 columns\. Save them as sparse points, in Python: scipy\.sparse\.save_npz/;
  assert.match(await refusalOf(readTable(text)), message);
  assert.match(await refusalOf(readTable('1 1:2 2:1\n1 1:x\n', { format: 'libsvm' })), /LABEL INDEX:VALUE … on line 2/);
});

test('times beside numbers are no LIBSVM', async () => {
  const one = await readTable(lines(30, (i, x) => `${i * i} ${10 + (i % 9)}:${10 + i} ${x}`));
  assert.equal(one.leftOut, [{ name: 'x1', reason: 'times' }]);
  const two = await readTable(lines(30, (i) => `${i * i} 10:${10 + i} 11:${40 - i}`));
  assert.is(two.columnNames.length, 1);
});

test('rare delimiters are recognized, and others can be stated', async () => {
  await forEachInOrder(['^', '~', '\u0001', '\u001f'], async (mark) => {
    const text = `id^x^class\n${lines(20, (i, x) => `${i + 100}^${x}^${'uv'[i % 2]}`)}\n`.replaceAll('^', mark);
    const { columnNames, labelColumn } = await readTable(text);
    assert.equal([columnNames, labelColumn], [['x'], 'class'], mark);
    assert.equal((await readTable(`sep=${mark}\n${text}`)).columnNames, ['x'], mark);
  });
  await forEachInOrder([':', '#', '&', '!', '/'], async (delimiter) => {
    const text = `x^y\n${lines(9, (i, x) => `${x}^${i * i}`)}\n`.replaceAll('^', delimiter);
    assert.equal((await readTable(text, { delimiter })).columnNames, ['x', 'y'], delimiter);
  });
  await forEachInOrder(['::', 'x', '5', '-', '.', '"', 'é', ''], async (delimiter) => {
    assert.match(
      await refusalOf(readTable('a\n1\n', { delimiter })),
      /one ASCII character that is no letter/,
      delimiter,
    );
  });
});

test('cells that hold several numbers become columns', async () => {
  const cells: [text: string, delimiter: string, values: number[]][] = [
    ['"48.1,11.5"', ',', [48.1, 11.5]],
    ['"(48.1, -11)"', ',', [48.1, -11]],
    ['"[1, 2.5e3, 3]"', ',', [1, 2500, 3]],
    ['[1 2.5 3]', ';', [1, 2.5, 3]],
    ['48.1; 11.5', '|', [48.1, 11.5]],
  ];
  await forEachInOrder(cells, async ([cell, mark, values]) => {
    const { columnNames, points, notes, leftOut } = await readTable(
      `name${mark}pos\n${lines(9, (i) => `n${i}${mark}${i === 4 ? '' : cell}`)}\n`,
    );
    assert.equal(
      columnNames,
      Array.from(values.keys(), (k) => `pos.${k}`),
      cell,
    );
    assert.equal([points.rows, points.toArray()[0], leftOut], [8, values.map(Math.fround), []], cell);
    assert.ok(notes.includes(`Lists of numbers became columns: 'pos' (${values.length}).`), cell);
  });
  // Not all of one length, decimal commas, and words.
  await forEachInOrder(['"1, 2"', '"6,7"', '"a, b"', '1 2'], async (cell) => {
    const { columnNames } = await readTable(`a,x\n"1, 2, 3",1.5\n${lines(9, (_, x) => `${cell},${x}`)}\n`);
    assert.equal(
      columnNames.filter((name) => name.startsWith('a.')),
      [],
      cell,
    );
  });
});

test('text that is not UTF-8 may be in an encoding that nobody can tell', async () => {
  const cyrillic = Uint8Array.from([
    0xc9,
    0xcd,
    0xd1,
    ...new TextEncoder().encode(`,x\n${lines(9, (i, x) => `${i * i},${x}`)}\n`),
  ]);
  const { notes } = await readTable(cyrillic);
  assert.is(notes[0], 'The text is in WINDOWS-1252. If its letters look wrong, save it as UTF-8.');
});

test('the first line of a data logger is no header', async () => {
  const above =
    '"TOA5","sta","CR1000","7"\n"TIMESTAMP","RECORD","AirT","RH"\n"TS","RN","degC","%"\n"","","Avg","Smp"\n';
  const rows = lines(30, (i, x) => `"2021-03-${10 + (i % 20)} 00:00:00",${i * i},${i === 5 ? '"NAN"' : x},${x}`);
  const { columnNames, leftOut, points } = await readTable(above + rows);
  assert.equal([columnNames, leftOut], [['RECORD', 'AirT', 'RH'], [{ name: 'TIMESTAMP', reason: 'dates' }]]);
  assert.is(points.rows, 29);
});

test('rows of subtotals are pointed out', async () => {
  const sums = ['East Total,,30', 'West Total,,40', 'Grand Total,,70'];
  const report = await readTable(`region,x,y\n${lines(9, (i, x) => `East,${x},${i * i}`)}\n${sums.join('\n')}\n`, {
    missing: 'mean',
  });
  const said = "3 rows are called 'East Total', 'West Total', 'Grand Total'. If they sum up others, delete them.";
  assert.is(report.notes.at(-1), said);
  const dropped = await readTable(`region,x,y\n${lines(9, (i, x) => `East,${x},${i * i}`)}\n${sums.join('\n')}\n`);
  assert.not.ok(
    dropped.notes.some((text) => text.includes('sum up')),
    'rows that are dropped do no harm',
  );
  const classes = await readTable(`kind,x\n${lines(12, (i, x) => `${i % 2 ? 'total' : 'part'},${x}`)}\n`);
  assert.equal(classes.notes, [], 'a class may be called so');
});

test.run();
