/** Many fits in one process: the same bits each time, memory that stays flat, and no thread left at the end. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { oneMoon } from '../../../datasets/index.ts';
import { SpectralEmbedding, type SpectralEmbeddingOptions } from '../../../lib/index.ts';

export interface FitReport {
  fits: number;
  /** Fits whose bits differ from those of the first. */
  unequal: number;
  /** After a collection, at the end less than at the first quarter; typed arrays and the memory of kernels included. */
  growthMegabytes: number;
  readonly failures: string[];
}

/** More is a leak: collections leave a few hundred kilobytes more or less. */
const mostGrowth = 4;

const ways: SpectralEmbeddingOptions[] = [
  {},
  { method: 'ritz' },
  { method: 'regression', hidden: [8], training: { epochs: 1 } },
  { method: 'specnet1', hidden: [8], training: { epochs: 1 } },
  { method: 'specnet2', hidden: [8], training: { epochs: 1 } },
];

/** So many fits, by all methods in turn. */
export async function runFits(fits: number): Promise<FitReport> {
  const { points } = oneMoon({ n: 120, seed: 1 });
  const first = new Map<number, Float32Array>();
  const report: FitReport = { fits: 0, unequal: 0, growthMegabytes: 0, failures: [] };
  let begin = 0;
  for (let k = 0; k < fits; k++) {
    const way = k % ways.length;
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as memory is measured
    const { embedding } = await new SpectralEmbedding(ways[way]).fit(points);
    const expected = first.get(way);
    if (!expected) first.set(way, embedding.data.slice() as Float32Array);
    else if (!embedding.data.every((value, i) => Object.is(value, expected[i]))) {
      report.unequal++;
      report.failures.push(`fit ${k} by ${ways[way].method ?? 'regression'} differs from the first`);
    }
    report.fits++;
    if (k === Math.floor(fits / 4)) begin = megabytes();
  }
  report.growthMegabytes = megabytes() - begin;
  if (report.growthMegabytes > mostGrowth)
    report.failures.push(`memory grew by ${report.growthMegabytes.toFixed(1)} MB`);
  return report;
}

/** What is held after a collection. */
export function megabytes(): number {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 2 ** 20;
}
