/** A CommonJS module in TypeScript. The compiler allows require of ES modules under `"module": "nodenext"`. */

import { SpectralEmbedding, type Tensor } from 'specnet';
import sparse = require('specnet/sparse');

export async function embed(points: number[][]): Promise<Tensor> {
  return (await new SpectralEmbedding({ components: 1 }).fit(points)).embedding;
}

export const identity: sparse.CsrMatrix = sparse.identity(3);
// @ts-expect-error the types arrive in CommonJS as well
sparse.identity('three');
