/** Writes result files atomically: to a draft in the same folder, which is then renamed. */

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

/** For each file extension, a function that encodes a value as the bytes of a file. */
type Writers<T> = Readonly<Record<string, (value: T) => Promise<Uint8Array>>>;

export const matrixWriters: Writers<CsrMatrix> = {
  '.mtx': (matrix) => writeMatrixMarket(matrix),
  '.mtx.gz': (matrix) => writeMatrixMarket(matrix, { gzip: true }),
  '.npz': writeNpz,
};

/** Rows of numbers with named columns. */
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

/** ONNX models, which are already bytes. */
export const onnxWriters: Writers<Uint8Array> = { '.onnx': async (bytes) => bytes };

/** HTML pages. */
export const pageWriters: Writers<string> = { '.html': async (text) => new TextEncoder().encode(text) };

/**
 * A function that writes a value to `path`, or does nothing if `path` is undefined. An unknown extension and a folder
 * without write permission are rejected here, before the computation starts.
 */
export async function prepareOutput<T>(
  path: string | undefined,
  writers: Writers<T>,
  flag = '--out',
): Promise<(value: T) => Promise<void>> {
  if (path === undefined) return async () => {};
  const endings = Object.keys(writers);
  const ending = endings.find((end) => path.toLowerCase().endsWith(end) && basename(path).length > end.length);
  if (!ending) throw new UsageError(`expected ${flag} to end in ${endings.join(', ')}, got '${path}'.`);
  await checkFolder(flag, path);
  return async (value) => writeAtomically(path, await writers[ending](value));
}

export async function checkFolder(flag: string, path: string): Promise<void> {
  await access(dirname(path), constants.W_OK).catch((error: Error) => {
    throw badValue(flag, 'a folder that can be written to', error.message);
  });
}

/** Writes a file atomically. A failure or an interruption leaves the old file and removes the draft. */
export async function writeAtomically(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const release = cleanUpOnInterrupt(path);
  try {
    await replaceFile(path, content);
  } finally {
    release();
  }
}

/** `writeAtomically` without the signal handler, for callers that keep one installed over several writes. */
export async function replaceFile(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const draft = draftPath(path);
  try {
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(error as Error);
  }
}

/** Synchronous `replaceFile`. */
export function replaceFileSync(path: string, content: Uint8Array): void {
  const draft = draftPath(path);
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

/** Installs a signal handler that deletes the draft of `path`. Returns a function that removes the handler. */
export function cleanUpOnInterrupt(path: string): () => void {
  return onInterrupt(() => rmSync(draftPath(path), { force: true }));
}

/** Installs a handler that runs `clean` before a signal ends the process. Returns a function that removes the handler. */
export function onInterrupt(clean: () => void): () => void {
  const interrupt = (signal: NodeJS.Signals): void => {
    clean();
    process.kill(process.pid, signal); // `once` has removed the handler, so the signal now ends the process
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  return () => {
    for (const signal of signals) process.off(signal, interrupt);
  };
}

/** The name contains the thread id because several threads of one process may write the same file. */
function draftPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${threadId}.draft`);
}

/** Whether this is the name of a draft, of this or of another process. */
export function isDraft(name: string): boolean {
  return /^\..+\.\d+\.\d+\.draft$/.test(name);
}
