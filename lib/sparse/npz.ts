/** How are sparse matrices exchanged with scipy? By the files of `scipy.sparse.save_npz`: a zip archive of arrays. */

import { badKind, badValue, checkChoice, showShape } from '../core/check.ts';
import { isFloats } from '../kernels/types.ts';
import type { Precision } from '../tensor/tensor.ts';
import { assembleCsr } from './build.ts';
import { checkCsr, type CsrMatrix } from './csr.ts';
import { checkIndices } from './indices.ts';
import { type NpyArray, parseNpy, parseNpyText, writeNpy, writeNpyText } from './npy.ts';
import { listZip, readZipEntry, writeZip } from './zip.ts';

export interface NpzReadOptions {
  /** 'single' unless said otherwise. */
  readonly precision?: Precision;
}

const caller = 'readNpz';
/** A .npy header and then some. */
const headerRoom = 1 << 16;

/**
 * The matrix in a file of `scipy.sparse.save_npz`, compressed or not. Columns are sorted and repeated places added up.
 * Each array is read only after the ones that say how long it has to be.
 */
export async function readNpz(archive: Uint8Array, options: NpzReadOptions = {}): Promise<CsrMatrix> {
  if (!(archive instanceof Uint8Array)) throw badKind(caller, 'a Uint8Array', archive);
  const { precision = 'single' } = options;
  checkChoice(caller, 'precision', precision, ['single', 'double']);
  const entries = listZip(caller, archive);
  const take = (name: string, most: number): Promise<Uint8Array> => {
    const entry = entries.get(`${name}.npy`);
    if (entry) return readZipEntry(caller, archive, entry, headerRoom + most);
    throw badValue(caller, 'a file of scipy.sparse.save_npz', `an archive without ${name}.npy`);
  };

  const format = parseNpyText(caller, await take('format', 0));
  if (format !== 'csr') {
    const remedy = 'Save matrix.tocsr() in scipy.';
    throw badValue(caller, 'a matrix in csr format', format.replace(/[^\x20-\x7e]/g, '?'), remedy);
  }
  const shape = integers('shape', parseNpy(caller, await take('shape', 0)), 2 ** 31 - 1);
  if (shape.length !== 2) throw badValue(caller, 'a matrix, two axes', `${shape.length}`);
  const [rows, cols] = shape;
  const starts = integers('indptr', parseNpy(caller, await take('indptr', 8 * (rows + 1))), 2 ** 31);
  if (starts.length !== rows + 1) throw badValue(caller, `${rows + 1} numbers in indptr`, starts.length);
  const count = Math.max(0, starts[rows]);
  const columns = integers('indices', parseNpy(caller, await take('indices', 8 * count)), cols);
  const { data } = parseNpy(caller, await take('data', 8 * count));
  checkLength('indices', columns.length, count);
  checkLength('data', data.length, count);
  return assembleCsr(caller, starts, columns, isFloats(data) ? data : Float64Array.from(data), [rows, cols], precision);
}

/** A file that `scipy.sparse.load_npz` opens. */
export async function writeNpz(matrix: CsrMatrix): Promise<Uint8Array> {
  checkCsr('writeNpz', matrix);
  return writeZip('writeNpz', [
    { name: 'indices.npy', bytes: writeNpy(matrix.columns, [matrix.nonzeros]) },
    { name: 'indptr.npy', bytes: writeNpy(matrix.starts, [matrix.rows + 1]) },
    { name: 'format.npy', bytes: writeNpyText('csr') },
    { name: 'shape.npy', bytes: writeNpy(Int32Array.of(matrix.rows, matrix.cols), [2]) },
    { name: 'data.npy', bytes: writeNpy(matrix.values, [matrix.nonzeros]) },
  ]);
}

/** A list of whole numbers in [0, bound). */
function integers(name: string, array: NpyArray, bound: number): Int32Array {
  if (array.shape.length !== 1) throw badValue(caller, `${name} with one axis`, showShape(array.shape));
  if (!/^[iu]/.test(array.dtype)) throw badValue(caller, `integers in ${name}`, array.dtype);
  return checkIndices(caller, name, array.data, bound);
}

function checkLength(name: string, length: number, needed: number): void {
  if (length === needed) return;
  const remedy = 'matrix.prune() in scipy drops what indptr does not reach.';
  throw badValue(caller, `${needed} numbers in ${name}, as indptr says`, length, remedy);
}
