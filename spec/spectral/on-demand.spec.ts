/** Solvers that few graphs need, and the training of networks, are files of their own in a bundle, loaded once a call needs them. */

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { filesAtOnce } from '../../bench/size.ts';
import { twoMoons } from '../../datasets/index.ts';
import { spectrum } from '../../lib/index.ts';
import { rejects } from '../rejects.ts';
import { graphOfEdges, path } from './graphs.ts';

const test = suite('on demand');

type Library = typeof import('../../lib/index.ts') & Pick<typeof import('../../lib/doors/sparse.ts'), 'fromTriplets'>;
const names = 'graphFrom, SpectralClustering, SpectralEmbedding, spectrum';
const contents = `export { ${names} } from './lib/index.ts'; export { fromTriplets } from './lib/sparse/build.ts';`;

const folder = mkdtempSync(join(tmpdir(), 'specnet-on-demand-'));
const [whole, bare] = [join(folder, 'whole'), join(folder, 'bare')];
let outputs: Metafile['outputs'];
let atOnce: Set<string>;

test.before(async () => {
  const { metafile } = await build({
    stdin: { contents, resolveDir: '.', loader: 'ts' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: whole,
    outExtension: { '.js': '.mjs' },
    metafile: true,
    logLevel: 'silent',
  });
  outputs = metafile.outputs;
  atOnce = filesAtOnce(metafile);
  cpSync(whole, bare, { recursive: true });
  for (const file of onDemand()) rmSync(join(bare, basename(file)));
});

test.after(() => rmSync(folder, { recursive: true }));

const onDemand = (): string[] => Object.keys(outputs).filter((file) => !atOnce.has(file));
/** The modules of these files, without those of which nothing is left. */
const inputsOf = (files: Iterable<string>): string[] =>
  [...files].flatMap((file) =>
    Object.entries(outputs[file].inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? name : [])),
  );

/** The bundle in a folder. */
const load = (from: string): Promise<Library> =>
  import(pathToFileURL(join(from, 'stdin.mjs')).href) as Promise<Library>;

/** A path as a graph of a bundle, whose classes are its own. */
function pathIn({ fromTriplets, graphFrom }: Library, size: number) {
  const rows = path(size).flatMap(([i, j]) => [i, j]);
  const columns = path(size).flatMap(([i, j]) => [j, i]);
  return graphFrom(fromTriplets({ rows, columns, values: rows.map(() => 1) }, [size, size]));
}

test('a bundle has them in files of their own, with their kernels', () => {
  const rooms =
    /^lib\/(graph\/reorder\.ts|sparse\/orders|linalg\/(multilevel|factorization)|wasm\/simd\/(blocks|panels)|kernels\/(blocks|panels)\.ts)/;
  // How long and thin a graph is decides whether it is factored.
  const expected = ['lib/linalg/factorization/breadth.ts'];
  assert.equal(inputsOf(atOnce).filter((file) => rooms.test(file)), expected); // oxfmt-ignore
  const found = inputsOf(onDemand());
  for (const file of ['multilevel/multilevel.ts', 'factorization/shift-invert.ts', 'factorization/inertia.ts'])
    assert.ok(found.includes(`lib/linalg/${file}`), file);
  const trainings =
    /^lib\/(core\/alias-table\.ts|embedding\/(fit-network|model\/point-scale)\.ts|spectral\/(descent|ritz|train)|network|sparse\/slices)/;
  const step = 'lib/spectral/descent/descent.ts';
  assert.not.ok(inputsOf(atOnce).includes(step));
  assert.ok(found.includes(step));
  const shared = /^lib\/(kernels|spectral\/spectrum|wasm)\//;
  const others = found.filter((file) => !rooms.test(file) && !trainings.test(file) && !shared.test(file));
  assert.equal(others, []);
});

test('embeddings, clusters and spectra of usual graphs load none of them', async () => {
  const library = await load(bare);
  const { points } = twoMoons({ n: 300, seed: 1 });
  for (const method of ['regression', 'ritz'] as const) {
    const { embedding } = await new library.SpectralEmbedding({ method }).fit(points);
    assert.equal(embedding.shape, [300, 2], method);
  }
  const { labels, base } = await new library.SpectralClustering({ clusters: 'auto' }).fit(points);
  assert.is(labels.length, 300);
  for (const count of [3, 200]) {
    const { solver, converged } = await library.spectrum(base.graph, { count });
    assert.equal([solver, converged], [count === 3 ? 'lanczos' : 'dense', true]);
  }
});

test('where a file cannot be loaded, the promise of a call that needs it is rejected with the reason', async () => {
  const library = await load(bare);
  const missing = /Cannot find module|Failed to load/;
  const [short, long] = [pathIn(library, 300), pathIn(library, 4000)];
  await rejects(() => library.spectrum(short, { count: 3, solver: 'direct' }), missing);
  await rejects(() => library.spectrum(short, { count: 3, solver: 'multilevel' }), missing);
  await rejects(() => library.spectrum(short, { count: 3, certify: true }), missing);
  const line = Array.from({ length: 4000 }, (_, i) => [i]);
  await rejects(() => new library.SpectralEmbedding().fit(line, { graph: long }), missing);
  const networks = [{ method: 'specnet2' }, { hidden: [4] }] as const;
  for (const options of networks) await rejects(() => new library.SpectralEmbedding(options).fit(line.slice(0, 300), { graph: short }), missing); // oxfmt-ignore
});

test('a bundle that loads them computes the same bits', async () => {
  const library = await load(whole);
  for (const solver of ['direct', 'multilevel'] as const) {
    const found = await library.spectrum(pathIn(library, 700), { count: 4, tolerance: 1e-9, solver });
    const expected = await spectrum(graphOfEdges(700, path(700)), { count: 4, tolerance: 1e-9, solver });
    assert.is(found.solver, solver);
    assert.equal(found.vectors.data, expected.vectors.data, solver);
    assert.equal(found.values, expected.values, solver);
  }
});

test.run();
