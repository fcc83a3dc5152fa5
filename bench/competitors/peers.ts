/**
 * JavaScript libraries to compare with. They are installed on first use, and typed here so that compiling does not need
 * them.
 */

import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sequentially } from '../sequentially.ts';
import { installOnce } from './install.ts';
import { type Competitor, local } from '../measure.ts';

const folder = fileURLToPath(new URL('../peers/', import.meta.url));
const requirePeer = createRequire(new URL('../peers/package.json', import.meta.url));

export interface TfTensor {
  dataSync(): Float32Array;
  dispose(): void;
}

export interface Tfjs {
  tensor(values: Float32Array, shape: number[]): TfTensor;
  variable(initial: TfTensor, trainable: boolean, name: string): TfTensor;
  matMul(a: TfTensor, b: TfTensor, transposeA: boolean, transposeB: boolean): TfTensor;
  relu(x: TfTensor): TfTensor;
  tanh(x: TfTensor): TfTensor;
  /** 1 where x > 0, else 0. */
  step(x: TfTensor): TfTensor;
  mul(a: TfTensor, b: TfTensor | number): TfTensor;
  sum(x: TfTensor, axis: number): TfTensor;
  gather(x: TfTensor, rows: Int32Array): TfTensor;
  readonly fused: {
    matMul(call: { a: TfTensor; b: TfTensor; bias: TfTensor; activation: 'linear' | 'relu' }): TfTensor;
  };
  concat(parts: TfTensor[]): TfTensor;
  slice(x: TfTensor, begin: number, size: number): TfTensor;
  reshape(x: TfTensor, shape: number[]): TfTensor;
  add(a: TfTensor, b: TfTensor | number): TfTensor;
  sub(a: TfTensor, b: TfTensor): TfTensor;
  div(a: TfTensor, b: TfTensor): TfTensor;
  square(x: TfTensor): TfTensor;
  sqrt(x: TfTensor): TfTensor;
  /** Disposes of all tensors that are made inside, except for those that are returned. */
  tidy<T extends object>(work: () => T): T;
  AdamOptimizer: new (rate: number, beta1: number, beta2: number, epsilon: number) => TfOptimizer;
  setBackend(name: TfBackend): Promise<boolean>;
}

export interface TfOptimizer {
  applyGradients(gradients: { name: string; tensor: TfTensor }[]): void;
  dispose(): void;
}

export type TfBackend = 'cpu' | 'wasm';

/** ml-sparse-matrix. */
export interface MlSparseMatrix {
  set(row: number, column: number, value: number): void;
  get(row: number, column: number): number;
  mmul(other: MlSparseMatrix): MlSparseMatrix;
}

export type MlSparseMatrixClass = new (rows: number, columns: number, options: object) => MlSparseMatrix;

export interface Mathjs {
  matrix(values: number[][]): MathjsMatrix;
  SparseMatrix: new (data: object) => MathjsMatrix;
  multiply(a: MathjsMatrix, b: MathjsMatrix): MathjsMatrix;
}

export interface MathjsMatrix {
  toArray(): number[][];
}

/** Each peer is null if it is not wanted or cannot be installed. The reason is noted once. */
export class Peers {
  readonly wanted: boolean;
  readonly #note: (text: string) => void;
  #installed: boolean | null = null;
  #tfjs: Promise<Tfjs | null> | null = null;

  constructor(wanted: boolean, note: (text: string) => void) {
    this.wanted = wanted;
    this.#note = note;
  }

  /** One thread. Both backends are registered. */
  tfjs(): Promise<Tfjs | null> {
    this.#tfjs ??= this.#load('tfjs', async () => {
      const tf = requirePeer('@tensorflow/tfjs-core') as Tfjs;
      requirePeer('@tensorflow/tfjs-backend-cpu');
      const wasm = requirePeer('@tensorflow/tfjs-backend-wasm') as { setThreadsCount(count: number): void };
      wasm.setThreadsCount(1);
      await sequentially(['wasm', 'cpu'] as const, async (backend) => {
        if (!(await tf.setBackend(backend))) throw new Error(`the backend ${backend} does not start`);
      });
      return tf;
    });
    return this.#tfjs;
  }

  mlSparseMatrix(): Promise<MlSparseMatrixClass | null> {
    return this.#load('ml-sparse-matrix', async () => {
      const module = (await import(pathToFileURL(requirePeer.resolve('ml-sparse-matrix')).href)) as object;
      return (module as { SparseMatrix: MlSparseMatrixClass }).SparseMatrix;
    });
  }

  mathjs(): Promise<Mathjs | null> {
    return this.#load('mathjs', async () => requirePeer('mathjs') as Mathjs);
  }

  async #load<T>(name: string, load: () => Promise<T>): Promise<T | null> {
    if (!this.wanted || !this.#install()) return null;
    try {
      return await load();
    } catch (error) {
      this.#note(`${name} is left out: ${(error as Error).message}`);
      return null;
    }
  }

  #install(): boolean {
    if (this.#installed === null) {
      const failure = installOnce(folder);
      if (failure) this.#note(`peers are left out: ${failure}`);
      this.#installed = failure === null;
    }
    return this.#installed;
  }
}

/** A tfjs operation on one backend. Its inputs are made and converted to that backend before the clock starts. */
export async function tfjsCompetitor(
  tf: Tfjs,
  backend: TfBackend,
  inputs: readonly (readonly [Float32Array, number[]])[],
  operation: (...tensors: TfTensor[]) => TfTensor,
): Promise<Competitor> {
  const prepare = (): Promise<boolean> => tf.setBackend(backend);
  await prepare();
  const tensors = inputs.map(([values, shape]) => tf.tensor(values, shape));
  let last: TfTensor | null = null;
  const run = (): void => {
    last?.dispose();
    last = operation(...tensors);
  };
  const close = (): void => [...tensors, last].forEach((tensor) => tensor?.dispose());
  return { ...local(`tfjs-${backend}`, run, () => last!.dataSync(), prepare), close };
}
