/** The outputs of a command: their formats, and the checks that precede the work. */

import { basename } from 'node:path';
import { writeCsv } from '../../formats/csv/write.ts';
import type { Dataset } from '../../formats/dataset.ts';
import { writeNpyTensor } from '../../formats/numpy/npy-tensor.ts';
import type { Model } from '../../embedding/model/model.ts';
import { saveModel } from '../../embedding/model/model-file.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { writeMatrixMarket } from '../../formats/matrix-market/matrix-market.ts';
import { writeNpz } from '../../formats/numpy/npz.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { conflictOf, type Destination, destinationOf, identityOf } from '../../files/destination.ts';
import { openOutput, writeOutput } from '../../files/write.ts';
import { UsageError } from './arguments.ts';
import { type FlagName, type Flags, outputFlags, sourceFlags } from '../flags/flags.ts';

/** For each file extension, a function that encodes a value as the bytes of a file. */
type Writers<T> = Readonly<Record<string, (value: T) => Promise<Uint8Array>>>;

export const matrixWriters: Writers<CsrMatrix> = {
  '.mtx': (matrix) => writeMatrixMarket(matrix),
  '.mtx.gz': (matrix) => writeMatrixMarket(matrix, { gzip: true }),
  '.npz': writeNpz,
};

/** Rows of numbers with named columns. CSV files carry ids and labels along. */
export interface Table extends Pick<Dataset, 'ids' | 'idColumn' | 'labels' | 'labelNames' | 'labelColumn'> {
  readonly rows: Tensor;
  readonly names: readonly string[];
}

export const tableWriters: Writers<Table> = {
  '.csv': ({ rows, names, ...rest }) => writeCsv({ points: rows, columnNames: names, ...rest }),
  '.csv.gz': ({ rows, names, ...rest }) => writeCsv({ points: rows, columnNames: names, ...rest }, { gzip: true }),
  '.npy': async ({ rows }) => writeNpyTensor(rows),
};

export const modelWriters: Writers<Model> = { '.specnet': async (model) => saveModel(model) };

/** ONNX models, which are already bytes. */
export const onnxWriters: Writers<Uint8Array> = { '.onnx': async (bytes) => bytes };

/** Pictures, drawn in the format of the extension. */
export const plotWriters: Writers<(format: 'html' | 'svg') => string> = {
  '.html': async (draw) => new TextEncoder().encode(draw('html')),
  '.svg': async (draw) => new TextEncoder().encode(draw('svg')),
};

/** Reports as JSON. */
export const reportWriters: Writers<object> = {
  '.json': async (report) => new TextEncoder().encode(`${JSON.stringify(report)}\n`),
};

/** HTML pages. */
export const pageWriters: Writers<string> = { '.html': async (text) => new TextEncoder().encode(text) };

/**
 * A function that writes a value to `path` and returns the path, or does nothing if it is undefined. An unknown extension and a file that
 * cannot be written are rejected here, before the computation starts. A pipe or device without an extension receives the
 * first format of the table.
 */
export async function prepareOutput<T>(
  path: string | undefined,
  writers: Writers<T>,
  flag = '--out',
): Promise<(value: T) => Promise<string | undefined>> {
  if (path === undefined) return async () => undefined;
  const endings = Object.keys(writers);
  const ending =
    endings.find((end) => path.toLowerCase().endsWith(end) && basename(path).length > end.length) ??
    (isSpecial(path) ? endings[0] : undefined);
  if (!ending) throw new UsageError(`expected ${flag} to end in ${endings.join(', ')}, got '${path}'.`);
  const output = openOutput(flag, path);
  return async (value) => {
    await writeOutput(output, await writers[ending](value));
    return path;
  };
}

/** Runs all writes, also after one has failed. The error then names the files that were written. */
export async function writeAll(writes: readonly (() => Promise<string | undefined>)[]): Promise<void> {
  const [written, problems]: [string[], Error[]] = [[], []];
  for (const write of writes) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- in order, so that messages have one too
      const path = await write();
      if (path !== undefined) written.push(path);
    } catch (error) {
      problems.push(error as Error);
    }
  }
  if (problems.length === 0) return;
  const [first, ...others] = problems;
  const rest = others.map(({ message }) => ` Also ${message.replace(/^\w+: /, '')}`).join('');
  first.message += `${rest}${written.length === 0 ? '' : ` ${written.join(' and ')} was written.`}`;
  throw first;
}

/**
 * Refuses an output that is an input or another output, or is inside the folder of an input, by whatever path; and for a command that
 * writes a folder, one that contains an input.
 */
export function checkOutputs(inputs: readonly string[], flags: Flags, writesFolder: boolean): void {
  const others = inputs.map((path) => ({ path, what: `the input '${path}'` }));
  const nameFlag = (name: FlagName, path: string) => ({ path, what: `--${name} '${path}'` });
  for (const name of sourceFlags) if (flags[name] !== undefined) others.push(nameFlag(name, flags[name]));
  for (const name of outputFlags) {
    const path = flags[name];
    if (path === undefined || isNullDevice(path)) continue;
    for (const { path: other, what } of others) {
      const found = conflictOf(`--${name}`, path, what, other);
      if (!found || (found.kind === 'around' && !writesFolder)) continue;
      throw new UsageError(`expected ${found.rule}, got ${found.got}.`);
    }
    others.push(nameFlag(name, path));
  }
}

/** Whether an output goes to standard output, which then has no room for a report. */
export function usesStandardOutput(flags: Flags): boolean {
  return outputFlags.some((name) => {
    const path = flags[name];
    const found = path === undefined ? undefined : whereTo(path);
    return found?.kind === 'descriptor' && found.descriptor === 1;
  });
}

function isSpecial(path: string): boolean {
  return (whereTo(path)?.kind ?? 'file') !== 'file';
}

/** Undefined for a path that leads nowhere. */
function whereTo(path: string): Destination | undefined {
  try {
    return destinationOf(path);
  } catch {
    return undefined;
  }
}

/** Nothing is lost if two outputs go there. */
function isNullDevice(path: string): boolean {
  return identityOf(path) === identityOf('/dev/null');
}
