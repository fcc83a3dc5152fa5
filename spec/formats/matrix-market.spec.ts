import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { Random } from '../../lib/index.ts';
import { fromTriplets, identity, symmetrize } from '../../lib/doors/sparse.ts';
import { readMatrixMarket, writeMatrixMarket } from '../../lib/doors/formats.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { anyMatrix, anySquare, randomMatrix, runs } from '../sparse/arbitrary.ts';
import { assertCanonical, assertSame, denseOf, placesOf } from '../sparse/reference.ts';

const test = suite('matrix market');

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const general = '%%MatrixMarket matrix coordinate real general\n';
const dense = async (file: string) => denseOf(await readMatrixMarket(file, { precision: 'double' }));

const refusal = (file: string | Uint8Array, options = {}) => refusalOf(readMatrixMarket(file, options));

test('written files are read back to the bit, in both precisions, general and symmetric, plain and compressed', async () => {
  await fc.assert(
    fc.asyncProperty(anyMatrix, fc.boolean(), async (matrix, gzip) => {
      assertSame(await readMatrixMarket(await writeMatrixMarket(matrix, { gzip })), matrix);
    }),
    { ...runs, numRuns: 100 },
  );
  await fc.assert(
    fc.asyncProperty(anySquare, async (matrix) => {
      const even = symmetrize(matrix);
      const file = await writeMatrixMarket(even);
      assert.match(text(file), /^%%MatrixMarket matrix coordinate real symmetric\n/);
      assertSame(await readMatrixMarket(file), even);
      assertSame(await readMatrixMarket(await writeMatrixMarket(even, { symmetry: 'general' })), even);
    }),
    { ...runs, numRuns: 100 },
  );
});

test('any finite value keeps its bits: subnormals, zeros with a sign, the largest', async () => {
  const random = new Random('bits');
  const view = new DataView(new ArrayBuffer(8));
  const doubles = [
    0,
    -0,
    5e-324,
    -5e-324,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    0.1,
    1 / 3,
    2 ** 53,
    1e21,
    1e-7,
    123456.789,
  ];
  const singles = [0, -0, 1.4e-45, -1.4e-45, 3.4028234663852886e38, 2 ** -126, 0.1, 1 / 3, 16777216, 1e21, 999999, 1e6];
  while (doubles.length < 4000) {
    view.setUint32(0, random.integer(0x7fffffff) * 2 + random.integer(2));
    view.setUint32(4, random.integer(0x7fffffff));
    if (Number.isFinite(view.getFloat64(0))) doubles.push(view.getFloat64(0));
    if (Number.isFinite(view.getFloat32(0))) singles.push(view.getFloat32(0));
  }
  const both = [
    [doubles, 'double'],
    [singles, 'single'],
  ] as const;
  await forEachInOrder(both, async ([values, precision]) => {
    const places = values.map((_, k) => k);
    const matrix = fromTriplets({ rows: places, columns: places, values }, [values.length, values.length], precision);
    const file = await writeMatrixMarket(matrix, { symmetry: 'general' });
    assertSame(await readMatrixMarket(file, { precision }), matrix);
  });
});

test('singles are written with the fewest digits that bring them back', async () => {
  const values = [0.1, 0.30000001192092896, 16777216, 1 / 3, 1.401298464324817e-45, 3.4028234663852886e38, -2.5, 100];
  const places = values.map((_, k) => k);
  const file = await writeMatrixMarket(fromTriplets({ rows: places, columns: places, values }, [8, 8]));
  const written = text(file)
    .trim()
    .split('\n')
    .slice(2)
    .map((line) => line.split(' ')[2]);
  assert.equal(written, ['0.1', '0.3', '16777216', '0.33333334', '1e-45', '3.4028235e+38', '-2.5', '100']);
});

