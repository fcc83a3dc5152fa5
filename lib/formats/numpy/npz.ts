/** Reads and writes the sparse matrices of `scipy.sparse.save_npz`: zip archives of arrays. */

import { badKind, badValue, excerpt, showShape } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { isFloats } from '../../kernels/types.ts';
import { type Precision, precisions } from '../../tensor/tensor.ts';
import { assembleCsr } from '../../sparse/build.ts';
import { checkCsr, type CsrMatrix } from '../../sparse/csr.ts';
import { checkIndices } from '../../sparse/indices.ts';
import { collectNpyFile, type NpyArray, parseNpy, parseNpyText, writeNpy, writeNpyText } from './npy.ts';
import { listZip, readZipEntry, writeZip } from './zip.ts';

/** The precision of the matrix. */
export interface NpzReadOptions {
  /** Default: 'single'. */
  readonly precision?: Precision;
}

const rules: Rules<NpzReadOptions> = { precision: precisions };

const caller = 'readNpz';
/** More than the length of any .npy header. */
const maxHeaderBytes = 1 << 16;

/**
 * The matrix in a file of `scipy.sparse.save_npz`, compressed or not. Sorts columns and sums duplicate entries. Reads each
 * array only after those that determine its length.
 */
export async function readNpz(archive: Uint8Array, options: NpzReadOptions = {}): Promise<CsrMatrix> {
  if (!(archive instanceof Uint8Array)) throw badKind(caller, 'a Uint8Array', archive);
  checkOptions(caller, options, rules);
  const { precision = 'single' } = options;
  const entries = listZip(caller, archive);
  const take = (name: string, maxBytes: number): Promise<Uint8Array> => {
    const entry = entries.get(`${name}.npy`);
    const gather = (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> => collectNpyFile(caller, pieces);
    if (entry) return readZipEntry(caller, archive, entry, maxHeaderBytes + maxBytes, gather);
    throw badValue(caller, 'a file of scipy.sparse.save_npz', `an archive without ${name}.npy`);
  };
  const numbers = async (name: string, length: number, remedy?: string): Promise<NpyArray> => {
    const array = parseNpy(caller, await take(name, 8 * length));
    if (array.shape.length !== 1) throw badValue(caller, `${name} with one axis`, showShape(array.shape));
    if (array.shape[0] !== length) throw badValue(caller, `${length} numbers in ${name}`, array.shape[0], remedy);
    return array;
  };
  /** Whole numbers in [0, bound). */
  const integers = async (name: string, length: number, bound: number, remedy?: string): Promise<Int32Array> => {
    const { data, dtype } = await numbers(name, length, remedy);
    if (!/^[iu]/.test(dtype)) throw badValue(caller, `integers in ${name}`, dtype);
    return checkIndices(caller, name, data, bound);
  };

  const format = parseNpyText(caller, await take('format', 0));
  if (format !== 'csr') {
    throw badValue(caller, 'a matrix in csr format', excerpt(format), 'Save matrix.tocsr() in scipy.');
  }
  const [rows, cols] = await integers('shape', 2, 2 ** 31 - 1);
  const starts = await integers('indptr', rows + 1, 2 ** 31);
  // prune() drops the entries beyond the end of indptr.
  const remedy = 'Call matrix.prune() in scipy.';
  const columns = await integers('indices', starts[rows], cols, remedy);
  const { data } = await numbers('data', starts[rows], remedy);
  return assembleCsr(caller, starts, columns, isFloats(data) ? data : Float64Array.from(data), [rows, cols], precision);
}

/** The bytes of a file that `scipy.sparse.load_npz` reads. */
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
