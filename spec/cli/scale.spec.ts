/** `--scale` and `--pca` on the command line: graphs, models, warnings and refusals. */

import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs, texts } from '../../datasets/index.ts';
import { writeNpz } from '../../lib/doors/formats.ts';
import { loadModel, openTable, SpectralEmbedding } from '../../lib/index.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('scales on the command line');

/** The third column is wide and tells nothing. */
const { points, labels } = blobs({ n: 90, centers: 3, dimension: 2, deviation: 0.5, box: [-6, 6], seed: 2 });
const lines = Array.from({ length: 90 }, (_, i) => {
  return `${points.data[2 * i]},${points.data[2 * i + 1]},${1000 * Math.sin(99 * i)},7,${labels![i]}`;
});
const csv = `a,b,wide,same,label\n${lines.join('\n')}\n`;

test('columns of different spread are pointed out with both flags, unless --scale is given', async () => {
  await inFolder(async (folder) => {
    const file = put(folder, 'table.csv', csv);
    const { err } = await run(['cluster', file, '--clusters', '3']);
    assert.match(
      err,
      /specnet: Columns differ in spread by a factor of \d+: 'wide' has standard deviation \d+, '[ab]'/,
    );
    assert.match(err, /--scale standard gives .* --scale none keeps/);
    assert.not.match((await run(['cluster', file, '--clusters', '3', '--scale', 'none'])).err, /spread/);
    assert.not.match((await run(['cluster', file, '--clusters', '3', '--quiet'])).err, /spread/);
    assert.not.match((await run(['cluster', file, '--clusters', '3', '--columns', 'a,b'])).err, /spread/);
    const page = `${folder}/page.html`;
    await run(['embed', file, '--plot', page]);
    assert.match(readFileSync(page, 'utf8'), /Columns differ in spread/);
  });
});

test('embed keeps the scale in the model, so that transform takes the raw table', async () => {
  await inFolder(async (folder) => {
    const file = put(folder, 'table.csv', csv);
    const model = `${folder}/table.specnet`;
    const flags = ['--scale', 'standard', '--pca', '2', '--model', model, '--out', `${folder}/a.csv`];
    const { code, out, err } = await run(['embed', file, ...flags]);
    assert.is(code, 0, err);
    assert.match(out, /90 points of 4 columns, scaled \(standard\), as 2 principal components; knn graph/);
    assert.match(err, /specnet: 'same' is constant and becomes 0\./);
    const loaded = loadModel(readFileSync(model));
    assert.is(loaded.preprocessing!.scale, 'standard');
    const fitted = await new SpectralEmbedding({ scale: 'standard', pca: 2 }).fit(await openTable(file));
    assert.equal(loaded.preprocessing, fitted.model.preprocessing);
    assert.equal(loaded.columns, fitted.model.columns);
    assert.is((await run(['transform', model, file, '--out', `${folder}/b.csv`])).code, 0);
    assert.is(readFileSync(`${folder}/b.csv`, 'utf8'), readFileSync(`${folder}/a.csv`, 'utf8'));
    assert.match((await run(['export', model, '--out', `${folder}/m.onnx`])).out, /from 4 columns to 2 coordinates/);
  });
});

test('what cannot be is refused: scales of sparse points, of graphs, too many components', async () => {
  await inFolder(async (folder) => {
    const file = put(folder, 'table.csv', csv);
    const sparse = put(folder, 'texts.npz', await writeNpz(texts({ n: 60, words: 90, length: 20 }).points));
    assert.match((await run(['embed', sparse, '--scale', 'range'])).err, /scale 'unit' or 'none' for sparse points/);
    assert.is((await run(['embed', sparse, '--scale', 'unit'])).code, 0);
    assert.match((await run(['embed', file, '--pca', '9'])).err, /table\.csv: expected pca of at most 4, .* got 9/);
    assert.match((await run(['embed', file, '--pca', '0'])).err, /pca/);
    const graph = put(folder, 'graph.mtx', '%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1\n');
    const { code, err } = await run(['eigen', graph, '--scale', 'range']);
    assert.is(code, 2);
    assert.match(err, /expected --scale with --graph .*, got given\. --points reads the file as points\./);
  });
});

test.run();
