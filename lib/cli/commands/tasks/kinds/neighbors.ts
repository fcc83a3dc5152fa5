/**
 * `specnet plan neighbors`: the graph of nearest neighbors of points. Tasks search for blocks of points; the last one merges. If
 * the search is approximate, the first one divides the points into cells.
 */

import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { badValue } from '../../../../core/check.ts';
import { draftPath } from '../../../../files/drafts.ts';
import { sampleFile } from '../../../../files/records/file-record.ts';
import { finishFolder } from '../../../../files/folder-draft.ts';
import {
  assembleParts,
  checkBuild,
  preparePieces,
  searchPart,
  type StoredRecipe,
} from '../../../../storage/build-stored-graph.ts';
import { headerFile, readHeader } from '../../../../storage/graph/graph-header.ts';
import { countRanges, type Json } from '../../../../tasks/plan.ts';
import { UsageError } from '../../../shared/arguments.ts';
import { nameFileInErrors } from '../../../shared/input.ts';
import { blockRecipe, recallWarnings } from '../../store.ts';
import { defaultBlocks, type TaskKind } from './kind.ts';

/** The folder of the graph. */
const out = 'graph';

export const neighbors: TaskKind = {
  operands: ['POINTS.npy'],
  // Those of graphs that are built block by block.
  flags: [
    'graph',
    'sigma',
    'neighbors',
    'exclude-self',
    'metric',
    'minkowski-power',
    'mutual',
    'least-weight',
    'search',
    'recall',
    'seed',
    'memory',
    'blocks',
  ],
  async plan([path], { flags }) {
    const recipe = await nameFileInErrors(path, async () => blockRecipe(path, flags));
    if (!recipe) {
      const rule = 'points in a .npy file, and a graph that specnet store builds block by block';
      throw new UsageError(`expected ${rule}, got '${path}' with these flags.`);
    }
    const options = { ...recipe, ...(flags.memory !== undefined && { memory: flags.memory }) };
    const { size, hasCells } = await nameFileInErrors(path, () => checkBuild(path, options));
    const tasks = countRanges(size, flags.blocks ?? defaultBlocks);
    return {
      inputs: [sampleFile('plan', '', resolve(path))],
      options: { recipe: options as unknown as Json },
      stages: [
        ...(hasCells ? [{ name: 'cells', tasks: 1 }] : []),
        { name: 'search', tasks },
        { name: 'merge', tasks: 1 },
      ],
    };
  },
  async work({ folder, stage, index, call: { progress, terminal, flags } }) {
    const { inputs, options, stages } = folder.plan;
    const [{ name: path }] = inputs;
    const recipe = options.recipe as unknown as StoredRecipe;
    const pieces = folder.piece('');
    const count = stages.find(({ name }) => name === 'search')!.tasks;
    const pieceNames = (files: readonly string[]): string[] => files.map((name) => folder.pieceName(name));
    if (stages[stage].name === 'cells') {
      const steps = { ...recipe, progress: progress.estimate('dividing the points into cells') };
      return pieceNames(await preparePieces(path, pieces, steps, count));
    }
    if (stages[stage].name === 'search') {
      const steps = { ...recipe, progress: progress.estimate('searching neighbors') };
      return pieceNames(await searchPart(path, pieces, steps, { index, count }));
    }
    const graph = folder.file(out);
    if (!existsSync(graph)) {
      const draft = draftPath(folder.piece(out));
      const steps = { ...recipe, progress: progress.estimate('merging neighbors') };
      try {
        await assembleParts(path, pieces, draft, steps, count);
        finishFolder('the folder', draft, graph);
      } catch (error) {
        rmSync(draft, { recursive: true, force: true });
        throw error;
      }
    } else if (!existsSync(join(graph, headerFile))) {
      throw badValue('work', `no folder ${graph} before its task is done`, 'one without a graph', 'Delete it.');
    }
    const { recall } = readHeader('work', graph);
    if (!flags.quiet) for (const warning of recallWarnings(recall)) terminal.note(`specnet: ${warning}\n`);
    return [`${out}/${headerFile}`];
  },
};
