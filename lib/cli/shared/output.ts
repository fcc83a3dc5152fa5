/** How do results reach the disk? Whole or not at all: written beside their place first, then renamed to it. */

import { constants, renameSync, rmSync, writeFileSync } from 'node:fs';
import { access, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { writeCsv } from '../../formats/csv/write.ts';
import { writeNpyTensor } from '../../formats/numpy/npy-tensor.ts';
import { badValue } from '../../core/check.ts';
import type { Model } from '../../embedding/model/model.ts';
import { saveModel } from '../../embedding/model/model-file.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { writeMatrixMarket } from '../../formats/matrix-market/matrix-market.ts';
import { writeNpz } from '../../formats/numpy/npz.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { UsageError } from './arguments.ts';

/** The bytes of a file for each ending it may have. */
type Writers<T> = Readonly<Record<string, (value: T) => Promise<Uint8Array>>>;

export const matrixWriters: Writers<CsrMatrix> = {
  '.mtx': (matrix) => writeMatrixMarket(matrix),
  '.mtx.gz': (matrix) => writeMatrixMarket(matrix, { gzip: true }),
  '.npz': writeNpz,
};

/** Columns with a name each. */
export interface Table {
  readonly rows: Tensor;
  readonly names: readonly string[];
}

export const tableWriters: Writers<Table> = {
  '.csv': ({ rows, names }) => writeCsv({ points: rows, columnNames: names }),
  '.csv.gz': ({ rows, names }) => writeCsv({ points: rows, columnNames: names }, { gzip: true }),
  '.npy': async ({ rows }) => writeNpyTensor(rows),
};

export const modelWriters: Writers<Model> = { '.specnet': async (model) => saveModel(model) };

/** Models for programs in other languages, written already. */
export const onnxWriters: Writers<Uint8Array> = { '.onnx': async (bytes) => bytes };

/** A page is made to be looked at, in a browser. */
export const pageWriters: Writers<string> = { '.html': async (text) => new TextEncoder().encode(text) };

/**
 * What writes a value to `path`, or does nothing where no file was asked for. A name that means no format, or a folder
 * that cannot be written to, is refused now and not after the work.
 */
export async function prepareOutput<T>(
  path: string | undefined,
  writers: Writers<T>,
  flag = '--out',
): Promise<(value: T) => Promise<void>> {
  if (path === undefined) return async () => {};
  const endings = Object.keys(writers);
  const ending = endings.find((end) => path.toLowerCase().endsWith(end) && basename(path).length > end.length);
  if (!ending) throw new UsageError(`expected ${flag} with a name in ${endings.join(', ')}, got '${path}'.`);
  await checkFolder(flag, path);
  return async (value) => writeWhole(path, await writers[ending](value));
}

export async function checkFolder(flag: string, path: string): Promise<void> {
  await access(dirname(path), constants.W_OK).catch((error: Error) => {
    throw badValue(flag, 'a folder that can be written to', error.message);
  });
}

/** Interrupted or failed, it leaves what was there before and nothing beside it. */
export async function writeWhole(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const release = cleanUpOnInterrupt(path);
  try {
    await writeDraft(path, content);
  } finally {
    release();
  }
}

/** The same, for who writes again and again between `cleanUpOnInterrupt` and its end. */
export async function writeDraft(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(error as Error);
  }
}

/** `writeDraft` for who cannot wait: when it returns, the file is there. */
export function writeNow(path: string, content: Uint8Array): void {
  const draft = draftOf(path);
  try {
    writeFileSync(draft, content);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw unwritable(error as Error);
  }
}

function unwritable({ message }: Error): RangeError {
  return badValue('--out', 'a file that can be written', message);
}

/** From now until the result is called, a signal that ends the process takes the draft of `path` with it. */
export function cleanUpOnInterrupt(path: string): () => void {
  return onInterrupt(() => rmSync(draftOf(path), { force: true }));
}

/** From now until the result is called, a signal that ends the process lets this be done first. */
export function onInterrupt(clean: () => void): () => void {
  const interrupt = (signal: NodeJS.Signals): void => {
    clean();
    process.kill(process.pid, signal); // the handler is gone by now, and the signal ends the process as it would have
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  return () => {
    for (const signal of signals) process.off(signal, interrupt);
  };
}

/** Threads of one process may write the same file at once. */
function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${threadId}.draft`);
}

/** Is this the name of what some process was writing? */
export function isDraft(name: string): boolean {
  return /^\..+\.\d+\.\d+\.draft$/.test(name);
}
