import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gzipSync } from 'node:zlib';
import { Random } from '../../lib/index.ts';
import { readMatrixMarket, writeMatrixMarket } from '../../lib/doors/formats.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { randomMatrix } from '../sparse/arbitrary.ts';

const test = suite('matrix market refusals');

const general = '%%MatrixMarket matrix coordinate real general\n';
const refusal = (file: string | Uint8Array, options = {}) => refusalOf(readMatrixMarket(file, options));

test('unsupported formats in the first line are refused by name', async () => {
  const banner = (words: string) => refusal(`%%MatrixMarket ${words}\n1 1 0\n`);
  assert.match(
    await refusal('1 1 0\n'),
    /readMatrixMarket: expected %%MatrixMarket at the start of line 1, got 1 1 0\./,
  );
  assert.match(
    await banner('matrix coordinate complex general'),
    /to be real, double, integer, unsigned-integer, pattern, got complex\. Write real and imaginary part/,
  );
  assert.match(
    await banner('matrix coordinate real hermitian'),
    /got hermitian\. A real Hermitian matrix is symmetric\./,
  );
  assert.match(await banner('vector coordinate real general'), /expected the object 'matrix' on line 1, got vector/);
  assert.match(
    await banner('matrix sparse real general'),
    /expected the format on line 1 to be coordinate, array, got sparse/,
  );
  assert.match(await banner('matrix coordinate toString general'), /got tostring/);
  assert.match(
    await banner('matrix coordinate real'),
    /expected object, format, field and symmetry after %%MatrixMarket/,
  );
  assert.match(await banner('matrix array pattern general'), /expected numbers in array format, got the field pattern/);
  assert.match(
    await banner('matrix coordinate pattern skew-symmetric'),
    /expected numbers in a skew-symmetric file, got the field pattern/,
  );
});

test('every broken line is refused with its number and its text', async () => {
  const body = (lines: string) => refusal(`${general}% comment\n2 3 2\n${lines}\n`);
  assert.match(
    await body('1 1 x'),
    /^readMatrixMarket: expected row, column and a finite number on line 4, got 1 1 x\.$/,
  );
  const lines = [
    '1 1',
    '1',
    '1 1 1 1',
    '1 1 nan',
    '1 1 inf',
    '1 1 -Infinity',
    '1 1 0x10',
    '1 1 1e',
    '1.0 1 1',
    '+1 1 1',
    '-1 1 1',
    '1, 1, 1',
    '1 1 1 % one',
    '1 1 1\r5',
  ];
  await forEachInOrder(lines, async (line) => {
    assert.match(await body(line), /expected row, column and a finite number on line 4/, line);
  });
  assert.match(await body('1 1 1e999'), /expected a finite number on line 4, got 1 1 1e999/);
  assert.match(await body('1 1 1\n3 1 1'), /expected a row from 1 to 2 on line 5, got 3 1 1\./);
  assert.match(await body('0 1 1'), /expected a row from 1 to 2 on line 4/);
  assert.match(await body('1 4 1'), /expected a column from 1 to 3 on line 4, got 1 4 1\./);
  assert.match(await body('1 0 1'), /expected a column from 1 to 3 on line 4/);
  assert.match(await body('99999999999999999999999 1 1'), /expected a row from 1 to 2/);
  assert.match(
    await body('1 1 1\n1 2 1\n1 3 1'),
    /expected the end of the file after its 2 entries on line 6, got 1 3 1\./,
  );
  assert.match(
    await body('1 1 1'),
    /expected 2 entries, got 1 before the end of the file\. The file may be truncated\./,
  );
  assert.match(await body('1 1 é'), /on line 4, got 1 1 \?\?\./);
});

