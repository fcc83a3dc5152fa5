/** SIMD twins of the kernels on blocks of Float64 vectors. */

import { type BlockKernels, gramChunk, plainBlocks } from '../../../kernels/blocks.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import { byPrecision, held } from '../../memory/marshal.ts';
import { layout, weightsAt } from '../../memory/memory.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { blockFor } from '../sparse/sparse.ts';
import { blockWidths, defineSparseBlocks } from './sparse-blocks.ts';
import { defineTallBlocks, tile } from './tall-blocks.ts';

export function defineBlocks(module: Assembler) {
  return { sparse: defineSparseBlocks(module), tall: defineTallBlocks(module) };
}

/** Reading a row at a random address takes as long as this many flops. */
const flopsPerEntry = 8;
/** The rows that `blockCombine` processes at a time, so that all its tiles read them from the cache. */
const combineChunk = 2048;

export function blockTwins({ sparse, tall }: Routines<typeof defineBlocks>, host: Host): BlockKernels {
  const { memory } = host;
  type SparseRoutines = typeof sparse.single;

  /** Visits blocks of columns: the place of the width, and the offset of the first column in bytes. */
  const inBlocks = (width: number, visit: (place: number, offset: number) => void): void => {
    for (let c = 0; c < width;) {
      const place = blockFor(width - c, blockWidths);
      visit(place, 8 * c);
      c += blockWidths[place];
    }
  };

  const productOf = ({ products, productsWithGaps }: SparseRoutines): BlockKernels['blockProduct'] =>
    host.kernel(
      plainBlocks.blockProduct,
      held,
      (from, to, width, starts, ends, gapStarts, gapEnds, columns, weights, sign, factors, y, x, out) => {
        if (from >= to) return;
        const entries = memory.firstEntry(ends, to - 1) - memory.firstEntry(starts, from);
        const executor = host.chooseExecutor(entries * (flopsPerEntry + 2 * width));
        const row = 8 * width;
        const [by, byStep] = weightsAt(factors);
        const [base, baseRow] = y ? [y, row] : [layout.zeros, 0];
        inBlocks(width, (place, c) => {
          const routine = gapStarts ? productsWithGaps[place] : products[place];
          inChunks(executor, to - from, routine, (product, first, count) => {
            const i = from + first;
            product(
              count,
              starts + 4 * i,
              ends + 4 * i,
              gapStarts + 4 * i,
              gapEnds + 4 * i,
              columns,
              weights,
              by + byStep * i,
              byStep,
              base + baseRow * i + (y ? c : 0),
              baseRow,
              x + c,
              row,
              out + row * i + c,
              sign,
            );
          });
        });
        executor.finish();
      },
    );

  const sweepOf = ({ sweeps }: SparseRoutines): BlockKernels['blockSweep'] =>
    host.kernel(
      plainBlocks.blockSweep,
      held,
      (from, to, chunk, isDownward, width, starts, ends, columns, weights, factors, b, x) => {
        if (from >= to) return;
        const entries = memory.firstEntry(ends, to - 1) - memory.firstEntry(starts, from);
        const executor = host.chooseExecutor(to - from > chunk ? entries * (flopsPerEntry + 2 * width) : 0);
        const row = 8 * width;
        inBlocks(width, (place, c) => {
          const sweep = executor.defer(sweeps[place]);
          for (let first = from; first < to; first += chunk) {
            const count = Math.min(chunk, to - first);
            const i = isDownward ? first + count - 1 : first;
            const at = row * i + c;
            const step = isDownward ? -1 : 1;
            sweep(
              count,
              starts + 4 * i,
              ends + 4 * i,
              columns,
              weights,
              factors + 8 * i,
              b + at,
              x + c,
              row,
              x + at,
              step,
            );
          }
        });
        executor.finish();
      },
    );

  return {
    blockProduct: byPrecision(8, productOf(sparse.single), productOf(sparse.double)),
    blockSweep: byPrecision(8, sweepOf(sparse.single), sweepOf(sparse.double)),
    blockResidual: host.kernel(plainBlocks.blockResidual, held, (n, width, values, mass, x, ax, out) => {
      const executor = host.chooseExecutor(flopsPerEntry * n * width);
      const row = 8 * width;
      const [by, byStep] = weightsAt(mass);
      inBlocks(width, (place, c) => {
        inChunks(executor, n, sparse.residuals[place], (residual, i, count) => {
          const at = row * i + c;
          residual(count, values + c, by + byStep * i, byStep, x + at, ax + at, out + at, row);
        });
      });
      executor.finish();
    }),
    blockCenter: host.kernel(plainBlocks.blockCenter, held, (n, width, labels, means, x) => {
      const executor = host.chooseExecutor(flopsPerEntry * n * width);
      const row = 8 * width;
      inBlocks(width, (place, c) => {
        inChunks(executor, n, sparse.centers[place], (center, i, count) => {
          center(count, labels + 4 * i, means + c, x + row * i + c, row);
        });
      });
      executor.finish();
    }),
    /** Threads sum chunks of a fixed size, which are added up in order: the bits do not depend on their number. */
    blockGram: host.kernel(plainBlocks.blockGram, held, (n, p, q, a, b, weights, out) => {
      const chunks = Math.ceil(n / gramChunk);
      const partial = memory.scratch(8 * p * q * Math.max(1, chunks));
      if (partial < 0) return null;
      const executor = host.chooseExecutor(2 * n * p * q);
      const routines = tall.grams.map((line) => line.map((routine) => executor.defer(routine)));
      const [by, byStep] = weightsAt(weights);
      for (let chunk = 0; chunk < chunks; chunk++) {
        const i = chunk * gramChunk;
        const count = Math.min(gramChunk, n - i);
        const to = partial + 8 * p * q * chunk;
        for (let r = 0; r < p; r += tile) {
          for (let c = 0; c < q; c += tile) {
            const gram = routines[Math.min(tile, p - r) - 1][Math.min(tile, q - c) - 1];
            const [left, right] = [a + 8 * (i * p + r), b + 8 * (i * q + c)];
            gram(count, left, 8 * p, right, 8 * q, by + byStep * i, byStep, to + 8 * (r * q + c), 8 * q);
          }
        }
      }
      executor.finish();
      const sums = new Float64Array(memory.buffer, partial, p * q * chunks);
      const totals = new Float64Array(memory.buffer, out, p * q).fill(0);
      for (let chunk = 0, at = 0; chunk < chunks; chunk++) for (let k = 0; k < p * q; k++) totals[k] += sums[at++];
      return;
    }),
    blockCombine: host.kernel(plainBlocks.blockCombine, held, (n, p1, p2, p3, q, a, b, c, factors, out) => {
      const executor = host.chooseExecutor(2 * n * (p1 + p2 + p3) * q);
      const routines = tall.combines.map((routine) => executor.defer(routine));
      for (let i = 0; i < n; i += combineChunk) {
        const count = Math.min(combineChunk, n - i);
        const [left, middle, right] = [a + 8 * p1 * i, b + 8 * p2 * i, c + 8 * p3 * i];
        for (let j = 0; j < q; j += tile) {
          const combine = routines[Math.min(tile, q - j) - 1];
          combine(count, left, p1, middle, p2, right, p3, factors + 8 * j, 8 * q, out + 8 * (i * q + j), 8 * q);
        }
      }
      executor.finish();
    }),
  };
}
