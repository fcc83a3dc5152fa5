/** Which linear layer on sparse features comes nearest to the eigenvectors of a graph? */

import { badValue } from '../core/check.ts';
import { part, type Work } from '../core/pace.ts';
import type { Seed } from '../core/random.ts';
import { matmul } from '../autodiff/functions.ts';
import type { Graph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import type { Points } from '../network/inputs.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { leastSquares } from './least-squares.ts';
import { findTargets } from './regression.ts';
import { findHead, type RitzHead } from './ritz-head.ts';
import { columns } from './spectrum.ts';

/** An eigenvector of which the features tell less than this share of the variance lives on a few odd points: the next is taken. */
const leastShare = 0.5;
/** So many eigenvectors are looked at for each one that is wanted, and some more. */
const most = { perComponent: 3, beside: 8 };

/**
 * The eigenvectors are found first, then come near to as the features allow, by least squares with weights d; last,
 * Rayleigh-Ritz among these columns makes them D-orthogonal. Where the Ritz head of all features has smaller f2, this one
 * has columns nearer to the eigenvectors, for it does not mix them with those that follow.
 */
export function* findTaughtHead(
  caller: string,
  graph: Graph,
  features: CsrMatrix,
  points: Points,
  { components, seed }: { components: number; seed: Seed },
): Work<RitzHead> {
  const limit = Math.min(graph.size - 1, most.perComponent * components + most.beside);
  if (components > features.cols) {
    throw badValue(caller, `at most ${features.cols} components, as many as features`, components);
  }
  for (let count = components; ; count = limit) {
    const begun = count === limit ? 0.4 : 0;
    const targets = yield* part(findTargets(graph, count), begun, begun + 0.2);
    const fit = yield* part(leastSquares(features, graph.degrees, targets.rows), begun + 0.2, begun + 0.4);
    const told = toldBest(fit.shares, components);
    if (count < limit && fit.shares[told[components - 1]] < leastShare) continue;
    const weights = chosen(fit.weights, told);
    const outputs = matmul(features, weights);
    const body = { inputs: points.cols, outputs: components, features: () => outputs };
    const turn = yield* part(findHead(caller, graph, body, points, { components, seed }), 0.8, 1);
    const product = zeros([features.cols, components]);
    kernels.matmul(features.cols, components, components, weights.data, turn.weights.data, product.data, false);
    return { ...turn, weights: product, converged: turn.converged && targets.converged && fit.converged };
  }
}

/** The first `count` columns that are told well enough, or those told best where there are not so many; best first if so. */
function toldBest(shares: Float64Array, count: number): number[] {
  const all = Array.from(shares.keys());
  const well = all.filter((j) => shares[j] >= leastShare);
  return (well.length >= count ? well : all.toSorted((a, b) => shares[b] - shares[a])).slice(0, count);
}

function chosen(weights: Tensor<Float64Array>, places: readonly number[]): Tensor<Float32Array> {
  const result = zeros([weights.rows, places.length]);
  for (const [to, from] of places.entries()) {
    const { data } = columns(weights, from, from + 1);
    for (let s = 0; s < weights.rows; s++) result.data[s * places.length + to] = data[s];
  }
  return result;
}
