/** Details of `readTable` that other specs of tables do not see: marks, encodings, words and dates, one small table each. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTable } from '../../lib/index.ts';

const test = suite('details of tables');

/** A table of these lines. */
const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

test('a decimal comma of most cells holds for numbers that could have thousands, which a note says', async () => {
  const { points, notes } = await readTable(lines('a\tb', '1,5\t1,234', '2,25\t5,678', '0,5\t9,012'));
  assert.equal(points.toArray()[0], [1.5, Math.fround(1.234)]);
  assert.equal(notes, [
    "Numbers have a decimal comma. If not, pass decimal: '.'.",
    "Read as numbers: 'a' (decimal comma), 'b' (decimal comma).",
  ]);
});

test('lists in a few cells of a file with commas are no decimal commas, and no missing values', async () => {
  const codes = Array.from({ length: 30 }, (_, i) => `${i},"${i < 2 ? '90,47' : i}",${i * i}`);
  const many = Array.from({ length: 20 }, (_, k) => 20 + k).join(',');
  const { columnNames, leftOut, notes } = await readTable(lines('a,codes,b', ...codes, `31,"${many}",3`));
  assert.equal(columnNames, ['a', 'b']);
  assert.equal(leftOut, [{ name: 'codes', reason: "no number in 3 of 31 cells: '90,47' on line 2" }]);
  assert.equal(notes, []);
  const places = Array.from({ length: 30 }, (_, i) => `"${i % 4 ? `${i},65` : `${i}.5,-7.25`}",${i * i}`);
  const { notes: none } = await readTable(lines('place,b', ...places));
  assert.equal(none, []);
  const marks = await readTable(lines('a,b', '"1,5",2', '"2,25",3', '"0,5",5'));
  assert.equal(marks.points.toArray()[1], [2.25, 3]);
});

test('a byte order mark is no part of a quoted name', async () => {
  const { columnNames } = await readTable(`\ufeff"a, b",c\n1,2\n3,5\n`);
  assert.equal(columnNames, ['a, b', 'c']);
});

test('quotes in quoted cells are doubled', async () => {
  const { ids } = await readTable(lines('id,x', '"5"" disk",1', '"3.5"" disk",2.5'));
  assert.equal(ids, ['5" disk', '3.5" disk']);
});

test('errors of spreadsheets are missing numbers', async () => {
  const errors = ['#DIV/0!', '#N/A', '#VALUE!', '#REF!', '#NUM!', '#NAME?', '#NULL!'];
  const { missing } = await readTable(lines('a,b', ...errors.map((error, i) => `${i}.5,${error}`), '1,2', '3,4'));
  assert.equal(missing, { b: errors.length });
});

test('of several columns of ids, the one that is called so names the rows', async () => {
  const { idColumn } = await readTable(lines('person,code_id,x', 'Ann,p7,1', 'Bob,p9,2.5', 'Cy,p3,4'));
  assert.is(idColumn, 'code_id');
});

for (const [what, values] of Object.entries({
  'day 32': [20120132, 20120232, 20120332, 20120432, 20120532],
  'month 13': [20121301, 20121302, 20121303, 20121304, 20121307],
})) {
  test(`whole numbers with ${what} are no dates`, async () => {
    const { columnNames } = await readTable(lines('count', ...values.map(String)));
    assert.equal(columnNames, ['count']);
  });
}

test('weeks and quarters are dates', async () => {
  const { leftOut } = await readTable(
    lines('w,q,x', '2000-W51,2000-Q1,1', '2000-W52,2000-Q2,2.5', '2001W01,Q3 2000,4'),
  );
  assert.equal(leftOut, [
    { name: 'w', reason: 'dates' },
    { name: 'q', reason: 'dates' },
  ]);
});

test('on and off are 1 and 0', async () => {
  const { points } = await readTable(lines('switch,x', 'on,1', 'off,2.5', 'ON,4'));
  assert.equal(points.toArray(), [
    [1, 1],
    [0, 2.5],
    [1, 4],
  ]);
});

test('separators of thousands stand before three digits', async () => {
  const { columnNames } = await readTable(lines('a;x', '12,345,67;1', '1,23,45;2.5', '7,654;4'), { decimal: '.' });
  assert.equal(columnNames, ['x']);
});

test('numbers with a unit and numbers without one are different quantities, unless they are 0', async () => {
  const mixed = await readTable(lines('a,x', '5 kg,1', '9 kg,2.5', '7,4'));
  assert.equal(mixed.columnNames, ['x']);
  const zeros = await readTable(lines('a,x', '5 kg,1', '0,2.5', '9 kg,4'));
  assert.equal(zeros.points.toArray()[1], [0, 2.5]);
});

/** Text in UTF-16, with the bytes of each unit swapped for the other order. */
function utf16(text: string, isBig: boolean): Uint8Array {
  const bytes = Buffer.from(text, 'utf16le');
  return new Uint8Array(isBig ? bytes.swap16() : bytes);
}

for (const isBig of [false, true]) {
  for (const mark of ['', '\ufeff']) {
    test(`UTF-16 ${isBig ? 'BE' : 'LE'} ${mark ? 'with' : 'without'} a byte order mark`, async () => {
      // Without a mark, zero bytes tell the encoding. Greek letters have none.
      const name = mark ? 'θερμοκρασία του αέρα' : 'höhe';
      const { columnNames, notes } = await readTable(utf16(`${mark}${name},x\n1,2\n3,5\n`, isBig));
      assert.equal(columnNames, [name, 'x']);
      assert.equal(notes, [`The text is in UTF-16${isBig ? 'BE' : 'LE'}.`]);
    });
  }
}

test('colors that begin with # are no comments', async () => {
  const { points, ids } = await readTable(lines('#color,x', '#ff0000,1', '#00ff00,2.5', '#0000ff,4'), { header: true });
  assert.is(points.rows, 3);
  assert.equal(ids, ['#ff0000', '#00ff00', '#0000ff']);
});

test('rows with fewer fields are counted, and the first is named', async () => {
  const { notes } = await readTable(lines('a,b,c', '1,2,3', '4,5', '6,7,8.5', '9,1', '2,2,2'), { missing: 'mean' });
  assert.match(notes[0], /^2 rows with fewer fields than the others, first on line 3: /);
});

test('a name that fits two columns in another case is refused', async () => {
  const refused = await readTable(lines('Mass,mass,x', '1,2,3', '4,5,7'), { columns: ['MASS'] }).catch(String);
  assert.match(String(refused), /expected a column named 'MASS'/);
});

test('the mean of a large file of numbers replaces what new rows lack', async () => {
  const rows = Array.from({ length: 40_000 }, (_, i) => `${i % 2},${(i % 5) + 0.5}`);
  const { encoding } = await readTable(lines('a,b', ...rows));
  const means = encoding.columns.map((column) => (column.kind === 'number' ? column.mean : NaN));
  assert.equal(means, [0.5, 2.5]);
});

test.run();
