/** The statement on scaling: losses, rows and gradients stay O(1) as n grows and tend to their continuous limits. */

import { buildGraph } from '../../../graph/build-graph.ts';
import { eigenfunctions, type Eigenfunctions } from '../../continuum/eigenfunctions.ts';
import { reduceKernels } from '../../../wasm/families.ts';
import { relativeErrors } from '../../../linalg/subspace.ts';
import { RowUpdate } from '../../../spectral/descent/row-update.ts';
import { measureAll, zeroMoments } from '../../../spectral/descent/moments.ts';
import { type Pencil, pencilOf } from '../../../spectral/pencil/pencil.ts';
import { f2Of } from '../../../spectral/ritz/quality.ts';
import { columns, exactSpectrum } from '../../../spectral/spectrum/spectrum.ts';
import { viewers } from '../../../spectral/descent/view.ts';
import { Tensor, zeros } from '../../../tensor/tensor.ts';
import type { Formulas } from '../../instances/formulas.ts';
import type { Law } from '../../instances/instances.ts';
import { allRows } from '../../instances/small-pencil.ts';
import type { Finding, LawCheck } from '../../instances/statement.ts';

/** The numbers of points. Each is twice the one before, with half as many draws. */
const sizes = [125, 250, 500, 1000] as const;
const sigma = 0.2;
/** Smaller weights are left out. Their effect is below a ten-thousandth of the random variation. */
const threshold = 1e-6;
const width = 4;
/** A quantity counts as O(1) if it changes by less than n^0.2 over these sizes. */
const largestRatio = (sizes[3] / sizes[0]) ** 0.2;

export const scaling: LawCheck = {
  about: 'laws',
  async check(law, seeds, formulas, report) {
    const limit = eigenfunctions(law.density, { sigma, count: width + 1 });
    const figures: Figures[][] = [];
    for (const [i, size] of sizes.entries()) {
      const drawn: Figures[] = [];
      const each = sizes[3] / size;
      for (let draw = 0; draw < seeds.length * each; draw++) {
        const seed = `${seeds[Math.floor(draw / each)]}/${draw % each}`;
        // oxlint-disable-next-line no-await-in-loop -- one graph at a time, to save memory
        drawn.push(await figuresOf(law, size, seed, limit, formulas));
        report((i + (draw + 1) / (seeds.length * each)) / sizes.length);
      }
      figures.push(drawn);
    }
    const findings: Finding[] = (['least f2', 'root mean square of Y', 'gradient at 2Y'] as const).map((what) => {
      const means = figures.map((drawn) => mean(drawn.map((one) => one[what])));
      return {
        what: `largest over least, ${what}`,
        measured: Math.max(...means) / Math.min(...means),
        bound: largestRatio,
      };
    });
    findings.push({
      what: 'f2 at Y minus −Σλ², over all draws',
      measured: Math.max(...figures.flat().map((one) => one['f2 from −Σλ²'])),
      bound: 1e-10,
    });
    const slopes = (Object.keys(typical) as (keyof typeof typical)[]).map((what) => {
      const parts = Array.from({ length: width }, (_, k) => figures.map((drawn) => drawn.map((one) => one[what][k])));
      return { what: `slope in n, ${what}`, value: mean(parts.map((part) => logLogSlope(part, typical[what]))) };
    });
    for (const { what, value } of slopes) {
      const name = `${what}, minus the middle of [−0.7, −0.35]`;
      findings.push({ what: name, measured: Math.abs(value + 0.525), bound: 0.175 });
    }
    const values = Array.from(limit.values, (value, k) => ({ what: `continuous λ${k + 1}`, value }));
    return { findings, notes: [...slopes, ...values] };
  },
};

/**
 * The typical error over many draws. Errors of λ have either sign and are normal: the root mean square. The others are
 * norms, which outliers among the points make so large that a mean would follow them: the median.
 */
const typical = {
  'error of λ': (errors: readonly number[]) => Math.sqrt(mean(errors.map((error) => error ** 2))),
  'error of ψ': median,
  'gradient at Y': median,
} as const;

/** The measurements of one draw. Arrays have an entry for each nontrivial pair. */
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
  const { values, vectors } = await exactSpectrum('verify', graph, { count: width + 1 });
  const truth = limit.evaluate(points);
  const smooth = zeros([size, width], 'double');
  for (let p = 0; p < smooth.size; p++) {
    const k = 1 + (p % width);
    smooth.data[p] = Math.sqrt(limit.values[k]) * truth.data[Math.floor(p / width) * truth.cols + k];
  }
  const bottom = zeros([size, width], 'double');
  for (let p = 0; p < bottom.size; p++) {
    const k = 1 + (p % width);
    // Eigenvectors have Σdψ² = volume here; those of Y = UΛ^½ have n² instead.
    const factor = Math.sqrt(values[k] / graph.volume) * size;
    bottom.data[p] = factor * vectors.data[Math.floor(p / width) * vectors.cols + k];
  }
  const pencil = pencilOf('verify', graph, 'random-walk', true, 'double');
  const least = f2Of(pencil, bottom);
  const squares = values.subarray(1).reduce((sum, value) => sum + value ** 2, 0);
  return {
    'least f2': -least,
    'f2 from −Σλ²': Math.abs(least + squares),
    'root mean square of Y': Math.sqrt(reduceKernels().dot(bottom.size, bottom.data, bottom.data) / size / width),
    'gradient at 2Y': Math.sqrt(mean([...gradientSizes(pencil, smooth, 2, formulas)].map((part) => part ** 2))),
    'error of λ': Float64Array.from({ length: width }, (_, k) => values[k + 1] - limit.values[k + 1]),
    'error of ψ': relativeErrors(columns(vectors, 1, width + 1), columns(truth, 1, width + 1)),
    'gradient at Y': gradientSizes(pencil, smooth, 1, formulas),
  };
}

/** The root mean square of each column of the solver's gradient at factor·y. */
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
  update.apply(view, { rows, product, direction: gradient }, moments.mean);
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
 * The slope of the logarithm of the typical error against that of n, by least squares. Each size is weighted by its number
 * of draws.
 */
function logLogSlope(
  errors: readonly (readonly number[])[],
  typicalError: (drawn: readonly number[]) => number,
): number {
  const x = sizes.map(Math.log);
  const y = errors.map((drawn) => Math.log(typicalError(drawn)));
  const weights = errors.map((drawn) => drawn.length);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const weightedMean = (values: readonly number[]): number =>
    values.reduce((sum, value, i) => sum + weights[i] * value, 0) / total;
  const [meanX, meanY] = [weightedMean(x), weightedMean(y)];
  let covariance = 0;
  let variance = 0;
  for (let i = 0; i < x.length; i++) {
    covariance += weights[i] * (x[i] - meanX) * (y[i] - meanY);
    variance += weights[i] * (x[i] - meanX) ** 2;
  }
  return covariance / variance;
}
