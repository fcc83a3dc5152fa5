/** The folder of a run: its plan, a record for every task that is done, and the files that tasks pass to each other. */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { badValue } from '../core/check.ts';
import { sweepFolder } from '../files/drafts.ts';
import { checkRecord, type FileRecord, hasLength, recordFile, sampleFile } from '../files/records/file-record.ts';
import { isLock, lockFolder } from '../files/lock.ts';
import { type Owner, self, stateOf } from '../files/owner.ts';
import { isFolder } from '../files/read.ts';
import { readSealed, type SealedFormat, sealOf, writeSealed } from '../files/records/sealed-json.ts';
import { makeFolder } from '../files/write.ts';
import { countTasks, type Plan, type TaskPlace, tasksOfStage } from './plan.ts';

/** The plan in the folder. A folder without it is not a run. It is written last. */
export const planFile = 'specnet-run.json';

const planFormat: SealedFormat = {
  format: 'specnet-run',
  version: 1,
  otherVersion: 'Use the version of specnet that made the plan, or plan again in another folder.',
  damaged: 'Copy the folder again, or plan again in another folder.',
  longest: 2 ** 24,
};
const recordFormat: SealedFormat = {
  ...planFormat,
  format: 'specnet-task',
  damaged: 'Delete the file, and do its task again.',
};

/** 'running' tasks were begun by a process that may be alive. A task that was killed counts as waiting. */
export type TaskState = 'done' | 'running' | 'failed' | 'waiting';

/** Records belong to one plan, and carry the checksum of it. */
interface TaskRecord {
  readonly plan: string;
  readonly task: number;
}

interface DoneRecord extends TaskRecord {
  readonly outputs: readonly FileRecord[];
}

interface FailedRecord extends TaskRecord {
  readonly message: string;
}

interface BegunRecord extends TaskRecord {
  readonly owner: Owner;
}

/** Several processes use a folder at a time. They write different files, or the same bytes to the same file. */
export class RunFolder {
  readonly path: string;
  readonly plan: Plan;
  readonly #id: string;
  readonly #caller: string;

  private constructor(caller: string, path: string, plan: Plan) {
    this.#caller = caller;
    this.path = resolve(path);
    this.plan = plan;
    this.#id = sealOf(plan);
  }

  /** Writes a plan to a folder that is empty or does not exist. One that has the same plan already is opened. */
  static create(caller: string, path: string, plan: Plan): RunFolder {
    makeFolder('--out', path);
    const unlock = lockFolder('--out', path);
    try {
      const names = readdirSync(path).filter((name) => !isLock(name));
      if (names.includes(planFile)) {
        const found = RunFolder.open(caller, path);
        if (sealOf(found.plan) === sealOf(plan)) return found;
        const remedy = 'Choose another folder, or delete this one.';
        throw badValue(caller, 'a folder without a plan, or with the same one', `${path} with another plan`, remedy);
      }
      sweepFolder(path, [planFile], 'killed');
      const own: readonly string[] = Object.values(subfolders);
      const other = names.find((name) => !own.includes(name) && !name.endsWith('.draft'));
      if (other !== undefined) {
        const remedy = 'Choose an empty folder, or one that does not exist.';
        throw badValue(caller, 'a folder without other files', `${path} with ${other}`, remedy);
      }
      for (const name of Object.values(subfolders)) makeFolder('--out', join(path, name));
      writeSealed('--out', join(path, planFile), planFormat, plan);
      return new RunFolder(caller, path, plan);
    } finally {
      unlock();
    }
  }

  /** Opens the folder of a plan. */
  static open(caller: string, path: string): RunFolder {
    if (!isFolder(path) || !existsSync(join(path, planFile))) {
      throw badValue(caller, `a folder with ${planFile}`, path, 'specnet plan makes one.');
    }
    return new RunFolder(caller, path, readSealed(caller, join(path, planFile), planFormat) as Plan);
  }

