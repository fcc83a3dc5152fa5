/** eigen, graph and cluster give the results of the library, as text and as JSON. */

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs, type Dataset } from '../../datasets/index.ts';
import { readCsv, readNpyTensor, writeCsv, writeNpyTensor } from '../../lib/doors/formats.ts';
import {
  accuracy,
  adjustedRandIndex,
  buildGraph,
  type Graph,
  graphFrom,
  normalizedMutualInformation,
  setThreads,
  spectrum,
} from '../../lib/index.ts';
import { type ClusterChoice, spectralClustering } from '../../lib/doors/embedding.ts';
import { batchNeighbors } from '../../lib/doors/graph.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { readMatrixMarket, readNpz, writeMatrixMarket, writeNpz } from '../../lib/doors/formats.ts';
import { commands } from '../../lib/cli/commands.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('graph commands');

// Two spec files run at a time, and a second thread of each would only wait for a core.
setThreads(1);

/** Three clusters that the nearest neighbors connect. */
const clouds: Dataset = blobs({ seed: 5, n: 150, deviation: 2.5 });
const knn = (): Promise<Graph> => buildGraph(clouds.points, { kind: 'knn' });

/** A table with text and a missing value. */
const birds = `x,comment,kind\n${Array.from({ length: 40 }, (_, i) => `${i === 7 ? 'NA' : Math.sin(i)},note ${i},${i % 2 ? 'odd' : 'even'}`).join('\n')}\n`;

/** points.csv with labels, points.npy without, table.csv, edges.csv, graph.mtx and graph.npz. */
async function withFiles(use: (folder: string, path: (name: string) => string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const { weights } = await knn();
    put(folder, 'points.csv', await writeCsv(clouds));
    put(folder, 'points.npy', writeNpyTensor(clouds.points));
    put(folder, 'table.csv', birds);
    put(folder, 'graph.mtx', await writeMatrixMarket(weights));
    put(folder, 'graph.npz', await writeNpz(weights));
    put(folder, 'edges.csv', '0,1,0.5\n1,2\n2,0,3\n');
    await use(folder, (name) => `${folder}/${name}`);
  });
}

/** The description of points.csv. */
const tableOfClouds = {
  columns: ['x0', 'x1'],
  leftOut: [],
  label: 'label',
  labelCandidates: [],
  id: null,
  missing: {},
  dropped: 0,
  notes: [],
};

/** The keys of all commands. */
interface Report {
  readonly [key: string]: unknown;
  readonly nonzeros: number;
  readonly eigenvalues: number[];
  readonly degree: { readonly mean: number };
  readonly sizes: number[];
}

async function json(args: string[]): Promise<Report> {
  const { code, out, err } = await run([...args, '--json']);
  assert.is(code, 0, err);
  assert.match(out, /^\{.*\}\n$/, 'one line');
  return JSON.parse(out);
}

test('eigen gives the eigenpairs of the library to the bit, from points as from graphs', () =>
  withFiles(async (_folder, path) => {
    const graph = await knn();
    const found = await spectrum(graph, { count: 5 });
    await forEachInOrder(['points.csv', 'points.npy', 'graph.mtx', 'graph.npz'], async (name) => {
      const report = await json(['eigen', path(name), '-k', '4']);
      const { seconds, table, ...rest } = report;
      assert.is(table !== undefined, name === 'points.csv', 'tables are described');
      const keys = Object.keys(report).filter((key) => key !== 'table');
      const work = ['residuals', 'errors', 'products', 'converged', 'solver', 'reason'];
      const trust = ['complete', 'certificate', 'levels', 'fill', 'seconds'];
      assert.equal(keys, ['n', 'nonzeros', 'components', 'eigenvalues', ...work, ...trust]);
      assert.equal(
        rest,
        {
          n: 150,
          nonzeros: graph.weights.nonzeros,
          components: graph.components.count,
          eigenvalues: [...found.values],
          residuals: [...found.residuals],
          errors: [...found.errors],
          products: found.products,
          converged: true,
          solver: 'lanczos',
          reason: 'Lanczos converged.',
          complete: 'probed',
          certificate: null,
          levels: [],
          fill: 1,
        },
        name,
      );
      assert.ok(Math.abs(rest.eigenvalues[0] - 1) < 1e-12);
      assert.is(seconds, 0.04, 'two looks at the clock');
    });
  }));

