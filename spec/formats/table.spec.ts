/** `readTable` recognizes tables as people have them, chooses their columns, and says what it did. */

import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTable, type TableOptions } from '../../lib/index.ts';
import { readCsv } from '../../lib/doors/formats.ts';
import { forEachInOrder } from '../for-each.ts';

const test = suite('readTable');

const utf16 = (text: string, bigEndian = false): Uint8Array => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return new Uint8Array(bigEndian ? bytes.swap16() : bytes);
};

const plain = [
  [1.5, 2],
  [3.5, 4],
  [7.5, 9],
];
const text = 'a,b\n1.5,2\n3.5,4\n7.5,9\n';

/** The same table in several dialects. */
const dialects: Record<string, string | Uint8Array> = {
  plain: text,
  'no line feed at the end': text.trim(),
  'byte order mark and CRLF': `\ufeff${text.replaceAll('\n', '\r\n')}`,
  'carriage returns alone': text.replaceAll('\n', '\r'),
  'UTF-16 LE': utf16(text),
  'UTF-16 BE': utf16(text, true),
  gzip: new Uint8Array(gzipSync(text)),
  tabs: text.replaceAll(',', '\t'),
  pipes: text.replaceAll(',', '|'),
  blanks: text.replaceAll(',', '   '),
  'blanks after commas': text.replaceAll(',', ' , '),
  'semicolons and decimal commas': text.replaceAll(',', ';').replaceAll('.', ','),
  'quotes around everything': text.replace(/[^,\n]+/g, '"$&"'),
  'delimiters at the ends of rows': text.replaceAll('\n', ',\n'),
  'delimiters at the ends of rows, but not of the header': text.replace(/(?<=\d)\n/g, ',\n'),
  'lines above': `Measured in 2020\n\n${text}`,
  'a header in a comment': `# ${text}`,
  'an index of pandas': text
    .split('\n')
    .map((line, k) => (line ? `${k === 0 ? '' : k - 1},${line}` : ''))
    .join('\n'),
  'row names of R': text
    .split('\n')
    .map((line, k) => (line && k > 0 ? `"${k}",${line}` : line))
    .join('\n'),
  percent: text.replace(/(\d\.5)/g, '$1%'),
  units: text.replace(/(\d\.5)/g, '$1 kg'),
  currency: text.replace(/(\d\.5)/g, '$$$1'),
  JSON: JSON.stringify(plain.map(([a, b]) => ({ a, b }))),
  NDJSON: plain.map(([a, b]) => JSON.stringify({ a, b })).join('\n'),
  'JSON of columns': JSON.stringify({ a: plain.map(([a]) => a), b: plain.map(([, b]) => b) }),
  'JSON of lists': JSON.stringify([['a', 'b'], ...plain]),
  'JSON within an object': JSON.stringify({ name: 'x', data: plain.map(([a, b]) => ({ a, b })) }),
};

for (const [name, source] of Object.entries(dialects)) {
  test(`the same points: ${name}`, async () => {
    const table = await readTable(source);
    assert.equal(table.columnNames, ['a', 'b']);
    assert.equal(table.points.toArray(), plain);
  });
}

const delimited: [string, string, string[]][] = [
  [';', 'Name;Stadt;Preis\nA;B;1,50\nC;D;2,75\nE;F;3,20\n', ['Preis']],
  [';', 'Name;Pop\nA;1,234,567\nB;2,345,678\nC;3,456,789\n', ['Pop']],
  [',', 'symbol,date,price\nA,Jan 1 2000,39\nA,Feb 1 2000,36.5\nB,Mar 1 2000,43\n', ['price']],
  [',', 'a,b,c\nx;y,1,2\nz;w,3,4\n', ['b', 'c']],
  [',', 'city,temperature\nNew York,20 °C\nLos Angeles,25 °C\nSan Diego,21 °C\n', ['temperature']],
  ['\t', 'a\tb\nx, y\t1\nz, w\t2\n', ['b']],
];
for (const [delimiter, source, expected] of delimited) {
  test(`the delimiter of ${JSON.stringify(source)}`, async () => {
    const table = await readTable(source);
    assert.equal(table.columnNames, expected);
    assert.is(table.columns.length, source.slice(0, source.indexOf('\n')).split(delimiter).length);
  });
}

