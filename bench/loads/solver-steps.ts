/** Solver steps to be timed, on random graphs of any size with a fixed order of batches. */

import { Random } from '../../lib/core/random.ts';
import { type Graph, graphFrom } from '../../lib/graph/graph.ts';
import { fromCsr } from '../../lib/sparse/build.ts';
import { symmetrize } from '../../lib/sparse/combine.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { Run } from '../../lib/spectral/solve/run.ts';
import { resolveOptions } from '../../lib/spectral/solve/settings.ts';
import type { Scheme } from '../../lib/spectral/descent/view.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { randomCsr } from './data.ts';
import { type Competitor, local } from '../measure.ts';

/** The step size is so small that Y hardly moves, so that every step does the same work. */
export const step = 1e-3;

/** A random graph with about `perRow` neighbors per node: anywhere, or at most `band` away. */
export function randomGraph(n: number, perRow: number, band?: number): Graph {
  const { heap } = randomCsr('solver', n, perRow / 2, band);
  return graphFrom(symmetrize(fromCsr(heap, [n, n])));
}

/** Steps through batches of all rows, or of the first `window` rows, in an order drawn in advance. */
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
