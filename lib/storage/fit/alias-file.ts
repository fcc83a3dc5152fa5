/** `AliasFile`: the table of `AliasTable` for the weights of a stored graph, in a file. */

import type { Random } from '../../core/random.ts';
import type { Task } from '../../core/task.ts';
import { RandomFile } from '../../files/pieces/random-file.ts';
import type { Floats } from '../../kernels/types.ts';
import { type CacheStatistics, PageCache } from '../arrays/page-cache.ts';
import { type PagedFile, smallPageBytes } from '../arrays/paged-file.ts';
import { written } from '../graph/graph-writer.ts';
import type { StoredGraph } from '../graph/stored-graph.ts';

/** A cell is two doubles: the probability of its own index, and its alias. */
const [cellBytes, cellWords] = [16, 4];
/** Weights that are read, and cells that are written, at a time. */
const blockCells = 1 << 14;

/** A cell while the table is filled. */
interface Cell {
  readonly index: number;
  own: number;
}

/**
 * Vose's order takes cells below 1 and cells above 1 each from the last one down, so that two scans of the weights from their end
 * fill the table with the bits of `AliasTable`. A draw reads one cell.
 */
export class AliasFile {
  readonly #graph: StoredGraph;
  readonly #file: RandomFile;
  readonly #paged: PagedFile;
  readonly #cache: PageCache;
  /** One cell, as it is in the file. */
  readonly #cell = new Float64Array(2);
  readonly #words = new Int32Array(this.#cell.buffer);
  readonly #first = Int32Array.of(0);

  /** Creates the file. `memory` is for the cache. Errors name `caller`. */
  constructor(caller: string, path: string, graph: StoredGraph, memory: number) {
    this.#graph = graph;
    this.#cache = new PageCache(caller, memory, smallPageBytes);
    this.#file = new RandomFile(written, path, cellBytes * graph.nonzeros);
    this.#paged = { reader: this.#file, checksums: null };
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  /** Fills the table. O(entries). */
  *fillSteps(): Task<void> {
    const count = this.#graph.nonzeros;
    let total = 0;
    for (let from = 0; from < count; from += blockCells) {
      const values = this.#graph.weights(from, Math.min(count, from + blockCells));
      for (let e = 0; e < values.length; e++) total += values[e];
      yield (0.2 * from) / count;
    }
    const [small, large] = [true, false].map((isSmall) => new CellScan(this.#graph, total, isSmall));
    const [smallCells, largeCells] = [0, 1].map(() => new CellWriter(this.#cache, this.#paged));
    let cell = small.next();
    let from = large.next();
    let [ofLarge, steps] = [false, 0];
    while (cell && from) {
      (ofLarge ? largeCells : smallCells).put(cell.index, cell.own, from.index);
      from.own -= 1 - cell.own;
      ofLarge = from.own < 1;
      if (ofLarge) [cell, from] = [from, large.next()];
      else cell = small.next();
      if (++steps % blockCells === 0) yield 0.2 + (0.7 * steps) / count;
    }
    // The rest are 1 up to rounding.
    if (cell) (ofLarge ? largeCells : smallCells).put(cell.index, 1, cell.index);
    for (let rest = small.next(); rest; rest = small.next()) smallCells.put(rest.index, 1, rest.index);
    for (let rest = from; rest; rest = large.next()) largeCells.put(rest.index, 1, rest.index);
    smallCells.flush();
    largeCells.flush();
  }

  /** Entry i of W with the probability weight_i/Σ weights. */
  draw(random: Random): number {
    const index = random.integer(this.#graph.nonzeros);
    const [own, alias] = this.cellAt(index);
    return random.uniform() < own ? index : alias;
  }

  /** The probability of the index itself, and the alias. Valid until the next call. */
  cellAt(index: number): Float64Array {
    this.#cache.gather(this.#paged, index * cellBytes, cellWords, this.#first, this.#words);
    return this.#cell;
  }

  /** Deletes the file. It may be called twice. */
  close(): void {
    this.#cache.forget(this.#paged);
    this.#file.remove();
  }
}

/** The cells below 1, or the others, from the last one down. */
class CellScan {
  readonly #graph: StoredGraph;
  readonly #total: number;
  readonly #isSmall: boolean;
  #values: Floats = new Float32Array(0);
  /** The index of the first value, and that after the next cell. */
  #from: number;
  #at: number;

  constructor(graph: StoredGraph, total: number, isSmall: boolean) {
    this.#graph = graph;
    this.#total = total;
    this.#isSmall = isSmall;
    this.#from = this.#at = graph.nonzeros;
  }

  next(): Cell | null {
    const { nonzeros } = this.#graph;
    while (this.#at > 0) {
      if (this.#at === this.#from) {
        this.#from = Math.max(0, this.#at - blockCells);
        this.#values = this.#graph.weights(this.#from, this.#at);
      }
      const index = --this.#at;
      const own = (this.#values[index - this.#from] / this.#total) * nonzeros;
      if (own < 1 === this.#isSmall) return { index, own };
    }
    return null;
  }
}

/** Writes cells whose indices decrease. Cells between them belong to another writer. */
class CellWriter {
  readonly #cache: PageCache;
  readonly #file: PagedFile;
  readonly #list = new Int32Array(blockCells);
  readonly #cells = new Float64Array(2 * blockCells);
  #block = -1;
  #count = 0;

  constructor(cache: PageCache, file: PagedFile) {
    this.#cache = cache;
    this.#file = file;
  }

  put(index: number, own: number, alias: number): void {
    const block = Math.floor(index / blockCells);
    if (block !== this.#block) this.flush();
    this.#block = block;
    this.#list[this.#count] = index - block * blockCells;
    this.#cells[2 * this.#count] = own;
    this.#cells[2 * this.#count + 1] = alias;
    this.#count++;
  }

  flush(): void {
    const words = new Int32Array(this.#cells.buffer, 0, cellWords * this.#count);
    const begin = this.#block * blockCells * cellBytes;
    if (this.#count > 0) {
      this.#cache.scatter(this.#file, begin, cellWords, this.#list.subarray(0, this.#count), words);
    }
    this.#count = 0;
  }
}
