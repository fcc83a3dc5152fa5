/** The command `store`, commands that read its folder, and what a kill or a full disk leaves. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs } from '../../datasets/index.ts';
import { writeMatrixMarket, writeNpyTensor } from '../../lib/doors/formats.ts';
import { buildGraph } from '../../lib/doors/graph.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from '../cli/run.ts';

const test = suite('specnet store');

const { points } = blobs({ n: 400, seed: 2, deviation: 2 });
const graph = await buildGraph(points, { kind: 'knn-gaussian' });
const matrix = await writeMatrixMarket(graph.weights);

const withoutTime = (text: string): Record<string, unknown> => ({ ...JSON.parse(text), seconds: 0 });

test('eigen, graph, solve and embed report the same of the folder as of the file', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'graph.mtx', matrix);
    const stored = join(folder, 'stored');
    const { code, out } = await run(['store', file, '--out', stored, '--precision', 'double', '--json']);
    assert.is(code, 0);
    const { n, nonzeros, precision, isolated, bytes } = JSON.parse(out);
    assert.equal([n, nonzeros, precision, isolated], [400, graph.weights.nonzeros, 'double', 0]);
    assert.is(bytes, 8 * 401 + 12 * nonzeros + 8 * 400);
    const lines = ['eigen -k 3', 'graph', 'solve -k 1 --epochs 2', 'embed --graph given --method eigen'];
    await forEachInOrder(lines, async (line) => {
      const [command, ...flags] = line.split(' ');
      const [ofFile, ofFolder] = await Promise.all([run([command, file, ...flags, '--json']), null]).then(
        async ([first]) => [first, await run([command, stored, ...flags, '--json'])],
      );
      assert.is(ofFolder.code, ofFile.code, ofFolder.err);
      const [expected, found] = [withoutTime(ofFile.out), withoutTime(ofFolder.out)];
      if (command === 'solve') for (const report of [expected, found]) for (const step of report.trace as { seconds: number }[]) step.seconds = 0; // oxfmt-ignore
      assert.equal(found, expected, line);
    });
  }));

test('points are stored as the graph that is built of them', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'points.npy', writeNpyTensor(points));
    const { code, out } = await run(['store', file, '--graph', 'knn-gaussian', '--out', join(folder, 'stored')]);
    assert.is(code, 0);
    assert.match(out, /stored: graph of 400 nodes\n\nweights +\d+\nisolated nodes +0\narrays +[\d.]+ MiB\ntime +/);
    const data = readFileSync(join(folder, 'stored', 'data.npy'));
    assert.ok(data.subarray(128).equals(new Uint8Array(graph.weights.values.slice().buffer)));
  }));

test('embed --stored and transform --memory write what embed and transform write', () =>
  inFolder(async (folder) => {
    const path = (name: string): string => join(folder, name);
    put(folder, 'points.npy', writeNpyTensor(points));
    assert.is((await run(['store', path('points.npy'), '--out', path('graph')])).code, 0);
    const ritz = [path('points.npy'), '--method', 'ritz', '--landmarks', '60', '-k', '3'];
    const whole = ['--model', path('whole.specnet'), '--out', path('whole.npy')];
    assert.is((await run(['embed', ...ritz, '--connect', 'none', ...whole])).code, 0);
    const files = ['--model', path('blocks.specnet'), '--out', path('blocks.npy')];
    const learned = await run(['embed', ...ritz, '--stored', path('graph'), '--memory', '16MiB', ...files, '--json']);
    assert.is(learned.code, 0, learned.err);
    const { eigenvalues, landmarks, rows, reading } = JSON.parse(learned.out);
    assert.equal([eigenvalues.length, landmarks, rows], [3, 60, 400]);
    assert.ok(reading.features.misses > 0 && reading.graph.bytesRead > 0, learned.out);
    const again = [
      'transform',
      path('blocks.specnet'),
      path('points.npy'),
      '--memory',
      '16MiB',
      '--out',
      path('again.npy'),
    ];
    const { code, out } = await run(again);
    assert.is(code, 0);
    assert.match(out, /points\.npy: 400 points; landmarks model of 3 coordinates\n\n +min +mean +max\n/);
    for (const [name, other] of [
      ['blocks.specnet', 'whole.specnet'],
      ['blocks.npy', 'whole.npy'],
      ['again.npy', 'whole.npy'],
    ]) {
      // oxfmt-ignore
      assert.ok(readFileSync(path(name)).equals(readFileSync(path(other))), name);
    }
  }));

test('scipy opens the arrays', () =>
  inFolder(async (folder) => {
    if (spawnSync('python3', ['-c', 'import numpy, scipy'], { stdio: 'ignore' }).status !== 0) {
      console.log('left out: the comparison with scipy, which is not installed');
      return;
    }
    await run(['store', put(folder, 'graph.mtx', matrix), '--out', join(folder, 'stored')]);
    const code = `
import numpy, scipy.io, scipy.sparse
load = lambda name: numpy.load('stored/' + name + '.npy', mmap_mode='r')
stored = scipy.sparse.csr_matrix((load('data'), load('indices'), load('indptr')))
stored.check_format()
given = scipy.io.mmread('graph.mtx').tocsr().astype('f4')
print(abs(stored - given).max(), abs(load('degrees') - numpy.asarray(stored.astype('f8').sum(1)).ravel()).max() < 1e-12, load('indptr').dtype)`;
    assert.is(execFileSync('python3', ['-c', code], { cwd: folder, encoding: 'utf8' }).trim(), '0.0 True int64');
  }));

test('wrong usage is refused', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'graph.mtx', matrix);
    const cases: [string, RegExp][] = [
      [`store ${file}`, /expected --out FOLDER, got none\./],
      [`store ${file} --out s --neighbors 3`, /expected --neighbors with points, got/],
      [
        `store ${file} --out s --edges`,
        /expected a list of edges \(\.csv, \.tsv, \.txt, \.npy, \.parquet\) with --edges/,
      ],
      [`store ${file} --out s --nodes 3`, /expected --edges with --nodes, got none\./],
      ['store a.npy --out s --symmetric max', /expected --symmetric with a \.mtx file or --edges, got 'a\.npy'\./],
      [
        `store ${file} --out s --memory much`,
        /--memory: expected a number of bytes such as 512MiB or 2GB, got 'much'\./,
      ],
      [`store ${file} --out s --memory 15MiB`, /--memory: expected at least 16MiB, got '15MiB'\./],
      [`store ${folder} --out s`, /expected a file, got the folder/],
      [
        'embed a.csv --method ritz --stored s',
        /expected points in a \.npy file with --stored and --method ritz, got 'a\.csv'\./,
      ],
      [
        'embed a.npy --stored s',
        /expected --method ritz, regression, specnet1 or specnet2 with --stored, got no --method\./,
      ],
      [
        'embed a.npy --method ritz --stored s --neighbors 3',
        /expected --neighbors without --stored and --method ritz, got both\./,
      ],
      ['embed a.npy --memory 1GiB', /expected --stored FOLDER with --memory, got none\./],
      [
        'embed a.npy --method ritz --stored s --out a.csv',
        /expected --out to end in \.npy with --stored, got 'a\.csv'\./,
      ],
      ['transform m.specnet a.npy --memory 1GiB', /expected --out FILE\.npy with --memory, got none\./],
      [`embed ${folder}`, /expected points \(/],
      [
        'embed a.npz --graph given',
        /expected --method eigen with --graph given, got regression, which learns from points\./,
      ],
      [
        `eigen ${folder} --neighbors 3`,
        /expected --neighbors with --graph knn, knn-gaussian or self-tuned, got given\./,
      ],
    ];
    await forEachInOrder(cases, async ([line, message]) => {
      const { code, err } = await run(line.split(' '));
      assert.is(code, 2, `${line}: ${err}`);
      assert.match(err, message);
    });
    const failed = await run(['eigen', folder]);
    assert.is(failed.code, 1);
    assert.match(failed.err, /specnet-graph\.json of a complete graph, got no such file\./);
  }));

/** Where to stop a write, as environment variables say it. */
function stopAt(moment: string, name: string, by = 'SIGKILL'): Record<string, string> {
  return { SPECNET_TEST_STOP_AT: moment, SPECNET_TEST_STOP_FILE: name, SPECNET_TEST_STOP_BY: by, SPECNET_TEST_STOP_COUNT: '1' }; // oxfmt-ignore
}

