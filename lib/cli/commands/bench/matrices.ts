/** The matrices of a benchmark: files, folders of files, stored graphs and generated matrices. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import { badValue } from '../../../core/check.ts';
import { isFolder } from '../../../files/read.ts';
import { generateMatrix, type MatrixName, matrixNames, matrixSizes } from '../../../matrices/catalog.ts';
import type { CsrMatrix } from '../../../sparse/csr.ts';
import { headerFile } from '../../../storage/graph/graph-header.ts';
import { isInputError, UsageError } from '../../shared/arguments.ts';
import type { Call } from '../../shared/command.ts';
import { isSparseFile, nameFileInErrors, readSparse } from '../../shared/input.ts';
import { readStoredGraph } from '../../shared/stored.ts';

/** A matrix that is opened just before it is measured. */
export interface MatrixSource {
  /** The name in the report. */
  readonly name: string;
  /** Where it is; the name of a generated one. */
  readonly path: string;
  /** Whether it was only found in a folder, and is left out if it cannot be measured. */
  readonly isFound?: boolean;
  open(call: Call): Promise<CsrMatrix>;
}

const names: readonly string[] = matrixNames();

/**
 * The matrices that operands and --set name, each once. Files of one name in several folders are called by their paths. Refuses names
 * of nothing before a file is opened.
 */
export function findMatrices(operands: readonly string[], set: string | undefined): MatrixSource[] {
  const size = matrixSizes.find((each) => each === set);
  const generated = set === undefined ? [] : matrixNames(size);
  if (operands.length + generated.length === 0) {
    throw new UsageError('expected matrices or --set, got nothing.');
  }
  const sources = [...operands.flatMap(sourcesOf), ...generated.map(generatedSource)];
  const different = sources.filter(({ path }, i) => sources.findIndex((other) => other.path === path) === i);
  return different.map(({ name, path, open }) => ({
    name: different.filter((other) => other.name === name).length > 1 ? path : name,
    path,
    isFound: sources.every((other) => other.path !== path || other.isFound),
    open,
  }));
}

/** Opens a matrix. One in a folder that cannot be measured is left out with a note: null. */
export async function openMatrix({ isFound, open }: MatrixSource, call: Call): Promise<CsrMatrix | null> {
  try {
    return await open(call);
  } catch (error) {
    if (!isFound || !isInputError(error)) throw error;
    call.progress.clear();
    call.terminal.note(`specnet bench: left out: ${error.message}\n`);
    return null;
  }
}

function sourcesOf(operand: string): MatrixSource[] {
  if (names.includes(operand)) return [generatedSource(operand as MatrixName)];
  if (isStored(operand)) return [storedSource(operand)];
  if (isFolder(operand)) return folderSources(operand);
  if (isSparseFile(operand)) return [fileSource(operand)];
  const rule = 'a matrix (.mtx, .mtx.gz, .npz), a stored graph, a folder of these, or a generated matrix';
  throw new UsageError(`expected ${rule}, got '${operand}'.`);
}

function folderSources(folder: string): MatrixSource[] {
  const paths = readdirSync(folder).toSorted().map((name) => join(folder, name)); // oxfmt-ignore
  const found = paths.flatMap((path) => {
    if (isStored(path)) return [storedSource(path)];
    return isSparseFile(path) ? [fileSource(path)] : [];
  });
  if (found.length === 0) throw badValue('bench', `.mtx, .mtx.gz or .npz files or stored graphs in ${folder}`, 'none');
  return found.map(({ name, path, open }) => ({ name, path, open, isFound: true }));
}

function isStored(path: string): boolean {
  return isFolder(path) && existsSync(join(path, headerFile));
}

function generatedSource(name: MatrixName): MatrixSource {
  return {
    name,
    path: name,
    open: ({ flags, progress }) =>
      generateMatrix(name, { seed: flags.seed, progress: progress.percent(`generating ${name}`) }),
  };
}

function fileSource(path: string): MatrixSource {
  return {
    name: basename(path),
    path: normalize(path),
    open: async (call) => withEntries(path, await readSparse(path, call)),
  };
}

function withEntries(path: string, matrix: CsrMatrix): CsrMatrix {
  if (matrix.nonzeros > 0) return matrix;
  throw badValue(path, 'a matrix with entries', `${matrix.rows}×${matrix.cols} without any`);
}

function storedSource(path: string): MatrixSource {
  return {
    name: basename(path),
    path: normalize(path),
    open: ({ progress }) => {
      progress.show(`reading ${path}`);
      return nameFileInErrors(path, async () => withEntries(path, readStoredGraph(path).weights));
    },
  };
}