test('a source in pieces gives the same table as one in one piece', async () => {
  const bytes = new TextEncoder().encode('a;b;kind\n1,5;x "y";"p\nq"\n2,5;z;r\n');
  const whole = await readTable(bytes);
  const pieces = await readTable(Array.from(bytes, (byte) => Uint8Array.of(byte)));
  assert.equal(pieces.points.data, whole.points.data);
  assert.equal(pieces.columns, whole.columns);
});

const numbers: [string, TableOptions, number[]][] = [
  ['x\n"1,234"\n"12,345,678"\n5\n', {}, [1234, 12345678, 5]],
  ['x;y\n1.234,5;0\n7;0\n', {}, [1234.5, 7]],
  ["x;y\n1'234.5;0\n7;0\n", {}, [1234.5, 7]],
  ['x;y\n1\u00a0234,5;0\n7,25;0\n', {}, [1234.5, 7.25]],
  ['x;y\n1,234;0\n5,678;0\n', {}, [1.234, 5.678]],
  ['x;y\n1,234;0\n5,678;0\n', { decimal: '.' }, [1234, 5678]],
  ['x\n$ 5\n-$3\n($4)\n', {}, [5, -3, -4]],
  ['x\n−5\n+3\n1e3\n.5\n', {}, [-5, 3, 1000, 0.5]],
  ['x\n20 °C\n-3 °C\n', {}, [20, -3]],
  ['x\nyes\nno\nYES\n', {}, [1, 0, 1]],
  ['x\nTRUE\nFalse\nNA\ntrue\n', {}, [1, 0, 1]],
];
for (const [source, options, expected] of numbers) {
  test(`numbers in ${JSON.stringify(source)} ${JSON.stringify(options)}`, async () => {
    const { points } = await readTable(source, { precision: 'double', ...options });
    assert.equal(
      points.toArray().map((row) => (row as number[])[0]),
      expected,
    );
  });
}

const dates = ['2012-01-31', '31.12.2000', '12/31/00', 'Jan 1 2000', '1 Jan 2000', 'January 2000', '2015/01/01 01:00:00', '2010-01-01T01:00:00Z', '12:30', '11:59 pm', '2000-Q1', 'Mon, 3 Jan 2000']; // oxfmt-ignore
test('dates and times are left out by name', () =>
  forEachInOrder(dates, async (date) => {
    const { leftOut, columns } = await readTable(`when,x\n"${date}",1\n"${date}",5\n`);
    assert.equal(leftOut, [{ name: 'when', reason: /^1\d:/.test(date) ? 'times' : 'dates' }], date);
    assert.is(columns[0].kind, 'date');
  }));

const titanic = `PassengerId,Survived,Name,Sex,Age,Ticket,Fare,Cabin,Embarked
1,0,"Braund, Mr. Owen",male,22,A/5 21171,7.25,,S
2,1,"Cumings, Mrs. John ""Florence""",female,38,PC 17599,71.28,C85,C
3,0,"Heikkinen, Miss",female,26,STON,7.92,,S
4,1,"Futrelle, Mrs",female,35,113803,53.1,C123,S
5,0,"Allen, Mr",male,,373450,8.05,,S
6,0,"Moran, Mr",male,NA,330877,8.46,,Q
`;