test('a written file has the text that the specification defines', async () => {
  const matrix = fromTriplets({ rows: [0, 0, 2], columns: [1, 3, 0], values: [1.5, -2, 0] }, [3, 4]);
  assert.is(text(await writeMatrixMarket(matrix)), `${general}3 4 3\n1 2 1.5\n1 4 -2\n3 1 0\n`);
  const even = fromTriplets({ rows: [0, 1, 1], columns: [1, 0, 1], values: [2, 2, 3] }, [2, 2]);
  const symmetric = '%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 2\n2 2 3\n';
  assert.is(text(await writeMatrixMarket(even)), symmetric);
  assert.is(text(gunzipSync(await writeMatrixMarket(even, { gzip: true }))), symmetric);
});

test('only a matrix that is symmetric in places and bits is written as symmetric', async () => {
  const first = async (...parts: Parameters<typeof writeMatrixMarket>) =>
    text(await writeMatrixMarket(...parts))
      .split('\n', 1)[0]
      .split(' ')[4];
  const oneZero = fromTriplets({ rows: [0], columns: [1], values: [0] }, [2, 2]);
  const signs = fromTriplets({ rows: [0, 1], columns: [1, 0], values: [0, -0] }, [2, 2]);
  const oblong = fromTriplets({ rows: [], columns: [], values: [] }, [2, 3]);
  await forEachInOrder([oneZero, signs, oblong], async (matrix) => {
    assert.is(await first(matrix), 'general');
    assert.match(
      await refusalOf(writeMatrixMarket(matrix, { symmetry: 'symmetric' })),
      /^writeMatrixMarket: expected a symmetric matrix, got an asymmetric one\. Pass symmetrize/,
    );
  });
  assert.is(await first(identity(2)), 'symmetric');
  assert.is(await first(identity(2), { symmetry: 'general' }), 'general');
});

test('coordinate files: real, double, integer and pattern', async () => {
  const expected = [
    [0, 1],
    [2, 0],
  ];
  await forEachInOrder(['real', 'double', 'integer', 'unsigned-integer'], async (field) => {
    assert.equal(await dense(`%%MatrixMarket matrix coordinate ${field} general\n2 2 2\n1 2 1\n2 1 2\n`), expected);
  });
  assert.equal(await dense('%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n'), [
    [0, 1],
    [1, 0],
  ]);
});

test('coordinate files: symmetric and skew-symmetric ones are expanded to both triangles', async () => {
  assert.equal(await dense('%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 7\n3 2 8\n'), [
    [5, 7, 0],
    [7, 0, 8],
    [0, 8, 0],
  ]);
  assert.equal(await dense('%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n'), [
    [0, 1],
    [1, 0],
  ]);
  assert.equal(await dense('%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n'), [
    [0, -7],
    [7, 0],
  ]);
});

test('array files go down the columns; symmetric ones hold the lower triangle, skew ones without the diagonal', async () => {
  assert.equal(await dense('%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n'), [
    [1, 3, 5],
    [2, 4, 6],
  ]);
  assert.equal(await dense('%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n'), [
    [1, 2, 3],
    [2, 4, 5],
    [3, 5, 6],
  ]);
  assert.equal(await dense('%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n'), [
    [0, -1, -2],
    [1, 0, -3],
    [2, 3, 0],
  ]);
});

test('zeros of an array file are not stored, those of a coordinate file are', async () => {
  assert.equal(placesOf(await readMatrixMarket('%%MatrixMarket matrix array real general\n2 1\n0\n3\n')), ['1,0']);
  assert.equal(placesOf(await readMatrixMarket(`${general}2 1 1\n1 1 0\n`)), ['0,0']);
});

test('matrices without rows, columns or entries are read', async () => {
  const sizes = [
    ['0 0 0', 0, 0],
    ['0 3 0', 0, 3],
    ['3 0 0', 3, 0],
    ['2 2 0', 2, 2],
  ] as const;
  await forEachInOrder(sizes, async ([size, rows, cols]) => {
    const matrix = await readMatrixMarket(`${general}${size}\n`);
    assertCanonical(matrix);
    assert.equal([matrix.rows, matrix.cols, matrix.nonzeros], [rows, cols, 0]);
  });
  await forEachInOrder(['general', 'symmetric', 'skew-symmetric'], async (symmetry) => {
    assert.is((await readMatrixMarket(`%%MatrixMarket matrix array real ${symmetry}\n0 0\n`)).rows, 0);
  });
  assert.is((await readMatrixMarket('%%MatrixMarket matrix array real skew-symmetric\n1 1\n')).nonzeros, 0);
});

