/** The experiment `scaling`: limits of f2 and its gradient as the number of points grows, from the appendix on scaling. */

import { oneMoon } from '../../../datasets/moons.ts';
import { oneMoonDensity } from '../../../datasets/moon-density.ts';
import { formatNumber } from '../../core/readable.ts';
import { buildGraph } from '../../graph/build-graph.ts';
import { eigenfunctions } from '../../theory/continuum/eigenfunctions.ts';
import { kernels } from '../../kernels/table.ts';
import { reduceKernels } from '../../wasm/families.ts';
import { applyPencil, pencilOf } from '../../spectral/pencil/pencil.ts';
import { zeros } from '../../tensor/tensor.ts';
import { replicaCurve, replicaCurveCaption } from '../shared/replica-curve.ts';
import { type Choices, type FinishedJob, type Experiment, jobOf, type Outcome, seedsOf } from '../shared/experiment.ts';
import { makeSeries, type LinePanel, type Series } from '../../charts/figure.ts';
import { mean, powerLawExponent, roundDigits } from '../shared/statistics.ts';

export interface ScalingTask {
  readonly n: number;
  readonly sigma: number;
  readonly threshold: number;
  readonly draw: number;
}

export interface ScalingNumbers {
  /** f2 at Λ^½ψ, in the paper's units, and its limit −Σλ². */
  readonly f2: number;
  readonly limit: number;
  /** tr Yᵀ(W − ηηᵀ)Y and ‖YᵀDY‖², without powers of n. */
  readonly energy: number;
  readonly square: number;
  /** Root mean square of the entries of 4(W − ηηᵀ)Y/n and 4DY·YᵀDY/n³, and of their difference. */
  readonly affinityPart: number;
  readonly massPart: number;
  readonly gradient: number;
}

const components = 2;
/** So small that the dropped weights do not change any digit shown. */
const threshold = 1e-6;
const sigma = 0.2;
const sizes = ({ quick }: Choices): number[] => (quick ? [250, 500, 1000, 2000] : [250, 500, 1000, 2000, 4000, 8000]);
const defaultReplicas = { quick: 3, full: 10 };

export const scaling: Experiment = {
  title: 'Scaling of f2 and its gradient',
  summary: 'the O(1) limits of the appendix against the number of points',
  paper:
    'If the columns of Y are the eigenfunctions at n points times Λ^½, then tr YᵀWY and YᵀDY grow as n². Divided as in f2 ' +
    'and in the gradient that the schemes use (n times the true one), the objective and both parts of the gradient have ' +
    'limits of order one as n grows with fixed σ.',
  remarks: [
    'In the limit both parts of the gradient are equal, so that the gradient itself goes to zero. For n points the sampling error remains, which falls as n^-½.',
  ],
  settings: (choices) => ({
    data: 'one moon',
    graph: { kind: 'gaussian', sigma, threshold },
    components,
    n: sizes(choices),
    'seeds of the draws': seedsOf(choices, defaultReplicas),
  }),
  jobs: (choices) =>
    sizes(choices).flatMap((n) =>
      seedsOf(choices, defaultReplicas).map((draw) =>
        jobOf('scaling', { n, sigma, threshold, draw } satisfies ScalingTask, [n, draw], 1.5 + 3 * (n / 4000) ** 2),
      ),
    ),
  review(finished) {
    const jobs = finished as unknown as readonly FinishedJob<ScalingTask, ScalingNumbers>[];
    const sizesMeasured = [...new Set(jobs.map(({ task }) => task.n))];
    const values = (of: (numbers: ScalingNumbers) => number, n: number): number[] =>
      jobs.filter(({ task }) => task.n === n).map(({ numbers }) => of(numbers));
    const means = (of: (numbers: ScalingNumbers) => number): number[] => sizesMeasured.map((n) => mean(values(of, n)));
    const series = (name: string, color: Series['color'], of: (numbers: ScalingNumbers) => number): Series => {
      const draws = [...new Set(jobs.map(({ task }) => task.draw))];
      const lists = draws.map((draw) =>
        jobs.filter(({ task }) => task.draw === draw).map(({ numbers }) => of(numbers)),
      );
      return makeSeries({ name, color }, replicaCurve(lists, 'deviation', sizesMeasured));
    };
    const panel = (title: string, label: string, scale: 'log' | 'linear', list: Series[]): LinePanel => ({
      kind: 'lines',
      title,
      x: { label: 'n, points', scale: 'log' },
      y: { label, scale },
      series: list,
    });
    const { limit } = jobs[0].numbers;
    const exponentOf = (of: (numbers: ScalingNumbers) => number): number => powerLawExponent(sizesMeasured, means(of));
    const growth = { energy: exponentOf(({ energy }) => energy), square: exponentOf(({ square }) => square) };
    const bounded = {
      f2: exponentOf(({ f2 }) => f2),
      affinityPart: exponentOf(({ affinityPart }) => affinityPart),
      massPart: exponentOf(({ massPart }) => massPart),
    };
    const decay = exponentOf(({ gradient }) => gradient);
    const largest = sizesMeasured.at(-1)!;
    const last = mean(values(({ f2 }) => f2, largest));
    return {
      figures: [
        {
          name: 'limits',
          title: 'f2 and its gradient against the number of points',
          caption: `${replicaCurveCaption(jobs.filter(({ task }) => task.n === largest).length, 'deviation', 'draw')}. Left: f2 and its limit −Σλ². Middle: the parts of the gradient. Right: the sums without division by powers of n.`,
          panels: [
            panel('f2', 'f2(Y)', 'linear', [
              series('f2', 'blue', ({ f2 }) => f2),
              { name: '−Σλ²', color: 'ink', dash: 'dotted', x: sizesMeasured, y: sizesMeasured.map(() => limit) },
            ]),
            panel('gradient, root mean square of entries', 'size', 'log', [
              series('4(W − ηηᵀ)Y/n', 'orange', ({ affinityPart }) => affinityPart),
              { ...series('4DY·YᵀDY/n³', 'green', ({ massPart }) => massPart), dash: 'dashed' },
              series('their difference', 'purple', ({ gradient }) => gradient),
            ]),
            panel('without division by powers of n', 'size', 'log', [
              series('tr Yᵀ(W − ηηᵀ)Y', 'vermilion', ({ energy }) => energy),
              { ...series('‖YᵀDY‖²', 'sky', ({ square }) => square), dash: 'dashed' },
            ]),
          ],
        },
      ],
      claims: [
        {
          figure: 'limits',
          claim: 'tr Yᵀ(W − ηηᵀ)Y grows as n², and tr YᵀDYYᵀDY as n⁴.',
          measured: `Exponents ${growth.energy.toFixed(3)} and ${growth.square.toFixed(3)}.`,
          agrees: Math.abs(growth.energy - 2) < 0.05 && Math.abs(growth.square - 4) < 0.1,
          why: 'Slopes of log-log lines, by least squares over all n.',
        },
        {
          figure: 'limits',
          claim: 'f2 and both parts of its gradient, as scaled in the paper, have limits of order one.',
          measured: `Exponents of n: f2 ${bounded.f2.toFixed(3)}, 4(W − ηηᵀ)Y/n ${bounded.affinityPart.toFixed(3)}, 4DY·YᵀDY/n³ ${bounded.massPart.toFixed(3)}. At n = ${largest}: f2 ${formatNumber(last)}, its limit −Σλ² ${formatNumber(limit)}.`,
          agrees: Object.values(bounded).every((value) => Math.abs(value) < 0.05) && Math.abs(last / limit - 1) < 0.05,
          why: 'Agrees if the exponents are within 0.05 of zero and f2 is within 5 % of its limit at the largest n.',
        },
        {
          figure: 'limits',
          claim: 'Not in the paper: at the eigenfunctions the gradient itself goes to zero as n^-½.',
          measured: `Exponent ${decay.toFixed(3)}.`,
          agrees: Math.abs(decay + 0.5) < 0.15,
          why: 'It is the sampling error of two integrals. Agrees if the exponent is within 0.15 of −½.',
        },
      ],
    };
  },
};

