import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CsvReadOptions, readCsv } from '../../lib/doors/formats.ts';
import { chunks, refusal } from './sources.ts';

const test = suite('csv');

type Rows = number[][];

async function rowsOf(text: string | Uint8Array, options: CsvReadOptions = {}): Promise<Rows> {
  return (await readCsv(text, { precision: 'double', ...options })).points.toArray() as Rows;
}

const plain: Rows = [
  [1, 2],
  [3, 4],
];

/** Every text describes the same two points. */
const spellings: Record<string, [text: string, options?: CsvReadOptions]> = {
  'line feeds': ['1,2\n3,4\n'],
  'no end of the last line': ['1,2\n3,4'],
  'carriage returns': ['1,2\r\n3,4\r\n'],
  'a carriage return at the very end': ['1,2\r\n3,4\r'],
  'a mark of UTF-8': ['\ufeff1,2\n3,4\n'],
  'a mark, and a header': ['\ufeff"x",y\n1,2\n3,4\n'],
  'blank lines': ['\n\n1,2\n \t \n\r\n3,4\n\n\n'],
  comments: ['# a "quote, left open\n1,2\n  # b\n#\n3,4\n#end'],
  'another comment sign': ['% a\n1,2\n3,4', { comment: '%' }],
  'blanks around fields': [' 1 , 2 \n3 ,\t4\t\n'],
  quotes: ['"1","2"\n3,"4"\n'],
  'blanks around quotes': [' "1" , "2" \n 3, "4" \r\n'],
  semicolons: ['1;2\n3;4\n'],
  tabs: ['1\t2\n3\t4\n'],
  'tabs and blanks': ['1 \t 2\n 3\t4 \n'],
  spaces: ['1 2\n3 4\n'],
  'runs of blanks': ['   1   2\n3\t 4  \r\n', { separator: ' ' }],
  'quotes between blanks': ['"1"  2\n3 "4"  \n'],
  'a header of text': ['x,y\n1,2\n3,4'],
  'a header in quotes, with separator, line end and quote': ['"x,\n""1""",y\n1,2\n3,4'],
  'a header with an empty name': ['x,\n1,2\n3,4\n'],
  'a header of numbers, by option': ['10,20\n1,2\n3,4', { header: true }],
  'a header after comments': ['# c\n\nx,y\n1,2\n3,4'],
  'a header of numbers and words, by option': ['x,7\n1,2\n3,4', { header: true }],
  'an ignored first column': ['a,1,2\nb,3,4', { ignore: [0] }],
  'an ignored column in quotes': ['1,"a,\nb",2\n3,c,4', { ignore: [1] }],
  'ignored names': ['id,x,y,z\n9,1,2,\n8,3,4,?', { ignore: ['id', 'z'] }],
  'signs, points and exponents': ['+1,.2e1\n3.,0.0004E+4\n'],
  'leading zeros': ['01,002\n0003,4\n'],
};

for (const [name, [text, options]] of Object.entries(spellings)) {
  test(`reads ${name}`, async () => {
    assert.equal(await rowsOf(text, options), plain);
  });

  test(`reads ${name} the same in pieces of any length, and compressed`, async () => {
    const expected = await readCsv(text, options);
    for (const size of [1, 2, 3, 5]) assert.equal(await readCsv(chunks(text, size), options), expected);
    assert.equal(await readCsv(gzipSync(text), options), expected);
    assert.equal(await readCsv(chunks(gzipSync(text), 1), options), expected);
    const stream = new Blob([text]).stream() as ReadableStream<Uint8Array>;
    assert.equal(await readCsv(stream, options), expected);
  });
}

test('the default precision is single, and each number is rounded once', async () => {
  const text = '0.1,16777217\n1e-46,3.4028235e38';
  const { points } = await readCsv(text);
  assert.equal(points.data, Float32Array.of(0.1, 16777217, 0, 3.4028235e38));
  assert.equal(await rowsOf(text), [
    [0.1, 16777217],
    [1e-46, 3.4028235e38],
  ]);
});

test('one column, one row, one number', async () => {
  assert.equal(await rowsOf('5'), [[5]]);
  assert.equal(await rowsOf('x\n5\n6\n'), [[5], [6]]);
  assert.equal(await rowsOf(' -0 '), [[-0]]);
  assert.is(1 / (await rowsOf('-0'))[0][0], -Infinity);
  assert.is(1 / (await rowsOf('"-0"'))[0][0], -Infinity);
});

test('the names of the columns of points are kept, and no others', async () => {
  const { columnNames } = await readCsv('id,a b,"c""d",kind\n1,2,3,x\n', { ignore: ['id'], label: 'kind' });
  assert.equal(columnNames, ['a b', 'c"d']);
  assert.is((await readCsv('1,2')).columnNames, undefined);
});

test('text labels are numbered in sorted order; their column is given by name, index or index from the end', async () => {
  const text = 'x,kind,y\n1,oak,2\n3,ash,4\n5," oak ",6\n7,oak,8\n';
  for (const label of ['kind', 1, -2]) {
    const read = await readCsv(text, { label });
    assert.equal([...read.labels!], [2, 1, 0, 2]);
    assert.equal(read.labelNames, [' oak ', 'ash', 'oak']);
    assert.equal(read.points.toArray(), [
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ]);
  }
});

