/** hnswlib-node and usearch: indices of points that answer approximate searches. They are installed on first use. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { installOnce } from './install.ts';

const folder = fileURLToPath(new URL('../peers/neighbors/', import.meta.url));
const requirePeer = createRequire(new URL('../peers/neighbors/package.json', import.meta.url));

/** The links of a point, and the candidates that are kept while a point is added: near the defaults of both libraries. */
const links = 16;
const kept = 100;

export interface NeighborLibrary {
  readonly name: string;
  readonly version: string;
  readonly threads: number;
  /** Converts the points to the library's arrays, which is not timed, and returns the steps to time. */
  prepare(points: Tensor): NeighborIndex;
}

export interface NeighborIndex {
  /** Adds all points. */
  build(): void;
  /** From now on, a search keeps this many candidates. Not timed. */
  setBreadth(breadth: number): void;
  /** The `count` points nearest to each of these rows. */
  search(rows: Int32Array, count: number): Int32Array;
}

interface Hnswlib {
  HierarchicalNSW: new (
    space: 'l2',
    columns: number,
  ) => {
    initIndex(options: { maxElements: number; m: number; efConstruction: number; randomSeed: number }): void;
    addPoint(point: number[], label: number): void;
    setEf(breadth: number): void;
    searchKnn(point: number[], count: number): { neighbors: number[] };
  };
}

interface Usearch {
  Index: new (options: {
    dimensions: number;
    metric: string;
    quantization: string;
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
    multi: boolean;
  }) => UsearchIndex;
}

interface UsearchIndex {
  add(keys: BigUint64Array, points: Float32Array[], threads: number): void;
  search(points: Float32Array[], count: number, threads: number): { keys: BigUint64Array };
  save(path: string): void;
  load(path: string): void;
}

/** The libraries that can be installed. Each reason why one cannot is noted. */
export function neighborLibraries(threads: number, note: (text: string) => void): NeighborLibrary[] {
  const failure = installOnce(folder);
  if (failure) {
    note(`hnswlib-node and usearch are left out: ${failure}`);
    return [];
  }
  const makers = [hnswlib, (): NeighborLibrary => usearch(threads)];
  return makers.flatMap((make) => {
    try {
      return [make()];
    } catch (error) {
      note(`left out: ${(error as Error).message.split('\n')[0]}`);
      return [];
    }
  });
}

/** One thread: its calls from JavaScript take one point. */
function hnswlib(): NeighborLibrary {
  const { HierarchicalNSW } = compiled<Hnswlib>('hnswlib-node');
  return {
    name: 'hnswlib-node',
    version: versionOf('hnswlib-node'),
    threads: 1,
    prepare({ rows, cols, data }) {
      const lists = Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
      const index = new HierarchicalNSW('l2', cols);
      return {
        build() {
          index.initIndex({ maxElements: rows, m: links, efConstruction: kept, randomSeed: 1 });
          for (let i = 0; i < rows; i++) index.addPoint(lists[i], i);
        },
        setBreadth: (breadth) => index.setEf(breadth),
        search(queries, count) {
          return Int32Array.from(Array.from(queries, (i) => index.searchKnn(lists[i], count).neighbors).flat());
        },
      };
    },
  };
}

function usearch(threads: number): NeighborLibrary {
  const { Index } = requirePeer('usearch') as Usearch;
  return {
    name: 'usearch',
    version: versionOf('usearch'),
    threads,
    prepare({ rows, cols, data }) {
      const views = Array.from({ length: rows }, (_, i) => Float32Array.from(data.subarray(i * cols, (i + 1) * cols)));
      const keys = BigUint64Array.from({ length: rows }, (_, i) => BigInt(i));
      const make = (breadth: number): UsearchIndex =>
        new Index({
          dimensions: cols,
          metric: 'l2sq',
          quantization: 'f32',
          connectivity: links,
          expansion_add: kept,
          expansion_search: breadth,
          multi: false,
        });
      let index = make(0);
      return {
        build: () => index.add(keys, views, threads),
        // An index has the breadth that it was made with, so that another one reads its file.
        setBreadth(breadth) {
          const path = join(mkdtempSync(join(tmpdir(), 'specnet-usearch-')), 'index');
          index.save(path);
          index = make(breadth);
          index.load(path);
          rmSync(dirname(path), { recursive: true });
        },
        search(queries, count) {
          const some = Array.from(queries, (i) => views[i]);
          return Int32Array.from(index.search(some, count, threads).keys, Number);
        },
      };
    },
  };
}

/** A library of C++, compiled once by node-gyp. */
function compiled<T>(name: string): T {
  try {
    return requirePeer(name) as T;
  } catch {
    const words = ['rebuild', name, '--prefix', folder];
    const { status } = spawnSync('npm', words, { stdio: 'ignore', shell: process.platform === 'win32' });
    if (status !== 0) throw new Error(`${name}: npm ${words.join(' ')} failed; it needs a C++ compiler.`);
    return requirePeer(name) as T;
  }
}

/** Not by `require`, since a package may not export its manifest. */
function versionOf(name: string): string {
  const manifest = readFileSync(`${folder}node_modules/${name}/package.json`, 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