test('eigen: other Laplacians, other graphs, other seeds, and 8 components by default', () =>
  withFiles(async (_folder, path) => {
    const symmetric = await json(['eigen', path('graph.mtx'), '--laplacian', 'symmetric']);
    const walk = await json(['eigen', path('graph.mtx'), '--seed', '7', '--threads', '1', '--no-simd']);
    assert.is(walk.eigenvalues.length, 9);
    for (let k = 0; k < 9; k++) assert.ok(Math.abs(1 - symmetric.eigenvalues[k] - walk.eigenvalues[k]) < 1e-9);
    const gaussian = await buildGraph(clouds.points, { kind: 'gaussian', sigma: 2, threshold: 0.1 });
    const flags = ['--graph', 'gaussian', '--sigma', '2', '--threshold', '.1'];
    assert.is((await json(['eigen', path('points.npy'), ...flags])).nonzeros, gaussian.weights.nonzeros);
    const near = await buildGraph(clouds.points, { kind: 'knn-gaussian', neighbors: 5, includeSelf: false });
    const nearFlags = ['--graph', 'knn-gaussian', '--neighbors', '5', '--exclude-self', '--quiet'];
    assert.is((await json(['graph', path('points.npy'), ...nearFlags])).degree.mean, near.volume / 150);
    const small = put(path('.'), 'small.csv', '0\n1\n2\n');
    assert.is((await json(['eigen', small, '--neighbors', '2'])).eigenvalues.length, 3, 'all there are');
  }));

test('eigen --out writes the eigenvectors in columns, in full', () =>
  withFiles(async (folder, path) => {
    const { vectors } = await spectrum(await knn(), { count: 4 });
    await forEachInOrder(['v.npy', 'v.csv', 'v.csv.gz'], async (name) => {
      await json(['eigen', path('points.csv'), '-k', '3', '--out', path(name)]);
      const bytes = readFileSync(path(name));
      const written = name.endsWith('npy')
        ? await readNpyTensor(bytes, { precision: 'double' })
        : (await readCsv(bytes, { precision: 'double' })).points;
      assert.equal([written.shape, [...written.data]], [[150, 4], [...vectors.data]]);
    });
    assert.match(readFileSync(`${folder}/v.csv`, 'utf8'), /^psi0,psi1,psi2,psi3\n/);
  }));

test('graph describes a graph and saves it in each format', () =>
  withFiles(async (_folder, path) => {
    const graph = await knn();
    const [b2, b4, b8] = batchNeighbors(graph, [2, 4, 8], 3);
    await forEachInOrder(['w.mtx', 'w.mtx.gz', 'w.npz'], async (name) => {
      const report = await json(['graph', path('points.csv'), '--out', path(name), '--seed', '3']);
      assert.equal(report, {
        n: 150,
        nonzeros: graph.weights.nonzeros,
        components: graph.components.count,
        isolated: 0,
        degree: { min: Math.min(...graph.degrees), mean: graph.volume / 150, max: Math.max(...graph.degrees) },
        batchNeighbors: { 2: b2, 4: b4, 8: b8 },
        seconds: 0.04,
        table: tableOfClouds,
      });
      const read = name.endsWith('npz') ? readNpz : readMatrixMarket;
      const written = await read(readFileSync(path(name)));
      assert.equal(
        [[...written.starts], [...written.columns], [...written.values]],
        [[...graph.weights.starts], [...graph.weights.columns], [...graph.weights.values]],
      );
    });
  }));

test('weights that are given keep all their digits', () =>
  inFolder(async (folder) => {
    const header = '%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n';
    const lines = '1 1 0.1\n2 1 0.30000000000000004\n';
    const given = put(folder, 'given.mtx', header + lines);
    await json(['graph', given, '--out', `${folder}/again.mtx`]);
    assert.is(readFileSync(`${folder}/again.mtx`, 'utf8'), header + lines);
    // D⁻¹W = [[1/4, 3/4], [1, 0]]: eigenvalues 1 and −3/4.
    const { eigenvalues } = await json(['eigen', given, '-k', '1']);
    assert.ok(Math.abs(eigenvalues[1] + 0.75) < 1e-15, `${eigenvalues[1]}`);
  }));