export async function measureScaling({
  n,
  sigma: width,
  threshold: cutoff,
  draw,
}: ScalingTask): Promise<Outcome<ScalingNumbers>> {
  const { points } = oneMoon({ n, seed: draw });
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: width, threshold: cutoff });
  const { values, evaluate } = eigenfunctions(oneMoonDensity(), { sigma: width, count: components + 1 });
  const functions = evaluate(points);
  const y = zeros([n, components], 'double');
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < components; k++) {
      y.data[i * components + k] = Math.sqrt(values[k + 1]) * functions.data[i * functions.cols + k + 1];
    }
  }
  const product = new Float64Array(y.size);
  applyPencil(pencilOf('scaling', graph, 'random-walk', true, 'double'), components, y.data, product);
  const gram = new Float64Array(components * components);
  reduceKernels().gram(n, components, components, graph.degrees, y.data, y.data, gram);
  const rotated = new Float64Array(y.size);
  kernels.matmul(n, components, components, y.data, gram, rotated, false);
  const affinityPart = product.map((value) => (4 / n) * value);
  const massPart = rotated.map((value, p) => (4 / n ** 3) * graph.degrees[Math.floor(p / components)] * value);
  const rootMeanSquare = (list: Float64Array): number =>
    Math.sqrt(reduceKernels().dot(list.length, list, list) / list.length);
  const energy = reduceKernels().dot(y.size, y.data, product);
  const square = reduceKernels().dot(gram.length, gram, gram);
  const limit = -values.subarray(1).reduce((sum, value) => sum + value * value, 0);
  const numbers = {
    f2: (-2 * energy + square / n ** 2) / n ** 2,
    limit,
    energy,
    square,
    affinityPart: rootMeanSquare(affinityPart),
    massPart: rootMeanSquare(massPart),
    gradient: rootMeanSquare(affinityPart.map((value, p) => value - massPart[p])),
  };
  const rounded = roundDigits(Object.values(numbers));
  const entries = Object.keys(numbers).map((name, k) => [name, rounded[k]]);
  return { numbers: Object.fromEntries(entries) as ScalingNumbers, seconds: [] };
}
