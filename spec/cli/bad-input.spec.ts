/** Bad input produces a message with the name of the file, the problem and its position. */

import { existsSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { tensor } from '../../lib/index.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('bad input');

const market = (size: string, ...entries: string[]): string =>
  `%%MatrixMarket matrix coordinate real general\n${size}\n${entries.join('\n')}\n`;

const npy = writeNpyTensor(zeros([2, 2]));
const laterNpy = npy.slice();
laterNpy[6] = 9;
const minorNpy = npy.slice();
minorNpy[7] = 1;

/** File name, contents, flags after it, and the message after `specnet eigen: `, where # stands for the file name. */
// oxfmt-ignore
const refused: [string, string | Uint8Array, string, string][] = [
  ['nan.csv', '1,2\n3,NaN\n', '--missing error', "#: expected no missing values, got 1 in 'x1', first on line 2. Pass --missing drop or --missing mean."],
  ['nan.npy', writeNpyTensor(tensor([[1, NaN]])), '', '#: expected finite numbers in points, got NaN at row 0, column 1.'],
  ['words.csv', '1,2\n3,four\n', '--columns x1', "#: expected numbers in column 'x1', got 'four' on line 2. Use it as --categorical x1 or --label x1, or leave it out: --ignore x1."],
  ['empty.csv', '', '', '#: expected a table with at least one row, got an empty file.'],
  ['empty.npy', '', '', '#: expected a .npy array, got bytes without a .npy header.'],
  ['empty.mtx', '', '', '#: expected a header and a line of sizes, got the end of the file.'],
  ['ragged.csv', '1,2\n3,4\n5,6,7\n', '', "#: expected 2 fields in every row, got 3 on line 3. A field that contains the delimiter needs quotes. Wrong delimiter? Pass --delimiter ';' (',' was used)."],
  ['one.csv', '1,2\n', '', '#: expected at least two points, got 1.'],
  ['few.csv', '1\n2\n3\n', '--neighbors 4', '#: expected neighbors to be at most 3 for 3 points, the point itself counted, got 4.'],
  ['k.csv', '1\n2\n3\n4\n', '-k 4 --neighbors 2', 'expected at most 3 components, one less than the number of nodes, got 4.'],
  ['far.csv', '1\n2\n9\n', '--graph knn-gaussian --neighbors 2 --exclude-self --sigma 1e-3', 'expected no isolated nodes, got 3 of degree 0 (0, 1, 2). Leave them out, or build the graph with more neighbors.'],
  ['alone.mtx', market('3 3 2', '1 2 1', '2 1 1'), '', 'expected no isolated nodes, got 1 of degree 0 (2). Leave them out, or build the graph with more neighbors.'],
  ['negative.mtx', market('2 2 2', '1 2 -1', '2 1 -1'), '', '#: expected weights that are not negative, got -1 at (0, 1).'],
  ['asymmetric.mtx', market('2 2 2', '1 2 1', '2 1 3'), '', '#: expected a symmetric matrix, got 1 at (0, 1) and 3 at (1, 0). symmetrize(matrix) takes their mean. If its rows are points, pass --points.'],
  ['wide.mtx', market('2 3 1', '1 2 1'), '--affinity', '#: expected a square matrix, got 2×3.'],
  ['nan.mtx', market('2 2 1', '1 2 NaN'), '', '#: expected row, column and a finite number on line 3, got 1 2 NaN.'],
  ['short.mtx', market('2 2 2', '1 2 1'), '', '#: expected 2 entries, got 1 before the end of the file. The file may be truncated.'],
  ['short.csv.gz', gzipSync('1,2\n3,4\n').subarray(0, 15), '', '#: expected undamaged gzip bytes, got unexpected end of file.'],
  ['large.csv.gz', gzipSync('1,2\n3,4\n'), '--max-bytes 7', '#: expected compressed text of at most 7 bytes, got 8 or more. If you trust the file, raise maxBytes; on the command line, --max-bytes.'],
  ['after.csv.gz', Buffer.concat([gzipSync('1,2\n3,4\n'), Uint8Array.of(0, 1)]), '', '#: expected undamaged gzip bytes, got other bytes after their end.'],
  ['minor.npy', minorNpy, '', '#: expected version 1.0 of .npy, got 1.1.'],
  ['short.mtx.gz', gzipSync(market('2 2 1', '1 1 1')).subarray(0, 40), '', '#: expected undamaged gzip bytes, got unexpected end of file.'],
  ['short.npy', npy.subarray(0, npy.length - 3), '', '#: expected 16 bytes of f4 for shape 2×2, got 13.'],
  ['short.npz', new Uint8Array(30), '', '#: expected a zip archive, got bytes without an end record. The file may be truncated.'],
  ['later.npy', laterNpy, '', '#: expected version 1, 2 or 3 of .npy, got 9.'],
  ['other.mtx', '%%SparseMarket matrix\n', '', '#: expected %%MatrixMarket at the start of line 1, got %%SparseMarket matrix.'],
];

test('bad file contents are refused with the name of the file: exit 1, no output, nothing written', () =>
  inFolder((folder) =>
    forEachInOrder(refused, async ([name, content, flags, answer]) => {
      const path = put(folder, name, content);
      const before = readdirSync(folder);
      const args = ['eigen', path, ...flags.split(' ').filter(Boolean), '--out', `${folder}/out.csv`];
      const { code, out, err } = await run(args);
      assert.is(out, '', name);
      assert.is(err, `specnet eigen: ${answer.replace('#', path)}\n`);
      assert.is(code, 1, name);
      assert.equal(readdirSync(folder), before);
    }),
  ));

test('missing files and folders that cannot be written to are reported before any work', () =>
  inFolder(async (folder) => {
    await forEachInOrder(['none.csv', 'none.mtx'], async (name) => {
      const { code, err } = await run(['eigen', `${folder}/${name}`]);
      assert.is(code, 1);
      assert.ok(err.startsWith(`specnet eigen: ${folder}/${name}: expected a file that can be read, got ENOENT`), err);
    });
    const nowhere = await run(['graph', `${folder}/none.csv`, '--out', `${folder}/none/w.mtx`]);
    assert.is(nowhere.code, 1);
    assert.is(
      nowhere.err,
      `specnet graph: expected --out ${folder}/none/w.mtx to be a file that can be written, got ENOENT: no such file or directory. Create its folder first.\n`,
    );
  }));

test('more clusters than nodes are refused with the most there can be', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'four.csv', '1\n2\n3\n4\n');
    const { code, err } = await run(['cluster', path, '--clusters', '5', '--neighbors', '2']);
    assert.is(code, 1);
    assert.is(err, 'specnet cluster: expected at most 4 clusters, the number of nodes, got 5.\n');
  }));

