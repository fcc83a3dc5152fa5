/**
 * The names of the public interface that the fingerprint uses. When a name changes, bind the new one and the old one here,
 * so that one script runs on checkouts from before and after the change.
 */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { EpochRecord, Mlp, Points, Solution, TrainingState } from '../../../lib/index.ts';
import type { Parts } from './record.ts';

type Library = typeof import('../../../lib/index.ts');
type Files = typeof import('../../../lib/files.ts');
type Datasets = typeof import('../../../datasets/index.ts');

export type Api = Library & Files & Datasets;

/** Everything that a checkout exports. */
export async function openApi(root: string): Promise<Api> {
  const [library, files, datasets] = await Promise.all([
    load<Library>(root, 'lib/index.ts'),
    load<Files>(root, 'lib/files.ts'),
    load<Datasets>(root, 'datasets/index.ts'),
  ]);
  return { ...library, ...files, ...datasets };
}

async function load<Module>(root: string, path: string): Promise<Module> {
  return (await import(pathToFileURL(join(root, path)).href)) as Module;
}

/** The command line, which keeps its place. */
export const commandLine = 'lib/cli/main.ts';

/** Options of `solve` for the rotation of SpecNet1, in both spellings. */
export function rotationOptions(orthogonalize: 'gram' | 'support', rotate: 'before' | 'after'): object {
  return { orthogonalise: orthogonalize, orthogonalize, rotate };
}

/** The numbers of a solution, without seconds and flops. */
export function solutionParts({ eigenvalues, eigenvectors, residuals, trace, state }: Solution): Parts {
  const { rows, moments } = state;
  return {
    eigenvalues,
    residuals,
    eigenvectors: eigenvectors.data,
    rows: rows.data,
    gram: moments.gram,
    mean: moments.mean,
    trace: trace.flatMap(recordNumbers),
  };
}

/** The flops of a solution. They have an entry of their own, so that another way of counting changes one entry. */
export function solutionFlops({ trace }: Solution): number[] {
  return trace.map(({ flops }) => flops);
}

function recordNumbers(record: EpochRecord): number[] {
  const { epoch, f1, f2, gap, gradientNorm, step, eigenvalues, residuals, errors } = record;
  const measured = gap ? [gap.f1, gap.f2] : [];
  return [epoch, f1, f2, gradientNorm, step, ...measured, ...eigenvalues, ...residuals, ...(errors ?? [])];
}

/** The numbers of a training: all that a later training depends on, and the network's outputs. */
export function trainingParts(state: TrainingState, network: Mlp, points: Points): Parts {
  const { parameters, optimizer, moments, rows } = state;
  return {
    outputs: network.evaluate(points).data,
    ...Object.fromEntries(parameters.map(({ data }, i) => [`parameter ${i}`, data])),
    ...Object.fromEntries(optimizer.moments.map(({ data }, i) => [`moment ${i}`, data])),
    steps: [state.epoch, optimizer.steps],
    ...(moments && { gram: moments.gram, mean: moments.mean }),
    ...(rows && { rows: rows.data }),
  };
}

/** The flops of a training. */
export function trainingFlops({ flops }: TrainingState): number {
  return flops ?? 0;
}
