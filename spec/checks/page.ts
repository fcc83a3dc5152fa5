/** Runs in a page: fetches saved models, applies them, and posts the results. */

import { loadModel, simdStatus, Tensor, transform } from '../../lib/index.ts';

export interface PageCase {
  readonly shape: readonly number[];
  readonly isDouble: boolean;
}

/** Posted at the end. */
export interface PageReport {
  readonly simd: ReturnType<typeof simdStatus>;
  readonly isolated: boolean;
  /** Null if all went well. */
  readonly failure: string | null;
}

async function bytesOf(path: string): Promise<ArrayBuffer> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.arrayBuffer();
}

async function post(path: string, body: BodyInit): Promise<void> {
  await fetch(path, { method: 'POST', body });
}

async function applyAll(): Promise<void> {
  const cases = (await (await fetch('cases')).json()) as readonly PageCase[];
  for (const [i, { shape, isDouble }] of cases.entries()) {
    const model = loadModel(new Uint8Array(await bytesOf(`model/${i}`)));
    const numbers = await bytesOf(`points/${i}`);
    const points = new Tensor(isDouble ? new Float64Array(numbers) : new Float32Array(numbers), shape);
    await post(`result/${i}`, new Float32Array(transform(model, points).data));
  }
}

let failure: string | null = null;
try {
  await applyAll();
} catch (error) {
  failure = String(error);
}
await post('end', JSON.stringify({ simd: simdStatus(), isolated: crossOriginIsolated, failure } satisfies PageReport));
