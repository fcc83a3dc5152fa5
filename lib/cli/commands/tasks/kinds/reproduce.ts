/** `specnet plan reproduce`: the replicas of the paper's experiments as tasks. The last one writes the report. */

import { existsSync } from 'node:fs';
import { draftPath } from '../../../../files/drafts.ts';
import { finishFolder } from '../../../../files/folder-draft.ts';
import type { Choices, Job } from '../../../../experiments/shared/experiment.ts';
import { experiments } from '../../../../experiments/table.ts';
import { numberOf, type RunFolder } from '../../../../tasks/run-folder.ts';
import type { Json } from '../../../../tasks/plan.ts';
import type { Call } from '../../../shared/command.ts';
import { Progress } from '../../../shared/terminal.ts';
import { nameOf, ResultsFolder } from '../../reproduce/results-folder.ts';
import { chooseExperiments, choicesFrom, runIn, workersModule } from '../../reproduce/reproduce.ts';
import { runJobs } from '../../reproduce/run.ts';
import type { TaskKind } from './kind.ts';

/** The folder of the report, as `specnet reproduce` writes it. */
const out = 'results';

/** The options in a plan. */
interface ReproduceOptions {
  readonly names: readonly string[];
  readonly choices: Choices;
}

export const reproduce: TaskKind = {
  operands: ['[NAME…]'],
  flags: ['quick', 'replicas', 'epochs', 'seed', 'blocks'],
  async plan(operands, { flags }) {
    const options: ReproduceOptions = { names: chooseExperiments(operands), choices: choicesFrom(flags) };
    const jobs = jobsOf(options).length;
    return {
      inputs: [],
      options: options as unknown as Record<string, Json>,
      stages: [
        { name: 'replicas', tasks: Math.min(jobs, flags.blocks ?? jobs) },
        { name: 'report', tasks: 1 },
      ],
    };
  },
  async work({ folder, stage, index, call }) {
    const options = folder.plan.options as unknown as ReproduceOptions;
    const tasks = folder.plan.stages[0].tasks;
    const jobs = jobsOf(options);
    if (stage === 1) {
      await writeReport(folder, options, jobs, tasks, call);
      return [`${out}/report.html`, `${out}/report.md`, ...options.names.map((name) => `${out}/${name}.json`)];
    }
    // Replicas are distributed in the order of their durations, so that tasks take about the same time.
    const own = jobs.filter((_, i) => i % tasks === index);
    await runJobs(own, {
      folder: ResultsFolder.share(folder.piece(partName(index))),
      threads: call.flags.threads,
      simd: !call.flags['no-simd'],
      module: workersModule,
      now: call.terminal.now,
      progress: ({ finished, jobs: all }) => call.progress.show(`${finished} of ${all} replicas`),
      outdated: () => undefined,
    });
    return own.map((job) => folder.pieceName(`${partName(index)}/${nameOf(job, 'json')}`));
  },
};

function partName(index: number): string {
  return `replicas-${numberOf(index + 1)}`;
}

/** The jobs of all experiments, each once, the longest first. */
function jobsOf({ names, choices }: ReproduceOptions): Job[] {
  const all = names.flatMap((name) => experiments[name].jobs(choices));
  const jobs = [...new Map(all.map((job) => [`${job.kind}.${job.key}`, job])).values()];
  return jobs.toSorted((a, b) => b.weight - a.weight);
}

/** Collects the replicas in a results folder, and writes the report there. */
async function writeReport(
  folder: RunFolder,
  { names, choices }: ReproduceOptions,
  jobs: readonly Job[],
  tasks: number,
  call: Call,
): Promise<void> {
  if (existsSync(folder.file(out))) return; // a process that was killed before it recorded the task
  const draft = draftPath(folder.piece(out));
  const results = ResultsFolder.prepare(draft);
  try {
    results.claimJobs(jobs);
    const parts = Array.from({ length: tasks }, (_, index) => new ResultsFolder(folder.piece(partName(index))));
    for (const [i, job] of jobs.entries()) {
      const { clock, ...outcome } = parts[i % tasks].finished(job)!;
      results.finish(job, outcome, clock);
    }
    const terminal = { ...call.terminal, print: () => undefined };
    const flags = { ...call.flags, resume: true as const };
    await runIn(results, names, choices, { ...call, flags, terminal, progress: new Progress(terminal, true) });
  } finally {
    results.close();
  }
  finishFolder('the folder', draft, folder.file(out));
}
