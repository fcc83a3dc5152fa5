/** Blocks of long vectors: their Gram matrices and linear combinations, chunk by chunk. */

import type { Task } from '../../../core/task.ts';
import { gramChunk } from '../../../kernels/blocks.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { blockKernels } from '../../../wasm/block-family.ts';

/** `width` long vectors, row-major. */
export interface Block {
  readonly width: number;
  readonly data: Float64Array;
}

/** Multiplications between two pauses, a few milliseconds of work. */
const multiplicationsPerYield = 1 << 22;

/** Blocks of vectors of one size, in borrowed memory. A block that is no longer needed is released. */
export class Blocks {
  readonly size: number;
  readonly loans: Loans;

  constructor(size: number, loans: Loans) {
    this.size = size;
    this.loans = loans;
  }

  /** A block whose entries are arbitrary. */
  make(width: number): Block {
    return { width, data: this.loans.float64(this.size * width) };
  }

  release(...blocks: readonly Block[]): void {
    this.loans.giveBack(...blocks.map(({ data }) => data));
  }

  /** Sᵀ·diag(weights)·T, a row for each vector of the blocks S and a column for each of T. Weights null means ones. */
  *gramSteps(left: readonly Block[], right: Block, weights: Float64Array | null): Task<Float64Array> {
    const q = right.width;
    const out = new Float64Array(totalWidth(left) * q);
    let first = 0;
    for (const { width: p, data } of left.filter(({ width }) => width > 0)) {
      const sums = this.loans.float64(p * q);
      for (const [from, to] of this.#chunks(p * q)) {
        const [a, b] = [data.subarray(from * p), right.data.subarray(from * q)];
        blockKernels().blockGram(to - from, p, q, a, b, weights?.subarray(from) ?? null, sums);
        for (let k = 0; k < p * q; k++) out[first + k] += sums[k];
        yield 0;
      }
      this.loans.giveBack(sums);
      first += p * q;
    }
    return out;
  }

  /** (S side by side)·factors, where factors has a row for each vector of at most three blocks S. New. */
  *combineSteps(sources: readonly Block[], factors: Float64Array): Task<Block> {
    const [a, b, c] = [0, 1, 2].map((k) => sources[k] ?? { width: 0, data: null });
    const width = factors.length / totalWidth(sources);
    const out = this.make(width);
    const by = this.loans.float64(factors.length);
    by.set(factors);
    for (const [from, to] of this.#chunks(factors.length)) {
      const [left, middle, right] = [a, b, c].map((block) => block.data && block.data.subarray(from * block.width));
      const to64 = out.data.subarray(from * width);
      blockKernels().blockCombine(to - from, a.width, b.width, c.width, width, left, middle, right, by, to64);
      yield 0;
    }
    this.loans.giveBack(by);
    return out;
  }

  /** Blocks side by side, at most three, as one. New. */
  joinSteps(blocks: readonly Block[]): Task<Block> {
    return this.combineSteps(blocks, selection(totalWidth(blocks)));
  }

  /** The listed columns of a block. New. */
  pickSteps(block: Block, columns: readonly number[]): Task<Block> {
    return this.combineSteps([block], selection(block.width, columns));
  }

  /** Ranges of rows that are whole chunks of the Gram matrix. */
  *#chunks(multiplications: number): Generator<[number, number]> {
    const chunks = Math.ceil(multiplicationsPerYield / gramChunk / Math.max(1, multiplications));
    const rows = gramChunk * chunks;
    for (let from = 0; from < this.size; from += rows) yield [from, Math.min(this.size, from + rows)];
  }
}

/** The n×k matrix of which column c is the unit vector columns[c]. Default: the identity. */
export function selection(
  n: number,
  columns: readonly number[] = Array.from({ length: n }, (_, c) => c),
): Float64Array {
  const factors = new Float64Array(n * columns.length);
  for (const [c, column] of columns.entries()) factors[column * columns.length + c] = 1;
  return factors;
}

/** The diagonal of the Gram matrix of as many vectors. */
export function diagonalOf(gram: Float64Array): Float64Array {
  const width = Math.sqrt(gram.length);
  return Float64Array.from({ length: width }, (_, c) => gram[c * (width + 1)]);
}

function totalWidth(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { width }) => sum + width, 0);
}
