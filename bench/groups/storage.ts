/** Training steps on a graph and points in files against the same steps in memory: with all pages in the cache, and with a tenth of them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../lib/core/random.ts';
import type { Task } from '../../lib/core/task.ts';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { openStoredGraph, openStoredPoints, storeGraph } from '../../lib/doors/storage.ts';
import { cacheParts } from '../../lib/embedding/fit-stored.ts';
import type { Graph } from '../../lib/graph/graph.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { trainStoredSteps } from '../../lib/spectral/stored/train-stored.ts';
import { trainSteps } from '../../lib/spectral/train/train.ts';
import type { TrainOptions } from '../../lib/spectral/train/options.ts';
import { type Tensor, zeros } from '../../lib/tensor/tensor.ts';
import { seed } from '../loads/loads.ts';
import { type Competitor, local } from '../measure.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';
import { sequentially } from '../sequentially.ts';
import { randomGraph } from '../loads/solver-steps.ts';

const [nodes, perRow] = [20_000, 16];
/** The largest distance of neighbors in the order of nodes. */
const band = 200;

/** Columns of the points, hidden layers, outputs, and options. */
const loads: readonly [name: string, sizes: readonly number[], options: TrainOptions][] = [
  ['3-64-4, batch 64', [3, 64, 4], { batch: 64 }],
  ['50-128-128-6, batch 64', [50, 128, 128, 6], { batch: 64 }],
  ['784-256-6, batch 8', [784, 256, 6], { batch: 8 }],
];

/** The fraction of the bytes of each file that its cache holds. */
const caches = { 'all pages cached': 1.1, 'a tenth cached': 0.1 } as const;

export const storage: Group = async (context) => {
  const graph = randomGraph(nodes, perRow, band);
  const folder = mkdtempSync(join(tmpdir(), 'bench-storage-'));
  try {
    await storeGraph(graph, join(folder, 'graph'));
    const rows = await sequentially(loads, ([name, sizes, options]) =>
      rowsOf(context, folder, graph, name, sizes, options),
    );
    context.note(
      'Steps of SpecNet2, corrected moments. "vs memory" is the time of the step in memory over that on files.',
    );
    return rows.flat();
  } finally {
    rmSync(folder, { recursive: true });
  }
};

async function rowsOf(
  context: Context,
  folder: string,
  graph: Graph,
  name: string,
  sizes: readonly number[],
  given: TrainOptions,
): Promise<Row[]> {
  const points = zeros([nodes, sizes[0]]);
  new Random('points').fillUniform(points.data);
  writeFileSync(join(folder, 'points.npy'), writeNpyTensor(points));
  const options = { ...given, method: 'specnet2', moments: 'corrected', seed, epochs: 1e6, rate: 1e-8 } as const;
  return sequentially(Object.entries(caches), async ([kind, fraction]) => {
    const competitors = [onFiles(folder, graph, sizes, options, fraction), inMemory(graph, points, sizes, options)];
    const row = await measureRow(context, `step, ${kind}`, name, { amount: 0, unit: 'flop' }, competitors);
    return { ...row, rate: null };
  });
}

function inMemory(graph: Graph, points: Tensor, sizes: readonly number[], options: TrainOptions): Competitor {
  const network = new Mlp(sizes, { seed });
  return steps('memory', trainSteps(graph, network, points, options) as Task<unknown>, network);
}

function onFiles(
  folder: string,
  graph: Graph,
  sizes: readonly number[],
  options: TrainOptions,
  part: number,
): Competitor {
  const network = new Mlp(sizes, { seed });
  const outputs = sizes[sizes.length - 1];
  const bytes = {
    graph: 8 * graph.weights.nonzeros + 16 * nodes,
    points: 4 * nodes * sizes[0],
    rows: 4 * nodes * (3 + outputs),
  };
  const memory = part < 1 ? divided(part * (bytes.graph + bytes.points + bytes.rows)) : wholeOf(part, bytes);
  const stored = openStoredGraph(join(folder, 'graph'), { memory: memory.graph });
  const points = openStoredPoints(join(folder, 'points.npy'), { memory: memory.points });
  const training = {
    caller: 'bench',
    graph: stored,
    network,
    reader: () => points.rowTaker(),
    options,
    rowsPath: join(folder, `rows-${part}`),
    queueMemory: memory.queue,
    rowsMemory: memory.rows,
    checkpoints: null,
    ahead: null,
  };
  const work = trainStoredSteps(training);
  // What comes before the first step counts for a twentieth of the progress.
  for (let next = work.next(); !next.done && next.value < 0.05; next = work.next());
  const run = steps('files', work, network);
  return {
    ...run,
    close() {
      work.return(null);
      points.close();
      stored.close();
    },
  };
}

interface Memory {
  readonly graph: number;
  readonly points: number;
  readonly rows: number;
  readonly queue: number;
}

/** Caches that hold all files. */
function wholeOf(part: number, bytes: Omit<Memory, 'queue'>): Memory {
  return { graph: part * bytes.graph, points: part * bytes.points, rows: part * bytes.rows, queue: 0 };
}

/** Some memory, divided as `fitStored` divides it; a cache has at least 16 pages. */
function divided(total: number): Memory {
  const { graph, points, rows, queue } = cacheParts;
  const unit = total / (graph + points + rows + queue);
  const cache = (part: number): number => Math.max(2 ** 16, unit * part);
  return { graph: cache(graph), points: cache(points), rows: cache(rows), queue: unit * queue };
}

function steps(name: string, work: Task<unknown>, network: Mlp): Competitor {
  const { data } = network.parameters[0];
  return local(
    name,
    () => void work.next(),
    () => data,
  );
}
