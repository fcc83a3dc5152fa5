/** The folder with the jobs of a run: one file per finished job, one per interrupted job, and data that jobs share. */

import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import {
  type Clock,
  type FinishedJob,
  type Job,
  fileFormat,
  type Outcome,
  sameTask,
  stateFormat,
} from '../../../experiments/shared/experiment.ts';
import { badValue } from '../../../core/check.ts';
import { checksum } from '../../../files/checksum.ts';
import { lockFolder } from '../../../files/lock.ts';
import { FileList } from './file-list.ts';

type NamedJob = Pick<Job, 'kind' | 'key'>;

interface SavedState {
  readonly format: number;
  readonly task: Job['task'];
  readonly value: unknown;
}

interface FinishedFile extends FinishedJob {
  readonly format: number;
  /** Of the JSON text without this field. */
  readonly checksum: string;
}

/** Several threads use a folder concurrently. They write different files, or the same bytes to the same file. */
export class ResultsFolder {
  readonly path: string;
  readonly files: FileList;
  #unlock = (): void => undefined;

  /** A folder that was prepared, for the threads of a run. */
  constructor(path: string) {
    this.path = path;
    this.files = new FileList(path);
  }

  /** Makes the folder and locks it. Refuses one that is not a results folder, and one in which another process works. */
  static prepare(path: string): ResultsFolder {
    const folder = new ResultsFolder(path);
    folder.files.openFolder();
    folder.#unlock = lockFolder('--out', path);
    try {
      folder.files.prepare(['jobs', 'shared']);
    } catch (error) {
      folder.close();
      throw error;
    }
    return folder;
  }

  /** Makes the folder without a lock: several processes that use it write the same bytes to the same files. */
  static share(path: string): ResultsFolder {
    const folder = new ResultsFolder(path);
    folder.files.openFolder();
    folder.files.prepare(['jobs', 'shared']);
    return folder;
  }

  /** Lets another run use the folder. */
  close(): void {
    this.#unlock();
  }

  /** Deletes the jobs of earlier runs and what they share. */
  deleteJobs(): void {
    this.files.delete((name) => name.includes('/'));
  }

  /** Names the files of the jobs in the list of the folder. */
  claimJobs(jobs: readonly NamedJob[]): void {
    this.files.claim(jobs.flatMap((job) => [nameOf(job, 'json'), nameOf(job, 'kept')]));
  }

  /** The result of a job. Undefined if there is none, or if the task in its file differs. */
  finished(job: Job): FinishedJob | undefined {
    const file = this.#read(nameOf(job, 'json'), parseJob);
    if (file?.format !== fileFormat || !sameTask(file, job)) return undefined;
    const { format: _format, checksum: _checksum, ...finishedJob } = file;
    return finishedJob;
  }

  finish({ kind, key, task }: Job, { numbers, seconds }: Outcome<unknown>, clock: Clock): void {
    const text = formatJob({ format: fileFormat, kind, key, task, clock, numbers, seconds });
    this.files.write(nameOf({ kind, key }, 'json'), new TextEncoder().encode(text));
    this.files.delete((name) => name === nameOf({ kind, key }, 'kept'));
  }

  /** Deletes the states of jobs that are finished: a run may have been killed between the two. */
  deleteStates(finishedJobs: readonly NamedJob[]): void {
    const names = new Set(finishedJobs.map((job) => nameOf(job, 'kept')));
    this.files.delete((name) => names.has(name));
  }

  /** The state that an interrupted job has saved last. Undefined if there is none, or if the task in its file differs. */
  savedState(job: Job): unknown {
    const file = this.#read(nameOf(job, 'kept'), (bytes) => deserialize(unseal(bytes)) as SavedState);
    return file?.format === stateFormat && sameTask(file, job) ? file.value : undefined;
  }

  saveState(job: Job, value: unknown): void {
    const state: SavedState = { format: stateFormat, task: job.task, value };
    this.files.write(nameOf(job, 'kept'), seal(serialize(state)));
  }

  /** Whether the job has a file that cannot be used, because it is from another version or has other settings. */
  outdated(job: Job): boolean {
    if (this.finished(job)) return false;
    const hasState = this.files.read(nameOf(job, 'kept')) !== undefined;
    return hasState ? this.savedState(job) === undefined : this.files.read(nameOf(job, 'json')) !== undefined;
  }

  /** The shared bytes of this name. The first caller computes and writes them. */
  async shared(name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const file = `shared/${name}`;
    const found = this.#read(file, unseal);
    if (found) return found;
    const bytes = await compute();
    this.files.claim([file]);
    this.files.write(file, seal(bytes));
    return bytes;
  }

  /** Decodes a file. Files are written as a whole, so one that cannot be decoded was damaged afterwards. */
  #read<T>(name: string, decode: (bytes: Buffer) => T): T | undefined {
    const bytes = this.files.read(name);
    if (!bytes) return undefined;
    try {
      return decode(bytes);
    } catch (error) {
      const problem = (error as Error).message.replace(/\.$/, '');
      const remedy = 'Delete the file to recompute its replica.';
      throw badValue('reproduce', `${join(this.path, name)} to be undamaged`, problem, remedy);
    }
  }
}

/** The name of a file of a job, relative to the folder. */
export function nameOf({ kind, key }: NamedJob, ending: 'json' | 'kept'): string {
  return `jobs/${kind}.${key}.${ending}`;
}

function formatJob(job: object): string {
  const text = JSON.stringify(job);
  return `{"checksum":"${checksum(text)}",${text.slice(1)}\n`;
}

/** Refuses a file that was changed. That of another version may have another checksum. */
function parseJob(bytes: Buffer): FinishedFile {
  const text = bytes.toString('utf8');
  const job = JSON.parse(text) as FinishedFile | null;
  if (typeof job !== 'object' || job === null) throw new Error(`${JSON.stringify(job)} instead of a job`);
  const { checksum: _checksum, ...rest } = job;
  if (job.format === fileFormat && text !== formatJob(rest)) throw new Error('a wrong checksum');
  return job;
}

/** The bytes after their checksum, as eight hexadecimal digits. */
function seal(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(checksum(bytes)), bytes]);
}

function unseal(bytes: Buffer): Uint8Array {
  const content = new Uint8Array(bytes.subarray(8));
  if (bytes.toString('latin1', 0, 8) !== checksum(content)) throw new Error('a wrong checksum');
  return content;
}
