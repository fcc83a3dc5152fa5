/** `npm run size`: the download size of the library, in bytes. */

import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type BuildOptions, type BuildResult, type Metafile, type Plugin } from 'esbuild';
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
  SpectralEmbedding: { code: [named('lib/index', 'SpectralEmbedding')], limit: 80_000 },
  plotEmbedding: { code: [named('lib/index', 'plotEmbedding')], limit: 32_000 },
  'the engine: tensors, sparse matrices, gradients, kernels': {
    code: ['tensor', 'sparse', 'autodiff', 'kernels'].flatMap((door) => all(`lib/doors/${door}`)),
    limit: 33_600,
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

/** Bytes of files: minified, and each of them compressed. */
export interface Bytes {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** The bytes of what is downloaded at once: the file of the entry with those that it imports. */
export interface Size extends Bytes {
  /** The other files, which are loaded when a computation needs them. */
  readonly onDemand: Bytes;
  /** Bytes by folder of lib, bundled and not minified, largest first, of what is downloaded at once. */
  readonly folders: readonly { readonly folder: string; readonly bytes: number }[];
}

/**
 * Bundles an entry without its dependencies, with files of their own for what it loads on demand, and minifies it only in
 * ways that preserve behavior.
 */
export async function measureSize(entry: Entry): Promise<Size> {
  const bundle = await bundleEntry(entry);
  const first = filesAtOnce(bundle.metafile);
  const atOnce: Bytes[] = [];
  const later: Bytes[] = [];
  for (const { path, text } of bundle.outputFiles) {
    const size = await compressedSize(text);
    if (first.has(relative(root, path))) atOnce.push(size);
    else later.push(size);
  }
  const folders = new Map<string, number>();
  for (const path of first) {
    for (const [input, { bytesInOutput }] of Object.entries(bundle.metafile.outputs[path].inputs)) {
      const folder = /^lib\/[^/]+(?=\/)/.exec(input)?.[0] ?? input;
      folders.set(folder, (folders.get(folder) ?? 0) + bytesInOutput);
    }
  }
  return {
    ...sumOf(atOnce),
    onDemand: sumOf(later),
    folders: [...folders].map(([folder, bytes]) => ({ folder, bytes })).toSorted((a, b) => b.bytes - a.bytes),
  };
}

/**
 * One file if the entry uses nothing that is loaded on demand, else several. Rollup, webpack and Vite do so by themselves. esbuild
 * also makes files for imports on demand that are in no bundle, and moves what those share with the entry; so it is asked first
 * whether there are any.
 */
async function bundleEntry(entry: Entry): Promise<Bundle> {
  const options = {
    stdin: { contents: entries[entry].code.join('\n'), resolveDir: root, loader: 'ts' },
    platform: 'neutral',
    absWorkingDir: root,
    bundle: true,
    charset: 'utf8',
    format: 'esm',
    target: 'es2022',
    external: ['ml-matrix', 'ndarray', 'seedrandom', 'seedrandom/*', 'node:*'],
    write: false,
    outdir: 'out',
    metafile: true,
    logLevel: 'silent',
  } as const satisfies BuildOptions;
  const whole = await build({ ...options, plugins: [leaveOut] });
  const [{ imports }] = Object.values(whole.metafile.outputs);
  if (!imports.some(({ kind }) => kind === 'dynamic-import')) return whole;
  // The files import each other by short names, as in every minified bundle.
  return build({ ...options, splitting: true, minifyIdentifiers: true });
}

type Bundle = BuildResult<{ write: false; metafile: true }>;

/** Leaves out what is loaded on demand. */
const leaveOut: Plugin = {
  name: 'leave out',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : null)),
};

/** What is downloaded at once: the file of the entry, and those that it imports by a statement. */
export function filesAtOnce({ outputs }: Metafile): Set<string> {
  const found = new Set(Object.keys(outputs).filter((path) => outputs[path].entryPoint === '<stdin>'));
  for (const path of found) {
    const imported = outputs[path].imports.filter(({ kind }) => kind === 'import-statement');
    for (const { path: other } of imported) if (other in outputs) found.add(other);
  }
  return found;
}

function sumOf(sizes: readonly Bytes[]): Bytes {
  const total = (name: keyof Bytes): number => sizes.reduce((sum, size) => sum + size[name], 0);
  return { minified: total('minified'), gzip: total('gzip'), brotli: total('brotli') };
}

async function compressedSize(text: string): Promise<Bytes> {
  const { code } = await minify(text, { module: true, compress: { passes: 3 }, mangle: true });
  if (code === undefined) throw new Error('measureSize: expected code, got none.');
  const contents = Buffer.from(code);
  return {
    minified: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
    brotli: brotliCompressSync(contents).length,
  };
}

async function main(): Promise<void> {
  const names = Object.keys(entries) as Entry[];
  const sizes = await Promise.all(names.map(measureSize));
  const folders = sizes[0].folders.map(({ folder, bytes }) => [folder, String(bytes)]);
  console.log(`${formatTable([`in ${names[0]}`, 'bundled'], folders, 1)}\n`);
  const rows = names.map((name, i) => {
    const { minified, gzip, brotli, onDemand } = sizes[i];
    const { limit } = entries[name];
    const over = limit === null ? 0 : brotli - limit;
    const verdict = limit === null ? '–' : over <= 0 ? `${limit}, kept` : `${limit}, exceeded by ${over}`;
    if (over > 0) process.exitCode = 1;
    return [name, String(minified), String(gzip), String(brotli), verdict, String(onDemand.brotli)];
  });
  console.log(formatTable(['entry', 'minified', 'gzip', 'brotli', 'limit of brotli', 'on demand, brotli'], rows, 1));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
