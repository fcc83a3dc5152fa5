/** The worker of `specnet/worker` in real pages, plain modules and a bundle of esbuild, compared with a page's main thread. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { sequentially } from '../../bench/sequentially.ts';
import { swissRoll } from '../../datasets/surfaces.ts';
import type { BuiltFile } from '../../docs/build/bundle.ts';
import { serveSite } from '../../docs/build/serve.ts';
import type { Browser } from './chromium.ts';

/** What the page leaves behind. */
interface Seen {
  readonly embedding: readonly number[];
  readonly transformed: readonly number[];
  readonly progress: number;
  readonly aborted: string;
  readonly refused: string;
  readonly kept: number;
  readonly moved: number;
  readonly closed: string;
}

export interface WorkerPage {
  readonly page: string;
  /** The error message, or null. */
  readonly problem: string | null;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const options = { components: 2, landmarks: 60, seed: 5 };
const { points } = swissRoll({ n: 240, seed: 3 });
const unseen = swissRoll({ n: 30, seed: 4 }).points;

const [data, others] = [points, unseen].map((table) => JSON.stringify(table.toArray()));

/** Fits in the main thread of the page. */
const mainProgram = `
    import { SpectralEmbedding } from 'specnet';
    const model = await new SpectralEmbedding(${JSON.stringify(options)}).fit(${data});
    globalThis.seen = { embedding: [...model.embedding.data], transformed: [...model.transform(${others}).data] };`;

/** Does everything in a worker. `from`: where the library is imported from. */
function workerProgram(from: string): string {
  return `
    import { startWorker } from '${from}';
    const worker = startWorker();
    const message = (error) => error.constructor.name + ' ' + error.message;
    try {
      let progress = 0;
      const model = await worker.fit(${data}, ${JSON.stringify(options)}, { progress: (fraction) => (progress = fraction) });
      const controller = new AbortController();
      const endless = { method: 'specnet2', hidden: [8], training: { epochs: 1e9 } };
      const watch = { signal: controller.signal, progress: () => controller.abort(new RangeError('enough')) };
      const aborted = await worker.fit(${data}, endless, watch).catch(message);
      const transformed = await model.transform(${others});
      const refused = await model.transform([[1, 2]]).catch(message);
      const own = { data: Float64Array.from(${others}.flat()), shape: [30, 3] };
      await model.transform(own);
      const kept = own.data.length;
      await model.transform(own, { transfer: true });
      const moved = own.data.length;
      await worker.close();
      const closed = await model.transform(own).catch(message);
      globalThis.seen = {
        embedding: [...model.embedding.data], transformed: [...transformed.data],
        progress, aborted, refused, kept, moved, closed,
      };
    } catch (error) {
      globalThis.seen = { failure: String(error) };
    }`;
}

const html = Buffer.from(
  '<!doctype html><link rel="icon" href="data:," /><script type="module" src="page.js"></script>',
);

/** The built package as it is, below /specnet. */
function plainFiles(): BuiltFile[] {
  const dist = `${root}dist/`;
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const built = names.map((name) => ({
    name: `specnet/${name.replaceAll('\\', '/')}`,
    bytes: readFileSync(dist + name),
  }));
  return [...built, { name: 'page.js', bytes: Buffer.from(workerProgram('./specnet/lib/doors/worker.js')) }];
}

/** The page and the script as two entries of one bundle, as the guide says. */
async function bundledFiles(contents: string): Promise<BuiltFile[]> {
  const shared = { bundle: true, format: 'esm', write: false, minify: true, outdir: '/', absWorkingDir: root } as const;
  const [page, script] = await Promise.all([
    build({ ...shared, stdin: { contents, resolveDir: root } }),
    build({ ...shared, entryPoints: [{ in: 'specnet/worker-script', out: 'worker-script' }] }),
  ]);
  return [
    { name: 'page.js', bytes: page.outputFiles[0].contents },
    { name: 'worker-script.js', bytes: script.outputFiles[0].contents },
  ];
}

/** Runs the program in pages made in every way, under the strict policy of the site. Requires a built package. */
export async function runWorkerPages(browser: Browser): Promise<WorkerPage[]> {
  // Not compared with Node: engines of different versions round Math.log and its like differently.
  const { embedding, transformed } = (await visit(browser, await bundledFiles(mainProgram))) as Seen;
  const expected: Seen = {
    embedding,
    transformed,
    progress: 1,
    aborted: 'RangeError enough',
    refused: 'RangeError SpectralEmbedding.transform: expected 3 columns as in fit, got 2.',
    kept: 90,
    moved: 0,
    closed: 'Error EmbeddingWorker: expected an open worker, got a closed one. startWorker() starts another.',
  };
  if (!(embedding.length === 480 && transformed.length === 60)) throw new Error('The page did not fit.');
  const pages = { 'plain modules': plainFiles(), esbuild: await bundledFiles(workerProgram('specnet/worker')) };
  return sequentially(Object.entries(pages), async ([page, files]) => {
    const found = await visit(browser, files);
    const wrong = (Object.keys(expected) as (keyof Seen)[]).filter(
      (key) => JSON.stringify(found[key]) !== JSON.stringify(expected[key]),
    );
    const problem = wrong.map((key) => `${key}: ${JSON.stringify(found[key])?.slice(0, 80)}`).join('; ');
    return { page, problem: found.failure ?? (problem || null) };
  });
}

async function visit(browser: Browser, files: readonly BuiltFile[]): Promise<Partial<Seen> & { failure?: string }> {
  const { server, url } = await serveSite([{ name: 'index.html', bytes: html }, ...files]);
  const page = await browser.newPage();
  try {
    await page.goto(url);
    await page.waitForFunction(() => 'seen' in globalThis, null, { timeout: 60_000 });
    return await page.evaluate<Partial<Seen>>('globalThis.seen');
  } finally {
    await page.close();
    server.close();
    server.closeAllConnections();
  }
}