test('text, ids and missing values are distinguished, and columns left out are named', async () => {
  const table = await readTable(titanic, { label: 'sex' });
  assert.equal(table.columnNames, ['Survived', 'Age', 'Fare']);
  assert.is(table.points.rows, 4);
  assert.equal([...table.rowNumbers], [0, 1, 2, 3]);
  assert.equal(table.ids, ['1', '2', '3', '4']);
  assert.is(table.idColumn, 'PassengerId');
  assert.equal([...(table.labels ?? [])], [1, 0, 0, 0]);
  assert.equal(table.labelNames, ['female', 'male']);
  assert.equal(table.missing, { Age: 2, Cabin: 4 });
  assert.equal(
    table.leftOut.map(({ name }) => name),
    ['Name', 'Ticket', 'Cabin', 'Embarked'],
  );
  assert.equal(table.leftOut[0].reason, 'different in every row');
  assert.equal(table.labelCandidates, ['Embarked']);
  assert.equal(table.notes, ["2 missing values (2 in 'Age'): 2 of 6 rows dropped. missing: 'mean' keeps them."]);
});

test('missing values become means of what is there, and are counted', async () => {
  const { points, ids, notes } = await readTable(titanic, { missing: 'mean', precision: 'double' });
  assert.is(points.rows, 6);
  assert.is((points.toArray() as number[][])[4][1], (22 + 38 + 26 + 35) / 4);
  assert.is(ids?.length, 6);
  assert.match(notes.join(' '), /2 missing values \(2 in 'Age'\): replaced by the mean of the column/);
});

test('all words for a missing value', () =>
  forEachInOrder(['', 'NA', 'n/a', 'NaN', 'null', '?', '-', 'None', '#N/A', 'inf', '.'], async (word) => {
    const { points, missing } = await readTable(`a,b\n1,2\n3,${word}\n5,7\n9,8\n`);
    assert.equal(missing, { b: 1 }, word);
    assert.is(points.rows, 3);
  }));

test('a column that lacks most values is left out, so that rows remain', async () => {
  const { columnNames, leftOut, points } = await readTable('a,b,c\n1,,3\n2,,4\n3,5,6\n9,,7\n');
  assert.equal(columnNames, ['a', 'c']);
  assert.equal(leftOut, [{ name: 'b', reason: '75 % missing' }]);
  assert.is(points.rows, 4);
});

test('rows are numbered where they were dropped and have no ids', async () => {
  const { ids, idColumn } = await readTable('a,b\n1,\n3,4\n5,6\n');
  assert.equal(ids, ['2', '3']);
  assert.is(idColumn, 'row');
});

test('usual names of label columns are recognized in upper and lower case; other columns are offered', async () => {
  await forEachInOrder(['label', 'Class', 'TARGET', 'Species'], async (name) => {
    const { labelColumn, labels } = await readTable(`x,${name}\n1,u\n2,v\n3,u\n5,v\n`);
    assert.is(labelColumn, name);
    assert.equal([...(labels ?? [])], [0, 1, 0, 1]);
  });
  const offered = await readTable('x,weather\n1,u\n2,v\n3,u\n5,v\n');
  assert.is(offered.labels, undefined);
  assert.equal(offered.labelCandidates, ['weather']);
  assert.is((await readTable('x,label\n1,0\n2,1\n', { label: false })).labelColumn, undefined);
  assert.is((await readTable('x,target\n1,0.5\n2,1.25\n')).labelColumn, undefined, 'a quantity names no classes');
});

test('row numbers and copies of the label are pointed out', async () => {
  const { notes } = await readTable('t,code,species,x\n3,0,a,5\n4,1,b,1\n5,0,a,2\n6,1,b,7\n7,1,b,3\n');
  assert.equal(notes, [
    "'t' rises by one in every row, like an id. ignore: ['t'] leaves it out.",
    "'code' equals the label 'species'. ignore: ['code'] leaves it out.",
  ]);
});

test('codes with leading zeros are not numbers, unless they are requested', async () => {
  const source = 'zip,x\n00501,1\n00544,2\n10001,5\n';
  const { columnNames, ids } = await readTable(source);
  assert.equal(columnNames, ['x']);
  assert.equal(ids, ['00501', '00544', '10001']);
  assert.equal((await readTable(source, { columns: ['ZIP'] })).points.toArray(), [[501], [544], [10001]]);
});

