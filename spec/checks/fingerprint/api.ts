/**
 * The names of the public interface that the fingerprint uses. When a name changes, bind the new one and the old one here,
 * so that one script runs on checkouts from before and after the change.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Mlp, Points } from '../../../lib/doors/network.ts';
import type { EpochRecord, Solution, TrainingState } from '../../../lib/doors/solver.ts';
import type { Parts } from './record.ts';

type Doors = typeof import('../../../lib/doors/autodiff.ts') &
  typeof import('../../../lib/doors/embedding.ts') &
  typeof import('../../../lib/doors/formats.ts') &
  typeof import('../../../lib/doors/graph.ts') &
  typeof import('../../../lib/doors/kernels.ts') &
  typeof import('../../../lib/doors/linalg.ts') &
  typeof import('../../../lib/doors/network.ts') &
  typeof import('../../../lib/doors/solver.ts') &
  typeof import('../../../lib/doors/sparse.ts') &
  typeof import('../../../lib/doors/tensor.ts') &
  typeof import('../../../lib/doors/theory.ts');

export type Api = typeof import('../../../lib/index.ts') & Doors & typeof import('../../../datasets/index.ts');

/** Everything that a checkout exports, whatever its modules are called. */
export async function openApi(root: string): Promise<Api> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Exports };
  const built = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]));
  const modules = await Promise.all(built.map((path) => load(root, path.replace('/dist/', '/').replace('.js', '.ts'))));
  return Object.assign({}, ...modules) as Api;
}

type Exports = Record<string, string | { readonly default: string }>;

async function load(root: string, path: string): Promise<object> {
  return (await import(pathToFileURL(join(root, path)).href)) as object;
}

/** The command line, built, which keeps its place. */
export const commandLine = 'dist/lib/cli/main.js';

/** Options of `solve` for the rotation of SpecNet1. */
export function rotationOptions(orthogonalize: 'gram' | 'support', rotate: 'before' | 'after'): object {
  return { orthogonalize, rotate };
}

/** The numbers of a solution, without seconds and flops. */
export function solutionParts({ eigenvalues, eigenvectors, residuals, trace, state }: Solution): Parts {
  const { rows } = state;
  return {
    eigenvalues,
    residuals,
    eigenvectors: eigenvectors.data,
    rows: rows.data,
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
  const { parameters, optimizer, rows } = state;
  return {
    outputs: network.evaluate(points).data,
    ...Object.fromEntries(parameters.map(({ data }, i) => [`parameter ${i}`, data])),
    ...Object.fromEntries(optimizer.moments.map(({ data }, i) => [`moment ${i}`, data])),
    steps: [state.epoch, optimizer.steps],
    ...(rows && { rows: rows.data }),
  };
}

/** The flops of a training. */
export function trainingFlops({ flops }: TrainingState): number {
  return flops ?? 0;
}
