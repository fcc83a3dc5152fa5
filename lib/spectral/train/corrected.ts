/** Defaults of trainings with corrected moments, and the settings that these moments need. docs/embedding.md has the figures. */

import { badValue } from '../../core/check.ts';
import type { Points } from '../../network/layers/inputs.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import type { Inclusion } from '../descent/inclusion.ts';
import { caller, fallingRate, type Training, usualEpochs, usualLength } from './options.ts';
import { evenlySpaced } from './evenly-spaced.ts';

/** The least batch that a default chooses. */
export const leastDefaultBatch = 4;

/**
 * Rows are divided by their degrees (`weighted`), and Adam's second moments forget what is more than about a hundred steps old. With
 * both, smaller gaps are reached in the same time.
 */
const defaults = { scale: 'calibrated', weighted: true, optimizer: { kind: 'adam', beta2: 0.99 } } as const;
/** A batch sees at most the fraction `mostSeen` of all rows: more rows would add work but hardly any information. */
const usualBatch = { rows: 32, mostSeen: 3 / 4 } as const;
/** The falling rate averages out most of the noise. */
const usualRate = { from: 3e-3, to: 1e-5 } as const;
/**
 * A step of Adam changes a weight by up to the rate, and so the input of a unit by up to the rate times ‖x‖₁. Where that is much
 * more than this, ReLU units become inactive on all points within the first epochs, and stay so.
 */
const largestChange = 0.15;

/** What the defaults depend on. Both functions are called only if they are needed. */
export interface CorrectedSource {
  inclusion(): Inclusion;
  /** The points with these numbers. */
  take(rows: Int32Array): Points;
}

/** The defaults for this graph and the options that are given. */
export function correctedSettings(
  source: CorrectedSource,
  graph: { readonly size: number },
  options: Training['options'],
) {
  const { batch = batchFor(graph.size, source.inclusion()) } = options;
  const { epochs = usualEpochs(graph, batch, usualLength) } = options;
  const { from, to } = usualRate;
  const ends = { from: Math.min(from, largestChange / meanSum(source.take(evenlySpaced(graph.size)))), to };
  return { ...defaults, batch, epochs, rate: fallingRate(graph, ends, batch, epochs) };
}

/** Refuses settings whose batches have no known probabilities, or for which the correction is of no use. */
export function checkCorrected({ method, scheme, order }: { method: string; scheme: string; order: string }): void {
  const rule = (text: string, got: string): RangeError =>
    badValue(caller, `corrected moments with ${text}`, `'${got}'`);
  if (scheme !== 'neighbor') throw rule("scheme 'neighbor'; the others measure their moments", scheme);
  if (order === 'cyclic') throw rule("order 'random' or 'shuffled', whose batches have known probabilities", order);
  // SpecNet1 takes the Cholesky factor of the moments, and an unbiased estimate of a Gram matrix need not have one.
  if (method !== 'specnet2') throw rule("method 'specnet2'", method);
}

/** 32 rows, halved until a batch sees few enough rows or has the least default size. */
function batchFor(size: number, inclusion: Inclusion): number {
  let batch = Math.min(size, usualBatch.rows);
  while (batch > leastDefaultBatch && inclusion.expectedSupport(batch) > usualBatch.mostSeen * size) {
    batch = Math.max(leastDefaultBatch, Math.floor(batch / 2));
  }
  return batch;
}

/** The mean of ‖x‖₁ over these points. */
function meanSum(points: Points): number {
  const { rows } = points;
  const values = points instanceof CsrMatrix ? points.values : points.data;
  let sum = 0;
  for (const value of values) sum += Math.abs(value);
  return sum / rows;
}
