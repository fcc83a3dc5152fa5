/** Writes a stored graph row by row: its arrays, their checksums and, as the last file, the header. */

import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { badValue } from '../../core/check.ts';
import { sweepFolder } from '../../files/drafts.ts';
import { isLock, lockFolder } from '../../files/lock.ts';
import { makeFolder } from '../../files/write.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { rowSums } from '../../sparse/inspect.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { ArrayWriter } from '../arrays/array-file.ts';
import { writeChecksums } from '../arrays/checksum-file.ts';
import { arrayNames, arrayPath, checksumFile, elementsOf, headerFile, writeHeader } from './graph-header.ts';
import type { ArrayName, StoredGraphHeader } from './graph-header.ts';

/** How messages name a file that is written. */
export const written = 'the file';

/** The folder of a graph while it is written. */
export interface WorkFolder {
  /** Unlocks the folder. If the graph is not complete, deletes what was written, except files that `keep` names. */
  release(keep?: (name: string) => boolean): void;
}

/**
 * Prepares a folder for a new graph, and locks it. A folder that has other files, or a complete graph, is refused. What a
 * killed process left there is deleted, except files that `keep` names.
 */
export function openWorkFolder(
  caller: string,
  folder: string,
  keep: (name: string) => boolean = () => false,
): WorkFolder {
  const isNew = !existsSync(folder);
  makeFolder(written, folder);
  const unlock = lockFolder(written, folder);
  try {
    sweepFolder(folder, 'all', 'killed');
    const names = readdirSync(folder);
    if (names.includes(headerFile)) {
      const remedy = 'Choose another folder, or delete this one.';
      throw badValue(caller, 'a folder without a stored graph', folder, remedy);
    }
    const other = names.find((name) => !isLock(name) && !isOwn(name) && !keep(name));
    if (other !== undefined) {
      const remedy = 'Choose an empty folder, or one that does not exist.';
      throw badValue(caller, 'a folder without other files', `${folder} with ${other}`, remedy);
    }
    removeOwn(folder, keep);
  } catch (error) {
    unlock();
    throw error;
  }
  return {
    release(kept = () => false) {
      if (!existsSync(join(folder, headerFile))) removeOwn(folder, kept);
      unlock();
      if (isNew && readdirSync(folder).length === 0) rmdirSync(folder);
    },
  };
}

const ownNames = new Set([...arrayNames.map((name) => `${name}.npy`), checksumFile]);

/** Whether a file is part of a graph or of the sorting of its entries. */
function isOwn(name: string): boolean {
  return ownNames.has(name) || /^bucket-\d+\.part$/.test(name);
}

function removeOwn(folder: string, keep: (name: string) => boolean): void {
  sweepFolder(folder, 'all', 'own');
  for (const name of readdirSync(folder)) if (isOwn(name) && !keep(name)) rmSync(join(folder, name), { force: true });
}

/** Adds rows to the arrays of a graph. */
export class GraphWriter {
  readonly #folder: string;
  readonly #precision: Precision;
  readonly #arrays: Record<ArrayName, ArrayWriter>;
  readonly #totals = { size: 0, nonzeros: 0, volume: 0, isolated: 0 };

  constructor(folder: string, precision: Precision) {
    this.#folder = folder;
    this.#precision = precision;
    const arrays: Partial<Record<ArrayName, ArrayWriter>> = {};
    try {
      for (const name of arrayNames) {
        arrays[name] = new ArrayWriter(written, arrayPath(folder, name), elementsOf(name, precision));
      }
    } catch (error) {
      for (const array of Object.values(arrays)) array.discard();
      throw error;
    }
    this.#arrays = arrays as Record<ArrayName, ArrayWriter>;
    this.#arrays.indptr.append(new Int32Array(2));
  }

  /** Adds the next rows of W, in the precision of the graph. Their weights are above 0. */
  append(weights: CsrMatrix): void {
    const { rows, starts, columns, values } = weights;
    const totals = this.#totals;
    const ends = new Int32Array(2 * rows);
    for (let i = 0; i < rows; i++) {
      const end = totals.nonzeros + starts[i + 1];
      ends[2 * i] = (end % 2 ** 32) | 0;
      ends[2 * i + 1] = Math.floor(end / 2 ** 32);
    }
    const degrees = rowSums(weights);
    for (let i = 0; i < rows; i++) {
      totals.volume += degrees[i];
      if (degrees[i] === 0) totals.isolated++;
    }
    totals.size += rows;
    totals.nonzeros += columns.length;
    this.#arrays.indptr.append(ends);
    this.#arrays.indices.append(columns);
    this.#arrays.data.append(values);
    this.#arrays.degrees.append(degrees);
  }

  /** Completes the folder. The weights that were given are `scale` times the ones that were added. */
  finish(scale: number, recall?: number): StoredGraphHeader {
    const pages = arrayNames.map((name) => this.#arrays[name].finish());
    const checksums = writeChecksums(join(this.#folder, checksumFile), pages);
    const { size, nonzeros, volume, isolated } = this.#totals;
    const header: StoredGraphHeader = {
      size,
      nonzeros,
      precision: this.#precision,
      scale,
      volume,
      isolated,
      checksums,
      ...(recall !== undefined && { recall }),
    };
    writeHeader(written, this.#folder, header);
    return header;
  }

  /** Deletes what was written. */
  discard(): void {
    for (const name of arrayNames) this.#arrays[name].discard();
  }
}