test('comments, blank lines, CRLF, tabs, blanks around, upper case, Fortran exponents and a missing last line end', async () => {
  const expected = [[0, 1500]];
  const files = [
    `${general}% a comment\n%\n\n  \t\n1 2 1\n% another\n\n1 2 1.5e3\n\n% the end\n`,
    `${general}1 2 1\r\n1 2 1500`.replaceAll('\r', '').replaceAll('\n', '\r\n'),
    `${general}\t 1\t2   1 \n \t1  2\t1500.0 \t\n`,
    '%%MATRIXMARKET Matrix COORDINATE Real General\n1 2 1\n1 2 1.5D+03',
    '%%matrixmarket  matrix\tcoordinate real general  \n1 2 1\n1 2 +.15d4\n',
    `${general}1 2 1\n1 2 1500\r`,
  ];
  await forEachInOrder(files, async (file) => {
    assert.equal(await dense(file), expected, JSON.stringify(file));
  });
});

test('entries of one place are added up', async () => {
  assert.equal(await dense(`${general}1 2 3\n1 2 1\n1 1 5\n1 2 2\n`), [[5, 3]]);
  assert.equal(await dense('%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n2 1 2\n'), [
    [0, 3],
    [3, 0],
  ]);
});

test('a symmetric file may hold the upper triangle throughout, but not both', async () => {
  const header = '%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n';
  assert.equal(await dense(`${header}1 2 5\n1 3 6\n`), [
    [0, 5, 6],
    [5, 0, 0],
    [6, 0, 0],
  ]);
  assert.match(
    await refusal(`${header}1 2 5\n2 1 5\n`),
    /readMatrixMarket: expected an entry of the upper triangle, like the entries before, on line 4, got 2 1 5\./,
  );
  assert.match(
    await refusal(`${header}2 1 5\n1 3 5\n`),
    /entry of the lower triangle, like the entries before, on line 4, got 1 3 5/,
  );
});

test('the default precision is single, and each number is rounded once', async () => {
  const file = `${general}1 1 1\n1 1 0.1\n`;
  assert.is((await readMatrixMarket(file)).values[0], Math.fround(0.1));
  assert.is((await readMatrixMarket(file, { precision: 'double' })).values[0], 0.1);
  assert.match(
    await refusal(`${general}1 1 1\n1 1 1e39\n`),
    /got Infinity at row 0, column 0\. Pass precision 'double'/,
  );
});

test('gzip is recognized by its bytes, in one member or in several', async () => {
  const matrix = randomMatrix(new Random(8), 30, 20);
  const file = await writeMatrixMarket(matrix);
  assertSame(await readMatrixMarket(gzipSync(file)), matrix);
  assertSame(await readMatrixMarket(new Uint8Array(gzipSync(file, { level: 0 }))), matrix);
  const members = [gzipSync(file.slice(0, 99)), gzipSync(file.slice(99))];
  assertSame(await readMatrixMarket(Buffer.concat(members)), matrix);
});

test('files in many pieces are read line by line, wherever a piece ends', async () => {
  const random = new Random('pieces');
  const count = 60_000;
  const draw = () => Int32Array.from({ length: count }, () => random.integer(5000));
  const values = new Float64Array(count);
  random.fillNormal(values);
  const matrix = fromTriplets({ rows: draw(), columns: draw(), values }, [5000, 5000], 'double');
  const file = await writeMatrixMarket(matrix);
  assert.ok(file.length > 1e6);
  assertSame(await readMatrixMarket(file, { precision: 'double' }), matrix);
  assertSame(await readMatrixMarket(gzipSync(file), { precision: 'double' }), matrix);
});

test.run();
