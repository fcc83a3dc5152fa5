/** Tries of graphs: stars, paths, isolated nodes, weights from 1e-300 to 1e300, and matrices that are no graphs. */

import { diffusionMap, laplacianEigenmap, spectralClustering } from '../../../../lib/doors/embedding.ts';
import { solve } from '../../../../lib/doors/solver.ts';
import { fromTriplets } from '../../../../lib/doors/sparse.ts';
import { type Graph, graphFrom, type Random, spectrum, SpectralEmbedding, Tensor } from '../../../../lib/index.ts';
import { attempted, type Kind, type Means, Misread, type Outcome, pick } from '../kind.ts';
import type { Reader } from '../reader.ts';

/** Weights are in single precision, eigenvalues of small graphs lose little more. */
const tolerance = 2e-6;

export async function openGraphs({ reader }: Means): Promise<Kind> {
  return {
    async attempt(random) {
      const { size, weights, precision } = anyWeights(random);
      const graph = await attempted(() => {
        const matrix = fromTriplets(tripletsOf(weights), [size, size], precision);
        return graphFrom(matrix);
      });
      if (!graph) return 'refused';
      const use = pick(random, [useSpectrum, useSpectrum, useSolve, useEigenmap, useClustering, useFit]);
      return use(random, graph, reader, weights);
    },
  };
}

type Use = (random: Random, graph: Graph, reader: Reader | null, weights: Weights) => Promise<Outcome>;

const useSpectrum: Use = async (random, graph, reader, weights) => {
  const count = 1 + random.integer(Math.min(4, graph.size));
  const found = await attempted(() => spectrum(graph, { count, seed: random.integer(9) }));
  if (!found) return 'refused';
  requireFinite(found.values, 'eigenvalues');
  requireFinite(found.vectors.data, 'eigenvectors');
  return compare(found.values, found.converged, 0, reader, weights);
};

const useEigenmap: Use = async (random, graph, reader, weights) => {
  const components = 1 + random.integer(2);
  const call = pick(random, [laplacianEigenmap, diffusionMap]);
  const found = await attempted(() => call(graph, { components }));
  if (!found) return 'refused';
  requireFinite(found.embedding.data, 'coordinates');
  return compare(found.eigenvalues, found.converged, 1, reader, weights);
};

const useSolve: Use = async (random, graph) => {
  const method = pick(random, ['specnet1', 'specnet2'] as const);
  const scheme = pick(random, ['full', 'neighbor', 'local'] as const);
  const found = await attempted(() => solve(graph, { components: 1, method, scheme, epochs: 3, batch: 1 }));
  if (!found) return 'refused';
  requireFinite(found.eigenvectors.data, 'rows');
  return 'unchecked';
};

const useClustering: Use = async (_random, graph) => {
  const found = await attempted(() => spectralClustering(graph, { clusters: 2 }));
  if (found && !found.labels.every((label) => label === 0 || label === 1)) throw new Misread('labels');
  return found ? 'unchecked' : 'refused';
};

const useFit: Use = async (random, graph) => {
  const method = pick(random, ['regression', 'ritz', 'specnet1', 'specnet2'] as const);
  const points = new Tensor(
    Float32Array.from({ length: 2 * graph.size }, () => random.normal()),
    [graph.size, 2],
  );
  const isNetwork = method.startsWith('specnet');
  const options = { method, components: 1, ...(isNetwork && { hidden: [4], training: { epochs: 1, batch: 1 } }) };
  const found = await attempted(() => new SpectralEmbedding(options).fit(points, { graph }));
  if (!found) return 'refused';
  requireFinite(found.embedding.data, 'coordinates');
  requireFinite(found.eigenvalues, 'quotients');
  return 'unchecked';
};

function requireFinite(numbers: ArrayLike<number>, what: string): void {
  if (!Array.from(numbers).every(Number.isFinite)) throw new Misread(`${what} that are not finite`);
}

/** Compares eigenvalues that were reported as converged with those of NumPy, from the one at `first` on. */
async function compare(
  values: ArrayLike<number>,
  converged: boolean,
  first: number,
  reader: Reader | null,
  weights: Weights,
): Promise<Outcome> {
  const isWide = ratioOf(weights) > 1e30; // beyond single precision: an edge may count as none
  if (!reader || !converged || isWide) return 'unchecked';
  const size = weights.length;
  const bytes = new Uint8Array(Float64Array.from(weights.flat()).buffer);
  const expected = await reader.read('spectrum', bytes, { size });
  if (!expected) return 'unread';
  for (let k = 0; k < values.length; k++) {
    if (Math.abs(values[k] - expected.numbers[k + first]) <= tolerance) continue;
    throw new Misread(`eigenvalue ${values[k]} instead of ${expected.numbers[k + first]} at ${k + first}`);
  }
  return 'accepted';
}

type Weights = number[][];

function ratioOf(weights: Weights): number {
  const present = weights.flat().filter((value) => value > 0);
  return Math.max(...present) / Math.min(...present);
}

function tripletsOf(weights: Weights): { rows: number[]; columns: number[]; values: number[] } {
  const entries = weights.flatMap((row, i) => row.flatMap((value, j) => (Object.is(value, 0) ? [] : [[i, j, value]])));
  return { rows: entries.map((e) => e[0]), columns: entries.map((e) => e[1]), values: entries.map((e) => e[2]) };
}

/** A symmetric matrix of up to 12 nodes; in one of twelve tries something that is no graph. */
function anyWeights(random: Random): { size: number; weights: Weights; precision: 'single' | 'double' } {
  const size = pick(random, [1, 2, 3, 4, 6, 9, 12, 12]);
  const weights: Weights = Array.from({ length: size }, () => new Array<number>(size).fill(0));
  const unit = random.integer(2) === 0 ? 1 : 10 ** (random.integer(601) - 300);
  const spread = pick(random, [0, 0, 1, 3, 30, 300]);
  const weight = (): number => unit * 10 ** (spread * (random.uniform() - 0.5));
  const join = (i: number, j: number): void => void (weights[i][j] = weights[j][i] = weight());
  const half = Math.floor(size / 2);
  const shapes: (() => void)[] = [
    () => each(size, (i) => i > 0 && join(0, i)),
    () => each(size, (i) => i > 0 && join(i - 1, i)),
    () => each(size, (i) => join(i, (i + 1) % size)),
    () => each(size, (i) => each(i, (j) => join(i, j))),
    () => each(size, (i) => each(i + 1, (j) => random.integer(3) === 0 && join(i, j))),
    () => each(size, (i) => each(i, (j) => i < half === j < half && join(i, j))),
    () => each(size, (i) => join(i, i)),
    () => each(half, (i) => each(i, (j) => join(i, j))),
  ];
  pick(random, shapes)();
  if (random.integer(3) === 0) each(size, (i) => join(i, i));
  if (random.integer(12) === 0) {
    const [i, j] = [random.integer(size), random.integer(size)];
    weights[i][j] = pick(random, [-1, -0, NaN, Infinity, 2 * unit, 5e-324]);
  }
  const precision = pick(random, ['single', 'double'] as const);
  // Single precision rounds, and below 1e-38 by much: the graph is that of the rounded weights.
  const rounded = precision === 'double' ? weights : weights.map((row) => row.map(Math.fround));
  return { size, weights: rounded, precision };
}

function each(count: number, use: (index: number) => unknown): void {
  for (let i = 0; i < count; i++) use(i);
}
