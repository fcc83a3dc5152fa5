/** Files with the neighbors of blocks of points, from which an interrupted build continues. */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { badValue } from '../../core/check.ts';
import { checksum, fastCrc32 } from '../../files/checksum.ts';
import { fill, GrowingFile } from '../../files/pieces/growing-file.ts';
import { FileReader } from '../../files/read.ts';
import { replaceFileSync } from '../../files/write.ts';
import type { NeighborRows } from '../../graph/neighbors/neighbor-rows.ts';
import { makeRows } from '../../graph/neighbors/neighbors.ts';
import { written } from '../graph/graph-writer.ts';
import { cellFiles } from './cell-files.ts';

/** The inputs and settings of a build. Two builds with the same plan have the same neighbors. */
export type Plan = Readonly<Record<string, string | number | boolean | undefined>>;

export const planFile = 'build-plan.json';

/** Whether a file belongs to a build that is not complete. */
export function isBuildFile(name: string): boolean {
  return name === planFile || cellFiles.includes(name) || /^neighbors-\d+\.part$/.test(name);
}

/** The name of the file of block b. */
export function neighborFile(b: number): string {
  return `neighbors-${String(b).padStart(5, '0')}.part`;
}

export class NeighborFiles {
  readonly #caller: string;
  readonly #folder: string;
  readonly #neighbors: number;

  /** The neighbors of no rows. */
  readonly none = makeRows(0, 0, 0);

  /** Writes the plan to the folder, or compares it with the one that is there. */
  constructor(caller: string, folder: string, plan: Plan, neighbors: number) {
    this.#caller = caller;
    this.#folder = folder;
    this.#neighbors = neighbors;
    const path = join(folder, planFile);
    const text = `${JSON.stringify({ ...plan, checksum: checksum(JSON.stringify(plan)) }, null, 2)}\n`;
    if (!existsSync(path)) {
      replaceFileSync(written, path, new TextEncoder().encode(text));
      return;
    }
    const reader = new FileReader(caller, path);
    const bytes = new Uint8Array(reader.size);
    reader.read(bytes, 0);
    reader.close();
    if (new TextDecoder().decode(bytes) === text) return;
    const remedy = 'Choose another folder, or delete this one.';
    throw badValue(caller, 'the folder of the same build, of the same points and options', folder, remedy);
  }

  /** Whether the neighbors of block b were found by an earlier run. A damaged file is deleted. */
  has(b: number, rows: number): boolean {
    const path = this.#path(b);
    if (!existsSync(path)) return false;
    try {
      this.read(b, rows);
      return true;
    } catch {
      rmSync(path, { force: true });
      return false;
    }
  }

  /** Writes the neighbors of block b, as a whole. */
  write(b: number, { indices, squaredDistances }: Pick<NeighborRows, 'indices' | 'squaredDistances'>): void {
    const parts = [indices, squaredDistances].map((array) => bytesOf(array));
    fill(new GrowingFile(written, this.#path(b)), (file) => {
      for (const bytes of parts) file.append(bytes);
      file.append(bytesOf(Uint32Array.from(parts, fastCrc32)));
    });
  }

  /** The neighbors of block b, which has `rows` rows. */
  read(b: number, rows: number): NeighborRows {
    const length = rows * this.#neighbors;
    const reader = new FileReader(this.#caller, this.#path(b));
    try {
      const indices = new Int32Array(length);
      const squaredDistances = new Float32Array(length);
      const sums = new Uint32Array(2);
      [indices, squaredDistances, sums].reduce((at, array) => {
        reader.read(bytesOf(array), at);
        return at + array.byteLength;
      }, 0);
      const isWhole = reader.size === 8 * length + 8;
      const found = [indices, squaredDistances].map((array) => fastCrc32(bytesOf(array)));
      if (isWhole && found.every((sum, k) => sum === sums[k])) {
        return { count: this.#neighbors, stride: this.#neighbors, indices, squaredDistances };
      }
      throw badValue(this.#caller, `an undamaged ${reader.path}`, 'a wrong checksum', 'Run the command again.');
    } finally {
      reader.close();
    }
  }

  /** Deletes the plan and all files. */
  remove(): void {
    NeighborFiles.removeFrom(this.#folder);
  }

  /** Deletes the plan and all files of a folder, the plan last. */
  static removeFrom(folder: string): void {
    for (const name of readdirSync(folder)) {
      if (isBuildFile(name) && name !== planFile) rmSync(join(folder, name), { force: true });
    }
    rmSync(join(folder, planFile), { force: true });
  }

  #path(b: number): string {
    return join(this.#folder, neighborFile(b));
  }
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