test('cluster gives labels, sizes and, where the file has labels, their agreement', () =>
  withFiles(async (_folder, path) => {
    const joined = await buildGraph(clouds.points, { kind: 'knn', connect: 'join' });
    const { labels, sizes, quality, stability } = await spectralClustering(joined, { clusters: 3 });
    const plain = await json(['cluster', path('points.npy'), '--clusters', '3']);
    assert.equal(plain, {
      labels: [...labels],
      sizes: [...sizes],
      clusters: 3,
      assign: 'k-means',
      choice: null,
      stability,
      quality: { ...quality, conductances: [...quality.conductances] },
      warnings: [],
      converged: true,
      seconds: 0.04,
    });
    const auto = await json(['cluster', path('points.npy'), '--clusters', 'auto', '--assign', 'cluster-qr']);
    const { chosen, eigenvalues } = auto.choice as ClusterChoice;
    assert.equal([auto.clusters, chosen.clusters, eigenvalues.length], [3, 3, 11]);
    const found = await spectralClustering(joined, { clusters: 'auto', assign: 'cluster-qr' });
    assert.equal(auto.labels, [...found.labels]);
    const labeled = await json(['cluster', path('points.csv'), '--clusters', '3', '--out', path('labels.csv')]);
    assert.equal(labeled, {
      ...plain,
      table: tableOfClouds,
      agreement: {
        accuracy: accuracy(labels, clouds.labels!),
        nmi: normalizedMutualInformation(labels, clouds.labels!),
        ari: adjustedRandIndex(labels, clouds.labels!),
      },
    });
    assert.is(
      readFileSync(path('labels.csv'), 'utf8'),
      `cluster,label\n${Array.from(labels, (label, i) => `${label},${clouds.labels![i]}\n`).join('')}`,
    );
    assert.is((await json(['cluster', path('graph.npz'), '--clusters', '1'])).sizes[0], 150);
  }));

test('people get few lines, and nothing on standard error', () =>
  withFiles(async (_folder, path) => {
    const eigen = await run(['eigen', path('points.csv'), '-k', '2']);
    assert.is(eigen.err, '');
    const lines = eigen.out.split('\n');
    assert.match(lines[0], /points\.csv: 150 points of 2 columns; knn graph of 150 nodes with \d+ weights, /);
    assert.match(lines[2], /^ +λ of D⁻¹W +residual$/);
    assert.match(lines[4], /^0 {2}1\.0000000000 /);
    assert.is(lines[8], 'A search for missing eigenvalues found none. --certify proves it.');
    assert.is(lines[9], 'Found by Lanczos. Lanczos converged.');
    assert.match(lines[10], /^\d+ products in 40\.0 ms\.$/);
    const proved = await run(['eigen', path('points.csv'), '-k', '2', '--solver', 'direct']);
    assert.match(
      proved.out,
      /\nNo eigenvalue is missing: there are 3 above 0\.\d+, by inertia, and all were found\.\nFound by the direct solver\. It was requested\.\n/,
    );
    const graph = await run(['graph', path('graph.npz')]);
    assert.match(
      graph.out,
      /graph of 150 nodes.*\n\ndegree +.* to .*, mean .*\nisolated nodes +0\nneighbors of a batch of 2 +/,
    );
    const cluster = await run(['cluster', path('points.csv'), '--clusters', '3']);
    assert.match(cluster.out, /cluster {2}nodes +share +conductance\n.*\n +0 +48 {2}32\.0 % +0\.\d{4}\n/);
    assert.match(
      cluster.out,
      /\nAgreement with the labels of the file: accuracy 0\.9867, NMI 0\.9488, ARI 0\.9603\.\nDone in/,
    );
  }));

/** Moves to the start of the line and clears it. */
const erased = '\r\u001b[K';