test('codes in single quotes are not numbers either, and are named without the quotes', async () => {
  const source = "zip,x\n'00501',1\n'00544',2\n'10001',5\n";
  const { columnNames, ids, notes } = await readTable(source);
  assert.equal([columnNames, ids, notes], [['x'], ['00501', '00544', '10001'], []]);
  assert.equal((await readTable(source, { columns: ['zip'] })).points.toArray(), [[501], [544], [10001]]);
});

test('a category among the columns is one-hot encoded, behind the numbers', async () => {
  const source = 'a,b,sex,species\n1,2,m,u\n3,4,f,v\n5,6,m,u\n';
  const table = await readTable(source, { columns: ['Sex', 'a'], categorical: ['sex'] });
  assert.equal(table.columnNames, ['a', 'sex=f', 'sex=m']);
  assert.equal(table.points.toArray()[1], [3, 1, 0]);
  assert.equal(table.labelColumn, 'species');
  assert.equal(
    table.leftOut.map(({ name }) => name),
    ['b'],
  );
  assert.equal((await readTable(source, { columns: ['sex'], categorical: ['sex'] })).columnNames, ['sex=f', 'sex=m']);
  // A label that is asked for as coordinates is no label.
  const coded = await readTable(source, { columns: ['a', 'species'], categorical: ['species'] });
  assert.equal([coded.columnNames, coded.labelColumn], [['a', 'species=u', 'species=v'], undefined]);
});

test('columns, ignored columns and categories are chosen by name, in upper or lower case, or by index', async () => {
  const source = 'a,B,kind\n1,2,u\n3,4,v\n5,6,u\n';
  assert.equal((await readTable(source, { columns: ['b', 'a'] })).columnNames, ['B', 'a']);
  assert.equal((await readTable(source, { ignore: [0] })).columnNames, ['B']);
  const { columnNames, points, encoding } = await readTable(source, { categorical: [-1], ignore: ['b'] });
  assert.equal(columnNames, ['a', 'kind=u', 'kind=v']);
  assert.equal(points.toArray(), [
    [1, 1, 0],
    [3, 0, 1],
    [5, 1, 0],
  ]);
  assert.equal(encoding.columns[1], {
    name: 'kind',
    kind: 'categories',
    categories: ['u', 'v'],
    shares: [2 / 3, 1 / 3],
  });
});

test('headers: words above numbers, years beside words, none', async () => {
  assert.equal((await readTable('name,2000,2001,2002\nA,1,2,3\nB,4,5,6\n')).columnNames, ['2000', '2001', '2002']);
  const without = await readTable('5.1,3.5,setosa\n4.9,3,setosa\n6.1,2.2,virginica\n6,2,virginica\n');
  assert.equal(without.columnNames, ['x0', 'x1']);
  assert.is(without.points.rows, 4);
  assert.is(without.encoding.isNamed, false);
  assert.equal((await readTable('1,2\n3,4\n', { header: true })).columnNames, ['1', '2']);
});

test('files of scikit-learn have their label last', async () => {
  const { columnNames, labels } = await readTable('4,2,setosa,virginica\n5.1,3.5,0\n4.9,3.0,0\n6.1,2.2,1\n6.0,2.1,1\n');
  assert.equal(columnNames, ['x0', 'x1']);
  assert.equal([...(labels ?? [])], [0, 0, 1, 1]);
});

test('names that occur twice become distinct', async () => {
  const { columnNames, notes } = await readTable('a,a,\n1,2,3\n4,5,6\n');
  assert.equal(columnNames, ['a', 'a.2', 'x2']);
  assert.equal(notes, ["The name 'a' occurs again: column 2 is called 'a.2'."]);
});

test('nested values of JSON become columns; those that cannot are left out', async () => {
  const source = [
    { id: 7, at: { lat: 1, lon: 2 }, vector: [0.5, 1], tags: ['p'] },
    { id: 8, at: { lat: 3, lon: 4 }, vector: [1.5, 2], tags: ['p', 'q'] },
  ];
  const { columnNames, leftOut, points, ids } = await readTable(JSON.stringify(source));
  assert.equal(columnNames, ['at.lat', 'at.lon', 'vector.0', 'vector.1']);
  assert.equal(leftOut, [{ name: 'tags', reason: 'nested values' }]);
  assert.equal(points.toArray(), [
    [1, 2, 0.5, 1],
    [3, 4, 1.5, 2],
  ]);
  assert.equal(ids, ['7', '8']);
});

