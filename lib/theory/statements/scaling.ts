/** Do losses, rows and gradients keep their size as points become many, and do they tend to the continuous ones? */

import { buildGraph } from '../../graph/build-graph.ts';
import { eigenfunctions, type Eigenfunctions } from '../continuum/eigenfunctions.ts';
import { kernels } from '../../kernels/table.ts';
import { relativeErrors } from '../../linalg/subspace.ts';
import { RowUpdate } from '../../spectral/descent/row-update.ts';
import { measureAll, zeroMoments } from '../../spectral/descent/moments.ts';
import { type Pencil, pencilOf } from '../../spectral/pencil/pencil.ts';
import { f2Of } from '../../spectral/ritz/quality.ts';
import { columns, exactSpectrum } from '../../spectral/spectrum/spectrum.ts';
import { viewers } from '../../spectral/descent/view.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';
import type { Formulas } from '../instances/formulas.ts';
import type { Law } from '../instances/instances.ts';
import { allRows } from '../instances/small-pencil.ts';
import type { Finding, LawStatement } from '../instances/statement.ts';

/** Ever twice as many, and half as many draws of each. */
const sizes = [125, 250, 500, 1000] as const;
const sigma = 0.2;
/** Smaller weights are left out: they change nothing by more than a ten-thousandth of what chance does. */
const threshold = 1e-6;
const width = 4;
/** What is O(1) changes by less than n^0.2 does over these sizes. */
const constant = (sizes[3] / sizes[0]) ** 0.2;

export const scaling: LawStatement = {
  about: 'laws',
  label: 'appendix:scaling',
  claim:
    'f2*, the entries of Y and the gradient at a fixed smooth Y stay O(1) as n grows; errors of λ, ψ and the gradient fall as n^-½',
  printed: null,
  expected: 'holds',
  instances: 12,
  async check(law, seeds, formulas, told) {
    const limit = eigenfunctions(law.density, { sigma, count: width + 1 });
    const figures: Figures[][] = [];
    for (const [i, size] of sizes.entries()) {
      const drawn: Figures[] = [];
      const each = sizes[3] / size;
      for (let draw = 0; draw < seeds.length * each; draw++) {
        const seed = `${seeds[Math.floor(draw / each)]}/${draw % each}`;
        // oxlint-disable-next-line no-await-in-loop -- one graph at a time is enough for the memory
        drawn.push(await figuresOf(law, size, seed, limit, formulas));
        told((i + (draw + 1) / (seeds.length * each)) / sizes.length);
      }
      figures.push(drawn);
    }
    const findings: Finding[] = (['least f2', 'root mean square of Y', 'gradient at 2Y'] as const).map((what) => {
      const means = figures.map((drawn) => mean(drawn.map((one) => one[what])));
      return {
        what: `largest over least, ${what}`,
        measured: Math.max(...means) / Math.min(...means),
        bound: constant,
      };
    });
    findings.push({
      what: 'f2 at Y less −Σλ², over all draws',
      measured: Math.max(...figures.flat().map((one) => one['f2 from −Σλ²'])),
      bound: 1e-10,
    });
    const slopes = (Object.keys(typical) as (keyof typeof typical)[]).map((what) => {
      const parts = Array.from({ length: width }, (_, k) => figures.map((drawn) => drawn.map((one) => one[what][k])));
      return { what: `slope in n, ${what}`, value: mean(parts.map((part) => slopeOf(part, typical[what]))) };
    });
    for (const { what, value } of slopes) {
      const name = `${what}, from the middle of [−0.7, −0.35]`;
      findings.push({ what: name, measured: Math.abs(value + 0.525), bound: 0.175 });
    }
    const values = Array.from(limit.values, (value, k) => ({ what: `continuous λ${k + 1}`, value }));
    return { findings, notes: [...slopes, ...values] };
  },
};

/**
 * The error that many draws have: errors of λ have either sign and are normal; the others are sizes, of which a draw with
 * a point far out has one so large that a mean would follow it.
 */
const typical = {
  'error of λ': (errors: readonly number[]) => Math.sqrt(mean(errors.map((error) => error ** 2))),
  'error of ψ': median,
  'gradient at Y': median,
} as const;

