/** `specnet bench` measures files, folders, stored graphs and generated matrices, and reports as text, JSON and picture. */

import { mkdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plainKernels } from '../../lib/doors/kernels.ts';
import { findMatrices } from '../../lib/cli/commands/bench/matrices.ts';
import { type Benchmark, type Comparison, disableRelaxedSimd, matrixNames } from '../../lib/doors/benchmark.ts';
import { writeMatrixMarket, writeNpz } from '../../lib/doors/formats.ts';
import { graphFrom, setThreads } from '../../lib/index.ts';
import { fromTriplets, identity } from '../../lib/doors/sparse.ts';
import { storeGraph } from '../../lib/doors/storage.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('bench');

setThreads(1);

const path = fromTriplets({ rows: [0, 1, 1, 2], columns: [1, 0, 2, 1], values: [1, 1, 1, 1] }, [3, 3]);
const wide = fromTriplets({ rows: [0, 1], columns: [4, 0], values: [1, 2] }, [2, 5]);

/** a.mtx, b.npz, notes.txt, and the folder `stored` with a graph. */
async function withMatrices(use: (folder: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    put(folder, 'a.mtx', await writeMatrixMarket(path));
    put(folder, 'b.npz', await writeNpz(wide));
    put(folder, 'notes.txt', 'not a matrix');
    await storeGraph(graphFrom(identity(4)), `${folder}/stored`);
    await use(folder);
  });
}

async function json(args: readonly string[]): Promise<Benchmark & { comparison?: Comparison }> {
  const { code, out, err } = await run(['bench', ...args, '--quick', '--json']);
  assert.is(code, 0, err);
  return JSON.parse(out);
}

test('files, folders and stored graphs are measured, each once', () =>
  withMatrices(async (folder) => {
    const all = await json([folder, `${folder}/a.mtx`, '--columns', '2', '--precision', 'double']);
    assert.equal(
      all.matrices.map(({ name, structure: { rows, cols } }) => [name, rows, cols]),
      [
        ['a.mtx', 3, 3],
        ['b.npz', 2, 5],
        ['stored', 4, 4],
      ],
    );
    for (const { rows, failed } of all.matrices) {
      assert.equal(failed, []);
      assert.ok(rows.length > 3 && rows.every(({ precision, columns }) => precision === 'double' && columns % 2 === 0));
    }
    assert.equal([all.format, all.version, all.limits.programs], ['specnet-benchmark', 1, 'simd']);
    assert.match(all.machine.engine, /^Node v\d+/);
    const stored = await json([`${folder}/stored`, '--columns', '1', '--precision', 'single']);
    assert.is(stored.matrices[0].structure.nonzeros, 4);
  }));

test('different files of one name are measured, and called by their paths', () =>
  inFolder(async (folder) => {
    for (const [name, matrix] of [
      ['one', path],
      ['two', wide],
    ] as const) {
      mkdirSync(`${folder}/${name}`);
      put(`${folder}/${name}`, 'a.mtx', await writeMatrixMarket(matrix)); // oxfmt-ignore
    }
    const files = ['one', 'two', 'one/.'].map((name) => `${folder}/${name}/a.mtx`);
    const { matrices } = await json([...files, '--columns', '1', '--precision', 'single']);
    assert.equal(
      matrices.map(({ name, structure: { rows } }) => [name, rows]),
      [
        [files[0], 3],
        [files[1], 2],
      ],
    );
  }));

