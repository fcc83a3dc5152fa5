/** `readTable` copes with the habits of spreadsheets, laboratories and surveys, and says what it made of them. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadModel, Random, readTable, saveModel, SpectralEmbedding, transform } from '../../lib/index.ts';
import { forEachInOrder } from '../for-each.ts';
import { rejects } from '../rejects.ts';

const test = suite('habits of tables');

/** Rows of numbers that follow no pattern. */
const rows = (count: number, line: (i: number, x: string, y: string) => string): string =>
  Array.from({ length: count }, (_, i) => line(i, Math.sin(99 * i).toFixed(2), Math.cos(77 * i).toFixed(2))).join('\n');

test('lines above the header may be padded with delimiters', async () => {
  const body = `region,q1,q2\n${rows(9, (i, x, y) => `r${i},${x},${y}`)}\n`;
  const { columnNames, points, notes } = await readTable(`Report,,\nmade in 2021,,\n,,\n${body}`);
  assert.equal([columnNames, points.rows], [['q1', 'q2'], 9]);
  assert.equal(notes, ['3 lines before the table were skipped.']);
  const oneNumber = await readTable('7,,\n1,2,3\n4,5,6\n7,8,9\n', { missing: 'mean' });
  assert.is(oneNumber.points.rows, 4, 'a row with one number is a row');
  const oneName = await readTable('value,,\n1,,\n2,,\n4,,\n');
  assert.equal(oneName.columnNames, ['value'], 'a header may have one name if rows have one cell');
});

test('lines of units below the header are skipped, and told', async () => {
  const body = rows(6, (i, x, y) => `${x},${y},n${i}`);
  const { columnNames, points, notes } = await readTable(`temp,mass,name\nK,kg,\n${body}\n`);
  assert.equal([columnNames, points.rows], [['temp', 'mass'], 6]);
  assert.equal(notes, ["1 line below the header skipped, without numbers: 'K', 'kg'."]);
  const two = await readTable(`temp,mass,name\nK,kg,\ninside,dry,who\n${body}\n`);
  assert.equal([two.columnNames, two.points.rows], [['temp', 'mass'], 6]);
  const single = await readTable(`x,name\nlow,a\n${rows(6, (i, x) => `${x},n${i}`)}\n`).catch(String);
  assert.match(String(single), /no number in 1 of 7 cells: 'low' on line 2/, 'one word is no line of units');
  const gap = await readTable(`temp,mass\nK,\n${rows(6, (_, x, y) => `${x},${y}`)}\n`);
  assert.equal(gap.leftOut[0]?.name, 'temp');
});

test('sources and remarks below the table are skipped, and told', async () => {
  const body = `region,x,y\n${rows(9, (i, x, y) => `r${i},${x},${y}`)}\n`;
  const { points, columnNames, notes } = await readTable(`${body}\nSource: an office\n* preliminary, see below\n`);
  assert.equal([points.rows, columnNames], [9, ['x', 'y']]);
  assert.equal(notes, ['2 lines below the table were skipped.']);
  const short = await readTable(`${body}r9,7\n`, { missing: 'mean' });
  assert.is(short.points.rows, 10, 'a short row with a number is a row');
  assert.match(short.notes[0], /^1 row with fewer fields than the others, first on line 11: /);
  const words = await readTable(`${body}r9,low,high\n`).catch(String);
  assert.match(String(words), /no number in 1 of 10 cells: 'low' on line 11/, 'a complete row is a row');
  const both = await readTable(`${body}r9,7\nSource: an office\n`, { missing: 'mean' });
  assert.equal([both.points.rows, both.notes.length, both.notes[0]], [10, 3, '1 line below the table was skipped.']);
});

test('a last row that is called total is pointed out', async () => {
  const source = (name: string): string => `region,x,y\n${rows(9, (i, x, y) => `r${i},${x},${y}`)}\n${name},100,200\n`;
  for (const name of ['Total', 'GRAND TOTAL', 'Mean']) {
    const { notes, points } = await readTable(source(name));
    assert.equal(
      [points.rows, notes],
      [10, [`The last row is called '${name}'. If it sums up the others, delete it.`]],
    );
  }
  assert.equal((await readTable(source('Totalitarian'))).notes, []);
});

