/** `specnet plan fit`: the Ritz head on landmarks of a stored graph. Tasks describe points, then sum rows; the last one solves. */

import { join, resolve } from 'node:path';
import { defined } from '../../../../core/options.ts';
import {
  checkStoredFit,
  countGroups,
  describeRange,
  solveGroups,
  sumGroups,
} from '../../../../embedding/fit-stored-parts.ts';
import type { StoredFitOptions } from '../../../../embedding/model/stored-fit.ts';
import { saveModel } from '../../../../embedding/model/model-file.ts';
import { recordFile, sampleFile } from '../../../../files/records/file-record.ts';
import { replaceFileSync } from '../../../../files/write.ts';
import { headerFile } from '../../../../storage/graph/graph-header.ts';
import { countRanges, type Json, rangeOfRows } from '../../../../tasks/plan.ts';
import { numberOf } from '../../../../tasks/run-folder.ts';
import { UsageError } from '../../../shared/arguments.ts';
import { nameFileInErrors } from '../../../shared/input.ts';
import { defaultBlocks, type TaskJob, type TaskKind } from './kind.ts';

const out = 'model.specnet';

/** The options in a plan. */
interface FitPlan {
  readonly folder: string;
  readonly path: string;
  readonly rows: number;
  readonly fit: StoredFitOptions;
}

export const fit: TaskKind = {
  operands: ['GRAPH', 'POINTS.npy'],
  flags: ['components', 'landmarks', 'seed', 'memory', 'blocks'],
  async plan([folder, path], { flags, progress }) {
    const { components, landmarks, seed, memory, blocks = defaultBlocks } = flags;
    if (landmarks === 'auto') throw new UsageError('expected --landmarks M with plan fit, got auto.');
    const options = defined({ components, landmarks, seed, memory }) as StoredFitOptions;
    const steps = { ...options, progress: progress.estimate('reading the points') };
    const { rows } = await nameFileInErrors(path, () => checkStoredFit(folder, path, steps));
    const plan: FitPlan = { folder: resolve(folder), path: resolve(path), rows, fit: options };
    return {
      inputs: [recordFile('plan', '', join(plan.folder, headerFile)), sampleFile('plan', '', plan.path)],
      options: plan as unknown as Record<string, Json>,
      stages: [
        { name: 'features', tasks: countRanges(rows, blocks) },
        { name: 'sums', tasks: Math.min(blocks, countGroups(rows)) },
        { name: 'solve', tasks: 1 },
      ],
    };
  },
  async work(job) {
    const { folder, stage, index } = job;
    const plan = folder.plan.options as unknown as FitPlan;
    const [described, summed] = folder.plan.stages.map(({ tasks }) => tasks);
    const options = { ...plan.fit, progress: job.call.progress.estimate(folder.plan.stages[stage].name) };
    const range = (i: number) => rangeOfRows(plan.rows, described, i);
    const groups = countGroups(plan.rows);
    if (stage === 0) {
      const name = partName('features', index);
      await describeRange(plan.folder, plan.path, options, range(index), folder.piece(name));
      return [folder.pieceName(name)];
    }
    if (stage === 1) {
      const features = Array.from({ length: described }, (_, i) => ({
        path: folder.piece(partName('features', i)),
        from: range(i).from,
      }));
      const [from, to] = [index, index + 1].map((i) => Math.floor((groups * i) / summed));
      const own = Array.from({ length: to - from }, (_, i) => from + i);
      const outputs = own.map((group) => ({ group, out: folder.piece(partName('sums', group)) }));
      await sumGroups(plan.folder, plan.path, options, features, outputs);
      return own.map((group) => folder.pieceName(partName('sums', group)));
    }
    return solve(job, plan, options, groups);
  },
};

async function solve({ folder, call }: TaskJob, plan: FitPlan, options: StoredFitOptions, groups: number) {
  const files = Array.from({ length: groups }, (_, group) => folder.piece(partName('sums', group)));
  const { model, converged } = await solveGroups(plan.folder, plan.path, options, files);
  if (!converged) call.terminal.note('specnet work: the eigenproblem of the features did not converge.\n');
  replaceFileSync('the file', folder.file(out), saveModel(model));
  return [out];
}

function partName(kind: 'features' | 'sums', index: number): string {
  return `${kind}-${numberOf(index + 1)}.part`;
}