test('labels without a header, in UTF-8, with blanks and quotes inside', async () => {
  const { labels, labelNames } = await readCsv('1,größe é\n2,"a ""b"""\n3, größe é \n4,日本\n', { label: -1 });
  assert.equal(labelNames, ['a "b"', 'größe é', '日本']);
  assert.equal([...labels!], [1, 0, 1, 2]);
});

test('whole numbers are labels themselves; a word among them makes all of them names', async () => {
  const whole = await readCsv('7,0.5\n-1,1\n7.0,2\n', { label: 0 });
  assert.equal([[...whole.labels!], whole.labelNames], [[7, -1, 7], undefined]);
  const mixed = await readCsv('2,0.5\n10,1\nnone,2\n', { label: 0 });
  assert.equal(
    [[...mixed.labels!], mixed.labelNames],
    [
      [1, 0, 2],
      ['10', '2', 'none'],
    ],
  );
});

test('label names can be given, so that two files agree', async () => {
  const { labels, labelNames } = await readCsv('1,c\n2,a', { label: 1, labelNames: ['c', 'b', 'a'] });
  assert.equal(
    [[...labels!], labelNames],
    [
      [0, 2],
      ['c', 'b', 'a'],
    ],
  );
  const stranger = await refusal(readCsv('1,c\n2,d', { label: 1, labelNames: ['c'] }));
  assert.is(stranger, "readCsv: expected a label among labelNames on line 2, column 2, got 'd'.");
  const twice = await refusal(readCsv('1,c', { label: 1, labelNames: ['c', 'c'] }));
  assert.is(twice, "readCsv: expected distinct labelNames, got 'c' twice.");
});

test('ten thousand labels and rows, more than one block of either', async () => {
  const text = Array.from({ length: 60_000 }, (_, i) => `${i},${i / 8},n${i % 9999}`).join('\n');
  const { points, labels, labelNames } = await readCsv(text, { label: 2 });
  assert.equal([points.shape, labelNames!.length], [[60_000, 2], 9999]);
  for (let i = 0; i < 60_000; i += 7) {
    assert.is(points.at(i, 0), i);
    assert.is(points.at(i, 1), i / 8);
    assert.is(labelNames![labels![i]], `n${i % 9999}`);
  }
});

test('rows far longer than a block, and blocks that end at every place of a row', async () => {
  const wide = Array.from({ length: 200_000 }, (_, i) => i);
  const [first, second] = await rowsOf(`${wide.join(',')}\r\n${wide.map((i) => `"${i}"`).join(',')}`);
  assert.equal(first, wide);
  assert.equal(second, wide);
  for (let pad = 0; pad < 60; pad++) {
    const head = `#${'-'.repeat((1 << 18) - 20 - pad)}\n`;
    const read = await readCsv(`${head}1.25,"é ""q""",2e1\r\n-3.5,ü,4.75\r\n6,"ü",7\r\n`, { label: 1 });
    assert.equal([...read.points.data], [1.25, 20, -3.5, 4.75, 6, 7]);
    assert.equal(
      [[...read.labels!], read.labelNames],
      [
        [0, 1, 1],
        ['é "q"', 'ü'],
      ],
    );
  }
});

