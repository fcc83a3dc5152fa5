/** `specnet plan transform`: the coordinates of points under a model. Tasks transform ranges of rows; the last one joins them. */

import { resolve } from 'node:path';
import { recordFile, sampleFile } from '../../../../files/records/file-record.ts';
import { loadModel } from '../../../../embedding/model/model-file.ts';
import type { Model } from '../../../../embedding/model/model.ts';
import { checkModelColumns, joinCoordinates, transformRange } from '../../../../embedding/transform-stored.ts';
import { checkMemory, defaultStoreBytes } from '../../../../storage/memory-budget.ts';
import { openStoredPoints } from '../../../../storage/stored-points.ts';
import { countRanges, rangeOfRows } from '../../../../tasks/plan.ts';
import { numberOf } from '../../../../tasks/run-folder.ts';
import { UsageError } from '../../../shared/arguments.ts';
import { nameFileInErrors, readBytes } from '../../../shared/input.ts';
import { defaultBlocks, type TaskKind } from './kind.ts';

const out = 'coordinates.npy';

export const transform: TaskKind = {
  operands: ['MODEL', 'POINTS.npy'],
  flags: ['memory', 'blocks'],
  async plan([modelPath, path], { flags }) {
    if (!/\.npy$/i.test(path)) throw new UsageError(`expected points in a .npy file, got '${path}'.`);
    const { memory = defaultStoreBytes } = flags;
    checkMemory('plan', memory);
    const model = await openModel(modelPath);
    const points = openStoredPoints(path);
    points.close();
    checkModelColumns(path, model, points);
    return {
      inputs: [recordFile('plan', '', resolve(modelPath)), sampleFile('plan', '', resolve(path))],
      options: { memory, rows: points.size },
      stages: [
        { name: 'transform', tasks: countRanges(points.size, flags.blocks ?? defaultBlocks) },
        { name: 'join', tasks: 1 },
      ],
    };
  },
  async work({ folder, stage, index, call: { progress } }) {
    const { inputs, options, stages } = folder.plan;
    const [modelPath, path] = inputs.map(({ name }) => name);
    const pieces = Array.from({ length: stages[0].tasks }, (_, i) => `coordinates-${numberOf(i + 1)}.npy`);
    if (stage === 1) {
      joinCoordinates('work', pieces.map((name) => folder.piece(name)), folder.file(out)); // oxfmt-ignore
      return [out];
    }
    const range = rangeOfRows(options.rows as number, stages[0].tasks, index);
    const steps = { memory: options.memory as number, progress: progress.estimate('computing coordinates') };
    await transformRange('work', await openModel(modelPath), path, folder.piece(pieces[index]), steps, range);
    return [folder.pieceName(pieces[index])];
  },
};

async function openModel(path: string): Promise<Model> {
  return nameFileInErrors(path, async () => loadModel(await readBytes(path)));
}
