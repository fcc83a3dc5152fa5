/** Broken tables: each kind has a message that names the file, the problem, its place, and a flag that helps. */

import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('broken tables');

const zip = Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0);
const text = 'kind,x,y\na,1,2\nb,3,4\na,5,7\nb,6,9\n';

/** Kind, file name, contents, flags, and the message after the name of the file. */
// oxfmt-ignore
const broken: [string, string, string | Uint8Array, string[], string][] = [
  ['an empty file', 'a.csv', '', [], 'expected a table with at least one row, got an empty file.'],
  ['blank lines only', 'a.csv', '\n \n\r\n', [], 'expected a table with at least one row, got an empty file.'],
  ['comments only', 'a.csv', '# one\n# two\n', [], 'expected a table with at least one row, got comments only.'],
  ['a header only', 'a.csv', 'a,b\n', [], 'expected a table with at least one row, got only a header. If the first line is a row, pass --no-header.'],
  ['one row', 'a.csv', 'a,b\n1,2\n', [], 'expected at least two points, got 1.'],
  ['one row above remarks', 'a.csv', 'a,b\n1,2\nSource: x\n', [], 'expected at least two points, got 1.'],
  ['text only', 'a.csv', 'a,b\nu,v\nu,w\nx,v\nx,w\n', [], "expected a column of numbers, got only 'a' (2 classes), 'b' (2 classes). --categorical a,b makes a 0-1 column for each value."],
  ['ids and dates only', 'a.csv', 'name,day\nu,2020-01-01\nv,2020-01-02\n', [], "expected a column of numbers, got only 'name' (the ids), 'day' (dates). A point needs numbers: add a column of them."],
  ['a label only', 'a.csv', 'species\nu\nv\nu\nv\n', [], "expected a column of numbers, got only 'species' (the label). If a line has several fields, pass what separates them, such as --delimiter ';'."],
  ['empty columns only', 'a.csv', 'a,b\n,\n,\n', [], "expected a column of numbers, got only 'a' (empty), 'b' (empty). A point needs numbers: add a column of them."],
  ['words among numbers', 'a.csv', 'a\n1\n2\nthree\n4\n', [], "expected a column of numbers, got only 'a' (no number in 1 of 4 cells: 'three' on line 4). --missing-values three counts these cells as missing."],
  ['several units', 'a.csv', 'a,b\n5 kg,u\n3 g,u\n2 kg,v\n', [], "expected a column of numbers, got only 'a' (several units), 'b' (text). Use one unit in a column."],
  ['a quote that is not closed', 'a.csv', 'a,b\n1,"2\n3,4\n', [], "expected a closing quote on line 2, column 2, got none. If quotes are part of the text, double them. Wrong delimiter? Pass --delimiter ';' (',' was used)."],
  ['text behind a closing quote', 'a.csv', 'a,b\n1,"2"x\n3,4\n', [], "expected a separator after the closing quote on line 2, column 2, got '\"2\"x'. If quotes are part of the text, double them. Wrong delimiter? Pass --delimiter ';' (',' was used)."],
  ['a row that is too long', 'a.csv', 'a,b\n1,2\n3,4,5\n6,7\n', [], "expected 2 fields in every row, got 3 on line 3. A field that contains the delimiter needs quotes. Wrong delimiter? Pass --delimiter ';' (',' was used)."],
  ['all rows but one too short', 'a.csv', 'a,b\n1,2\n3\n', [], 'expected at least two points, got 1.'],
  ['an unknown label', 'a.csv', text, ['--label', 'knd'], "expected a column named 'knd', got the columns 'kind', 'x', 'y'. Did you mean --label kind?"],
  ['an unknown column', 'a.csv', text, ['--columns', 'x,zebra'], "expected a column named 'zebra', got the columns 'kind', 'x', 'y'."],
  ['an unknown column to ignore', 'a.csv', text, ['--ignore', 'kin'], "expected a column named 'kin', got the columns 'kind', 'x', 'y'. Did you mean --ignore kind?"],
  ['an unknown category', 'a.csv', text, ['--categorical', 'color'], "expected a column named 'color', got the columns 'kind', 'x', 'y'."],
  ['an unknown id', 'a.csv', text, ['--id', 'nr'], "expected a column named 'nr', got the columns 'kind', 'x', 'y'. Did you mean --id x?"],
  ['text as coordinates', 'a.csv', text, ['--columns', 'x,kind'], "expected numbers in column 'kind', got 'a' on line 2. Use it as --categorical kind or --label kind, or leave it out: --ignore kind."],
  ['everything ignored', 'a.csv', text, ['--ignore', 'x,y'], "expected a column of numbers, got only 'x' (ignored), 'y' (ignored), 'kind' (2 classes). Ignore fewer columns."],
  ['a label that is a coordinate', 'a.csv', text, ['--label', 'x', '--columns', 'x,y'], "expected different columns as coordinates and as label, id or ignored, got 'x' as both a coordinate and the label. Name it in one of them only: --columns x or --label x."],
  ['a category that is ignored', 'a.csv', text, ['--columns', 'x,kind', '--categorical', 'kind', '--ignore', 'kind'], "expected different columns as coordinates and as label, id or ignored, got 'kind' as both a coordinate and ignored. Name it in one of them only: --columns kind or --ignore kind."],
  ['a category that is the id', 'a.csv', text, ['--categorical', 'kind', '--id', 'kind'], "expected different columns as coordinates and as label, id or ignored, got 'kind' as both a coordinate and the id. Name it in one of them only: --categorical kind or --id kind."],
  ['a label of fractions', 'a.csv', 'x,y\n1,0.5\n2,0.25\n', ['--label', 'y'], 'expected labels that are words or 32-bit integers, got 0.5 on line 2. Choose another column as label.'],
  ['too many categories', 'a.csv', `x,y\n${Array.from({ length: 1001 }, (_, i) => `1,c${i}\n`).join('')}`, ['--categorical', 'y'], "expected from 1 to 1000 different values in the categorical column 'y', got 1001. Leave it out: --ignore y."],
  ['missing values that are refused', 'a.csv', 'x,y\n1,2\n3,?\n5,NA\n', ['--missing', 'error'], "expected no missing values, got 2 in 'y', first on line 3. Pass --missing drop or --missing mean."],
  ['missing values in every row', 'a.csv', 'x,y\n1,\n,2\n', ['--missing', 'drop'], "expected a row without missing values, got none of 2: 1 in 'x', 1 in 'y'. Pass --missing mean, or leave out the columns that lack most of them."],
  ['a wrong decimal mark', 'a.csv', 'x\n1.5\n2.25\n', ['--decimal', ','], "expected a column of numbers, got only 'x' (numbers with the other decimal mark). Pass --decimal '.' or --decimal ',', whichever they have."],
  ['a wrong delimiter', 'a.csv', 'x,y\n1,a\n2,b\n', ['--delimiter', 'tab'], "expected a column of numbers, got only 'x,y' (the ids). If a line has several fields, pass what separates them, such as --delimiter ','."],
  ['a number that is too large', 'a.csv', 'x,y\n1,2\n1e39,3\n', [], "expected numbers of at most 3.4e38 in 'x', which single precision can hold, got a larger one on line 3. Leave it out: --ignore x."],
  ['an Excel file', 'a.csv', zip, [], 'expected a table, got a zip archive, perhaps an Excel file. Save the table as CSV.'],
  ['a page', 'a.csv', '<!DOCTYPE html>\n<html></html>', [], 'expected a table, got a page: <!DOCTYPE html>?<html></html>. Save the table as CSV.'],
  ['binary data', 'a.csv', Uint8Array.of(65, 44, 66, 10, 0, 1, 2, 3, 255), [], 'expected a table as text, got a zero byte at offset 4. Save the table as CSV in UTF-8.'],
  ['gzip that is cut off', 'a.csv.gz', gzipSync(text).subarray(0, 30), [], 'expected undamaged gzip bytes, got unexpected end of file.'],
  ['JSON that is cut off', 'a.json', '[{"x":1},{"x":2', [], "expected valid JSON, or one JSON record on each line, got "],
  ['JSON without records', 'a.json', '["a","b"]', [], 'expected records that are all objects, all lists or all numbers, got "a" as record 1.'],
  ['JSON of something else', 'a.json', '{"type":"Topology","arcs":[[1],[2,3]],"objects":{}}', [], 'expected TopoJSON with one object that has properties, got shapes only. Use the table that belongs to the map.'],
  ['an empty list', 'a.json', '[]', [], 'expected a table with at least one row, got an empty list.'],
  ['rows of unequal length', 'a.json', '[[1,2],[3]]', [], 'expected rows of 2 cells, got 1 cell in row 2.'],
  ['a broken line of NDJSON', 'a.ndjson', '{"x":1}\n{"x":}\n', [], "expected a JSON record on line 2, got '{\"x\":}'."],
  ['nested records only', 'a.json', '[{"x":[1]},{"x":["u",2]}]', [], "expected a column of numbers, got only 'x' (nested values). If a line has several fields, pass what separates them, such as --delimiter ';'."],
  ['a damaged Parquet file', 'a.parquet', new TextEncoder().encode('PAR1 and then nothing'), [], 'expected an undamaged Parquet file, got '],
  ['a damaged Arrow file', 'a.arrow', new TextEncoder().encode('ARROW1 and then nothing'), [], 'expected an undamaged Arrow file, got '],
];

