/** `npm run bench -- quality tables`: clusters and held-out rows of real data, by our defaults, scikit-learn and umap-js. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { jsonOf } from '../child.ts';
import { installOnce } from '../competitors/install.ts';
import { theMachine } from '../processes.ts';
import { findPython, oneThread } from '../competitors/python.ts';
import { type QualityOptions, type Section, show } from '../quality/section.ts';
import { withFolder } from '../competitors/raw-files.ts';
import { mebibytes } from '../report/row.ts';
import { sequentially } from '../sequentially.ts';
import { type MethodName, neighbors } from './methods.ts';
import type { Run } from './run.ts';
import { scoresOf } from './scores.ts';
import { outlierLabels, type TableSet, tableSets } from './sets.ts';
import { readSplit, writeSplit } from './split.ts';

const peers = fileURLToPath(new URL('../peers/', import.meta.url));

/** The columns of the tables, in this order. */
export const columnNames = {
  ours: 'ours',
  scaled: 'ours, scaled',
  auto: 'ours, clusters auto',
  exact: 'exact eigenvectors',
  sklearn: 'scikit-learn',
  'shift-invert': 'scikit-learn, shift-invert',
  umap: 'umap-js, k-means',
} as const;

export type ColumnName = keyof typeof columnNames;

/** One data set and what every method made of it. */
export interface SetFigures {
  readonly name: string;
  readonly source: string;
  readonly rows: number;
  readonly columns: number;
  readonly clusters: number;
  /** The number of random splits whose mean the figures are. */
  readonly splits: number;
  readonly runs: Partial<Record<ColumnName, Run>>;
  /** Why the data set is missing. */
  readonly error?: string;
}

export interface TableFigures {
  readonly machine: string;
  readonly sets: readonly SetFigures[];
  readonly notes: readonly string[];
}

/** A held-out row of a table of fewer rows than this is much of the whole: such tables are split several times. */
const fewRows = 1000;
const splitsOfFew = 5;

const inNode: readonly MethodName[] = ['ours', 'scaled', 'auto', 'exact', 'umap'];

export async function tableQuality({ say }: QualityOptions): Promise<Section> {
  const notes: string[] = [];
  const note = (text: string): void => void (notes.includes(text) || notes.push(text));
  const python = findPython(note, 'sklearn');
  const failure = installOnce(peers);
  if (failure) note(`umap-js is left out: ${failure}`);
  const chosen = inNode.filter((method) => method !== 'umap' || !failure);
  const sets = await sequentially(Object.entries(tableSets), async ([name, set]) => {
    say(`tables: ${name}`);
    return withFolder((folder) => measureSet(folder, name, set, chosen, python, note));
  });
  const { cpu, cores, node } = theMachine([], null);
  const figures: TableFigures = { machine: `${cpu}, ${cores} cores; Node ${node}`, sets, notes };
  return {
    title: 'Clusters and held-out rows of real and made data',
    settings: `${neighbors} neighbors; a fifth of the rows held out; as many clusters as labels; processor time, one thread`,
    header: ['data', 'rows', 'method', 'ARI', 'NMI', 'ten nearest', 'seconds', 'memory'],
    rows: sets.flatMap(({ name, rows, runs, error }) =>
      error
        ? [[name, '', error]]
        : Object.entries(runs).map(([method, run]) => [name, String(rows)].concat(cells(method, run))),
    ),
    notes,
    figures,
  };
}

function cells(method: string, run: Run): string[] {
  const title = columnNames[method as ColumnName];
  if ('error' in run) return [title, run.error];
  const { ari, nmi, accuracy, seconds, bytes, chosen } = run;
  const count = chosen === undefined ? '' : `: ${chosen}`;
  const votes = accuracy === null ? '–' : show(accuracy);
  return [title + count, show(ari), show(nmi), votes, show(seconds, 2), mebibytes(bytes)];
}

async function measureSet(
  folder: string,
  name: string,
  { source, metric, load }: TableSet,
  chosen: readonly MethodName[],
  python: string | null,
  note: (text: string) => void,
): Promise<SetFigures> {
  try {
    const data = await load();
    const settings = { ...(metric && { metric }), outlier: outlierLabels[name] ?? -1 };
    // Rows of length one have no use for scaled columns, and sparse rows would be dense.
    const methods = chosen.filter((method) => method !== 'scaled' || !metric);
    const splits = data.points.rows < fewRows ? splitsOfFew : 1;
    const draws = await sequentially(
      Array.from({ length: splits }, (_, draw) => draw),
      async (draw) => {
        const { rows, columns, clusters } = await writeSplit(folder, data, settings, draw);
        const runs: Partial<Record<ColumnName, Run>> = {};
        await sequentially(methods, async (method) => {
          runs[method] = await jsonOf<Run>('./tables/run.ts', [folder, method]);
        });
        if (python !== null) {
          await sequentially(['sklearn', 'shift-invert'] as const, async (method) => {
            runs[method] = await runPython(python, folder, method, note);
          });
        }
        return { rows, columns, clusters, runs };
      },
    );
    const names = Object.keys(draws[0].runs) as ColumnName[];
    const runs = Object.fromEntries(names.map((column) => [column, meanOf(draws.map((draw) => draw.runs[column]!))]));
    return { ...draws[0], name, source, splits, runs };
  } catch (error) {
    const nothing = { rows: 0, columns: 0, clusters: 0, splits: 0, runs: {} };
    return { name, source, ...nothing, error: (error as Error).message };
  }
}

/** The mean of the scores, times and bytes of one method over several splits; the first error, if there is one. */
export function meanOf(runs: readonly Run[]): Run {
  const done = runs.flatMap((run) => ('error' in run ? [] : [run]));
  const failed = runs.find((run) => 'error' in run);
  if (failed) return failed;
  const mean = (read: (run: (typeof done)[number]) => number): number =>
    done.reduce((sum, run) => sum + read(run), 0) / done.length;
  return {
    ...done[0],
    ari: mean(({ ari }) => ari),
    nmi: mean(({ nmi }) => nmi),
    accuracy: done[0].accuracy === null ? null : mean(({ accuracy }) => accuracy!),
    seconds: mean(({ seconds }) => seconds),
    bytes: mean(({ bytes }) => bytes),
  };
}

interface PythonResult {
  readonly labels: number[];
  readonly seconds: number;
  readonly bytes: number;
  readonly versions: string;
}

async function runPython(python: string, folder: string, method: string, note: (text: string) => void): Promise<Run> {
  const { status, stdout, stderr } = spawnSync(python, [`${peers}sklearn_tables.py`, folder, method], {
    encoding: 'utf8',
    env: { ...process.env, ...oneThread },
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) return { error: stderr.trim().split('\n').at(-1) ?? `exit ${status}` };
  const { labels, seconds, bytes, versions } = JSON.parse(stdout) as PythonResult;
  note(versions);
  return { ...scoresOf(await readSplit(folder), labels, null), seconds, bytes };
}
