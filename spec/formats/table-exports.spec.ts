/** `readTable` reads tables as databases, instruments, pandas and servers export them. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTable } from '../../lib/index.ts';
import { forEachInOrder } from '../for-each.ts';

const test = suite('exported tables');

const lines = (count: number, line: (i: number, x: string, y: string) => string): string =>
  Array.from({ length: count }, (_, i) => line(i, Math.sin(99 * i).toFixed(2), Math.cos(77 * i).toFixed(2))).join('\n');

test('signs, uncertainties and groups of digits of other trades are read as numbers', async () => {
  const cases: [cell: string, value: number][] = [
    ['3.25±0.1', 3.25],
    ['3.25 ± .1 kg', 3.25],
    ['3.25 +/- 0.1', 3.25],
    ['1.25(14)', 1.25],
    ['7.5-', -7.5],
    ['–7.5', -7.5],
    ['1,00,000.5', 100000.5],
    ['12,34,567', 1234567],
  ];
  await forEachInOrder(cases, async ([cell, value]) => {
    const { columnNames, points } = await readTable(`a;x\n"${cell}";1.5\n"${cell}";2.5\n`);
    assert.equal(
      [columnNames, points.toArray()[0]],
      [
        ['a', 'x'],
        [value, 1.5],
      ],
      cell,
    );
  });
  const { notes } = await readTable(`a,b,x\n${lines(6, (i, x) => `${i}.5 ± 0.${i},1.${i}(2),${x}`)}\n`);
  const read = "'a' (without uncertainties such as ± 0.1), 'b' (without uncertainties such as (4))";
  assert.equal(notes.at(-1), `Read as numbers: ${read}.`);
});

test('words of databases for nothing, and infinities, are missing values', async () => {
  await forEachInOrder(['\\N', '(null)', '<NA>', '∞', '−∞'], async (word) => {
    const { columnNames, missing } = await readTable(`a,x\n1,1.5\n${word},2.5\n4,7\n`);
    assert.equal([columnNames, missing], [['a', 'x'], { a: 1 }], word);
  });
  const { labelCandidates, missing } = await readTable(
    `kind,x\n${lines(9, (i, x) => `${['u', 'v', '\\N'][i % 3]},${x}`)}\n`,
  );
  assert.equal([labelCandidates, missing], [['kind'], { kind: 3 }], 'among text as well');
});

test('a cell that is no number is shown in its own letters', async () => {
  const { leftOut } = await readTable(`a,x\n${lines(9, (i, x) => `${i === 3 ? '≈ 5' : 2 * i * i},${x}`)}\n`);
  assert.equal(leftOut[0].reason, "no number in 1 of 9 cells: '≈ 5' on line 5");
});

test('milliseconds that rise, and the times of forms, are dates', async () => {
  const start = 1_709_290_000_000;
  const log = await readTable(`t,x\n${lines(9, (i, x) => `${start + 1000 * i * i},${x}`)}\n`);
  assert.equal(log.leftOut, [{ name: 't', reason: 'dates' }]);
  const falling = await readTable(`t,x\n${lines(9, (i, x) => `${start - 1000 * i * i},${x}`)}\n`);
  assert.equal(falling.columnNames, ['t', 'x'], 'others may be anything');
  const form = await readTable(`t,x\n${lines(9, (i, x) => `2024/03/01 3:1${i % 2}:00 PM GMT+1,${x}`)}\n`);
  assert.equal(form.leftOut, [{ name: 't', reason: 'dates' }]);
});

test('numbers that rise evenly above other numbers are names', async () => {
  const body = lines(9, (_, x, y) => `${x},${y},${x}`);
  const years = await readTable(`1990,1995,2000\n${body}\n`);
  assert.equal([years.columnNames, years.points.rows], [['1990', '1995', '2000'], 9]);
  const note = 'The numbers in the first line are names, since they rise evenly.';
  assert.equal(years.notes, [`${note} If they are a row, pass header: false.`]);
  assert.is((await readTable(`1990,1995,2000\n${body}\n`, { header: false })).points.rows, 10);
  const pandas = await readTable(`,0,1,2\n${lines(9, (i, x, y) => `${i},${x},${y},${x}`)}\n`);
  assert.equal([pandas.columnNames, pandas.idColumn], [['0', '1', '2'], 'index']);
  const pixels = (count: number): string =>
    `${Array.from({ length: count }, (_, k) => k).join()}\n${lines(9, (i) => Array.from({ length: count }, (_, k) => (i * 7 + k * k) % 5).join())}\n`;
  assert.is((await readTable(pixels(8))).points.rows, 9, 'many names above whole numbers');
  assert.is((await readTable(pixels(7))).points.rows, 10, 'few of them may be a row');
  assert.is((await readTable('1,2,3\n4,5,6\n7,8,9\n')).points.rows, 3, 'rows that all rise');
});

test('merged cells above the names are skipped', async () => {
  const { columnNames, points } = await readTable(
    `,2022,\nplot,mass,size\n${lines(9, (i, x, y) => `p${i},${x},${y}`)}\n`,
  );
  assert.equal([columnNames, points.rows], [['mass', 'size'], 9]);
});

test('lines that repeat the header are skipped, and told', async () => {
  const part = `x,y\n${lines(5, (_, x, y) => `${x},${y}`)}\n`;
  const { points, notes } = await readTable(`${part}${part}\ufeff${part}`);
  assert.equal([points.rows, notes], [15, ['2 lines repeat the header, and were skipped.']]);
});

test('the frames that databases print around a table are no rows', async () => {
  const rule = '+----+-------+-------+';
  const rows = lines(9, (i, x, y) => `| ${i} | ${x} | ${y} |`);
  const boxed = await readTable(`${rule}\n| id | x | y |\n${rule}\n${rows}\n${rule}\n`);
  assert.equal([boxed.columnNames, boxed.idColumn, boxed.points.rows, boxed.notes], [['x', 'y'], 'id', 9, []]);
  const open = lines(9, (i, x, y) => ` ${i} | ${x} | ${y}`);
  const ruled = await readTable(` id | x | y\n----+---+---\n${open}\n(9 rows)\n`);
  assert.equal([ruled.columnNames, ruled.idColumn, ruled.points.rows, ruled.notes], [['x', 'y'], 'id', 9, []]);
  const gaps = await readTable(`x,y\n${lines(9, (_, x, y) => `${x},${y}`)}\n--,--\n`, { missing: 'mean' });
  assert.is(gaps.points.rows, 10, 'a row of missing values is a row');
});

test('% and ; begin comments above a table that has none of them', async () => {
  const body = lines(9, (_, x, y) => `${x} ${y}`);
  const matlab = await readTable(`% made by a program\n% u v\n${body}\n`);
  assert.equal([matlab.columnNames, matlab.points.rows], [['u', 'v'], 9]);
  const spectrum = await readTable(`; channel 1\n; on\n${body}\n`);
  assert.equal([spectrum.columnNames, spectrum.points.rows], [['x0', 'x1'], 9]);
  const table = await readTable(`;x;y\n${lines(9, (i, x, y) => `n${i};${x};${y}`)}\n`);
  assert.equal([table.columnNames, table.points.rows], [['x', 'y'], 9], 'a delimiter begins no comment');
});

test('the numbers of rows are no coordinate beside classes that are', async () => {
  const text = `person,q1,q2\n${lines(9, (i) => `${i + 1},${i % 2 ? 'low' : 'high'},${i % 3 ? 'never' : 'often'}`)}\n`;
  const alone = await readTable(text);
  assert.equal([alone.columnNames, alone.points.cols], [['person'], 1]);
  assert.match(alone.notes.join(), "'person' rises by one in every row, like an id.");
  const { points, leftOut, notes } = await readTable(text, { categorical: ['q1', 'q2'] });
  assert.equal([points.cols, leftOut, notes], [4, [{ name: 'person', reason: 'numbers of rows' }], []]);
});

const records = Array.from({ length: 6 }, (_, i) => ({ x: Math.sin(9 * i), kind: i % 2 ? 'u' : 'v', y: Math.cos(i) }));

test('JSON: the table within the answer of a server is found, and told', async () => {
  const answer = await readTable(JSON.stringify({ status: 'ok', page: { number: 1 }, response: { results: records } }));
  assert.equal([answer.columnNames, answer.points.rows], [['x', 'y'], 6]);
  assert.equal(answer.notes, ["The table is the list 'response.results' of the file."]);
  const two = await readTable(JSON.stringify({ a: { train: records, test: records } })).catch(String);
  assert.match(String(two), "Save one of the lists 'a.train', 'a.test' as a file of its own.");
});

test('JSON: columns by name may have rows by name, and single cells beside them', async () => {
  const column = (name: 'x' | 'kind' | 'y'): object =>
    Object.fromEntries(records.map((row, i) => [`r${i}`, row[name]]));
  const keyed = await readTable(JSON.stringify({ x: column('x'), kind: column('kind'), y: column('y') }));
  assert.equal([keyed.columnNames, keyed.idColumn, keyed.ids?.[1]], [['x', 'y'], 'key', 'r1']);
  const lists = { type: 'scatter', x: records.map(({ x }) => x), y: records.map(({ y }) => y) };
  await forEachInOrder([lists, { data: [lists], layout: { title: 'points' } }], async (value) => {
    const { columnNames, points, notes } = await readTable(JSON.stringify(value));
    assert.equal([columnNames, points.rows], [['x', 'y'], 6]);
    assert.equal(notes, ["Skipped, since they are no columns: 'type'."]);
  });
  const split = { columns: ['x', 'y'], index: records.map((_, i) => `r${i}`), data: records.map(({ x, y }) => [x, y]) };
  const { columnNames, ids } = await readTable(JSON.stringify(split));
  assert.equal([columnNames, ids?.[1]], [['x', 'y'], 'r1']);
});

test('TopoJSON: the properties of its shapes are a table', async () => {
  const geometries = records.map((properties, id) => ({ type: 'Polygon', arcs: [[id]], id, properties }));
  const map = {
    type: 'Topology',
    arcs: [[[0, 1]], [[2, 3]]],
    objects: { land: { type: 'GeometryCollection', geometries } },
  };
  const { columnNames, idColumn, notes } = await readTable(JSON.stringify(map));
  assert.equal([columnNames, idColumn], [['x', 'y'], 'id']);
  assert.equal(notes, ["The table has the properties of 'land', without its shapes."]);
  const several = await readTable(
    JSON.stringify({ ...map, objects: { a: map.objects.land, b: map.objects.land } }),
  ).catch(String);
  assert.match(String(several), "got 'a', 'b'. Save the properties of one of them as CSV.");
});

test.run();
