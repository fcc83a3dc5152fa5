/** The experiment `one-moon-linear`: convergence of both methods in three schemes each, without a network, and of our solver. */

import type { Method } from '../../../spectral/descent/objective.ts';
import type { Scheme } from '../../../spectral/descent/view.ts';
import { formatNumber } from '../../../core/readable.ts';
import { replicaCurve, replicaCurveCaption } from '../../shared/replica-curve.ts';
import {
  type Choices,
  type Claim,
  type FinishedJob,
  epochsOf,
  type Experiment,
  type Job,
  jobOf,
  seedsOf,
  shortRunCanConfirm,
} from '../../shared/experiment.ts';
import { type Curve, makeSeries, type LinePanel, type Style } from '../../../charts/figure.ts';
import { moonPoints, moonRecipes } from '../../shared/moon-data.ts';
import { linearDigits, type LinearNumbers, type LinearTask } from './jobs.ts';
import { nameOf, type Pair, pairs, styleOf } from '../../shared/schemes.ts';
import { mean } from '../../shared/statistics.ts';

/** Constant steps; the paper does not print its own. Local needs a small step: its moments are those of the batch alone. */
const steps: Record<Method, Record<Scheme, number>> = {
  specnet1: { local: 0.2, full: 0.2, neighbor: 0.2 },
  specnet2: { local: 0.2, full: 4, neighbor: 4 },
};
const batch = 50;
const defaults = { epochs: { quick: 150, full: 300 }, starts: { quick: 1, full: 5 } };
/** Errors below this count as converged. */
const convergedBelow = 1e-6;

export const oneMoonLinear: Experiment = {
  title: 'One moon, linear algebra',
  summary: 'errors of eigenvectors and eigenfunctions over epochs: both methods, three schemes each, and our solver',
  paper:
    'Rows of Y are updated batch by batch, without a network. With the full and the neighbor scheme both methods ' +
    'converge to the first two nontrivial eigenvectors; with the local scheme neither does. Full and neighbor are the ' +
    'same iteration here, because a step changes only the rows of its batch.',
  remarks: [
    'The paper prints σ = 0.1 for the graph. Here it is 0.2, because of the measurements in the experiment “data”.',
    'Errors against eigenfunctions do not fall below the error of the exact eigenvectors, which depends on the random points.',
  ],
  settings: (choices) => ({
    points: moonPoints,
    graph: { ...moonRecipes.oneMoon },
    batch,
    steps: { ...steps, 'our solver': 'auto' },
    epochs: epochsOf(choices, defaults.epochs),
    'seed of the points': choices.seed,
    'seeds of the starts': seedsOf(choices, defaults.starts),
  }),
  jobs: (choices) => {
    const shared = { data: choices.seed, batch, epochs: epochsOf(choices, defaults.epochs) };
    return seedsOf(choices, defaults.starts).flatMap((start): Job[] => {
      const auto = { ...shared, method: 'specnet2', scheme: 'neighbor', step: 'auto', start } satisfies LinearTask;
      const constant = pairs.map(({ method, scheme }) => {
        const task: LinearTask = { ...shared, method, scheme, step: steps[method][scheme], start };
        return jobOf('linear', task, [method, scheme, start], 4);
      });
      return constant.concat(jobOf('linear', auto, ['auto', start], 2));
    });
  },
  review(finished, choices) {
    const jobs = finished as unknown as readonly FinishedJob<LinearTask, LinearNumbers>[];
    const panel = (title: string, column: number): LinePanel => ({
      kind: 'lines',
      title,
      x: { label: 'epoch' },
      y: { label: 'relative error', scale: 'log' },
      series: [
        ...pairs.map((pair) => makeSeries(linearStyle(pair), curve(ofPair(jobs, pair), column))),
        makeSeries({ name: solverName, color: 'ink' }, curve(ofSolver(jobs), column)),
      ],
    });
    return {
      figures: [
        {
          name: 'errors',
          title: 'Relative errors in linear algebra on one moon',
          caption: `${replicaCurveCaption(ofSolver(jobs).length, 'range')}. Left: against eigenvectors of the graph. Right: against eigenfunctions of the continuous operator, where the plateau is the sampling error of the graph.`,
          panels: [
            panel('first eigenvector', 0),
            panel('first eigenfunction', 2),
            panel('second eigenvector', 1),
            panel('second eigenfunction', 3),
          ],
        },
      ],
      claims: claimsOf(jobs, choices),
    };
  },
};

type FinishedLinearJob = FinishedJob<LinearTask, LinearNumbers>;

const solverName = 'our solver';

function ofPair(
  jobs: readonly FinishedLinearJob[],
  { method, scheme }: { method: Method; scheme: Scheme },
): FinishedLinearJob[] {
  return jobs.filter(({ task }) => task.step !== 'auto' && task.method === method && task.scheme === scheme);
}

function ofSolver(jobs: readonly FinishedLinearJob[]): FinishedLinearJob[] {
  return jobs.filter(({ task }) => task.step === 'auto');
}

function curve(jobs: readonly FinishedLinearJob[], column: number): Curve {
  return replicaCurve(
    jobs.map(({ numbers }) => numbers.rows.map((row) => row[column])),
    'range',
  );
}

