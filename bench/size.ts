/** `npm run size`: the download size of the library, in bytes. */

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';
import { formatTable } from '../lib/charts/table.ts';

/** The folders above the engine. */
const above = /graph|network|spectral|embedding|theory|lanczos|threads/;

/** The entry points, and the limit in bytes (brotli) for the engine and its file formats. */
export const entries = {
  specnet: { files: ['index'], without: null, limit: null },
  'specnet, the engine alone': { files: ['index'], without: above, limit: null },
  'specnet/files': { files: ['files'], without: null, limit: null },
  'the engine and specnet/files together': { files: ['index', 'files'], without: above, limit: 30_000 },
  'specnet/datasets': { files: ['../datasets/index'], without: null, limit: null },
} as const;

export type Entry = keyof typeof entries;

export interface Size {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
  /** Bytes by folder of lib, bundled and not minified, largest first. */
  readonly folders: readonly { readonly folder: string; readonly bytes: number }[];
}

const root = fileURLToPath(new URL('../', import.meta.url));

/** Bundles an entry without its dependencies, and minifies it only in ways that preserve behavior. */
export async function measureSize(entry: Entry): Promise<Size> {
  const { files, without } = entries[entry];
  const statements = files.flatMap((file) => exportsOf(`${root}lib/${file}.ts`));
  const kept = statements.filter((statement) => !without?.test(statement));
  const { outputFiles, metafile } = await build({
    stdin: { contents: kept.join('\n'), resolveDir: dirname(`${root}lib/${files[0]}`), loader: 'ts' },
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

function exportsOf(path: string): string[] {
  return readFileSync(path, 'utf8').match(/^export [^;]*;$/gm) ?? [];
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
