/** What is a step of the solver measured on? Random graphs of any size, and the order of batches is drawn beforehand. */

import { Random } from '../lib/core/random.ts';
import { type Graph, graphFrom } from '../lib/graph/graph.ts';
import { fromCsr } from '../lib/sparse/build.ts';
import { symmetrize } from '../lib/sparse/combine.ts';
import { pencilOf } from '../lib/spectral/pencil/pencil.ts';
import { Run } from '../lib/spectral/solve/run.ts';
import { resolveOptions } from '../lib/spectral/solve/settings.ts';
import type { Scheme } from '../lib/spectral/descent/view.ts';
import type { Tensor } from '../lib/tensor/tensor.ts';
import { randomCsr } from './data.ts';
import { type Competitor, local } from './measure.ts';

/** Small enough to stay where it is, so that every step does the same work. */
export const step = 1e-3;

/** About `perRow` neighbours of each node: anywhere, or at most `band` away. */
export function randomGraph(n: number, perRow: number, band?: number): Graph {
  const { heap } = randomCsr('solver', n, perRow / 2, band);
  return graphFrom(symmetrize(fromCsr(heap, [n, n])));
}

/** Batches of all rows in an order that is drawn beforehand, or of the first `window` alone. */
export function solverSteps(
  name: string,
  graph: Graph,
  scheme: Scheme,
  start: Tensor,
  batch: number,
  window = graph.size,
): Competitor {
  const run = runOf(graph, scheme, start, batch);
  const order = new Random('batches').permutation(window);
  let at = 0;
  const rows = (): Int32Array => order.subarray(at, at + batch);
  return local(
    name,
    () => {
      at = at + 2 * batch > window ? 0 : at + batch;
      run.descent.step(rows());
    },
    () => Array.from(rows(), (i) => run.rows.stored.data[i * start.cols]),
  );
}

export function runOf(graph: Graph, scheme: Scheme, rows: Tensor, batch: number): Run {
  const settings = resolveOptions(graph, { components: rows.cols, scheme, batch, step, precision: 'single' });
  const pencil = pencilOf('bench', graph, settings.pencil, settings.deflate, settings.precision);
  return new Run(settings, pencil, { rows, random: new Random('unused').state() });
}
