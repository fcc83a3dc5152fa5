/** A·X by JavaScript libraries, in this process: ml-sparse-matrix, mathjs and tfjs. Each is null if it cannot be installed. */

import { createRequire } from 'node:module';
import type { Floats } from '../../lib/kernels/types.ts';
import type { Precision } from '../../lib/tensor/tensor.ts';
import type { Peers, Tfjs, TfTensor } from './peers.ts';

/** S[rows×cols]·x[cols×width]. */
export interface SparseProduct {
  readonly rows: number;
  readonly cols: number;
  readonly width: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;
  readonly x: Floats;
}

/** A product that is ready to run. */
export interface ReadyProduct {
  run(): void;
  result(): ArrayLike<number>;
}

/** A library that multiplies. */
export interface SparseLibrary {
  readonly name: string;
  readonly version: string;
  /** The precision in which it computes. */
  readonly precision: Precision;
  /** Null if the library cannot be loaded. */
  prepare(peers: Peers, product: SparseProduct): Promise<ReadyProduct | null>;
}

const requirePeer = createRequire(new URL('../peers/package.json', import.meta.url));

/** The libraries that are installed. */
export function sparseLibraries(): SparseLibrary[] {
  return [
    { name: 'tfjs, wasm', version: versionOf('@tensorflow/tfjs-core'), precision: 'single', prepare: byTfjs },
    { name: 'mathjs', version: versionOf('mathjs'), precision: 'double', prepare: byMathjs },
    {
      name: 'ml-sparse-matrix',
      version: versionOf('ml-sparse-matrix'),
      precision: 'double',
      prepare: byMlSparseMatrix,
    },
  ];
}

function versionOf(name: string): string {
  return `${name} ${(requirePeer(`./node_modules/${name}/package.json`) as { version: string }).version}`;
}

/** Both factors are sparse matrices of the library. */
export async function byMlSparseMatrix(peers: Peers, product: SparseProduct): Promise<ReadyProduct | null> {
  const { rows, cols, width, starts, columns, values, x } = product;
  const SparseMatrix = await peers.mlSparseMatrix();
  if (!SparseMatrix) return null;
  const left = new SparseMatrix(rows, cols, { initialCapacity: 2 * values.length });
  for (let i = 0; i < rows; i++) for (let e = starts[i]; e < starts[i + 1]; e++) left.set(i, columns[e], values[e]);
  const right = new SparseMatrix(cols, width, { initialCapacity: 2 * x.length });
  for (let i = 0; i < x.length; i++) right.set(Math.floor(i / width), i % width, x[i]);
  let last = right;
  return {
    run: () => (last = left.mmul(right)),
    result: () => Array.from({ length: rows * width }, (_, i) => last.get(Math.floor(i / width), i % width)),
  };
}

/** mathjs stores columns, so it receives the transposed arrays. The right-hand side is one of its dense matrices. */
export async function byMathjs(peers: Peers, product: SparseProduct): Promise<ReadyProduct | null> {
  const { rows, cols, width, starts, columns, values, x } = product;
  const math = await peers.mathjs();
  if (!math) return null;
  const byColumn = Array.from({ length: cols }, () => [] as [row: number, value: number][]);
  for (let i = 0; i < rows; i++)
    for (let e = starts[i]; e < starts[i + 1]; e++) byColumn[columns[e]].push([i, values[e]]);
  const ptr = [0];
  for (const column of byColumn) ptr.push(ptr[ptr.length - 1] + column.length);
  const entries = byColumn.flat();
  const left = new math.SparseMatrix({
    values: entries.map(([, value]) => value),
    index: entries.map(([row]) => row),
    ptr,
    size: [rows, cols],
  });
  const right = math.matrix(Array.from({ length: cols }, (_, i) => [...x.subarray(i * width, (i + 1) * width)]));
  let last = right;
  return { run: () => (last = math.multiply(left, right)), result: () => last.toArray().flat() };
}

/** tfjs has no product of a sparse matrix: rows of x are gathered, scaled, and added up by rows of the result. */
async function byTfjs(peers: Peers, product: SparseProduct): Promise<ReadyProduct | null> {
  const { rows, cols, width, starts, columns, values, x } = product;
  const tf = (await peers.tfjs()) as (Tfjs & TfSparse) | null;
  if (!tf) return null;
  await tf.setBackend('wasm');
  const rowOf = new Int32Array(values.length);
  for (let i = 0; i < rows; i++) rowOf.fill(i, starts[i], starts[i + 1]);
  const dense = tf.tensor(x as Float32Array, [cols, width]);
  // As wide as x, since tfjs repeats columns slowly.
  const repeated = Float32Array.from({ length: values.length * width }, (_, at) => values[Math.floor(at / width)]);
  const factors = tf.tensor(repeated, [values.length, width]);
  const [from, places, to] = [columns, rowOf.map((_, e) => e), rowOf].map((list) => tf.tensor1d(list, 'int32'));
  let last: TfTensor | null = null;
  const run = (): void => {
    last?.dispose();
    last = tf.tidy(() => tf.sparse.sparseSegmentSum(tf.mul(tf.gather(dense, from as never), factors), places, to));
  };
  return {
    run,
    result: () => {
      const found = new Float32Array(rows * width); // the last rows are missing if they are empty
      found.set(last!.dataSync());
      return found;
    },
  };
}

/** What is used of tfjs here only. */
interface TfSparse {
  tensor1d(values: Int32Array, type: 'int32'): TfTensor;
  readonly sparse: { sparseSegmentSum(data: TfTensor, indices: TfTensor, segments: TfTensor): TfTensor };
}
