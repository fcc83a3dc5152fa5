/** `npm run size`: the download size of the library, in bytes. */

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';
import { formatTable } from '../lib/charts/table.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const doors = readdirSync(`${root}lib/doors`).map((file) => file.replace('.ts', ''));

/** What is bundled, by the names that a user imports, and the limit in bytes under brotli. */
export const entries = {
  'specnet, all of it': { code: all('lib/index'), limit: null },
  'CsrMatrix and matmul': {
    code: [named('lib/index', 'CsrMatrix'), named('lib/doors/autodiff', 'matmul')],
    limit: 15_000,
  },
  'loadModel and transform': { code: [named('lib/index', 'loadModel, transform')], limit: 25_000 },
  // The solvers for large graphs and proofs of completeness are a sixth of it.
  SpectralEmbedding: { code: [named('lib/index', 'SpectralEmbedding')], limit: 96_000 },
  plotEmbedding: { code: [named('lib/index', 'plotEmbedding')], limit: 32_000 },
  'the engine: tensors, sparse matrices, gradients, kernels': {
    code: ['tensor', 'sparse', 'autodiff', 'kernels'].flatMap((door) => all(`lib/doors/${door}`)),
    limit: 30_000,
  },
  ...Object.fromEntries(doors.map((door) => [`specnet/${door}`, { code: all(`lib/doors/${door}`), limit: null }])),
  'specnet/worker-script': { code: [named('lib/worker/embedding-service', 'embeddingService')], limit: null },
  'specnet/datasets': { code: all('datasets/index'), limit: null },
} as const satisfies Record<string, { readonly code: readonly string[]; readonly limit: number | null }>;

function all(path: string): string[] {
  return [`export * from './${path}.ts';`];
}

function named(path: string, names: string): string {
  return `export { ${names} } from './${path}.ts';`;
}

export type Entry = keyof typeof entries;

export interface Size {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
  /** Bytes by folder of lib, bundled and not minified, largest first. */
  readonly folders: readonly { readonly folder: string; readonly bytes: number }[];
}

/** Bundles an entry without its dependencies, and minifies it only in ways that preserve behavior. */
export async function measureSize(entry: Entry): Promise<Size> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: entries[entry].code.join('\n'), resolveDir: root, loader: 'ts' },
    platform: 'neutral',
    absWorkingDir: root,
    bundle: true,
    charset: 'utf8',
    format: 'esm',
    target: 'es2022',
    external: ['ml-matrix', 'ndarray', 'seedrandom', 'seedrandom/*', 'node:*'],
    write: false,
    outfile: 'specnet.js',
    metafile: true,
    logLevel: 'silent',
  });
  const { code } = await minify(outputFiles[0].text, { module: true, compress: { passes: 3 }, mangle: true });
  if (!code) throw new Error(`measureSize: expected code of ${entry}, got none.`);
  const contents = Buffer.from(code);
  const [output] = Object.values(metafile.outputs);
  const folders = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
    const folder = /^lib\/[^/]+(?=\/)/.exec(input)?.[0] ?? input;
    folders.set(folder, (folders.get(folder) ?? 0) + bytesInOutput);
  }
  return {
    minified: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
    brotli: brotliCompressSync(contents).length,
    folders: [...folders].map(([folder, bytes]) => ({ folder, bytes })).toSorted((a, b) => b.bytes - a.bytes),
  };
}

async function main(): Promise<void> {
  const names = Object.keys(entries) as Entry[];
  const sizes = await Promise.all(names.map(measureSize));
  const folders = sizes[0].folders.map(({ folder, bytes }) => [folder, String(bytes)]);
  console.log(`${formatTable([`in ${names[0]}`, 'bundled'], folders, 1)}\n`);
  const rows = names.map((name, i) => {
    const { minified, gzip, brotli } = sizes[i];
    const { limit } = entries[name];
    const over = limit === null ? 0 : brotli - limit;
    const verdict = limit === null ? '–' : over <= 0 ? `${limit}, kept` : `${limit}, exceeded by ${over}`;
    if (over > 0) process.exitCode = 1;
    return [name, String(minified), String(gzip), String(brotli), verdict];
  });
  console.log(formatTable(['entry', 'minified', 'gzip', 'brotli', 'limit of brotli'], rows, 1));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