  /** Refuses a plan of another version of the package, whose bits may differ. */
  checkVersion(version: string): void {
    if (this.plan.package === version) return;
    throw badValue(this.#caller, `a plan of specnet ${version}`, this.plan.package, planFormat.otherVersion);
  }

  /** The path of an output in the folder. */
  file(name: string): string {
    return join(this.path, name);
  }

  /** The path of a file that one stage writes and a later one reads. */
  piece(name: string): string {
    return join(this.path, subfolders.pieces, name);
  }

  /** A name in the folder for `piece`. */
  pieceName(name: string): string {
    return `${subfolders.pieces}/${name}`;
  }

  /** Whether all tasks are done. */
  get isComplete(): boolean {
    return tasksOfStage(this.plan, this.plan.stages.length - 1).every((task) => this.stateOf(task) === 'done');
  }

  stateOf(task: number): TaskState {
    const done = this.#doneRecord(task);
    if (done && (this.#isConsumed(task) || done.outputs.every((output) => hasLength(this.path, output)))) return 'done';
    const begun = this.#read<BegunRecord>(task, 'begun');
    if (begun && stateOf(begun.owner) !== 'dead') return 'running';
    return this.#read<FailedRecord>(task, 'failed') ? 'failed' : 'waiting';
  }

  /** Why a task failed. */
  failureOf(task: number): string {
    return this.#read<FailedRecord>(task, 'failed')?.message ?? '';
  }

  /** Refuses inputs that were changed since the plan was made. */
  checkInputs(): void {
    const remedy = 'Restore the file, or plan again in another folder.';
    for (const input of this.plan.inputs) checkRecord(this.#caller, '', input, sampleFile, remedy);
  }

  /**
   * Refuses a task as long as a task of an earlier stage is not done, or if an output of one is damaged. That task then
   * counts as not done.
   */
  checkEarlier({ stage }: TaskPlace): void {
    for (const earlier of this.plan.stages.keys()) {
      if (earlier >= stage) return;
      for (const task of tasksOfStage(this.plan, earlier)) this.#checkOutputs(task);
    }
  }

  #checkOutputs(task: number): void {
    const remedy = `Do task ${task} again: specnet work ${this.path} --task ${task}.`;
    const done = this.#doneRecord(task);
    if (!done) throw badValue(this.#caller, `task ${task} to be done before`, this.stateOf(task), remedy);
    try {
      for (const output of done.outputs) checkRecord(this.#caller, this.path, output, recordFile, remedy);
    } catch (error) {
      // Another process may have completed the run meanwhile, and deleted what is no longer needed.
      if (!this.isComplete) this.#remove(task, 'done');
      throw error;
    }
  }

  /** Notes that this process does a task, and deletes the drafts that killed processes left. */
  begin(task: number): void {
    for (const name of [subfolders.tasks, subfolders.pieces]) sweepFolder(join(this.path, name), 'all', 'killed');
    this.#write<BegunRecord>(task, 'begun', { owner: self });
  }

  /** Records a task as done, with all outputs that later stages or users read. They are on the disk. */
  finish({ task, stage }: TaskPlace, names: readonly string[]): void {
    const outputs = names.map((name) => recordFile(this.#caller, this.path, name));
    this.#write<DoneRecord>(task, 'done', { outputs });
    this.forgetBegin(task);
    if (stage === this.plan.stages.length - 1 && this.isComplete) this.deletePieces();
  }

  /** Records why a task failed. On a full disk there is no record. */
  fail(task: number, message: string): void {
    try {
      this.#write<FailedRecord>(task, 'failed', { message });
    } catch {
      // The message is printed in any case.
    }
    this.#remove(task, 'begun');
  }

  /** Forgets that a task was begun or failed, once it is done: a process that was killed just then has left that. */
  forgetBegin(task: number): void {
    for (const kind of ['begun', 'failed'] as const) this.#remove(task, kind);
  }

  /** Deletes what stages passed to each other, once all tasks are done, and what killed processes left. */
  deletePieces(): void {
    const folder = join(this.path, subfolders.pieces);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
    for (const name of ['', subfolders.tasks]) sweepFolder(join(this.path, name), 'all', 'killed');
  }

  /** The outputs of the last stage, relative to the folder. */
  results(): string[] {
    const last = tasksOfStage(this.plan, this.plan.stages.length - 1);
    return last.flatMap((task) => this.#doneRecord(task)?.outputs.map(({ name }) => name) ?? []);
  }

  /** The numbers of all tasks that are in a state. */
  tasksIn(...states: readonly TaskState[]): number[] {
    const all = Array.from({ length: countTasks(this.plan) }, (_, i) => i + 1);
    return all.filter((task) => states.includes(this.stateOf(task)));
  }

  /** Whether the outputs of a task were deleted, because later stages no longer need them. */
  #isConsumed(task: number): boolean {
    const last = tasksOfStage(this.plan, this.plan.stages.length - 1);
    return !last.includes(task) && this.isComplete;
  }

  #doneRecord(task: number): DoneRecord | undefined {
    return this.#read<DoneRecord>(task, 'done');
  }

  /** Undefined if there is none. Refuses one that is damaged or belongs to another plan. */
  #read<T extends TaskRecord>(task: number, kind: RecordKind): T | undefined {
    const path = this.#recordPath(task, kind);
    if (!existsSync(path)) return undefined;
    const record = readSealed(this.#caller, path, recordFormat) as T;
    if (record.plan === this.#id && record.task === task) return record;
    const got = `that of task ${record.task} of another plan`;
    throw badValue(this.#caller, `the record of task ${task} in ${path}`, got, recordFormat.damaged);
  }

  #write<T extends TaskRecord>(task: number, kind: RecordKind, content: Omit<T, keyof TaskRecord>): void {
    const record = { plan: this.#id, task, ...content };
    writeSealed('the record', this.#recordPath(task, kind), recordFormat, record);
  }

  #remove(task: number, kind: RecordKind): void {
    rmSync(this.#recordPath(task, kind), { force: true });
  }

  #recordPath(task: number, kind: RecordKind): string {
    return join(this.path, subfolders.tasks, `${numberOf(task)}.${kind}.json`);
  }
}

type RecordKind = 'done' | 'failed' | 'begun';

const subfolders = { tasks: 'tasks', pieces: 'pieces', logs: 'logs' } as const;

/** A number with leading zeros, for names of files. */
export function numberOf(task: number): string {
  return String(task).padStart(5, '0');
}