test('a total is pointed out in any column of text, in other languages, and by its numbers alone', async () => {
  const lines = rows(9, (i, x, y) => `${'ab'[i % 2]},r${i % 3},${x},${y}`);
  for (const [last, word] of [
    ['TOTAL,,100,200', 'TOTAL'],
    [',Summe:,100,200', 'Summe'],
    ['Insgesamt,,100,200', 'Insgesamt'],
  ]) {
    const { notes } = await readTable(`part,region,x,y\n${lines}\n${last}\n`);
    assert.equal(notes, [`The last row is called '${word}'. If it sums up the others, delete it.`]);
  }
  const often = rows(9, (i, x, y) => `${['all', 'none'][i % 2]},${x},${y}`);
  assert.equal((await readTable(`who,x,y\n${often}\n`)).notes, [], 'a class that other rows have is no total');
  const numbers = Array.from({ length: 9 }, (_, i) => [(i * i) % 7, 3.25 * ((i * 5) % 11)]);
  const sums = [0, 1].map((k) => numbers.reduce((sum, pair) => sum + pair[k], 0));
  const table = (last: readonly number[]): string => `x,y\n${[...numbers, last].map(String).join('\n')}\n`;
  assert.equal((await readTable(table(sums))).notes, [
    'The last row is the sum of the others. If it is a total, delete it.',
  ]);
  assert.equal((await readTable(table([sums[0], sums[1] + 1]))).notes, []);
  const dropped = await readTable(`region,x,y\n${rows(9, (i, x, y) => `r${i},${x},${y}`)}\nTotal,100,\n`);
  assert.is(dropped.notes.length, 1, 'nothing is said of a row that is dropped');
});

test('numbers that rise or fall by a constant are pointed out, also in single precision', async () => {
  const notesOf = async (value: (i: number) => number, count = 9) =>
    (await readTable(`no1,x\n${rows(count, (i, x) => `${value(i)},${x}`)}\n`)).notes;
  const note = (what: string): string => `'no1' ${what} in every row, like an id. ignore: ['no1'] leaves it out.`;
  assert.equal(await notesOf((i) => 37 * (i + 1)), [note('rises by 37')]);
  assert.equal(await notesOf((i) => 100 - 10 * i), [note('falls by 10')]);
  assert.equal(await notesOf((i) => Number((0.1 * i).toFixed(1))), [note('rises by 0.1')]);
  assert.equal(await notesOf((i) => 20_000_000 + 7 * i), [note('rises by 7')], 'one note, not two');
  // More than the bytes that small files have: the fast path, in single precision.
  assert.equal(await notesOf((i) => 37 * (i + 1), 20_000), [note('rises by 37')]);
  assert.equal(await notesOf((i) => 37 * i + (i === 7 ? 1 : 0)), []);
  assert.equal(await notesOf((i) => 37 * i + (i === 19_990 ? 8 : 0), 20_000), []);
});