/** Error messages for invalid files. */
const refusals: [text: string | Uint8Array, message: string, options?: CsvReadOptions][] = [
  ['', 'at least one row of numbers, got an empty file.'],
  ['\n# x\n\n', 'at least one row of numbers, got an empty file.'],
  ['x,y\n', 'at least one row of numbers, got only a header.'],
  ['1,2\n3\n', '2 fields, as on line 1, got 1 on line 2.', { separator: ',' }],
  ['x,y\n\n1,2\n# c\n3,4,5\n', '2 fields, as on line 1, got 3 on line 5.', { separator: ',' }],
  [
    'my value\n1\n',
    '2 fields, as on line 1, got 1 on line 2. The separator was detected as a blank. Pass the right one as separator.',
  ],
  ['a,"b\nc"\n1,2\n3,x\n', "a number on line 4, column 2 ('b\nc'), got 'x'."],
  ['1,2\n3,\n', "a number on line 2, column 2, got ''."],
  ['1,2\n,4\n', "a number on line 2, column 1, got ''."],
  ['1,2\n3,NaN\n', "a number on line 2, column 2, got 'NaN'."],
  ['nan,nan\n', "a number on line 1, column 1, got 'nan'."],
  ['1,2\n3,inf\n', "a number on line 2, column 2, got 'inf'."],
  ['1,2\n3,-Infinity\n', "a number on line 2, column 2, got '-Infinity'."],
  ['1,2\n3,0x10\n', "a number on line 2, column 2, got '0x10'."],
  ['1,2\n3,1_000\n', "a number on line 2, column 2, got '1_000'."],
  ['1,2\n3,1e\n', "a number on line 2, column 2, got '1e'."],
  ['1,2\n3,.\n', "a number on line 2, column 2, got '.'."],
  ['1,2\n3,4 5\n', "a number on line 2, column 2, got '4 5'."],
  ['1,2\n3,--4\n', "a number on line 2, column 2, got '--4'."],
  ['1;2\n3;4,5\n', "a number on line 2, column 2, got '4,5'."],
  ['1,2\n"3\n",4\n', "a number on line 2, column 1, got '3?'."],
  ['1,2\n"\n\n3",x\n', "a number on line 2, column 1, got '??3'."],
  ['1,2\r3,4\n', "a number on line 1, column 2, got '2?3'.", { separator: ',', header: false }],
  ['1,2\n3,1e400\n', "a finite number of double precision on line 2, column 2, got '1e400'.", { precision: 'double' }],
  ['1,2\n3,-3.4028236e38\n', "a finite number of single precision on line 2, column 2, got '-3.4028236e38'."],
  ['1,"2\n3,4\n5,6', 'a closing quote on line 1, column 2, got none.'],
  ['1,2\n3,"4"5\n', 'a separator after the closing quote on line 2, column 2, got \'"4"5\'.'],
  ['1,2\n3,4"\n', "a number on line 2, column 2, got '4\"'."],
  [
    'x,1,y\n2,3,4\n',
    "either names or numbers on line 1, got 'x' and 1. Pass header: true or header: false, or pass the column of words as label.",
  ],
  [
    '5.1,3.5,setosa\n',
    "either names or numbers on line 1, got 'setosa' and 5.1. Pass header: true or header: false, or pass the column of words as label.",
  ],
  ['x,y\n1,2\n', "a column named 'z', got the header 'x', 'y'.", { label: 'z' }],
  ['x,x\n1,2\n', "one column named 'x', got several. Pass its index, counted from 0.", { label: 'x' }],
  ['1,2\n', "a column by its index, since there is no header, got 'z'.", { label: 'z', header: false }],
  ['1,2\n', 'a column from 0 to 1, or from −1 down to −2, got 2.', { label: 2 }],
  ['1,2\n', 'a column from 0 to 1, or from −1 down to −2, got -3.', { ignore: [-3] }],
  ['1,2\n', 'a column from 0 to 1, or from −1 down to −2, got 0.5.', { label: 0.5 }],
  ['1\n', 'a column that is neither the label nor ignored, got none.', { label: 0 }],
  ['1,a\n2,\n', 'a label on line 2, column 2, got nothing.', { label: 1 }],
  [
    '1,0\n2,1.5\n',
    'labels that are words or 32-bit integers, got 1.5 on line 2. Choose another column as label.',
    { label: 1 },
  ],
  [
    '1,0\n2,2147483648\n',
    'labels that are words or 32-bit integers, got 2147483648 on line 2. Choose another column as label.',
    { label: 1 },
  ],
  [Uint8Array.of(49, 44, 0xe9, 10), 'text in UTF-8 on line 1, column 2, got other bytes.', { label: 1 }],
  [
    Uint8Array.of(49, 44, 97, 10, 50, 44, 0xe9, 10),
    'text in UTF-8 on line 2, column 2, got other bytes.',
    { label: 1 },
  ],
  [
    Uint8Array.of(0xff, 0xfe, 49, 0),
    'text in UTF-8, got a UTF-16 byte order mark. Save the file in UTF-8, or use the reader of its binary format.',
  ],
  [
    Uint8Array.of(49, 0, 44, 0),
    'text in UTF-8, got a zero byte at offset 1. Save the file in UTF-8, or use the reader of its binary format.',
  ],
  ['1,2', "separator to be 'auto' or ',' or ';' or '\t' or ' ', got |.", { separator: '|' as ',' }],
  ['1,2', "precision to be 'single' or 'double', got half.", { precision: 'half' as 'single' }],
  [
    '1,2',
    'comment to be null or one character other than a quote or one that begins a number, got -.',
    { comment: '-' },
  ],
  [
    '1,2',
    "comment to be null or one character other than a quote or one that begins a number, got ''.",
    { comment: '' },
  ],
];

test('unreadable fields are refused with line and column, in pieces of any size', async () => {
  for (const [text, message, options] of refusals) {
    const expected = `readCsv: expected ${message}`;
    assert.is(await refusal(readCsv(text, options)), expected);
    assert.is(await refusal(readCsv(chunks(text, 1), options)), expected);
  }
});

test('neither an unclosed quote nor an endless line fills the memory', async () => {
  for (const begin of ['1,"', '1,2\n"', '# ', '1,2\n3,x']) {
    let given = 0;
    const endless = (function* () {
      yield new TextEncoder().encode(begin);
      for (; given < 1 << 26; given += 1 << 20) yield new Uint8Array(1 << 20).fill(120);
    })();
    const message =
      'readCsv: expected records of at most 16777216 bytes, got more than 16777216. A quote may be unclosed.';
    assert.is(await refusal(readCsv(endless)), message);
    assert.ok(given < 1 << 25, `${given}`);
  }
});

test('comments can be switched off', async () => {
  const { labelNames } = await readCsv('#a,1\n#b,2\n', { comment: null, label: 0 });
  assert.equal(labelNames, ['#a', '#b']);
});

test.run();
