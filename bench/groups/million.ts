/** Time and memory of eigenvectors and of a model of more points than any cache holds. Measured once. */

import { swissRoll } from '../../datasets/index.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { SpectralEmbedding } from '../../lib/embedding/spectral-embedding.ts';
import { spectrum } from '../../lib/spectral/spectrum/spectrum.ts';
import { once } from '../measure.ts';
import { type Group, measureRow, mebibytes } from '../report/row.ts';

/** Takes minutes. A quick run uses 100,000 points. */
export const million: Group = async (context) => {
  const n = context.quick ? 100_000 : 1_000_000;
  const { points } = swissRoll({ n });
  const build = once('ours', async () => {
    const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
    return { graph, answer: [graph.weights.values.length] };
  });
  const size = `Swiss roll ${n}, 16 neighbors`;
  const bytes = { amount: points.data.byteLength, unit: 'byte' } as const;
  const built = await measureRow(context, 'graph', size, bytes, [build]);
  const { graph } = build.result();
  const by = (name: string, solver: 'auto' | 'lanczos') =>
    once(name, async () => {
      const { values: answer, ...found } = await spectrum(graph, { count: 5, tolerance: 1e-8, solver });
      return { ...found, answer };
    });
  const solve = by('ours', 'auto');
  const solved = await measureRow(context, 'eigenpairs', `${size}, 4 pairs`, bytes, [solve]);
  const { products, residuals, converged } = solve.result();
  const worst = Math.max(...residuals).toPrecision(2);
  const peak = mebibytes(1024 * process.resourceUsage().maxRSS);
  const end = converged ? 'converged' : 'NOT converged';
  context.note(`${n} points: ${end}, ${products} products, residuals up to ${worst}; peak resident memory ${peak}.`);
  const fit = once('ours', async () => {
    const { eigenvalues: answer, diagnostics } = await new SpectralEmbedding().fit(points);
    return { answer, diagnostics };
  });
  const fitted = await measureRow(context, 'points to model', `Swiss roll ${n}`, bytes, [fit]);
  const { gap } = fit.result().diagnostics;
  const after = mebibytes(1024 * process.resourceUsage().maxRSS);
  context.note(
    `${n} points to model: the gap of f2 is ${gap?.f2.toPrecision(2)}; peak resident memory up to here ${after}.`,
  );
  // Lanczos takes minutes, so it comes last.
  const compared = await measureRow(context, 'eigenpairs, all solvers', `${size}, 4 pairs`, bytes, [
    by('ours', 'auto'),
    by('lanczos', 'lanczos'),
  ]);
  return [built, solved, fitted, compared];
};
