/** Gram matrices and linear combinations of blocks of long vectors, chunk by chunk. */

import { kernels } from '../../kernels/table.ts';
import type { Task } from '../../core/task.ts';

/** A block of `width` long vectors, row-major, at the beginning of an array that may be longer. */
export interface Block {
  readonly width: number;
  readonly data: Float64Array;
}

/** The rows of a chunk, which stay in the cache while all tiles of a product read them. */
const chunk = 512;
/** Chunks between two pauses. */
const chunksPerYield = 32;

/** A block of zeros. */
export function makeBlock(size: number, width: number): Block {
  return { width, data: new Float64Array(size * width) };
}

/** The listed columns of a block, new. */
export function pickColumns(size: number, { width, data }: Block, columns: readonly number[]): Block {
  const picked = makeBlock(size, columns.length);
  for (let i = 0, at = 0; i < size; i++) {
    for (let c = 0; c < columns.length; c++) picked.data[at++] = data[i * width + columns[c]];
  }
  return picked;
}

/** Blocks side by side, as one. New. */
export function joinBlocks(size: number, blocks: readonly Block[]): Block {
  const joined = makeBlock(size, totalWidth(blocks));
  gatherRows(0, size, blocks, joined.data);
  return joined;
}

/** Sᵀ·diag(weights)·T, a row for each vector of the blocks S and a column for each of T. Weights null means ones. */
export function* gramSteps(
  size: number,
  left: readonly Block[],
  right: Block,
  weights: Float64Array | null,
): Task<Float64Array> {
  const [p, q] = [totalWidth(left), right.width];
  const out = new Float64Array(p * q);
  const [a, b] = [new Float64Array(chunk * p), new Float64Array(chunk * q)];
  for (let from = 0, chunks = 1; from < size; from += chunk, chunks++) {
    const rows = Math.min(chunk, size - from);
    gatherRows(from, rows, left, a);
    for (let i = 0, at = from * q, to = 0; i < rows; i++) {
      const weight = weights ? weights[from + i] : 1;
      for (let c = 0; c < q; c++) b[to++] = weight * right.data[at++];
    }
    kernels.matmulTransposeA(p, q, rows, a, b, out, true);
    if (chunks % chunksPerYield === 0) yield 0;
  }
  return out;
}

/**
 * `targets` ← (S side by side)·factors, where factors has a row for each vector of the blocks S and a column for each of the targets.
 * A target may be one of S, or take its place with rows that are not longer.
 */
export function* combineSteps(
  size: number,
  sources: readonly Block[],
  factors: Float64Array,
  targets: readonly Block[],
): Task<void> {
  const [p, q] = [totalWidth(sources), totalWidth(targets)];
  const [a, out] = [new Float64Array(chunk * p), new Float64Array(chunk * q)];
  for (let from = 0, chunks = 1; from < size; from += chunk, chunks++) {
    const rows = Math.min(chunk, size - from);
    gatherRows(from, rows, sources, a);
    kernels.matmul(rows, q, p, a, factors, out, false);
    let first = 0;
    for (const { width, data } of targets) {
      for (let i = 0, at = from * width; i < rows; i++) {
        for (let c = 0, o = i * q + first; c < width; c++) data[at++] = out[o++];
      }
      first += width;
    }
    if (chunks % chunksPerYield === 0) yield 0;
  }
}

function totalWidth(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { width }) => sum + width, 0);
}

/** Rows of blocks, side by side, to out. */
function gatherRows(from: number, rows: number, blocks: readonly Block[], out: Float64Array): void {
  const total = totalWidth(blocks);
  let first = 0;
  for (const { width, data } of blocks) {
    for (let i = 0, at = from * width; i < rows; i++) {
      for (let c = 0, o = i * total + first; c < width; c++) out[o++] = data[at++];
    }
    first += width;
  }
}
