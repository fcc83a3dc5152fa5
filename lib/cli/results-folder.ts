/** Where do the jobs of a run lie, finished and half done? Each in a file of its own, whole or not there. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Done, Job, Outcome } from '../experiments/experiment.ts';
import { draftEnding, writeNow } from './output.ts';

/** Used by several threads at once: they write different files, or the same bytes. */
export class ResultsFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    for (const folder of [this.#jobs(), this.#shared()]) mkdirSync(folder, { recursive: true });
  }

  /** Everything that earlier runs have left to go on from. */
  forget(): void {
    for (const folder of [this.#jobs(), this.#shared()]) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder, { recursive: true });
    }
  }

  /** What a killed process was writing. */
  sweep(): void {
    for (const folder of [this.#jobs(), this.#shared()]) {
      for (const name of readdirSync(folder))
        if (name.endsWith(draftEnding)) rmSync(join(folder, name), { force: true });
    }
  }

  /** A job with the same name and another task is another job. */
  finished(job: Job): Done | undefined {
    const path = this.#fileOf(job, 'json');
    if (!existsSync(path)) return undefined;
    const done: Done = JSON.parse(readFileSync(path, 'utf8'));
    return sameTask(done, job) ? done : undefined;
  }

  finish({ kind, key, task }: Job, { numbers, seconds }: Outcome<unknown>): void {
    const text = `${JSON.stringify({ kind, key, task, numbers, seconds })}\n`;
    writeNow(this.#fileOf({ kind, key }, 'json'), new TextEncoder().encode(text));
    rmSync(this.#fileOf({ kind, key }, 'kept'), { force: true });
  }

  kept(job: Job): unknown {
    const path = this.#fileOf(job, 'kept');
    if (!existsSync(path)) return undefined;
    const { task, value } = deserialize(readFileSync(path));
    return sameTask({ task }, job) ? value : undefined;
  }

  keep(job: Job, value: unknown): void {
    writeNow(this.#fileOf(job, 'kept'), serialize({ task: job.task, value }));
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

export function sameTask(one: Pick<Job, 'task'>, other: Pick<Job, 'task'>): boolean {
  return JSON.stringify(one.task) === JSON.stringify(other.task);
}
