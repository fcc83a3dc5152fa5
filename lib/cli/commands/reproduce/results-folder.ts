/** Where do the jobs of a run lie, finished and half done? Each in a file of its own, whole or not there. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import {
  type Clock,
  type Done,
  type Job,
  fileFormat,
  type Outcome,
  sameTask,
} from '../../../experiments/shared/experiment.ts';
import { badValue } from '../../../core/check.ts';
import { isDraft, writeNow } from '../../shared/output.ts';

interface Kept {
  readonly format: number;
  readonly task: Job['task'];
  readonly value: unknown;
}

/** Used by several threads at once: they write different files, or the same bytes. */
export class ResultsFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    for (const folder of [this.#jobs(), this.#shared()]) makeFolder(folder);
  }

  /** Everything that earlier runs have left to go on from. A folder with files of somebody else is refused, and left as it is. */
  forget(): void {
    const files = [...filesIn(this.#jobs(), jobName), ...filesIn(this.#shared(), sharedName)];
    for (const path of files) rmSync(path);
  }

  /** What a killed process was writing. */
  sweep(): void {
    for (const folder of [this.#jobs(), this.#shared()]) {
      for (const name of readdirSync(folder)) if (isDraft(name)) rmSync(join(folder, name), { force: true });
    }
  }

  /** A job with the same name and another task is another job. */
  finished(job: Job): Done | undefined {
    const path = this.#fileOf(job, 'json');
    if (!existsSync(path)) return undefined;
    const { format, ...done } = readWhole(
      path,
      (bytes) => JSON.parse(bytes.toString('utf8')) as Done & { format: number },
    );
    return format === fileFormat && sameTask(done, job) ? done : undefined;
  }

  finish({ kind, key, task }: Job, { numbers, seconds }: Outcome<unknown>, clock: Clock): void {
    const text = `${JSON.stringify({ format: fileFormat, kind, key, task, clock, numbers, seconds })}\n`;
    writeNow(this.#fileOf({ kind, key }, 'json'), new TextEncoder().encode(text));
    rmSync(this.#fileOf({ kind, key }, 'kept'), { force: true });
  }

  kept(job: Job): unknown {
    const path = this.#fileOf(job, 'kept');
    if (!existsSync(path)) return undefined;
    const { format, task, value } = readWhole(path, (bytes) => deserialize(bytes) as Kept);
    return format === fileFormat && sameTask({ task }, job) ? value : undefined;
  }

  keep(job: Job, value: unknown): void {
    writeNow(this.#fileOf(job, 'kept'), serialize({ format: fileFormat, task: job.task, value } satisfies Kept));
  }

  /** Whether there is a file in this job's name that is of no use to it: of another version, or of other settings. */
  outdated(job: Job): boolean {
    if (this.finished(job)) return false;
    const half = existsSync(this.#fileOf(job, 'kept'));
    return half ? this.kept(job) === undefined : existsSync(this.#fileOf(job, 'json'));
  }

  async shared(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const path = join(this.#shared(), name);
    if (!existsSync(path)) writeNow(path, await make());
    return new Uint8Array(readFileSync(path));
  }

  #jobs(): string {
    return join(this.path, 'jobs');
  }

  #shared(): string {
    return join(this.path, 'shared');
  }

  #fileOf({ kind, key }: Pick<Job, 'kind' | 'key'>, ending: string): string {
    return join(this.#jobs(), `${kind}.${key}.${ending}`);
  }
}

/** How a run calls its files; what is shared depends on a seed at least, which is in its name. */
const jobName = /^[a-z\d-]+\.[a-z\d-]+\.(json|kept)$/;
const sharedName = /^[a-z-]+(-\d+)+(-[a-z]+)?$/;

/** Throws where one has another name. */
function filesIn(folder: string, own: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile() && (own.test(entry.name) || isDraft(entry.name))) return path;
    const remedy = 'A new run deletes what is in it: choose another folder, or --resume.';
    throw badValue('--out', 'a folder without files of others', path, remedy);
  });
}

/** One by one: where a system makes no folder, as in /proc, Node's own recursion does not end. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another thread may have been quicker.
    if (existsSync(path)) return;
    throw badValue('--out', 'a folder that can be written to', (error as Error).message);
  }
}

/** Files are written whole; one that cannot be read was changed by somebody else, and nothing is made of it. */
function readWhole<T>(path: string, from: (bytes: Buffer) => T): T {
  const remedy = 'Delete it, and its replica is computed again.';
  try {
    return from(readFileSync(path));
  } catch (error) {
    throw badValue('reproduce', `${path} as it was written`, (error as Error).message.replace(/\.$/, ''), remedy);
  }
}
