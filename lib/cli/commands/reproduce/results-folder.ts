/** The folder with the jobs of a run: one file per finished job, one per interrupted job, and data that jobs share. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import {
  type Clock,
  type FinishedJob,
  type Job,
  fileFormat,
  type Outcome,
  sameTask,
} from '../../../experiments/shared/experiment.ts';
import { badValue } from '../../../core/check.ts';
import { isDraft, replaceFileSync } from '../../shared/output.ts';

interface SavedState {
  readonly format: number;
  readonly task: Job['task'];
  readonly value: unknown;
}

/** Several threads use a folder concurrently. They write different files, or the same bytes to the same file. */
export class ResultsFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    for (const folder of [this.#jobFolder(), this.#sharedFolder()]) makeFolder(folder);
  }

  /** Deletes the jobs of earlier runs. A folder with other files is rejected and left unchanged. */
  deleteJobs(): void {
    const files = [...filesIn(this.#jobFolder(), jobName), ...filesIn(this.#sharedFolder(), sharedName)];
    for (const path of files) rmSync(path);
  }

  /** Deletes the drafts of killed processes. */
  deleteDrafts(): void {
    for (const folder of [this.#jobFolder(), this.#sharedFolder()]) {
      for (const name of readdirSync(folder)) if (isDraft(name)) rmSync(join(folder, name), { force: true });
    }
  }

  /** The result of a job. Undefined if there is none, or if the task in its file differs. */
  finished(job: Job): FinishedJob | undefined {
    const path = this.#fileOf(job, 'json');
    if (!existsSync(path)) return undefined;
    const { format, ...finishedJob } = readJobFile(
      path,
      (bytes) => JSON.parse(bytes.toString('utf8')) as FinishedJob & { format: number },
    );
    return format === fileFormat && sameTask(finishedJob, job) ? finishedJob : undefined;
  }

  finish({ kind, key, task }: Job, { numbers, seconds }: Outcome<unknown>, clock: Clock): void {
    const text = `${JSON.stringify({ format: fileFormat, kind, key, task, clock, numbers, seconds })}\n`;
    replaceFileSync(this.#fileOf({ kind, key }, 'json'), new TextEncoder().encode(text));
    rmSync(this.#fileOf({ kind, key }, 'kept'), { force: true });
  }

  /** The state that an interrupted job has saved last. Undefined if there is none, or if the task in its file differs. */
  savedState(job: Job): unknown {
    const path = this.#fileOf(job, 'kept');
    if (!existsSync(path)) return undefined;
    const { format, task, value } = readJobFile(path, (bytes) => deserialize(bytes) as SavedState);
    return format === fileFormat && sameTask({ task }, job) ? value : undefined;
  }

  saveState(job: Job, value: unknown): void {
    replaceFileSync(
      this.#fileOf(job, 'kept'),
      serialize({ format: fileFormat, task: job.task, value } satisfies SavedState),
    );
  }

  /** Whether the job has a file that cannot be used, because it is from another version or has other settings. */
  outdated(job: Job): boolean {
    if (this.finished(job)) return false;
    const hasState = existsSync(this.#fileOf(job, 'kept'));
    return hasState ? this.savedState(job) === undefined : existsSync(this.#fileOf(job, 'json'));
  }

  /** The shared bytes of this name. The first caller computes and writes them. */
  async shared(name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const path = join(this.#sharedFolder(), name);
    if (!existsSync(path)) replaceFileSync(path, await compute());
    return new Uint8Array(readFileSync(path));
  }

  #jobFolder(): string {
    return join(this.path, 'jobs');
  }

  #sharedFolder(): string {
    return join(this.path, 'shared');
  }

  #fileOf({ kind, key }: Pick<Job, 'kind' | 'key'>, ending: string): string {
    return join(this.#jobFolder(), `${kind}.${key}.${ending}`);
  }
}

/** The file names of jobs and of shared data. The latter contain at least a seed. */
const jobName = /^[a-z\d-]+\.[a-z\d-]+\.(json|kept)$/;
const sharedName = /^[a-z-]+(-\d+)+(-[a-z]+)?$/;

/** The paths of all files in the folder. Throws if a name does not match. */
function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile() && (pattern.test(entry.name) || isDraft(entry.name))) return path;
    const remedy = 'A new run deletes the files in this folder. Choose another folder, or use --resume.';
    throw badValue('--out', 'a folder that holds only files of earlier runs', path, remedy);
  });
}

/** Creates the folder and its parents. Node's own recursive option hangs where no folder can be created, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another thread may have created it first.
    if (existsSync(path)) return;
    throw badValue('--out', 'a folder that can be written to', (error as Error).message);
  }
}

/** Reads a job file. Files are written atomically, so one that cannot be decoded was damaged afterwards. */
function readJobFile<T>(path: string, decode: (bytes: Buffer) => T): T {
  const remedy = 'Delete the file to recompute its replica.';
  try {
    return decode(readFileSync(path));
  } catch (error) {
    throw badValue('reproduce', `${path} to be undamaged`, (error as Error).message.replace(/\.$/, ''), remedy);
  }
}