test('a large file of plain numbers takes the fast path to the same points, labels and notes', async () => {
  const rows = Array.from({ length: 9000 }, (_, i) => `${i + 1},${Math.sin(i)},${i % 3}`);
  const source = `time,x,label\n${rows.join('\n')}\n`;
  assert.ok(source.length > 1 << 17);
  const expected = await readCsv(source, { label: 'label' });
  const table = await readTable(source);
  assert.equal(table.points.data, expected.points.data);
  assert.equal(table.labels, expected.labels);
  assert.equal(table.notes, ["'time' rises by one in every row, like an id. ignore: ['time'] leaves it out."]);
  const gaps = await readTable(source.replace('\n8000,', '\nNA,'), { missing: 'mean' });
  assert.equal(gaps.missing, { time: 1 }, 'a gap behind the first rows');
  const general = await readTable(source, { id: 'time' });
  assert.equal(
    general.points.toArray().flat(),
    Array.from(table.points.data).filter((_, k) => k % 2 === 1),
  );
  assert.is(table.encoding.columns[1].kind === 'number' && general.encoding.columns[0].kind === 'number', true);
  assert.equal(
    table.columns.map(({ kind, missing }) => [kind, missing]),
    [
      ['number', 0],
      ['number', 0],
      ['number', 0],
    ],
  );
});

test('lists of numbers without names keep all columns, also nested ones', async () => {
  const rows = [
    [1, 2],
    [3, 4],
    [5, 6],
  ];
  const table = await readTable(JSON.stringify(rows));
  assert.equal(table.points.toArray(), rows);
  assert.equal(table.columnNames, ['x0', 'x1']);
  const nested = await readTable('[[7,[2,3]],[8,[4,5]]]');
  assert.equal(nested.points.toArray(), [
    [7, 2, 3],
    [8, 4, 5],
  ]);
  assert.equal(nested.columnNames, ['x0', 'x1', 'x2']);
});

test('the last column of a file of scikit-learn is a coordinate if it is no label', async () => {
  const { columnNames, points } = await readTable('3,2,a,b\n1,2,0\n3,4,1\n5,6,0\n', { label: false });
  assert.equal(columnNames, ['x0', 'x1', 'label']);
  assert.equal((points.toArray() as number[][])[1], [3, 4, 1]);
});

test('ids with gaps are the coordinates if there are no others, without the rows that lack them', async () => {
  for (const kind of ['a', '']) {
    const { columnNames, points, rowNumbers } = await readTable(`id,kind\n1,a\n,b\n3,${kind}\n`);
    assert.equal([columnNames, points.toArray(), [...rowNumbers]], [['id'], [[1], [3]], [0, 2]]);
  }
});

test('a new table is encoded as another one, whatever its order and its further columns', async () => {
  const first = await readTable('a,b,kind\n1,2,u\n3,4,v\n5,6,u\n', { categorical: ['kind'] });
  const second = await readTable('extra,KIND,b,a\n9,v,20,10\n8,w,40,30\n', {
    columns: first.encoding,
    missing: 'mean',
  });
  assert.equal(second.columnNames, first.columnNames);
  const rows = second.points.toArray() as number[][];
  assert.equal(rows[0], [10, 20, 0, 1]);
  assert.equal(rows[1], [30, 40, Math.fround(2 / 3), Math.fround(1 / 3)], 'an unknown category is a missing value');
  const dropped = await readTable('extra,KIND,b,a\n9,v,20,10\n8,w,40,30\n');
  assert.equal(dropped.encodedAs(first.encoding).points.toArray(), [[10, 20, 0, 1]]);
});

test.run();
