import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gzipSync } from 'node:zlib';
import { type CsrMatrix, Random } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { readMatrixMarket, readNpz, writeMatrixMarket, writeNpz } from '../../lib/doors/formats.ts';
import { readNpy } from '../../lib/formats/numpy/npy.ts';
import { bytesOf, npyFixtures, npzFixtures } from '../sparse/fixtures.ts';
import { referenceRead } from './matrix-market-reference.ts';
import { byteMutations, mutate, textMutations } from './mutations.ts';
import { forEachInOrder } from '../for-each.ts';
import { randomMatrix } from '../sparse/arbitrary.ts';
import { assertCanonical, assertSame } from '../sparse/reference.ts';

const test = suite('fuzz');

const encode = (text: string) => new TextEncoder().encode(text);
/** A small limit, so that a header that claims more is rejected before allocation. */
const maxDimension = 5000;

/** The matrix, or null if the library rejected the file with its own message. Anything else fails. */
async function attempt(caller: string, source: string, reading: Promise<CsrMatrix>): Promise<CsrMatrix | null> {
  try {
    const matrix = await reading;
    assertCanonical(matrix);
    return matrix;
  } catch (error) {
    const ours = error instanceof RangeError || error instanceof TypeError;
    assert.ok(ours && error.message.startsWith(`${caller}: expected `), `${String(error)} for ${source}`);
    return null;
  }
}

const files = [
  '%%MatrixMarket matrix coordinate real general\n% comment\n4 5 6\n1 1 1.5\n2 5 -2e-3\n4 2 0\n3 3 1e22\n4 2 7\n1 4 .25\n',
  '%%MatrixMarket matrix coordinate integer symmetric\r\n3 3 4\r\n1 1 4\r\n2 1 -7\r\n\r\n3 2 11\r\n3 3 0\r\n',
  '%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 2 4\n2 3 0.333333333333333314829616256247\n1 3 1D2\n',
  '%%MatrixMarket matrix coordinate pattern general\n3 4 4\n1 1\n2 3\n3 4\n1 2\n',
  '%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2',
  '%%MatrixMarket matrix coordinate real skew-symmetric\n4 4 3\n2 1 1.25\n4 3 -8\n3 1 2\n',
  '%%MatrixMarket matrix array real general\n2 3\n1\n0\n-3.5\n4\n5e0\n6\n',
  '%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n',
  '%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n',
  '%%MatrixMarket matrix coordinate real general\n0 3 0\n',
].map(encode);

test('mutated Matrix Market files are read as by a simple line reader, or refused by both', async () => {
  const random = new Random('matrix market');
  let accepted = 0;
  const rounds = 12_000;
  await forEachInOrder(Array.from({ length: rounds }).keys(), async (round) => {
    const bytes = mutate(random, files[round % files.length], textMutations);
    const text = new TextDecoder('latin1').decode(bytes);
    const expected = referenceRead(text, maxDimension);
    const shown = JSON.stringify(text);
    const reading = readMatrixMarket(bytes, { precision: 'double', maxDimension });
    const matrix = await attempt('readMatrixMarket', shown, reading);
    if (!expected) return assert.is(matrix, null, `should be refused: ${shown}`);
    accepted++;
    assert.ok(matrix, `should be read: ${shown}`);
    const { rows, cols, entries } = expected;
    const columns = {
      rows: entries.map((e) => e[0]),
      columns: entries.map((e) => e[1]),
      values: entries.map((e) => e[2]),
    };
    assertSame(matrix, fromTriplets(columns, [rows, cols], 'double'));
  });
  assert.ok(accepted > rounds / 20 && accepted < rounds / 2, `${accepted} of ${rounds} were accepted`);
});

test('damaged gzip gives the matrix that was compressed, or is refused', async () => {
  const random = new Random('gzip');
  const matrix = randomMatrix(random, 12, 9);
  const plain = await writeMatrixMarket(matrix);
  const packed = [gzipSync(plain), gzipSync(plain, { level: 0 })].map((bytes) => new Uint8Array(bytes));
  let accepted = 0;
  await forEachInOrder(Array.from({ length: 3000 }).keys(), async (round) => {
    const bytes = mutate(random, packed[round % 2], byteMutations);
    const read = await attempt('readMatrixMarket', `round ${round}`, readMatrixMarket(bytes, { maxDimension }));
    if (read) assertSame(read, matrix);
    if (read) accepted++;
  });
  assert.ok(accepted > 0 && accepted < 1500, `${accepted}`);
});

test('damaged npz gives the matrix that was saved, or is refused', async () => {
  const random = new Random('npz');
  const fixtures = (['compressed', 'storedArray', 'wide', 'truth', 'unsorted', 'streamed', 'bigEndian'] as const).map(
    (name) => bytesOf(npzFixtures[name]),
  );
  const own = await Promise.all([randomMatrix(random, 9, 7), randomMatrix(random, 5, 5, 'double')].map(writeNpz));
  const archives = [...fixtures, ...own];
  const originals = await Promise.all(archives.map((bytes) => readNpz(bytes)));
  let accepted = 0;
  await forEachInOrder(Array.from({ length: 5000 }).keys(), async (round) => {
    const which = round % archives.length;
    const read = await attempt('readNpz', `round ${round}`, readNpz(mutate(random, archives[which], byteMutations)));
    if (read) assertSame(read, originals[which]);
    if (read) accepted++;
  });
  assert.ok(accepted > 0 && accepted < 2500, `${accepted}`);
});

test('damaged npy is read in the shape of its header, or is refused', () => {
  const random = new Random('npy');
  const arrays = Object.values(npyFixtures).map(bytesOf);
  for (let round = 0; round < 10_000; round++) {
    const bytes = mutate(random, arrays[round % arrays.length], round % 2 > 0 ? textMutations : byteMutations);
    try {
      const { data, shape } = readNpy(bytes);
      assert.is(
        data.length,
        shape.reduce((a, b) => a * b, 1),
      );
      assert.ok(data.byteLength <= 8 * bytes.length);
    } catch (error) {
      const ours = error instanceof RangeError && error.message.startsWith('readNpy: expected ');
      assert.ok(ours, `${String(error)} in round ${round}`);
    }
  }
});

test.run();
