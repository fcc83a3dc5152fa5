/**
 * `npm run bench:large`: time, memory and accuracy for many points, each case in a process of its own, beside scikit-learn and Lanczos.
 * `-- --data "two moons" --sizes 20000,100000 --task model --by specnet,scikit-learn`: what is measured.
 * `-- --times-only`: without the comparison with eigenvectors, which takes half as long as the fit.
 * `-- --record`: puts the runs into docs/growth/runs.json, in place of earlier runs of the same cases. What is not measured stays.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatTable } from '../../lib/charts/table.ts';
import type { Floats } from '../../lib/kernels/types.ts';
import { buildGraph } from '../../lib/index.ts';
import { withFolder } from '../competitors/raw-files.ts';
import { mebibytes } from '../report/row.ts';
import { sequentially } from '../sequentially.ts';
import { type Case, measureCase, type Run, type Solver, solvers, type Source, sources, tasks, wanted } from './runs.ts';

const recordPath = fileURLToPath(new URL('../../docs/growth/runs.json', import.meta.url));

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', default: 'Swiss roll' },
    sizes: { type: 'string', default: '10000,30000,100000' },
    task: { type: 'string', default: 'model' },
    by: { type: 'string', default: 'specnet' },
    'times-only': { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const data = one('--data', flags.data, Object.keys(sources) as Source[]);
const task = one('--task', flags.task, tasks);
const rivals = flags.by.split(',').map((name): Solver => one('--by', name, solvers));
const runs = (await sequentially(flags.sizes.split(',').map(Number), measureSize)).flat();
const cells = runs.map(({ n, by, seconds, processor, peak, found }) => [
  String(n),
  by,
  Math.min(...seconds).toFixed(2),
  Math.min(...processor).toFixed(2),
  mebibytes(peak),
  JSON.stringify(found),
]);
console.log(formatTable(['points', 'by', 's', 's, processor', 'peak', 'found'], cells));
if (flags.record) record(runs);

/** One of the names that are allowed. */
function one<T extends string>(flag: string, name: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === name);
  if (found !== undefined) return found;
  console.error(`bench:large: expected ${flag} among ${allowed.join(', ')}, got ${name}.`);
  process.exit(2);
}

/** All solvers get the same points, or the same graph, from files. */
async function measureSize(n: number): Promise<Run[]> {
  const points = sources[data](n);
  const { cols } = points;
  return withFolder(async (folder) => {
    const write = (name: string, array: Floats | Int32Array): void => writeFileSync(join(folder, name), array.slice());
    if (task === 'model') write('points', points.data);
    else {
      const { weights } = await buildGraph(points, { kind: 'knn', neighbors: wanted.neighbors });
      write('starts', weights.starts);
      write('columns', weights.columns);
      write('values', weights.values);
    }
    return sequentially(rivals, (by) => {
      console.error(`${task}, ${data} ${n}, ${by}`);
      return measureCase({ task, data, n, by }, { folder, cols, isTimed: flags['times-only'] });
    });
  });
}

function record(measured: readonly Run[]): void {
  const keyOf = ({ task: done, data: source, n, by }: Case): string => [done, source, n, by].join();
  const old = JSON.parse(readFileSync(recordPath, 'utf8')) as { runs: Run[] };
  const all = new Map(old.runs.map((run) => [keyOf(run), run]));
  for (const run of measured) {
    const found = { ...all.get(keyOf(run))?.found, ...run.found };
    all.set(keyOf(run), { ...run, found });
  }
  const sorted = [...all.values()].toSorted((a, b) => a.n - b.n);
  const machine = `${cpus()[0].model.replace(/ \d+-Core Processor/, '')}, ${cpus().length} cores`;
  writeFileSync(recordPath, `${JSON.stringify({ machine, runs: sorted }, null, 1)}\n`);
}