test('broken lines of the other kinds are refused too', async () => {
  const of = (words: string, rest: string) => refusal(`%%MatrixMarket matrix ${words}\n${rest}\n`);
  assert.match(
    await of('coordinate integer general', '1 1 1\n1 1 1.5'),
    /expected a whole number on line 3, got 1 1 1\.5/,
  );
  assert.match(
    await of('coordinate pattern general', '1 1 1\n1 1 1'),
    /expected row and column on line 3, got 1 1 1\./,
  );
  assert.match(
    await of('coordinate real symmetric', '2 3 0'),
    /expected as many columns as rows for a symmetric matrix on line 2, got 2 3 0/,
  );
  assert.match(
    await of('coordinate real skew-symmetric', '2 2 1\n1 1 0'),
    /expected an entry off the diagonal, for a skew-symmetric matrix, on line 3/,
  );
  assert.match(await of('array real general', '1 2\n1 2'), /expected one finite number on line 3, got 1 2\./);
  assert.match(await of('array real general', '1 2\nnan\n1'), /expected one finite number on line 3, got nan\./);
  assert.match(
    await of('array real general', '1 2\n1\n2\n3'),
    /expected the end of the file after its 2 entries on line 5/,
  );
  assert.match(await of('array real general', '1 2\n1'), /expected 2 entries, got 1 before the end of the file/);
  assert.match(await of('array real general', '1 2 3'), /expected rows and columns on line 2, got 1 2 3/);
  assert.match(
    await of('coordinate real general', '1 2'),
    /expected rows, columns and number of entries on line 2, got 1 2\./,
  );
  assert.match(await of('coordinate real general', '-1 2 3'), /expected rows, columns and number of entries on line 2/);
  assert.match(
    await of('coordinate real general', ''),
    /expected a header and a line of sizes, got the end of the file/,
  );
  assert.match(await refusal(''), /expected a header and a line of sizes, got the end of the file/);
});

test('a header with absurd sizes is refused before anything is allocated for it', async () => {
  const claim = (sizes: string, options = {}) => refusal(`${general}${sizes}\n1 1 1\n`, options);
  assert.match(
    await claim('1000000000000000 1 1'),
    /expected at most 100000000 rows and columns on line 2.* Raise maxDimension to allow more\./,
  );
  assert.match(await claim('1 2000000000 1'), /at most 100000000 rows and columns/);
  assert.match(await claim('11 5 1', { maxDimension: 10 }), /at most 10 rows and columns/);
  assert.match(await claim('5 5 1000000000000'), /expected 1000000000000 entries, got 1 before the end of the file/);
  assert.match(await claim(`5 5 ${'9'.repeat(400)}`), /expected Infinity entries/);
  assert.match(
    await refusal('%%MatrixMarket matrix array real general\n90000000 90000000\n1\n'),
    /expected 8100000000000000 entries, got 1 before the end of the file/,
  );
});

test('endless lines are refused, plain and compressed, and do not fill the memory', async () => {
  const long = `${general}%${'x'.repeat(70_000)}\n1 1 0\n`;
  assert.match(await refusal(long), /at most 65536 bytes on line 2/);
  assert.match(await refusal(gzipSync(long)), /lines of at most 65536 bytes|at most 65536 bytes on line 2/);
  const bomb = gzipSync(new Uint8Array(1 << 28), { level: 1 });
  assert.match(await refusal(bomb), /readMatrixMarket: expected lines of at most 65536 bytes, got \d+ or more/);
  const idle = gzipSync(`${general}${'\n'.repeat(7e7)}1 1 0\n`, { level: 1 });
  assert.match(await refusal(idle), /expected at most 67108864 bytes of comments and blank lines on line 671/);
  assert.is((await readMatrixMarket(`${general}%${'x'.repeat(60_000)}\n1 1 0\n`)).rows, 1);
});

test('damaged gzip is refused', async () => {
  const packed = new Uint8Array(gzipSync(await writeMatrixMarket(randomMatrix(new Random(5), 40, 40))));
  assert.match(
    await refusal(packed.slice(0, -1)),
    /readMatrixMarket: expected undamaged gzip bytes, got unexpected end of file/,
  );
  assert.match(await refusal(packed.slice(0, 2)), /expected undamaged gzip bytes/);
  const flipped = packed.slice();
  flipped[packed.length - 8] ^= 1;
  assert.match(await refusal(flipped), /expected undamaged gzip bytes, got incorrect data check/);
});

test('sources and options of another kind are refused', async () => {
  assert.match(
    await refusal(null as unknown as string),
    /readMatrixMarket: expected a Uint8Array or a string, got null/,
  );
  assert.match(await refusal([1] as unknown as string), /expected a Uint8Array or a string, got an array of length 1/);
  assert.match(
    await refusal(general, { precision: 'half' }),
    /expected precision to be 'single' or 'double', got half/,
  );
  assert.match(
    await refusal(general, { maxDimension: -1 }),
    /expected maxDimension to be a whole number, at least 0, got -1/,
  );
});

test.run();
