/** Time and memory of the eigenvectors of a graph that exceeds every cache. Measured once. */

import { swissRoll } from '../../datasets/index.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { spectrum } from '../../lib/spectral/spectrum/spectrum.ts';
import { once } from '../measure.ts';
import { type Group, measureRow, mebibytes } from '../row.ts';

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
  const solve = once('ours', async () => {
    const { values: answer, ...found } = await spectrum(graph, { count: 5, tolerance: 1e-8 });
    return { ...found, answer };
  });
  const solved = await measureRow(context, 'eigenpairs', `${size}, 4 pairs`, bytes, [solve]);
  const { products, residuals, converged } = solve.result();
  const worst = Math.max(...residuals).toPrecision(2);
  const peak = mebibytes(1024 * process.resourceUsage().maxRSS);
  const end = converged ? 'converged' : 'NOT converged';
  context.note(`${n} points: ${end}, ${products} products, residuals up to ${worst}; peak resident memory ${peak}.`);
  return [built, solved];
};