test('a matrix in a folder that cannot be measured is left out with a note; one that is named is refused', () =>
  withMatrices(async (folder) => {
    put(folder, '0.mtx', '%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n');
    put(folder, 'c.mtx', '%%MatrixMarket matrix coordinate real general\n2 3 0\n');
    const { code, out, err } = await run([
      'bench',
      folder,
      '--quick',
      '--json',
      '--columns',
      '1',
      '--precision',
      'single',
    ]);
    assert.is(code, 0, err);
    assert.equal((JSON.parse(out) as Benchmark).matrices.map(({ name }) => name), ['a.mtx', 'b.npz', 'stored']); // oxfmt-ignore
    const notes = err.split('\n').filter((line) => line.startsWith('specnet bench: left out: '));
    assert.is(notes.length, 2, err);
    assert.match(notes[0], /0\.mtx: expected the field on line 1 to be real, .* got complex\./);
    assert.match(notes[1], /c\.mtx: expected a matrix with entries, got 2×3 without any\.$/);
    const named = await run(['bench', folder, `${folder}/c.mtx`, '--quick', '--columns', '1', '--precision', 'single']);
    assert.is(named.code, 1);
    assert.match(named.err, /\nspecnet bench: .*c\.mtx: expected a matrix with entries, got 2×3 without any\.\n$/);
    await inFolder(async (other) => {
      put(other, 'c.mtx', '%%MatrixMarket matrix coordinate real general\n2 3 0\n');
      const none = await run(['bench', other, '--quick']);
      assert.is(none.code, 1);
      assert.match(none.err, /\nspecnet bench: expected a matrix that can be measured, got none\.\n$/);
    });
  }));

test('quick: one and eight columns, both precisions, and threads as the flag says', () =>
  withMatrices(async (folder) => {
    const { matrices, limits } = await json([`${folder}/a.mtx`, '--threads', '2']);
    assert.is(limits.threads, 2);
    assert.equal(new Set(matrices[0].rows.map(({ columns }) => columns)), new Set([1, 8, 0]));
    assert.equal(new Set(matrices[0].rows.map(({ precision }) => precision)), new Set(['single', 'double']));
    const plain = await json([`${folder}/a.mtx`, '--no-simd', '--columns', '1']);
    assert.ok(plain.matrices[0].rows.every(({ mode }) => mode === 'plain'));
  }));

test('people see limits, structure, a line per product and advice; progress goes to standard error', () =>
  withMatrices(async (folder) => {
    const { code, out, err } = await run(['bench', `${folder}/a.mtx`, '--quick', '--threads', '1'], true);
    assert.is(code, 0);
    assert.match(out, /\nlimits +1 thread\n/);
    assert.match(out, /\na\.mtx: 3×3 with 4 entries, symmetric\n/);
    assert.match(out, /\nAᵀ·X +single +given +8 /);
    assert.match(out, /\nUse for A·X, single, 1, 8 columns: .*\n/);
    assert.match(out, /\nDone in .*\.\n$/);
    assert.match(err, /measuring the limits of the machine … /);
    assert.match(err, /1 of 1: a\.mtx, about .* … 100 %/);
  }));

test('a report is written, drawn and compared with', () =>
  withMatrices(async (folder) => {
    const files = { out: `${folder}/now.json`, plot: `${folder}/roofline.svg`, page: `${folder}/roofline.html` };
    const first = await json([`${folder}/a.mtx`, '--out', files.out, '--plot', files.plot]);
    assert.equal(JSON.parse(readFileSync(files.out, 'utf8')), first);
    assert.match(readFileSync(files.plot, 'utf8'), /^<svg .*A·X, single precision/s);
    const { code, out } = await run(['bench', `${folder}/a.mtx`, `${folder}/b.npz`, '--quick', '--compare', files.out, '--plot', files.page]); // oxfmt-ignore
    assert.is(code, 0);
    assert.match(out, /\nspeed over earlier +rows +mean +clear +least +most\n.*\na\.mtx +\d+ +1\.00× +0 /s);
    assert.match(out, /\nb\.npz is not in the earlier benchmark\.\n/);
    assert.match(readFileSync(files.page, 'utf8'), /^<!doctype html>.*<pre>a\.mtx: 3×3/s);
    const { comparison } = await json([`${folder}/a.mtx`, '--compare', files.out]);
    assert.is(comparison!.matrices[0].rows.length, first.matrices[0].rows.length);
  }));

test('a kernel that computes something else than its plain twin: exit 1', () =>
  withMatrices(async (folder) => {
    const { csrMatmul } = plainKernels;
    plainKernels.csrMatmul = (...operands) => void operands[6].fill(7);
    try {
      const { code, out, err } = await run(['bench', `${folder}/a.mtx`, '--quick', '--columns', '1']);
      assert.is(code, 1);
      assert.match(err, /^specnet bench: wrong results for a\.mtx\.\n$/);
      assert.match(out, /\nNot timed: A·X, 1 column, single, given, SIMD: the result differs by /);
    } finally {
      plainKernels.csrMatmul = csrMatmul;
    }
  }));

