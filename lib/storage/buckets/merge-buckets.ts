/** Writes the graph of the entries in buckets, one bucket after another. */

import { badValue } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import { ordinaryWeights, weightScale } from '../../graph/weight-scale.ts';
import { largestMagnitude } from '../../linalg/matrix.ts';
import type { StoredGraphHeader } from '../graph/graph-header.ts';
import { GraphWriter } from '../graph/graph-writer.ts';
import type { Buckets } from './buckets.ts';
import { mergeBucket, type MergeRules } from './merge-bucket.ts';

/** Writes the graph of all buckets: in a second pass if weights are to be scaled and the largest is not of ordinary size. */
export function* mergeBucketsSteps(buckets: Buckets, folder: string, merge: MergeRules): Task<StoredGraphHeader> {
  const count = buckets.bounds.length - 1;
  for (let scale = 1; ;) {
    const writer = new GraphWriter(folder, merge.precision);
    try {
      let largest = 0;
      let lost: number | undefined;
      for (let b = 0; b < count; b++) {
        const [first, end] = [buckets.bounds[b], buckets.bounds[b + 1]];
        const exact = mergeBucket(buckets.read(b), first, end - first, scale, merge);
        largest = Math.max(largest, largestMagnitude(exact.values));
        // Otherwise the scale is another one, and these rows are not needed.
        if (!merge.scaled || largest <= ordinaryWeights.most) {
          const weights = merge.precision === 'double' ? exact : exact.copy('single');
          lost ??= exact.values[weights.values.indexOf(0)];
          writer.append(weights);
        }
        yield b / count;
      }
      const found = merge.scaled ? weightScale(largest * scale) : 1;
      if (found === scale && lost !== undefined) throw lostWeight(merge.caller, lost);
      if (found === scale) {
        buckets.remove(); // the header is the last change of the folder
        return writer.finish(scale, merge.recall);
      }
      writer.discard();
      scale = found;
    } catch (error) {
      writer.discard();
      throw error;
    }
  }
}

/** An edge would be lost if its weight became 0. */
export function lostWeight(caller: string, weight: number): RangeError {
  const remedy = "Leave out edges as weak as that, or choose precision 'double'.";
  return badValue(caller, 'weights that single precision can hold', weight, remedy);
}
