/** Sparse points from .npz files, metrics and joined parts on the command line. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { texts } from '../../datasets/index.ts';
import { readNpyTensor, writeNpz } from '../../lib/doors/formats.ts';
import { loadModel, SpectralEmbedding } from '../../lib/index.ts';
import { readFileSync } from 'node:fs';
import { inFolder, put, run } from './run.ts';

const test = suite('sparse points on the command line');

const { points } = texts({ n: 120, words: 400, topics: 3, length: 40, seed: 2 });

test('embed learns from sparse points, and transform applies the model to them', async () => {
  await inFolder(async (folder) => {
    const file = put(folder, 'texts.npz', await writeNpz(points));
    const model = `${folder}/texts.specnet`;
    const flags = ['--metric', 'cosine', '--model', model, '--out', `${folder}/a.npy`];
    const { code, out, err } = await run(['embed', file, ...flags]);
    assert.is(code, 0, err);
    assert.match(out, /120 sparse points of 400 columns; knn graph of 120 nodes/);
    const expected = await new SpectralEmbedding({ metric: 'cosine' }).fit(points);
    assert.equal(loadModel(readFileSync(model)).metric, { metric: 'cosine' });
    assert.is((await run(['transform', model, file, '--out', `${folder}/b.npy`])).code, 0);
    const [a, b] = await Promise.all(['a', 'b'].map((name) => readNpyTensor(readFileSync(`${folder}/${name}.npy`))));
    assert.equal(a.data, expected.embedding.data);
    assert.equal(b.data, expected.embedding.data);
  });
});

test('a sparse file is a graph if it is square, unless the flags say that it holds points', async () => {
  await inFolder(async (folder) => {
    const wide = put(folder, 'wide.npz', await writeNpz(points));
    const square = put(folder, 'square.npz', await writeNpz(texts({ n: 60, words: 60, length: 20 }).points));
    assert.match((await run(['graph', wide])).out, /120 sparse points of 400 columns; knn graph/);
    assert.match(
      (await run(['graph', square])).err,
      /expected a symmetric matrix.* If its rows are points, pass --points\./,
    );
    assert.not.match((await run(['graph', square, '--affinity'])).err, /--points/);
    assert.match((await run(['graph', square, '--points'])).out, /60 sparse points of 60 columns/);
    assert.match((await run(['graph', square, '--points', '--metric', 'cosine', '--mutual'])).out, /60 sparse points/);
    assert.match((await run(['embed', square, '--affinity'])).err, /expected points, got --affinity with/);
    assert.match((await run(['graph', wide, '--affinity'])).err, /square/);
    assert.match(
      (await run(['graph', wide, '--points', '--affinity'])).err,
      /expected --points or --affinity, got both/,
    );
    assert.match(
      (await run(['graph', wide, '--neighbors', '5'])).err,
      /got given\. --points reads the file as points\./,
    );
  });
});

test('metrics and connections have flags, and wrong ones are refused', async () => {
  await inFolder(async (folder) => {
    const rows = Array.from({ length: 40 }, (_, i) => `${Math.floor(i / 20) * 50 + (i % 20)},${(i * 7) % 5}`);
    const file = put(folder, 'points.csv', rows.join('\n'));
    const graph = (...flags: string[]) => run(['graph', file, '--neighbors', '4', ...flags]);
    assert.match((await graph()).out, /2 components of 20, 20 nodes/);
    assert.match((await graph('--connect', 'join')).out, /connected by 1 added edge between 2 parts/);
    assert.match((await run(['cluster', file, '--clusters', '2', '--neighbors', '4'])).out, /added edge/);
    assert.is((await graph('--metric', 'minkowski', '--minkowski-power', '3')).code, 0);
    assert.match(
      (await graph('--metric', 'minkowski')).err,
      /expected --minkowski-power P of at least 1 .*, got none\./,
    );
    assert.match((await graph('--minkowski-power', '3')).err, /expected --minkowski-power with --metric minkowski/);
    assert.match((await graph('--metric', 'taxi')).err, /euclidean, cosine, .* or minkowski, got 'taxi'/);
    assert.is((await graph('--graph', 'self-tuned', '--least-weight', '0.05')).code, 0);
    assert.match((await graph('--least-weight', '0.05')).err, /with --graph knn-gaussian or self-tuned, got knn\./);
    assert.match((await graph('--points')).err, /expected --points with a \.npz or \.mtx file/);
  });
});

test.run();
