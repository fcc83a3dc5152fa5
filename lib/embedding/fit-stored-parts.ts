/** The parts of `fitStored`, for several processes: features of ranges of points, sums over groups of rows, and the solution. */

import { subtask } from '../core/task.ts';
import { fill, fillSteps, GrowingFile } from '../files/pieces/growing-file.ts';
import {
  addSums,
  emptySums,
  groupRowsOf,
  groupSumsSteps,
  pencilOfSums,
  type PencilSums,
} from '../spectral/ritz/feature-pencil.ts';
import { ArrayReader, ArrayWriter } from '../storage/arrays/array-file.ts';
import { PageCache } from '../storage/arrays/page-cache.ts';
import { featureBytes, type FeaturePart, FeatureReader } from '../storage/fit/feature-file.ts';
import { cacheParts, describeSteps, lookIn, solveSteps, withFit } from './fit-stored.ts';
import { caller, type StoredFit, type StoredFitOptions } from './model/stored-fit.ts';

/** Refuses what `fitStored` refuses, before anything is computed. Returns the numbers of points and of landmarks. */
export function checkStoredFit(
  folder: string,
  path: string,
  options: StoredFitOptions,
): Promise<{ readonly rows: number; readonly landmarks: number }> {
  return withFit(folder, path, options, function* ({ points, landmarks }) {
    yield 1;
    return { rows: points.size, landmarks: landmarks.outputs };
  });
}

/** Part of `fitStored`: writes the features of points from … to − 1 to a file. */
export function describeRange(
  folder: string,
  path: string,
  options: StoredFitOptions,
  range: { readonly from: number; readonly to: number },
  out: string,
): Promise<void> {
  return withFit(folder, path, options, (fit) => {
    const file = new GrowingFile('the file', out);
    return fillSteps(
      file,
      describeSteps(fit, range, (features) => file.append(featureBytes(features))),
    );
  });
}

/** Part of `fitStored`: writes the sums of some groups of rows to files, from the features of all points. */
export function sumGroups(
  folder: string,
  path: string,
  options: StoredFitOptions,
  features: readonly FeaturePart[],
  groups: readonly { readonly group: number; readonly out: string }[],
): Promise<void> {
  return withFit(folder, path, options, function* (fit) {
    const { points, landmarks, memory } = fit;
    const h = landmarks.outputs;
    const stride = 2 * landmarks.neighbors;
    const reader = new FeatureReader(caller, features, h, stride, memory * cacheParts.features);
    try {
      const rows = groupRowsOf(points.size);
      for (const [i, { group, out }] of groups.entries()) {
        const to = Math.min(points.size, (group + 1) * rows);
        const summed = groupSumsSteps(h, group * rows, to, lookIn(fit, reader));
        writeSums(out, yield* subtask(summed, i / groups.length, (i + 1) / groups.length));
      }
    } finally {
      reader.close();
    }
  });
}

function writeSums(out: string, { energy, covariance, mean }: PencilSums): void {
  fill(new ArrayWriter('the file', out, '<f8'), (writer) => {
    for (const array of [energy, covariance, mean]) writer.append(array);
  });
}

/** The rest of `fitStored`: the model, from the files with the sums of all groups, in order. */
export function solveGroups(
  folder: string,
  path: string,
  options: StoredFitOptions,
  files: readonly string[],
): Promise<Omit<StoredFit, 'statistics'>> {
  return withFit(folder, path, options, function* (fit) {
    const h = fit.landmarks.outputs;
    const [total, group] = [emptySums(h), emptySums(h)];
    const cache = new PageCache(caller, 2 ** 20);
    for (const [i, file] of files.entries()) {
      const array = new ArrayReader(caller, file, cache);
      try {
        let at = 0;
        for (const sums of [group.energy, group.covariance, group.mean]) {
          array.read(at, sums);
          at += sums.length;
        }
      } finally {
        array.close();
      }
      addSums(total, group);
      yield (0.5 * i) / files.length;
    }
    return yield* subtask(solveSteps(fit, pencilOfSums(h, fit.graph.volume, total)), 0.5, 1);
  });
}

/** The number of groups into which `size` points are divided. */
export function countGroups(size: number): number {
  return Math.ceil(size / groupRowsOf(size));
}
