/**
 * `node --import tsx bench/relaxed-simd.ts`, Node 22 or newer: what fused multiplication and addition gains in sparse products, on one thread. The kernels with and
 * without it run in turns in one process. Geometric means over the small matrices, with the smallest and the largest gain.
 */

import { quantile } from '../lib/benchmark/timing.ts';
import { geometricMean } from '../lib/benchmark/report/compare.ts';
import { formatRatio } from '../lib/charts/table.ts';
import type { Floats } from '../lib/kernels/types.ts';
import { generateMatrix, matrixNames } from '../lib/matrices/catalog.ts';
import { toBlocked } from '../lib/sparse/formats/blocked.ts';
import { multiplyTo, type SparseMatrix } from '../lib/sparse/formats/multiply.ts';
import { matrixStructure } from '../lib/sparse/structure.ts';
import { precisions, zeros } from '../lib/tensor/tensor.ts';
import { disableRelaxedSimd, enableRelaxedSimd } from '../lib/wasm/relaxed-simd.ts';
import { setThreads } from '../lib/wasm/set-threads.ts';

const milliseconds = 20;
const widths = [2, 4, 8, 16, 32];
/** A sample has about this many multiplications. */
const sampleWork = 1e6;

/** How many times as long a product takes without relaxed SIMD: medians of samples in turns. */
function gainOf(matrix: SparseMatrix, width: number, x: Floats, out: Floats): number {
  const calls = Math.max(1, Math.floor(sampleWork / (matrix.nonzeros * width)));
  const sample = (): number => {
    const start = performance.now();
    for (let call = 0; call < calls; call++) multiplyTo(matrix, width, x, out);
    return performance.now() - start;
  };
  const [standard, relaxed]: [number[], number[]] = [[], []];
  for (const end = performance.now() + 2 * milliseconds; performance.now() < end;) {
    disableRelaxedSimd();
    standard.push(sample());
    enableRelaxedSimd();
    relaxed.push(sample());
  }
  const median = (samples: number[]): number => quantile(samples.toSorted((a, b) => a - b), 0.5); // oxfmt-ignore
  return median(standard) / median(relaxed);
}

setThreads(1);
const status = enableRelaxedSimd();
if (!status.enabled) throw new Error(`bench/relaxed-simd: expected an engine with relaxed SIMD: ${status.reason}.`);
const gains = new Map<string, number[]>();
for (const name of matrixNames('small')) {
  const single = await generateMatrix(name);
  for (const precision of precisions) {
    const matrix = precision === 'single' ? single : single.copy('double');
    const ways: [string, SparseMatrix][] = [['rows', matrix]];
    if (matrixStructure(matrix).blockFill[1].fill > 0.4) ways.push(['blocks', toBlocked(matrix)]);
    for (const width of widths) {
      const [x, out] = [zeros([matrix.cols, width], precision).data, zeros([matrix.rows, width], precision).data];
      for (let i = 0; i < x.length; i++) x[i] = Math.sin(i);
      for (const [way, stored] of ways) {
        const key = `${way}, ${precision}, K = ${width}`;
        gains.set(key, [...(gains.get(key) ?? []), gainOf(stored, width, x, out)]);
      }
    }
  }
}
for (const [key, list] of [...gains].toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))) {
  const range = `${formatRatio(Math.min(...list))} to ${formatRatio(Math.max(...list))}`;
  console.log(`${key}: ${formatRatio(geometricMean(list))} (${range}, ${list.length} matrices)`);
}
disableRelaxedSimd();
