/** Do losses, rows and gradients keep their size as points become many, and do they tend to the continuous ones? */

import { buildGraph } from '../graph/build-graph.ts';
import { eigenfunctions, type Eigenfunctions } from '../graph/eigenfunctions.ts';
import type { Graph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { relativeErrors } from '../linalg/subspace.ts';
import { applyPencil, pencilOf } from '../spectral/pencil.ts';
import { columns, spectrum } from '../spectral/spectrum.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import type { Law } from './instances.ts';
import type { Finding, LawStatement } from './statement.ts';

const sizes = [250, 500, 1000, 2000] as const;
const sigma = 0.2;
/** Smaller weights are left out; all of them together are less than rounding of single precision. */
const threshold = 1e-9;
const width = 2;
/** What is O(1) changes by less than n^0.2 does over these sizes. */
const constant = (2000 / 250) ** 0.2;

export const scaling: LawStatement = {
  about: 'laws',
  label: 'appendix:scaling',
  claim:
    'f2*, the entries of Y and the gradient at a fixed smooth Y stay O(1) as n grows; errors of λ, ψ and the gradient fall as n^-½',
  printed: null,
  expected: 'holds',
  instances: 8,
  async check(law, seeds, told) {
    const limit = eigenfunctions(law.density, { sigma, count: width + 1 });
    const figures: Figures[][] = [];
    for (const [i, size] of sizes.entries()) {
      const drawn: Figures[] = [];
      for (const [j, seed] of seeds.entries()) {
        // oxlint-disable-next-line no-await-in-loop -- one graph at a time is enough for the memory
        drawn.push(await figuresOf(law, size, seed, limit));
        told((i + (j + 1) / seeds.length) / sizes.length);
      }
      figures.push(drawn);
    }
    const findings: Finding[] = [];
    for (const what of ['least f2', 'root mean square of Y', 'gradient at 2Y'] as const) {
      const means = figures.map((drawn) => mean(drawn.map((one) => one[what])));
      findings.push({
        what: `largest over least, ${what}`,
        measured: Math.max(...means) / Math.min(...means),
        bound: constant,
      });
    }
    const slopes = (['error of λ', 'error of ψ', 'gradient at Y'] as const).map((what) => {
      // Root mean squares over the draws: single errors change sign.
      const means = figures.map((drawn) => Math.sqrt(mean(drawn.map((one) => one[what] ** 2))));
      return { what: `slope in n, ${what}`, value: slope(sizes.map(Math.log), means.map(Math.log)) };
    });
    for (const { what, value } of slopes) {
      findings.push({
        what: `${what}, from the middle of [−0.7, −0.35]`,
        measured: Math.abs(value + 0.525),
        bound: 0.175,
      });
    }
    const values = Array.from(limit.values, (value, k) => ({ what: `continuous λ${k + 1}`, value }));
    return { findings, notes: [...slopes, ...values] };
  },
};

interface Figures {
  readonly 'least f2': number;
  readonly 'root mean square of Y': number;
  readonly 'gradient at 2Y': number;
  readonly 'error of λ': number;
  readonly 'error of ψ': number;
  readonly 'gradient at Y': number;
}

async function figuresOf(law: Law, size: number, seed: number, limit: Eigenfunctions): Promise<Figures> {
  const points = law.points(size, seed);
  const graph = await buildGraph(points, { kind: 'gaussian', sigma, threshold });
  const { values, vectors } = spectrum(graph, { count: width + 1, seed });
  const truth = limit.evaluate(points);
  const smooth = zeros([size, width], 'double');
  for (let p = 0; p < smooth.size; p++) {
    const k = 1 + (p % width);
    smooth.data[p] = Math.sqrt(limit.values[k]) * truth.data[Math.floor(p / width) * truth.cols + k];
  }
  let least = 0;
  let square = 0;
  let apart = 0;
  for (let k = 1; k <= width; k++) {
    least += values[k] ** 2;
    apart += (values[k] - limit.values[k]) ** 2;
    // Eigenvectors have Σdψ² = volume here; Y = UΛ^½ has n² in its place.
    for (let i = 0; i < size; i++)
      square += (values[k] * vectors.data[i * vectors.cols + k] ** 2 * size ** 2) / graph.volume;
  }
  const errors = relativeErrors(columns(vectors, 1, width + 1), columns(truth, 1, width + 1));
  return {
    'least f2': least,
    'root mean square of Y': Math.sqrt(square / size / width),
    'gradient at 2Y': gradientSize(graph, smooth, 2),
    'error of λ': Math.sqrt(apart / width),
    'error of ψ': Math.sqrt(mean([...errors].map((error) => error ** 2))),
    'gradient at Y': gradientSize(graph, smooth, 1),
  };
}

/** Root mean square of −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY at a multiple of y. */
function gradientSize(graph: Graph, y: Tensor<Float64Array>, factor: number): number {
  const { size, degrees } = graph;
  const pencil = pencilOf('verify', graph, 'random-walk', true, 'double');
  const rows = y.data.map((entry) => factor * entry);
  const product = new Float64Array(rows.length);
  applyPencil(pencil, width, rows, product);
  const gram = new Float64Array(width * width);
  kernels.gram(size, width, width, degrees, rows, rows, gram);
  let sum = 0;
  for (let p = 0; p < rows.length; p++) {
    const i = Math.floor(p / width);
    let pull = 0;
    for (let k = 0; k < width; k++) pull += rows[i * width + k] * gram[k * width + (p % width)];
    sum += ((-4 / size) * product[p] + (4 / size ** 3) * degrees[i] * pull) ** 2;
  }
  return Math.sqrt(sum / rows.length);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of the line through points by least squares. */
function slope(x: readonly number[], y: readonly number[]): number {
  const [left, below] = [mean(x), mean(y)];
  let across = 0;
  let spread = 0;
  for (let i = 0; i < x.length; i++) {
    across += (x[i] - left) * (y[i] - below);
    spread += (x[i] - left) ** 2;
  }
  return across / spread;
}
