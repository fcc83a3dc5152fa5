/** The embedding of 2,000 handwritten digits, as the guide shows it. */

import { loadMnist } from '../../datasets/index.ts';
import { plotEmbedding, type PlotOptions, SpectralEmbedding, spectrum, type Tensor } from '../../lib/index.ts';

/** A picture of the digits in the plane of two coordinates. */
export async function plotDigits(options: PlotOptions): Promise<string> {
  const rows = 2000;
  const { points, labels } = (await loadMnist({ train: rows, test: 1, seed: 1 })).train;
  const fitted = await new SpectralEmbedding({ components: 5, seed: 1 }).fit(points);
  const { f1, f2, gap } = fitted.diagnostics;
  return plotEmbedding(fitted.embedding, {
    title: '2,000 handwritten digits',
    labels: labels!,
    columns: [{ name: 'ink', values: Float32Array.from({ length: rows }, (_, i) => mean(points, i)) }],
    eigenvalues: (await spectrum(fitted.graph, { count: 13 })).values.slice(1),
    diagnostics: {
      graph: '16 nearest neighbors',
      f1: f1.toFixed(4),
      f2: f2.toFixed(4),
      'gap of f2': gap?.f2.toFixed(5) ?? null,
    },
    ...options,
  });
}

/** The mean of a row. */
function mean({ data, cols }: Tensor, row: number): number {
  let sum = 0;
  for (let at = row * cols; at < (row + 1) * cols; at++) sum += data[at];
  return sum / cols;
}