test('a person at a terminal sees progress, and no trace of it afterwards', () =>
  withFiles(async (_folder, path) => {
    const { out, err } = await run(['eigen', path('points.csv'), '--json'], true);
    assert.ok(JSON.parse(out).converged);
    assert.match(err, /reading .*points\.csv/);
    assert.match(err, /building the graph … 100 %/);
    assert.ok(err.endsWith(erased));
    const failed = await run(['eigen', path('points.csv'), '-k', '200'], true);
    assert.ok(failed.err.includes(`${erased}specnet eigen: expected at most 149`), failed.err);
  }));

test('examples of the help run', () =>
  withFiles(async (folder) => {
    const all = Object.values(commands).flatMap(({ examples }) => examples.map(([line]) => line));
    const lines = all.filter((line) => !line.startsWith('specnet submit ')); // npm run check:slurm has a Slurm
    assert.ok(lines.length >= 11);
    const before = readdirSync('.').toSorted();
    const outputs = new Set(lines.flatMap((line) => [...line.matchAll(/--out (\S+)/g)].map(([, name]) => name)));
    await forEachInOrder(lines, async (line) => {
      // The demonstration of the README trains for 20 epochs; here it is enough that its example runs.
      const shown = line === 'specnet demo' ? `${line} --epochs 1` : line;
      const words = shown.match(/'[^']*'|\S+/g)!.slice(1).map((word) => word.replaceAll("'", '')); // oxfmt-ignore
      const args = words.map((word) =>
        outputs.has(word) || /\.(csv|npy|mtx|npz|gz|specnet|html|svg|onnx)$/.test(word) ? `${folder}/${word}` : word,
      );
      const { code, out, err } = await run(args);
      assert.is(code, 0, `${line}: ${err}`);
      if (args.includes('--json')) assert.ok(JSON.parse(out));
    });
    assert.ok(existsSync(`${folder}/results/report.html`));
    assert.equal(readdirSync('.').toSorted(), before, 'nothing is left elsewhere');
  }));

test('a result that has not converged is printed with a note: exit 1', () =>
  inFolder(async (folder) => {
    // A long path: its smallest eigenvalues lie within 1e-5 of each other. The allowed products cannot separate them.
    const n = 4000;
    const edges = Array.from({ length: n - 1 }, (_, i) => i);
    const triplets = {
      rows: [...edges, ...edges.map((i) => i + 1)],
      columns: [...edges.map((i) => i + 1), ...edges],
      values: new Float64Array(2 * n - 2).fill(1),
    };
    const path = put(folder, 'path.npz', await writeNpz(graphFrom(fromTriplets(triplets, [n, n])).weights));
    const { code, out, err } = await run(['eigen', path, '-k', '1', '--solver', 'lanczos', '--json']);
    assert.is(code, 1);
    assert.is(JSON.parse(out).converged, false);
    assert.match(err, /^specnet eigen: not converged after \d+ products; residuals up to .* try another --solver\.\n$/);

    // Nothing is measured against such eigenvalues either: Rayleigh quotients may lie above them.
    const solved = await run(['solve', path, '-k', '1', '--epochs', '2', '--solver', 'lanczos', '--json']);
    assert.equal(JSON.parse(solved.out).trace.map(({ errors }: { errors: null }) => errors), [null, null]); // oxfmt-ignore
    assert.match(
      solved.err,
      /^specnet solve: errors are not computed because the exact eigenvectors did not converge\.\n/,
    );
    const points = put(folder, 'path.csv', edges.map((i) => `${i},0\n`).join(''));
    const embedded = await run([
      'embed',
      points,
      '-k',
      '1',
      '--neighbors',
      '3',
      '--method',
      'ritz',
      '--hidden',
      '4',
      '--solver',
      'lanczos',
      '--json',
    ]);
    assert.is(JSON.parse(embedded.out).gap, null);
    assert.match(
      embedded.err,
      /specnet embed: the gap is not computed because the exact eigenvalues did not converge\.\n/,
    );

    // Learned coordinates that did not converge are a result with a warning.
    const learned = await run(['embed', points, '-k', '1', '--neighbors', '3', '--json']);
    const { converged } = JSON.parse(learned.out) as { converged: boolean };
    assert.is(learned.code, 0);
    assert.is(/not converged: the coordinates are those of the last iteration/.test(learned.err), !converged);
  }));

test.run();