test('yes and no may be written in several ways, as words, letters and digits', async () => {
  const read = async (cells: string[]) => readTable(`x,y\n${rows(12, (i, x) => `${x},${cells[i % cells.length]}`)}\n`);
  const valuesOf = async (cells: string[]) => {
    const { points, columnNames } = await read(cells);
    assert.equal(columnNames, ['x', 'y'], cells.join());
    return cells.map((_, i) => points.at(i, 1));
  };
  assert.equal(await valuesOf(['yes', 'no', 'Y', 'N']), [1, 0, 1, 0]);
  assert.equal(await valuesOf(['1', 'FALSE', 'true', '0', 'T']), [1, 0, 1, 0, 1]);
  assert.equal(await valuesOf(['t', 'f', 't']), [1, 0, 1]);
  assert.equal((await read(['t', 'f'])).notes, ["Read as numbers: 'y' (t as 1)."]);
  assert.equal((await read(['no', 'y'])).notes, ["Read as numbers: 'y' (yes as 1)."]);
  assert.equal(await valuesOf(['si\u0301', 'no', 'S\u00cd', 'si']), [1, 0, 1, 1], 'accents in one character or two');
  assert.equal(await valuesOf(['ja', 'J', 'nein', 'n']), [1, 1, 0, 0]);
  for (const [yes, no] of ['ja nein', 'Oui Non', 'si no', 'Sí No', 'sim não', 'да нет', 'J N', 'vrai faux'].map(
    (pair) => pair.split(' '),
  )) {
    assert.equal(await valuesOf([yes, no, yes]), [1, 0, 1]);
    assert.equal((await read([yes, no])).notes, [`Read as numbers: 'y' (${yes} as 1).`]);
  }
  for (const cells of [
    ['t', 'n'],
    ['s', 'n'],
    ['ja', 'non'],
    ['y', '0'],
    ['yes', 'no', 'maybe'],
    ['yes', 'false'],
    ['Si', 'S', 'N'],
    ['nein', 'nej', 'ja'],
  ]) {
    // oxfmt-ignore
    const { leftOut } = await read(cells);
    assert.is(leftOut[0].name, 'y', cells.join());
  }
});

test("the line 'sep=;' of Excel states the delimiter, and is no header", async () => {
  for (const first of ['sep=;', '"sep=;"', 'SEP=;\r']) {
    const { columnNames, points, notes } = await readTable(`${first}\na;b\n${rows(9, (_, x, y) => `${x};${y}`)}\n`);
    assert.equal([columnNames, points.rows, notes], [['a', 'b'], 9, []], first);
  }
  // With the commas of the numbers alone, a comma would separate as well.
  const stated = await readTable(`sep=;\na;b\n${rows(9, (i) => `${i * i},5;${(i * 3) % 7},25`)}\n`);
  assert.equal([stated.columnNames, stated.points.at(2, 0)], [['a', 'b'], 4.5]);
  const pipes = await readTable(`sep=|\na|b\n${rows(9, (_, x, y) => `${x}|${y}`)}\n`, { header: true });
  assert.equal([pipes.columnNames, pipes.points.rows], [['a', 'b'], 9]);
});

test('fields are in single quotes where the header is', async () => {
  const text = "'name','x','y'\n'a, b','1','2'\n'it''s','3','4.5'\n'c','5','6'\n'a, b','7','9'\n";
  const { columnNames, points, labels, labelNames } = await readTable(text, { label: 'name' });
  assert.equal(
    [columnNames, [...points.data]],
    [
      ['x', 'y'],
      [1, 2, 3, 4.5, 5, 6, 7, 9],
    ],
  );
  assert.equal(
    [...labels!].map((k) => labelNames![k]),
    ['a, b', "it's", 'c', 'a, b'],
  );
  const apostrophe = await readTable("'x','name'\n1,'tis\n2,'twas\n4,both\n5,both\n", { label: "'name'" });
  assert.equal(apostrophe.labelNames, ['both', "'tis", "'twas"].toSorted());
});