test('generated matrices by name and by size', async () => {
  const namesOf = (operands: string[], set?: string): string[] => findMatrices(operands, set).map(({ name }) => name);
  assert.equal(namesOf(['knn-large'], 'small'), ['knn-large', ...matrixNames('small')]);
  assert.equal(namesOf(['knn-large'], 'all').length, 30, 'each once');
  const { matrices } = await json(['banded-small', '--columns', '1', '--precision', 'single', '--seed', '3']);
  assert.equal([matrices[0].name, matrices[0].structure.bandwidth], ['banded-small', 12]);
});

const refusals: [line: string, code: number, answer: RegExp][] = [
  ['bench', 2, /^specnet bench: expected matrices or --set, got nothing\. Try specnet help bench\.$/],
  [
    'bench matrix.csv',
    2,
    /expected a matrix \(\.mtx, \.mtx\.gz, \.npz\), a stored graph, a folder of these, or a generated matrix, got 'matrix\.csv'\./,
  ],
  ['bench banded-tiny', 2, /got 'banded-tiny'\./],
  ['bench --set huge', 2, /--set: expected small, medium, large or all, got 'huge'\./],
  ['bench a.mtx --columns 1,x', 2, /--columns: expected a whole number, got 'x'\./],
  ['bench a.mtx --columns 0', 2, /--columns: expected columns to be a whole number, at least 1, got 0\./],
  ['bench a.mtx --precision half', 2, /--precision: expected single, double or both, got 'half'\./],
  ['bench a.mtx --plot a.png', 2, /expected --plot to end in \.html, \.svg, got 'a\.png'\./],
  ['bench a.mtx --out a.csv', 2, /expected --out to end in \.json, got 'a\.csv'\./],
  ['bench a.mtx --compare x.json --out ./x.json', 2, /expected --out to be another file than --compare 'x\.json'/],
  ['bench nowhere.mtx --quick', 1, /^specnet bench: nowhere\.mtx: expected a file that can be read, got ENOENT/],
  [
    'bench a.mtx --compare nowhere.json',
    1,
    /^specnet bench: nowhere\.json: expected a file that can be read, got ENOENT/,
  ],
];

test('wrong usage and unreadable files are reported in one line', () =>
  forEachInOrder(refusals, async ([line, code, answer]) => {
    const found = await run(line.split(' '));
    assert.is(found.code, code, `${line}: ${found.err}`);
    assert.is(found.out, '', line);
    assert.match(found.err.trimEnd(), answer, line);
  }));

test('an empty folder and a file that is no report are refused', () =>
  withMatrices(async (folder) => {
    mkdirSync(`${folder}/empty`);
    const empty = await run(['bench', `${folder}/empty`]);
    assert.is(empty.code, 1);
    assert.match(empty.err, /expected \.mtx, \.mtx\.gz or \.npz files or stored graphs in .*empty, got none\./);
    const other = await run(['bench', `${folder}/a.mtx`, '--compare', `${folder}/notes.txt`]);
    assert.is(other.code, 1);
    assert.match(other.err, /notes\.txt: expected the JSON of a benchmark, got /);
  }));

test('--relaxed-simd is measured where the engine has it, and refused where not', async () => {
  try {
    const { code, out, err } = await run(['bench', 'banded-small', '--quick', '--columns', '8', '--precision', 'single', '--json', '--relaxed-simd']); // oxfmt-ignore
    if (Number(process.versions.node.split('.')[0]) < 22) {
      assert.is(code, 2);
      assert.match(err, /--relaxed-simd: this engine has no relaxed SIMD; Node has it from version 22 on\./);
    } else {
      assert.is(code, 0, err);
      assert.match((JSON.parse(out) as Benchmark).machine.engine, /^Node v\d+\.\d+\.\d+ with relaxed SIMD$/);
    }
  } finally {
    disableRelaxedSimd();
  }
});

test.run();