test('there are at least thirty kinds', () => {
  assert.ok(new Set(broken.map(([kind]) => kind)).size >= 30);
});

for (const [kind, name, content, flags, message] of broken) {
  test(kind, () =>
    inFolder(async (folder) => {
      const path = put(folder, name, content);
      const { code, out, err } = await run(['graph', path, ...flags, '--out', `${folder}/out.mtx`]);
      assert.is(out, '');
      const begin = `specnet graph: ${path}: ${message}`;
      if (message.endsWith('.') || message.endsWith('?')) assert.ok(err.startsWith(begin), `${err}\n${begin}`);
      else assert.ok(err.startsWith(begin) && err.length > begin.length + 3, err);
      assert.is(code, 1, kind);
      assert.not(existsSync(`${folder}/out.mtx`));
    }),
  );
}

test('what only the fit finds is refused without the name of a function', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.csv', `x,y\n${'1,2\n'.repeat(20)}`);
    const { code, err } = await run(['embed', path, '--quiet']);
    assert.is(code, 1);
    assert.is(
      err,
      'specnet embed: expected points that differ from each other, got 20 copies of one point. ' +
        'Coordinates are functions of the point. Check how the points were read.\n',
    );
  }));

const wrongUsage: [string[], string][] = [
  [
    ['a.npy', '--label', 'x'],
    "expected --label with a table (.csv, .tsv, .txt, .json, .arff, .libsvm, .parquet, .arrow), got 'a.npy'.",
  ],
  [
    ['a.mtx', '--missing', 'mean'],
    "expected --missing with a table (.csv, .tsv, .txt, .json, .arff, .libsvm, .parquet, .arrow), got 'a.mtx'.",
  ],
  [['a.csv', '--missing', 'guess'], "--missing: expected drop, mean or error, got 'guess'."],
  [
    ['a.csv', '--delimiter', 'comma'],
    "--delimiter: expected tab, space or one character such as ';' or '^', got 'comma'.",
  ],
  [['a.csv', '--decimal', 'x'], "--decimal: expected '.' or ',', got 'x'."],
  [['a.csv', '--missing-values', ''], "--missing-values: expected values that count as missing, got ''."],
  [['a.sav'], "expected points (.csv, .tsv, .txt, .json, .ndjson, .arff, .libsvm, .parquet, .arrow, .npy, .idx, or these with .gz) or a graph (.mtx, .npz, or the folder of a stored one), got 'a.sav'. If it is a table of text, rename it to .csv."], // oxfmt-ignore
  [['a.csv', '--columns', ''], "--columns: expected names of columns, got ''."],
  [['a.csv', '--header', '--no-header'], 'expected --header or --no-header, got both.'],
  [['a.xlsx'], "expected points (.csv, .tsv, .txt, .json, .ndjson, .arff, .libsvm, .parquet, .arrow, .npy, .idx, or these with .gz) or a graph (.mtx, .npz, or the folder of a stored one), got 'a.xlsx'."], // oxfmt-ignore
];
test('flags that no table could have are wrong usage: exit 2', () =>
  forEachInOrder(wrongUsage, async ([args, message]) => {
    const { code, err } = await run(['graph', ...args]);
    assert.is(code, 2, args.join(' '));
    assert.ok(err.startsWith(`specnet graph: ${message}`), err);
  }));

test.run();