test('a graph of one node has the trivial pair alone, and solve says so', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'one.mtx', market('1 1 1', '1 1 1'));
    const answer =
      /: expected a graph of at least two nodes, got 1\. A graph of one node has no nontrivial eigenvector\.\n$/;
    await forEachInOrder(
      [
        ['solve', path],
        ['solve', path, '-k', '1'],
        ['eigen', path, '-k', '1'],
      ],
      async (words) => {
        const { code, err } = await run(words);
        assert.is(code, 1);
        assert.match(err, answer);
      },
    );
    assert.equal(JSON.parse((await run(['eigen', path, '--json'])).out).eigenvalues, [1]);
  }));

test('a disconnected graph is not an error: the number and sizes of its components are reported', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'three-groups.csv', '0\n1\n2\n50\n51\n52\n53\n99\n100\n');
    const flags = ['--neighbors', '2'];
    const text = await run(['eigen', path, '-k', '3', ...flags]);
    assert.is(text.code, 0);
    assert.match(text.out, /, 3 components of 4, 3, 2 nodes\n/);
    const { code, out, err } = await run(['eigen', path, '-k', '3', ...flags, '--json']);
    assert.is(code, 0);
    assert.is(err, 'specnet: the graph has 3 components of 4, 3, 2 nodes.\n');
    const { components, eigenvalues } = JSON.parse(out);
    assert.is(components, 3);
    for (let k = 0; k < 3; k++) assert.ok(Math.abs(eigenvalues[k] - 1) < 1e-12);
    assert.ok(eigenvalues[3] < 0.99);
    assert.is((await run(['graph', path, ...flags, '--json', '--quiet'])).err, '');
  }));

test('fewer than 32 points have half of them as neighbors, so that the graph knows distances', () =>
  inFolder(async (folder) => {
    const few = put(folder, 'few.csv', '1\n2\n4\n8\n16\n');
    const nonzeros = async (...flags: string[]): Promise<number> =>
      JSON.parse((await run(['graph', few, ...flags, '--json'])).out).nonzeros;
    assert.is(await nonzeros(), await nonzeros('--neighbors', '3'));
    assert.is(await nonzeros('--exclude-self'), await nonzeros('--neighbors', '3', '--exclude-self'));
    assert.is(await nonzeros('--graph', 'self-tuned'), 25, 'other kinds have weights that differ');
    const two = put(folder, 'two.csv', '1\n2\n');
    assert.is(JSON.parse((await run(['graph', two, '--exclude-self', '--json'])).out).nonzeros, 2);
  }));

test('repeated points are accepted, and graph reports isolated nodes', () =>
  inFolder(async (folder) => {
    const twice = put(folder, 'twice.csv', '0\n0\n0\n1\n1\n2\n2\n3\n');
    await forEachInOrder(['eigen', 'graph'], async (name) => {
      assert.is((await run([name, twice, '--neighbors', '4'])).code, 0);
    });
    assert.is((await run(['cluster', twice, '--clusters', '2', '--neighbors', '4'])).code, 0);
    const alone = put(folder, 'alone.mtx', market('3 3 2', '1 2 1', '2 1 1'));
    assert.is(JSON.parse((await run(['graph', alone, '--json'])).out).isolated, 1);
    assert.not(existsSync(`${folder}/out.csv`));
  }));

test.run();