/** Of one draw; what has parts has one for each nontrivial pair. */
interface Figures {
  readonly 'least f2': number;
  readonly 'f2 from −Σλ²': number;
  readonly 'root mean square of Y': number;
  readonly 'gradient at 2Y': number;
  readonly 'error of λ': Float64Array;
  readonly 'error of ψ': Float64Array;
  readonly 'gradient at Y': Float64Array;
}

async function figuresOf(
  law: Law,
  size: number,
  seed: string,
  limit: Eigenfunctions,
  formulas: Formulas,
): Promise<Figures> {
  const points = law.points(size, seed);
  const graph = await buildGraph(points, { kind: 'gaussian', sigma, threshold });
  const { values, vectors } = exactSpectrum('verify', graph, { count: width + 1 });
  const truth = limit.evaluate(points);
  const smooth = zeros([size, width], 'double');
  for (let p = 0; p < smooth.size; p++) {
    const k = 1 + (p % width);
    smooth.data[p] = Math.sqrt(limit.values[k]) * truth.data[Math.floor(p / width) * truth.cols + k];
  }
  const bottom = zeros([size, width], 'double');
  for (let p = 0; p < bottom.size; p++) {
    const k = 1 + (p % width);
    // Eigenvectors have Σdψ² = volume here; Y = UΛ^½ has n² in its place.
    const factor = Math.sqrt(values[k] / graph.volume) * size;
    bottom.data[p] = factor * vectors.data[Math.floor(p / width) * vectors.cols + k];
  }
  const pencil = pencilOf('verify', graph, 'random-walk', true, 'double');
  const least = f2Of(pencil, bottom);
  const squares = values.subarray(1).reduce((sum, value) => sum + value ** 2, 0);
  return {
    'least f2': -least,
    'f2 from −Σλ²': Math.abs(least + squares),
    'root mean square of Y': Math.sqrt(kernels.dot(bottom.size, bottom.data, bottom.data) / size / width),
    'gradient at 2Y': Math.sqrt(mean([...gradientSizes(pencil, smooth, 2, formulas)].map((part) => part ** 2))),
    'error of λ': Float64Array.from({ length: width }, (_, k) => values[k + 1] - limit.values[k + 1]),
    'error of ψ': relativeErrors(columns(vectors, 1, width + 1), columns(truth, 1, width + 1)),
    'gradient at Y': gradientSizes(pencil, smooth, 1, formulas),
  };
}

/** Root mean square of each column of the solver's gradient at a multiple of y. */
function gradientSizes(pencil: Pencil, y: Tensor<Float64Array>, factor: number, formulas: Formulas): Float64Array {
  const { size } = pencil;
  const rows = y.data.map((entry) => factor * entry);
  const view = viewers.full(pencil)(allRows(size));
  const moments = zeroMoments(width);
  measureAll(pencil, rows, moments);
  const product = new Float64Array(size * width);
  view.multiply(width, rows, product);
  const gradient = new Float64Array(size * width);
  const update = new RowUpdate(width);
  formulas.objective.gradient(view, moments, update);
  update.apply(view, rows, product, moments.mean, gradient);
  const squares = new Float64Array(width);
  for (let p = 0; p < gradient.length; p++) squares[p % width] += gradient[p] ** 2;
  return squares.map((square) => Math.sqrt(square / size));
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * How steep typical errors are against n, both as logarithms: the line through them by least squares,
 * each weighted by its number of draws.
 */
function slopeOf(errors: readonly (readonly number[])[], size: (drawn: readonly number[]) => number): number {
  const x = sizes.map(Math.log);
  const y = errors.map((drawn) => Math.log(size(drawn)));
  const weights = errors.map((drawn) => drawn.length);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const center = (values: readonly number[]): number =>
    values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total;
  const [left, below] = [center(x), center(y)];
  let across = 0;
  let spread = 0;
  for (let i = 0; i < x.length; i++) {
    across += weights[i] * (x[i] - left) * (y[i] - below);
    spread += weights[i] * (x[i] - left) ** 2;
  }
  return across / spread;
}
