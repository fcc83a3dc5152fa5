/** Bundles and minifies the page and its workers, and measures their size. */

import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BuiltFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const demo = fileURLToPath(new URL('../demo/', import.meta.url));

/** Loaded when a tab is opened, when a matrix is measured, and when clusters are found. */
export const loadedLater: readonly string[] = ['verify-worker.js', 'matrix-worker.js', 'worker-script.js'];

/** The limit for the initial download, in bytes of gzip. */
export const firstLoadLimit = 300_000;

export async function bundlePage(): Promise<BuiltFile[]> {
  const { outputFiles } = await build({
    entryPoints: {
      page: `${demo}page/main.ts`,
      worker: `${demo}worker.ts`,
      'verify-worker': `${demo}verify-worker.ts`,
      'matrix-worker': `${demo}matrix-worker.ts`,
      'worker-script': `${demo}../../lib/worker/worker-script.ts`,
      style: `${demo}page/style.css`,
    },
    outdir: '/',
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    write: false,
    logLevel: 'warning',
  });
  const files = outputFiles.map(({ path, contents }) => ({ name: path.replace(/^.*[/\\]/, ''), bytes: contents }));
  return [
    ...files,
    ...['index.html', 'icon.svg'].map((name) => ({ name, bytes: readFileSync(`${demo}page/${name}`) })),
  ];
}

export interface Weight {
  readonly name: string;
  readonly bytes: number;
  readonly gzip: number;
  readonly brotli: number;
}

export function weigh(files: readonly BuiltFile[]): Weight[] {
  return files.map(({ name, bytes }) => ({
    name,
    bytes: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes).length,
  }));
}