/** Full is drawn broad, because neighbor coincides with it. */
function linearStyle(pair: Pair): Style {
  return { ...styleOf(pair), broad: pair.scheme === 'full' };
}

/** The mean error of a vector after the last epoch. */
function final(jobs: readonly FinishedLinearJob[], column: number): number {
  return mean(jobs.map(({ numbers }) => numbers.rows.at(-1)![column]));
}

function claimsOf(jobs: readonly FinishedLinearJob[], choices: Choices): Claim[] {
  const errors = (method: Method, scheme: Scheme): [number, number] => {
    const found = ofPair(jobs, { method, scheme });
    return [final(found, 0), final(found, 1)];
  };
  const both = ([first, second]: [number, number]): string => `${formatNumber(first)} / ${formatNumber(second)}`;
  const describeErrors = (scheme: Scheme): string =>
    (['specnet1', 'specnet2'] as const)
      .map((method) => `${nameOf({ method, scheme })} ${both(errors(method, scheme))}`)
      .join(', ');
  const epochs = jobs[0].task.epochs;
  const halfway = (method: Method, scheme: Scheme): [number, number] => {
    // A run that converged early has fewer rows than epochs.
    const found = ofPair(jobs, { method, scheme }).map(({ numbers: { rows } }) => rows[Math.ceil(rows.length / 2) - 1]);
    return [mean(found.map((row) => row[0])), mean(found.map((row) => row[1]))];
  };
  const isFalling = (method: Method, scheme: Scheme): boolean => {
    const before = halfway(method, scheme);
    return errors(method, scheme).some((error, i) => error < 0.7 * before[i]);
  };
  const isConverged = (method: Method, scheme: Scheme): boolean =>
    errors(method, scheme).every((error) => error < convergedBelow);
  const convergent = (['full', 'neighbor'] as const).flatMap((scheme) => [
    errors('specnet1', scheme),
    errors('specnet2', scheme),
  ]);
  const largestDifference = Math.max(
    ...(['specnet1', 'specnet2'] as const).map((method) => {
      const [a, b] = (['full', 'neighbor'] as const).map((scheme) => ofPair(jobs, { method, scheme }));
      return Math.max(
        ...a.map(({ numbers }, r) => Math.abs(numbers.rows.at(-1)![0] / b[r].numbers.rows.at(-1)![0] - 1)),
      );
    }),
  );
  const solver = ofSolver(jobs);
  const epochsNeeded = solver.map(({ numbers }) => numbers.rows.findIndex((row) => row[0] < 1e-6 && row[1] < 1e-6) + 1);
  return [
    {
      figure: 'errors',
      claim: 'The full and the neighbor scheme of both methods converge to the eigenvectors.',
      measured: `Errors of the two vectors after ${epochs} epochs: ${describeErrors('full')}; ${describeErrors('neighbor')}.`,
      agrees: shortRunCanConfirm(
        convergent.every(([first]) => first < 0.2) &&
          (['full', 'neighbor'] as const).every((scheme) =>
            (['specnet1', 'specnet2'] as const).every(
              (method) => isFalling(method, scheme) || isConverged(method, scheme),
            ),
          ),
        choices,
        defaults.epochs,
      ),
      why: `Agrees if the errors of the first vector are below 0.2, and at least one error falls by 30 % or more in the second half of the epochs, or both are below ${convergedBelow}.`,
    },
    ...(['specnet1', 'specnet2'] as const).map((method): Claim => {
      const stagnates = !isFalling(method, 'local');
      return {
        figure: 'errors',
        claim: `The local scheme of ${nameOf({ method, scheme: 'local' }).split('-')[0]} does not converge.`,
        measured: `Errors ${both(errors(method, 'local'))} after ${epochs} epochs, compared with ${both(errors(method, 'full'))} for full; they were ${both(halfway(method, 'local'))} after half of the epochs.`,
        agrees: stagnates && epochs < defaults.epochs.quick ? null : stagnates,
        why: stagnates
          ? 'Neither error falls by 30 % or more in the second half of the epochs.'
          : 'It converges slowly: an error falls by more than 30 % in the second half of the epochs. A batch still contains some edges of the graph.',
      };
    }),
    {
      figure: 'errors',
      claim: 'Without a network, the neighbor scheme computes the same as the full scheme.',
      measured: `Errors of the first vector differ by at most a relative ${formatNumber(largestDifference)} after ${epochs} epochs; they are recorded with ${linearDigits} digits.`,
      agrees: largestDifference < 1e-4,
      why: 'The tracked moments are updated exactly, in double precision.',
    },
    {
      figure: 'errors',
      claim:
        'Not in the paper: our solver, which extrapolates sweeps by Rayleigh-Ritz, needs no step size and far fewer epochs.',
      measured: `Both errors below 1e-6 after ${epochsNeeded.map((epoch) => (epoch > 0 ? epoch : 'never')).join(', ')} epochs.`,
      agrees: shortRunCanConfirm(
        epochsNeeded.every((epoch) => epoch > 0 && epoch < 60),
        choices,
        defaults.epochs,
      ),
      why: 'Each epoch is a power iteration, and the extrapolation is similar to LOBPCG.',
    },
  ];
}
