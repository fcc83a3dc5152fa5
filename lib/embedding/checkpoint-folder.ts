/** A folder with the state of a training on files: parameters and moments in one file, all rows in another. */

import { badValue } from '../core/check.ts';
import type { RandomState } from '../core/random.ts';
import { fill, GrowingFile } from '../files/pieces/growing-file.ts';
import { type FileRecord, checkRecord, recordFile } from '../files/records/file-record.ts';
import { sweepFolder } from '../files/drafts.ts';
import { namesIn, pathIn, readWhole, removeFile } from '../files/listing.ts';
import { isLock, lockFolder } from '../files/lock.ts';
import { FileReader } from '../files/read.ts';
import { makeFolder, replaceFileSync } from '../files/write.ts';
import type { OptimizerState } from '../network/optimizer/optimizer.ts';
import type { Checkpoints, SavedTraining } from '../spectral/stored/train-stored.ts';
import type { TrainingState } from '../spectral/train/options.ts';
import type { RowFile } from '../storage/fit/row-file.ts';
import { Tensor } from '../tensor/tensor.ts';
import { readTensorFile, type TensorFile, writeTensorFile } from './model/tensor-file.ts';

const stateFile = 'training.specnet';
const rowsName = /^rows-\d+\.part$/;
const content = 'stored training';
const flag = 'checkpoint';
const remedy = 'Choose another folder, or delete this one.';
const trainAgain = 'Delete the folder of the checkpoint, and train again.';
/** The bytes that are copied at a time. */
const pieceBytes = 1 << 20;

interface Facts extends Pick<TrainingState, 'epoch' | 'method' | 'scheme' | 'graph' | 'settings' | 'flops'> {
  /** The inputs and options of the training, as JSON. Another training cannot continue it. */
  readonly plan: string;
  readonly step: number;
  readonly random: RandomState;
  readonly optimizer: Pick<OptimizerState, 'kind' | 'steps'>;
  /** The number of tensors that are parameters. Then come the moments of the optimizer, and YᵀDY and ηᵀY. */
  readonly parameters: number;
  readonly rows: FileRecord | null;
}

/** A state is complete once its file has its name. The rows of the state before are deleted after that. */
export class CheckpointFolder implements Checkpoints {
  readonly folder: string;
  readonly #caller: string;
  readonly #plan: string;
  readonly #unlock: () => void;
  #count = 0;

  /** Makes the folder if there is none, and locks it. `plan` has what the bits depend on. */
  constructor(caller: string, folder: string, plan: unknown) {
    this.#caller = caller;
    this.folder = folder;
    this.#plan = JSON.stringify(plan);
    makeFolder(flag, folder);
    this.#unlock = lockFolder(flag, folder);
    try {
      sweepFolder(folder, 'all', 'killed');
      const other = namesIn(folder).find((name) => !isLock(name) && name !== stateFile && !rowsName.test(name));
      if (other !== undefined)
        throw badValue(caller, 'a folder without other files', `${folder} with ${other}`, remedy);
    } catch (error) {
      this.#unlock();
      throw error;
    }
  }

  restore(rows: RowFile | null): SavedTraining | null {
    const path = pathIn(this.folder, stateFile);
    if (!namesIn(this.folder).includes(stateFile)) {
      this.#removeRows(null);
      return null;
    }
    const { facts, tensors } = this.#read(path);
    if (facts.plan !== this.#plan) {
      const rule = 'the checkpoint of the same training, of the same graph, points and options';
      throw badValue(this.#caller, rule, this.folder, remedy);
    }
    this.#removeRows(facts.rows?.name ?? null);
    if (facts.rows && rows) this.#copyBack(facts.rows, rows);
    return savedOf(facts, tensors);
  }

  save({ state, record }: SavedTraining, rows: RowFile | null): void {
    const name = rows && `rows-${++this.#count}.part`;
    const { epoch, step = 0, method, scheme, graph, settings, flops, random, parameters, optimizer } = state;
    const facts: Facts = {
      plan: this.#plan,
      epoch,
      step,
      method,
      scheme,
      graph,
      settings,
      random,
      parameters: parameters.length,
      ...(flops !== undefined && { flops }),
      optimizer: { kind: optimizer.kind, steps: optimizer.steps },
      rows: rows && this.#copy(rows, name!),
    };
    const moments = [record.gram, record.mean].map((numbers) => new Tensor(numbers, [numbers.length]));
    const tensors = [...parameters, ...optimizer.moments, ...moments];
    const bytes = writeTensorFile(this.#caller, content, facts, tensors, null);
    replaceFileSync(flag, pathIn(this.folder, stateFile), bytes);
    this.#removeRows(name);
  }

  /** Unlocks the folder. What it has stays, so that the same call need not train again. */
  close(): void {
    this.#unlock();
  }

  #read(path: string): TensorFile<Facts> {
    const bytes = readWhole(this.#caller, path);
    try {
      return readTensorFile<Facts>(this.#caller, content, bytes, null);
    } catch (cause) {
      const got = 'a damaged file, or one of another version';
      throw Object.assign(badValue(this.#caller, `a checkpoint in ${path}`, got, trainAgain), { cause });
    }
  }

  #copy(rows: RowFile, name: string): FileRecord {
    fill(new GrowingFile(flag, pathIn(this.folder, name)), (file) => rows.forEachPiece((bytes) => file.append(bytes)));
    return recordFile(this.#caller, this.folder, name);
  }

  #copyBack(record: FileRecord, rows: RowFile): void {
    checkRecord(this.#caller, this.folder, record, recordFile, trainAgain);
    this.#count = Number(/\d+/.exec(record.name)![0]);
    const reader = new FileReader(this.#caller, pathIn(this.folder, record.name));
    try {
      if (reader.size !== rows.bytes)
        throw badValue(this.#caller, `${rows.bytes} bytes in ${reader.path}`, reader.size);
      for (let at = 0; at < reader.size; at += pieceBytes) {
        const piece = new Uint8Array(Math.min(pieceBytes, reader.size - at));
        reader.read(piece, at);
        rows.restore(piece, at);
      }
    } finally {
      reader.close();
    }
  }

  #removeRows(except: string | null): void {
    for (const name of namesIn(this.folder)) {
      if (rowsName.test(name) && name !== except) removeFile(pathIn(this.folder, name));
    }
  }
}

function savedOf(facts: Facts, tensors: readonly Tensor[]): SavedTraining {
  const { plan: _plan, parameters, optimizer, rows: _rows, ...state } = facts;
  const [gram, mean] = tensors.slice(-2).map(({ data }) => Float64Array.from(data));
  return {
    state: {
      ...state,
      parameters: tensors.slice(0, parameters),
      optimizer: { ...optimizer, moments: tensors.slice(parameters, -2) },
      rows: null,
    },
    record: { gram, mean },
  };
}
