/** Points and graphs that the cases share. */

import type { Graph, Tensor } from '../../../lib/index.ts';
import type { Api } from './api.ts';

export interface Inputs {
  readonly moon: Tensor;
  readonly moonGraph: Graph;
  /** 64 columns, an eighth of them nonzero in each row. */
  readonly sparse: Tensor;
  readonly sparseGraph: Graph;
}

/** Created in every process, so that arrays are allocated by the kernels in use. */
export async function openInputs(api: Api): Promise<Inputs> {
  const moon = api.oneMoon({ n: 300, seed: 1 }).points;
  const sparse = bumps(api, 300, 64);
  return {
    moon,
    moonGraph: await api.buildGraph(moon, { kind: 'self-tuned', neighbors: 12 }),
    sparse,
    sparseGraph: await api.buildGraph(sparse, { kind: 'self-tuned', neighbors: 12 }),
  };
}

/** Rows with a bump at a random position, an eighth of the columns wide, and zeros elsewhere. */
export function bumps(api: Api, rows: number, cols: number): Tensor {
  const random = new api.Random('bumps');
  const points = api.zeros([rows, cols]);
  for (let i = 0; i < rows; i++) {
    const center = random.uniform(0, cols - 1);
    for (let j = 0; j < cols; j++) {
      const height = 1 - (16 * Math.abs(j - center)) / cols;
      if (height > 0) points.data[i * cols + j] = height * random.uniform(0.5, 1.5);
    }
  }
  return points;
}

/** A matrix of normal numbers. */
export function normalMatrix(
  api: Api,
  rows: number,
  cols: number,
  seed: string,
  precision: 'single' | 'double' = 'double',
): Tensor {
  const matrix = api.zeros([rows, cols], precision);
  new api.Random(seed).fillNormal(matrix.data);
  return matrix;
}
