/** `specnet plan sweep`: a command with all combinations of some options and seeds. The last task writes a table and a chart. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { sampleFile } from '../../../../files/records/file-record.ts';
import { replaceFileSync } from '../../../../files/write.ts';
import type { Json } from '../../../../tasks/plan.ts';
import { numberOf } from '../../../../tasks/run-folder.ts';
import { oneOf } from '../../../flags/kinds.ts';
import { isInputError, UsageError } from '../../../shared/arguments.ts';
import type { Call, Command } from '../../../shared/command.ts';
import { Progress, type Terminal } from '../../../shared/terminal.ts';
import { cluster } from '../../cluster.ts';
import { embed } from '../../embed.ts';
import { argumentsAt, type GridAxis, type GridPoint, pointsOf, readGrid } from './grid.ts';
import type { TaskJob, TaskKind } from './kind.ts';
import { type Measures, sweepChart, type SweepRun, sweepTable } from './sweep-report.ts';

interface SweptCommand {
  readonly command: Command;
  /** The names of the numbers in the table, in order. */
  readonly measures: readonly string[];
  /** The numbers of its JSON report. Times are not among them: they differ from run to run. */
  measure(report: Record<string, never>): Measures;
}

const swept: Readonly<Record<string, SweptCommand>> = {
  cluster: {
    command: cluster,
    measures: ['ari', 'nmi', 'accuracy', 'silhouette', 'stability', 'found', 'converged'],
    measure: ({ agreement, quality, stability, sizes, converged }: Partial<ClusterReport>) => ({
      ari: agreement?.ari ?? null,
      nmi: agreement?.nmi ?? null,
      accuracy: agreement?.accuracy ?? null,
      silhouette: quality?.silhouette ?? null,
      stability: stability?.agreement ?? null,
      found: sizes?.length ?? null,
      converged: converged ?? null,
    }),
  },
  embed: {
    command: embed,
    measures: ['f1 gap', 'f2 gap', 'first quotient', 'last quotient', 'converged'],
    measure: ({ gap, eigenvalues, converged }: Partial<EmbedReport>) => ({
      'f1 gap': gap?.f1 ?? null,
      'f2 gap': gap?.f2 ?? null,
      'first quotient': eigenvalues?.[0] ?? null,
      'last quotient': eigenvalues?.at(-1) ?? null,
      converged: converged ?? null,
    }),
  },
};

interface ClusterReport {
  readonly agreement: { readonly ari: number; readonly nmi: number; readonly accuracy: number };
  readonly quality: { readonly silhouette: number | null };
  readonly stability: { readonly agreement: number } | null;
  readonly sizes: readonly number[];
  readonly converged: boolean;
}

interface EmbedReport {
  readonly gap: { readonly f1: number; readonly f2: number } | null;
  readonly eigenvalues: readonly number[];
  readonly converged: boolean;
}

const [table, chart] = ['table.csv', 'chart.svg'];

/** What a plan states. */
interface SweepOptions {
  readonly command: string;
  readonly grid: readonly GridAxis[];
}

export const sweep: TaskKind = {
  operands: ['embed|cluster', 'FILE'],
  flags: ['grid', 'blocks'],
  async plan([name, path], { flags }) {
    if (!Object.hasOwn(swept, name)) {
      throw new UsageError(`expected ${oneOf(Object.keys(swept))} after sweep, got '${name}'.`);
    }
    if (flags.grid === undefined) throw new UsageError("expected --grid 'OPTION=VALUE,…; …', got none.");
    const { command } = swept[name];
    const grid = readGrid(flags.grid, name, command.flags);
    const points = pointsOf(grid);
    for (const point of points) argumentsAt(point, [path], command);
    return {
      inputs: [sampleFile('plan', '', resolve(path))],
      options: { command: name, grid: grid as unknown as Json },
      stages: [
        { name: 'runs', tasks: Math.min(points.length, flags.blocks ?? points.length) },
        { name: 'report', tasks: 1 },
      ],
    };
  },
  async work(job) {
    const { folder, stage, index } = job;
    const { command: name, grid } = folder.plan.options as unknown as SweepOptions;
    const points = pointsOf(grid);
    const count = folder.plan.stages[0].tasks;
    const pieceOf = (task: number): string => `runs-${numberOf(task + 1)}.json`;
    if (stage === 1) {
      const runs = Array.from({ length: count }, (_, task) => readRuns(folder.piece(pieceOf(task)))).flat();
      const { measures } = swept[name];
      writeText(folder.file(table), sweepTable(grid, measures, runs));
      writeText(folder.file(chart), sweepChart(`specnet ${name}`, grid, measures, runs));
      return [table, chart];
    }
    const [from, to] = [index, index + 1].map((i) => Math.floor((points.length * i) / count));
    const runs: SweepRun[] = [];
    for (const point of points.slice(from, to)) {
      job.call.progress.show(`run ${from + runs.length + 1} of ${points.length}`);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      runs.push(await runAt(point, swept[name], job));
    }
    writeText(folder.piece(pieceOf(index)), JSON.stringify(runs));
    return [folder.pieceName(pieceOf(index))];
  },
};

/** Runs the command at a point of the grid. A command that refuses its options is a line of the table, and no failure. */
async function runAt(
  point: GridPoint,
  { command, measure }: SweptCommand,
  { folder, call }: TaskJob,
): Promise<SweepRun> {
  const [{ name: path }] = folder.plan.inputs;
  let printed = '';
  const terminal: Terminal = {
    ...call.terminal,
    print: (text) => void (printed += text),
    note: () => undefined,
    interactive: false,
    colored: false,
  };
  const inner: Call = {
    ...argumentsAt(point, [path], command),
    terminal,
    progress: new Progress(terminal, true),
    seconds: call.seconds,
  };
  try {
    await command.run(inner);
  } catch (error) {
    if (!(error instanceof UsageError || isInputError(error))) throw error;
    return { point, measures: {}, problem: error.message };
  }
  return { point, measures: measure(JSON.parse(printed)), problem: '' };
}

function readRuns(path: string): SweepRun[] {
  return JSON.parse(readFileSync(path, 'utf8')) as SweepRun[];
}

function writeText(path: string, text: string): void {
  replaceFileSync('the file', path, new TextEncoder().encode(text));
}
