/** The generated matrices have the structure of their class, about the entries of their size, and the same bits for the same seed. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  generateMatrix,
  type MatrixName,
  matrixNames,
  type MatrixStructure,
  matrixStructure,
} from '../../lib/doors/benchmark.ts';
import { rowSums } from '../../lib/doors/sparse.ts';
import { crc32 } from '../../lib/core/crc32.ts';
import { type CsrMatrix, disableSimd, enableSimd, setThreads } from '../../lib/index.ts';
import { rejects } from '../rejects.ts';

const test = suite('matrices');

setThreads(1);

/** A checksum of each array of a matrix. */
function bitsOf({ starts, columns, values }: CsrMatrix): string {
  return [starts, columns, values].map((array) => crc32(new Uint8Array(array.slice().buffer)).toString(16)).join(' ');
}

const small = matrixNames('small');
const matrices = new Map<MatrixName, CsrMatrix>();
test.before(async () => {
  for (const [i, matrix] of (await Promise.all(small.map((name) => generateMatrix(name)))).entries())
    matrices.set(small[i], matrix);
});

const structureOf = (name: MatrixName): MatrixStructure => matrixStructure(matrices.get(name)!);

test('there are ten classes in three sizes', () => {
  assert.is(matrixNames().length, 30);
  assert.equal(new Set(matrixNames()).size, 30);
  assert.equal(matrixNames('large').slice(0, 2), ['stencil-2d-large', 'stencil-3d-large']);
});

test('a small matrix has about 40,000 entries, of which most fit into a second-level cache', () => {
  for (const [name, { nonzeros, rows }] of matrices) {
    assert.ok(nonzeros > 30_000 && nonzeros < 44_000, `${name}: ${nonzeros}`);
    assert.ok(8 * nonzeros + 12 * rows < 2 ** 20, name);
  }
});

/** What tells the classes apart. */
const claims: Record<string, (structure: MatrixStructure) => boolean> = {
  'stencil-2d-small': ({ rowLengths, symmetry, bandwidth, rows }) =>
    symmetry === 'symmetric' && rowLengths.largest === 5 && rowLengths.least === 3 && bandwidth ** 2 === rows,
  'stencil-3d-small': ({ rowLengths, symmetry, bandwidth, rows }) =>
    symmetry === 'symmetric' &&
    rowLengths.largest === 7 &&
    rowLengths.least === 4 &&
    bandwidth === Math.round(rows ** (2 / 3)),
  'fem-blocks-small': ({ blockFill, symmetry, rowLengths }) =>
    symmetry === 'symmetric' && blockFill.every(({ fill }) => fill === 1) && rowLengths.largest === 36,
  'banded-small': ({ bandwidth, rowLengths, symmetry }) =>
    bandwidth === 12 && rowLengths.median === 25 && rowLengths.least === 13 && symmetry === 'pattern',
  'power-law-small': ({ rowLengths, symmetry, emptyRows }) =>
    rowLengths.largest > 100 * rowLengths.median && rowLengths.variation > 2 && emptyRows > 100 && symmetry === 'none',
  'road-small': ({ rowLengths, symmetry, emptyRows, bandwidth, meanDistance }) =>
    rowLengths.largest === 4 &&
    rowLengths.mean < 2.7 &&
    symmetry === 'symmetric' &&
    emptyRows > 0 &&
    meanDistance < bandwidth / 10,
  'circuit-small': ({ rowLengths, symmetry, rows }) =>
    rowLengths.largest > rows / 20 && rowLengths.percentile99 < 12 && symmetry === 'pattern',
  'bipartite-small': ({ rows, cols, rowLengths, symmetry }) =>
    rows === 4 * cols && rowLengths.least === 4 && rowLengths.largest === 36 && symmetry === 'none',
  'knn-small': ({ rowLengths, symmetry, blockFill }) =>
    rowLengths.least === 16 && symmetry === 'symmetric' && rowLengths.variation < 0.3 && blockFill[0].fill < 0.3,
  'block-diagonal-small': ({ bandwidth, blockFill, rowLengths }) =>
    bandwidth === 39 && rowLengths.least >= 8 && rowLengths.largest === 40 && blockFill[1].fill > 0.7,
};

test('each class has its own structure, which no other class has', () => {
  assert.equal(Object.keys(claims), [...matrices.keys()]);
  for (const name of small) {
    const matching = Object.keys(claims).filter((claim) => claims[claim](structureOf(name)));
    assert.equal(matching, [name], JSON.stringify(structureOf(name)));
  }
});

test('stencils are Laplacians with Dirichlet boundaries: inner rows sum to 0, corners to 2 and 3', () => {
  const plane = rowSums(matrices.get('stencil-2d-small')!);
  const side = Math.sqrt(plane.length);
  assert.equal([plane[0], plane[1], plane[side + 1]], [2, 1, 0]);
  const cube = rowSums(matrices.get('stencil-3d-small')!);
  const edge = Math.round(Math.cbrt(cube.length));
  assert.equal([cube[0], cube[1], cube[edge * edge + edge + 1]], [3, 2, 0]);
});

test('the same seed gives these bits, with SIMD and without; another seed gives others', async () => {
  const found = Object.fromEntries([...matrices].map(([name, matrix]) => [name, bitsOf(matrix)]));
  assert.equal(found, expected);
  const other = await generateMatrix('road-small', { seed: 1 });
  assert.is.not(bitsOf(other), found['road-small']);
  disableSimd();
  try {
    assert.is(bitsOf(await generateMatrix('knn-small')), found['knn-small']);
    assert.is(bitsOf(await generateMatrix('power-law-small', { seed: 0 })), found['power-law-small']);
  } finally {
    enableSimd();
  }
});

test('progress rises to 1, and a signal aborts', async () => {
  const seen: number[] = [];
  await generateMatrix('banded-small', { progress: (fraction) => void seen.push(fraction) });
  assert.is(seen.at(-1), 1);
  assert.equal(
    seen,
    seen.toSorted((a, b) => a - b),
  );
  const reason = new Error('enough');
  await rejects(() => generateMatrix('stencil-2d-large', { signal: AbortSignal.abort(reason) }), /enough/);
});

test('a name of no matrix is refused with all names', async () => {
  await rejects(
    () => generateMatrix('stencil-4d-small' as MatrixName),
    /^generateMatrix: expected the name of a generated matrix, got stencil-4d-small\. The names are stencil-2d-small, /,
  );
  assert.throws(
    () => matrixNames('tiny' as never),
    /^matrixNames: expected size to be 'small' or 'medium' or 'large', got tiny\./,
  );
});

/** The checksums of starts, columns and values. */
const expected: Record<string, string> = {
  'stencil-2d-small': '1e2dbb95 88c5523d 1cde8048',
  'stencil-3d-small': '8d67a7b6 ea77925d c5b71db9',
  'fem-blocks-small': '4fa2911e 4ed14f17 734ff99f',
  'banded-small': '7232202 b3f6fb5e 77d302c4',
  'power-law-small': 'c04b0ab9 3c425706 ed04047f',
  'road-small': '2e6ae90f 72c438cf ea811f72',
  'circuit-small': '159c51d1 ba199358 8fbfa6fe',
  'bipartite-small': 'fad66c6f 85bca41f e558cdd6',
  'knn-small': '9cb9489e 583e0129 b4da760c',
  'block-diagonal-small': '52831fa6 26981b1f 97cb7219',
};

test.run();