test('after a kill there is no graph, or the whole one, and the next run succeeds', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'graph.mtx', matrix);
    await run(['store', file, '--out', join(folder, 'expected')]);
    const expected = readdirSync(join(folder, 'expected')).toSorted();
    const stops = [
      ['half-written', 'indices.npy'],
      ['after-rename', 'checksums.npy'],
      ['after-rename', 'specnet-graph.json'],
    ] as const;
    await forEachInOrder([...stops.entries()], async ([k, [moment, name]]) => {
      const out = join(folder, `stored-${k}`);
      const { signal } = spawnSync(process.execPath, ['dist/lib/cli/main.js', 'store', file, '--out', out], {
        env: { ...process.env, NODE_V8_COVERAGE: '', ...stopAt(moment, name) },
      });
      assert.is(signal, 'SIGKILL', `${moment} of ${name}`);
      const isComplete = name === 'specnet-graph.json';
      assert.is((await run(['eigen', out, '-k', '1'])).code, isComplete ? 0 : 1);
      if (!isComplete) assert.is((await run(['store', file, '--out', out])).code, 0, `${moment} of ${name}`);
      assert.equal(readdirSync(out).filter((each) => !each.endsWith('.lock')).toSorted(), expected); // oxfmt-ignore
      for (const each of expected) {
        assert.ok(readFileSync(join(out, each)).equals(readFileSync(join(folder, 'expected', each))), each);
      }
    });
  }));

test('a write that fails is named, and nothing is left', () =>
  inFolder(async (folder) => {
    const file = put(folder, 'graph.mtx', matrix);
    const out = join(folder, 'stored');
    const stops = ['before-draft', 'half-written', 'before-sync', 'before-rename'].map((moment) => [
      moment,
      'data.npy',
    ]);
    await forEachInOrder([...stops, ['before-sync', 'specnet-graph.json']], async ([moment, name]) => {
      const stop = stopAt(moment, name, 'ENOSPC');
      Object.assign(process.env, stop);
      try {
        const { code, err } = await run(['store', file, '--out', out]);
        assert.is(code, 1, moment);
        assert.match(
          err,
          `specnet store: expected the file ${join(out, name)} to be a file that can be written, got ENOSPC`,
        );
      } finally {
        for (const variable of Object.keys(stop)) delete process.env[variable];
      }
      assert.not.ok(existsSync(out), `${moment} of ${name}`);
    });
  }));

test('a full disk is named, and nothing is left on it', () =>
  inFolder(async (folder) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status !== 0) {
      console.log('left out: the test on a full disk, because no disk can be mounted here');
      return;
    }
    try {
      const file = put(folder, 'graph.mtx', matrix);
      const { code, err } = await run(['store', file, '--out', join(disk, 'stored')]);
      assert.is(code, 1);
      assert.match(err, /expected the file .*stored\/.* to be a file that can be written, got ENOSPC: no space left/);
      assert.equal(readdirSync(disk), []);
    } finally {
      execFileSync('umount', [disk]);
    }
  }));

test.run();
