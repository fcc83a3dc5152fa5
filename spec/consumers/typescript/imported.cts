/** A CommonJS module in TypeScript that loads the package by dynamic import, for every Node 20 and `"module": "node16"`. */

import type { Tensor } from 'specnet' with { 'resolution-mode': 'import' };

export async function embed(points: number[][]): Promise<Tensor> {
  const { SpectralEmbedding } = await import('specnet');
  // @ts-expect-error the types arrive by dynamic import as well
  void new SpectralEmbedding({ components: 1 }).fit('hello');
  return (await new SpectralEmbedding({ components: 1 }).fit(points)).embedding;
}