test('single quotes around numbers and references behind them are dropped', async () => {
  const quoted = await readTable(`x,y\n${rows(9, (_, x, y) => `'${x}','${y}'`)}\n`);
  assert.equal([quoted.columnNames, quoted.points.rows], [['x', 'y'], 9]);
  assert.is(quoted.points.at(1, 0), Math.fround(Number(Math.sin(99).toFixed(2))));
  assert.equal(quoted.notes, ["Read as numbers: 'x' (without single quotes), 'y' (without single quotes)."]);
  const cited = await readTable(`x,y\n${rows(9, (i, x, y) => `${x}${['', '[1]', ' [b]'][i % 3]},${y}`)}\n`);
  assert.equal([cited.columnNames, cited.points.rows], [['x', 'y'], 9]);
  const feet = await readTable(`x,y\n${rows(9, (_, x, y) => `${x}',${y}`)}\n`);
  assert.equal(feet.columnNames, ['y'], 'one quote is part of the text');
});

test('marks behind numbers are dropped, and separators of thousands are told beside decimal commas', async () => {
  const starred = await readTable(`x,y\n${rows(9, (i, x, y) => `${x}${['', '*', '**', ' †'][i % 4]},${y}`)}\n`);
  assert.equal([starred.columnNames, starred.points.rows], [['x', 'y'], 9]);
  assert.equal(starred.notes, ["Read as numbers: 'x' (without marks such as *)."]);
  const masked = await readTable(`x,y\n${rows(9, (i, x, y) => `${i % 2 ? '***' : x},${y}`)}\n`);
  assert.equal(masked.columnNames, ['y'], 'marks without a number are no number');
  const blanks = await readTable(`x;y\n${rows(9, (i) => `1\u00a0${200 + i * i};${i % 4},5`)}\n`);
  assert.match(blanks.notes[1], /'x' \(separators of thousands\)/);
  const german = await readTable(`x;y\n${rows(9, (i, x) => `${i % 4 ? x.replace('.', ',') : 'k.A.'};${i % 4},5`)}\n`);
  assert.equal([german.columnNames, german.missing], [['x', 'y'], { x: 3 }]);
});

test('times are called times, and the exponents of Fortran are exponents', async () => {
  const { leftOut } = await readTable(`lap,x\n${rows(9, (i, x) => `${i + 1}:3${i},${x}`)}\n`);
  assert.equal(leftOut, [{ name: 'lap', reason: 'times' }]);
  const { points, columnNames } = await readTable('a,b\n0.125D+01,1\n-2.5d-01,2\n1D+00,3\n');
  assert.equal(
    [columnNames, [0, 1, 2].map((i) => points.at(i, 0))],
    [
      ['a', 'b'],
      [1.25, -0.25, 1],
    ],
  );
  assert.equal((await readTable('a,b\n3D5,1\n4D6,2\n7D1,3\n')).columnNames, ['b'], 'without a sign it is a name');
});

test('values that stand for missing ones are stated by the user, in text and in numbers', async () => {
  const source = `a,b\n${rows(12, (i, x, y) => `${i % 4 ? x : '-999.0'},${i % 5 ? y : 'TBD'}`)}\n`;
  const first = await readTable(source);
  assert.equal(first.columnNames, ['a']);
  assert.equal(first.notes, [
    "'a' is -999 in 3 rows, far from all other values. If it stands for a missing value, pass missingValues: ['-999'].",
    "To use the numbers of 'b', pass missingValues: ['TBD'].",
  ]);
  await forEachInOrder([-999, '-999', ' -999.00 '], async (code) => {
    const { columnNames, missing, points } = await readTable(source, { missingValues: [code, 'tbd'], missing: 'mean' });
    assert.equal([columnNames, missing, points.rows], [['a', 'b'], { a: 3, b: 3 }, 12]);
    assert.ok(points.data.every((value) => Math.abs(value) <= 1));
  });
  const json = JSON.stringify([{ a: 1 }, { a: -999 }, { a: 2 }, { a: 'tbd' }]);
  assert.equal((await readTable(json, { missingValues: [-999, 'tbd'] })).points.toArray(), [[1], [2]]);
  const refused = await readTable(source, { missingValues: [null as never] }).catch(String);
  assert.match(String(refused), /expected missingValues to be a list of texts and numbers/);
});

test('a model remembers them, for tables that were read without them, too', async () => {
  const source = `a,b\n${rows(40, (i, x, y) => `${i % 8 ? x : '-999'},${i % 9 ? y : 'tbd'}`)}\n`;
  const table = await readTable(source, { missingValues: [-999, 'tbd'] });
  const fitted = await new SpectralEmbedding({ components: 1 }).fit(table);
  const model = loadModel(saveModel(fitted.model));
  assert.equal(model.columns?.missingValues, [-999, 'tbd']);
  const again = await readTable(source);
  assert.equal(transform(model, again).data, fitted.embedding.data);
  const byColumns = await readTable(source, { columns: model.columns! });
  assert.equal(byColumns.points.data, table.points.data);
  assert.is((await readTable('a,b\n1,2\n3,4\n')).encoding.missingValues, undefined);
});

test('large files of numbers: codes for missing values are pointed out and obeyed there, too', async () => {
  const source = `x,y\n${rows(12_000, (i, x, y) => `${i % 100 ? x : -999},${y}`)}\n`;
  assert.ok(source.length > 1 << 17);
  assert.match((await readTable(source)).notes.join(), /'x' is -999 in 120 rows/);
  assert.is((await readTable(source, { missingValues: [-999] })).points.rows, 11_880);
});

test('usual codes are not suspected where they are among the values or occur once', async () => {
  const harmless = [
    rows(20, (i) => `${95 + (i % 8)}`),
    rows(20, (i, x) => (i === 3 ? '-999' : x)),
    rows(20, (i) => `${i % 2 ? 999 : 0}`),
  ];
  await forEachInOrder(harmless, async (body) => {
    assert.equal(
      (await readTable(`x\n${body}\n`)).notes.filter((note) => note.includes('far from')),
      [],
      body,
    );
  });
});

test('account numbers are pointed out; large measurements are not', async () => {
  const { notes } = await readTable(`card,x\n${rows(9, (i, x) => `${4929e12 + ((i * 7919) % 101) * 1e6},${x}`)}\n`);
  assert.equal(notes, [
    "'card' has whole numbers of 16 digits that differ in every row, like an id. ignore: ['card'] leaves it out.",
  ]);
  assert.equal((await readTable(`sales,x\n${rows(9, (i, x) => `${(i * i + 3) * 12_345_678},${x}`)}\n`)).notes, []);
  assert.equal((await readTable(`mass,x\n${rows(9, (i, x) => `${12_345_678 + (i % 3)},${x}`)}\n`)).notes, []);
});

test('days written as numbers and seconds since 1970 are dates', async () => {
  const day = (i: number): string => `202003${String(i + 10)}`;
  assert.equal((await readTable(`d,x\n${rows(9, (i, x) => `${day(i)},${x}`)}\n`)).leftOut, [
    { name: 'd', reason: 'dates' },
  ]);
  await forEachInOrder(['epoch', 'created_at', 'time', 'ts'], async (name) => {
    const { leftOut } = await readTable(`${name},x\n${rows(9, (i, x) => `${1.6e9 + 86_400 * i * i},${x}`)}\n`);
    assert.equal(leftOut, [{ name, reason: 'dates' }]);
  });
  assert.equal((await readTable(`time,x\n${rows(9, (i, x) => `${i * i},${x}`)}\n`)).columnNames, ['time', 'x']);
  assert.equal((await readTable(`n,x\n${rows(9, (i, x) => `${20_201_399 + i},${x}`)}\n`)).columnNames, ['n', 'x']);
  const large = `d,x\n${rows(16_000, (i, x) => `${day(i % 19)},${x}`)}\n`;
  assert.ok(large.length > 1 << 17);
  assert.equal((await readTable(large)).columnNames, ['x'], 'in a large file of numbers, too');
});

test('a point that may separate thousands is pointed out beside semicolons', async () => {
  const source = 'x;y\n1.234;5\n5.678;7\n950;9\n';
  const note =
    "The point in numbers such as 1.234 is read as a decimal point. If it separates thousands, pass decimal: ','.";
  assert.equal((await readTable(source)).notes, [note]);
  assert.equal((await readTable(source, { decimal: ',', precision: 'double' })).points.toArray()[0], [1234, 5]);
  assert.equal((await readTable(source.replace('950', '0.950'))).notes, [], 'a zero before the point');
  assert.equal((await readTable(source.replaceAll(';', ','))).notes, []);
});

test('yes and no are told, and columns of two numbers are offered as labels', async () => {
  const source = `smoker,outcome,x\n${rows(8, (i, x) => `${i % 3 ? 'No' : 'Yes'},${i % 2},${x}`)}\n`;
  const { notes, labelCandidates, labelColumn } = await readTable(source);
  assert.equal(notes, ["Read as numbers: 'smoker' (Yes as 1)."]);
  assert.equal([labelCandidates, labelColumn], [['smoker', 'outcome'], undefined]);
  assert.equal((await readTable(source, { label: 'outcome' })).labelCandidates, []);
  const features = `a,b,c\n${rows(8, (i) => `${i % 2},${i % 3 ? 0 : 1},${i % 5 ? 1 : 0}`)}\n`;
  assert.equal((await readTable(features)).labelCandidates, [], 'many of them are features');
  assert.equal((await readTable(`a,x\n${rows(8, (i, x) => `${i % 3},${x}`)}\n`)).labelCandidates, []);
});

test('constant columns are named', async () => {
  const { notes } = await readTable(`a,x,b\n${rows(6, (_, x) => `7,${x},0`)}\n`);
  assert.equal(notes, ["Constant: 'a', 'b'."]);
});

test('columns left out for their gaps come with the option that keeps them', async () => {
  const source = `a,b,c\n${rows(8, (i, x, y) => `${x},${i % 4 ? '' : y},${i % 3 ? '' : y}`)}\n`;
  const { columnNames, notes } = await readTable(source);
  assert.equal(columnNames, ['a']);
  assert.equal(notes, ["2 columns were left out so that half of the rows are complete. missing: 'mean' keeps all."]);
  assert.equal((await readTable(source, { missing: 'mean' })).columnNames, ['a', 'b', 'c']);
});

test('rows that begin with an error of a spreadsheet are rows, not comments', async () => {
  const body = rows(30, (i, x, y) => `${i === 7 ? '#N/A' : i === 9 ? '#DIV/0!' : x},${y}`);
  const { columns, points, missing } = await readTable(`# made by hand\nx,y\n${body}\n`);
  assert.equal([columns[0].values.length, points.rows, missing], [30, 28, { x: 2 }]);
  const first = await readTable(`x,y\n${body.replace('#N/A', '#N/A ')}\n#name\n# the end\n`);
  assert.is(first.columns[0].values.length, 30, 'other lines with # are comments');
});

test('days with a point before the month are dates', async () => {
  const { leftOut } = await readTable(`day,x,y\n${rows(30, (i, x, y) => `${(i % 28) + 1}. Mar 2021,${x},${y}`)}\n`);
  assert.equal(leftOut, [{ name: 'day', reason: 'dates' }]);
});

test('latitudes and longitudes with a point of the compass are numbers with a sign', async () => {
  const body = rows(12, (i) => `p${i},${i + 0.5}° ${i % 2 ? 'S' : 'N'},${i * i}°W`);
  const { columnNames, points, notes } = await readTable(`place,lat,lon\n${body}\n`);
  assert.equal(columnNames, ['lat', 'lon']);
  assert.equal(Array.from(points.data.subarray(0, 6)), [0.5, -0, -1.5, -1, 2.5, -4]);
  assert.equal(notes, ["Read as numbers: 'lat' (in °), 'lon' (in °)."]);
});

test('a quantity called target is left out, and pointed out', async () => {
  const fractions = `x,y,target\n${rows(20, (i, x, y) => `${x},${y},${Math.sqrt(i).toFixed(3)}`)}\n`;
  const { columnNames, labelColumn, targetColumn, leftOut, notes } = await readTable(fractions);
  assert.equal([columnNames, labelColumn, targetColumn], [['x', 'y'], undefined, 'target']);
  assert.equal(leftOut, [{ name: 'target', reason: 'a quantity' }]);
  const note =
    "'target' is called like a label and holds a quantity: it is left out of the points, and may color them.";
  assert.equal(notes, [`${note} columns: ['x', 'y', 'target'] makes it a coordinate.`]);
  const wanted = await readTable(fractions, { columns: ['x', 'target'] });
  assert.equal([wanted.columnNames, wanted.targetColumn, wanted.notes], [['x', 'target'], undefined, []]);
  const many = await readTable(`x,target\n${rows(202, (i, x) => `${x},${(i * 37) % 101}`)}\n`);
  assert.equal([many.targetColumn, many.labelColumn], ['target', undefined], 'whole numbers of 101 values');
  const few = await readTable(`x,target\n${rows(202, (i, x) => `${x},${(i * 37) % 100}`)}\n`);
  assert.equal([few.targetColumn, few.labelColumn], [undefined, 'target'], 'whole numbers of 100 values');
  const alone = await readTable(`target\n${rows(20, (_, x) => x)}\n`);
  assert.equal(alone.columnNames, ['target'], 'the only numbers are coordinates');
});

test('JSON: a list of numbers is one column, and an object of records is a table with keys', async () => {
  const numbers = await readTable(JSON.stringify(Array.from({ length: 50 }, (_, i) => Math.sin(i))));
  assert.equal([numbers.columnNames, numbers.points.shape], [['value'], [50, 1]]);
  assert.match(
    String(await readTable('[1, 2, "three"]').catch(String)),
    /expected records that are all objects, all lists or all numbers, got "three" as record 3/,
  );
  const records = Array.from({ length: 6 }, (_, i) => [`k${i}`, { x: Math.sin(9 * i), y: i === 3 ? null : i % 5 }]);
  const { columnNames, points, ids, idColumn } = await readTable(JSON.stringify(Object.fromEntries(records)));
  assert.equal([columnNames, points.rows, idColumn], [['x', 'y'], 5, 'key']);
  assert.equal(ids, ['k0', 'k1', 'k2', 'k4', 'k5']);
  const several = await readTable('{"nodes": [{"x": 1}, {"x": 2}], "links": [{"from": 0, "to": 1}]}').catch(String);
  assert.match(
    String(several),
    /got an object with nodes, links\. Save one of the lists 'nodes', 'links' as a file of its own/,
  );
  const grid = await readTable('{"width": 2, "values": [1, 2, 3, 4]}').catch(String);
  assert.match(String(grid), /Save the list 'values' as a file of its own/);
  const one = await readTable('{"at": {"x": 1, "y": 2}, "to": {"x": 3, "y": 4}}');
  assert.equal(one.columnNames, ['at.x', 'at.y', 'to.x', 'to.y'], 'a few objects are the parts of one record');
});

test('a table of pandas: the columns of an object, each by the numbers of its rows', async () => {
  const names = ['sepal', 'petal', 'width', 'length', 'size', 'kind'];
  const cell = (name: string, row: number): unknown => (name === 'kind' ? `k${row % 2}` : row + name.length / 10);
  const column = (name: string) => Object.fromEntries(Array.from({ length: 12 }, (_, row) => [row, cell(name, row)]));
  const columns = Object.fromEntries(names.map((name) => [name, column(name)]));
  const { points, columnNames } = await readTable(JSON.stringify(columns), { label: 'kind' });
  assert.equal([points.shape, columnNames], [[12, 5], names.slice(0, 5)]);
  assert.ok(Math.abs(points.at(7, 1) - 7.5) < 1e-6);
});

test('no sum is suspected in the last row of standardized columns', async () => {
  const random = new Random('standardized');
  const table = Array.from({ length: 3000 }, () => [random.normal(), random.normal()]);
  // The other rows add up to about 0 in each column, and the last row is near 0.
  const means = [0, 1].map((j) => table.reduce((sum, row) => sum + row[j], 0) / table.length);
  const lines = table.map((row) => row.map((value, j) => (value - means[j]).toFixed(6)).join(','));
  const { notes } = await readTable(`a,b\n${lines.join('\n')}\n0.1,-0.1\n`);
  assert.equal(notes, []);
});

test('a file that only states its delimiter, and lists of numbers with gaps, are refused in words', async () => {
  await rejects(
    () => readTable('sep=;\n'),
    /readTable: expected a table with at least one row, got a line that states/,
  );
  const mixed = /expected records that are all objects, all lists or all numbers, got null as record 2/;
  await rejects(() => readTable('[1.5, null, 3]'), mixed);
});

test.run();
