/** The experiment `corrected`: SpecNet2 by the paper's rule against corrected moments, on both moons and on MNIST. */

import { formatNumber } from '../../core/readable.ts';
import { type Axis, type Curve, type Figure, makeSeries, type Style } from '../../charts/figure.ts';
import {
  type Choices,
  type Claim,
  type DefaultCounts,
  epochsOf,
  type Experiment,
  type FinishedJob,
  type Job,
  jobOf,
  seedsOf,
  shortRunCanConfirm,
} from '../shared/experiment.ts';
import { moonPoints, moonRecipes } from '../shared/moon-data.ts';
import { replicaCurve, replicaCurveCaption } from '../shared/replica-curve.ts';
import { mean, overReplicas } from '../shared/statistics.ts';
import { timeAxis, timeName } from '../shared/times.ts';
import type { TrainingTask } from '../shared/training.ts';
import { mnistComponents, mnistHidden } from './mnist/jobs.ts';

const rules = ['tracked', 'corrected'] as const;
type RuleName = (typeof rules)[number];

const styles: Record<RuleName, Style> = {
  tracked: { name: 'the paper’s rule', color: 'vermilion' },
  corrected: { name: 'corrected moments', color: 'blue' },
};

/** The moons: networks and batches of the paper, one draw of points for each replica. MNIST: the default batch of corrected moments. */
const sets = ['one-moon', 'two-moons', 'mnist'] as const;
type SetName = (typeof sets)[number];

interface Setting {
  /** The kind of job. */
  readonly kind: string;
  readonly points: number;
  readonly hidden: readonly number[];
  readonly batch: Record<RuleName, number>;
  /** The rate of the paper. */
  readonly rate: number;
  readonly epochs: Record<RuleName, DefaultCounts>;
  readonly replicas: DefaultCounts;
  /** Approximate seconds of an epoch. */
  readonly epochSeconds: Record<RuleName, number>;
}

const moon = { points: moonPoints, hidden: [128], batch: { tracked: 4, corrected: 4 }, rate: 1e-3 } as const;
/** Both rules train equally long. The seconds are those of an epoch. */
function onMoons(kind: string, epochs: DefaultCounts, epochSeconds: Setting['epochSeconds']): Setting {
  return {
    ...moon,
    kind,
    epochs: { tracked: epochs, corrected: epochs },
    replicas: { quick: 2, full: 10 },
    epochSeconds,
  };
}

const settings = (quick: boolean): Record<SetName, Setting> => ({
  'one-moon': onMoons('network', { quick: 20, full: 100 }, { tracked: 0.05, corrected: 0.06 }),
  'two-moons': onMoons('two-moons', { quick: 40, full: 250 }, { tracked: 0.06, corrected: 0.07 }),
  mnist: {
    kind: 'mnist',
    points: quick ? 2000 : 20_000,
    hidden: mnistHidden,
    batch: { tracked: 2, corrected: 64 },
    rate: 1e-4,
    // About as much time for both.
    epochs: { tracked: { quick: 8, full: 8 }, corrected: { quick: 20, full: 20 } },
    replicas: { quick: 1, full: 5 },
    epochSeconds: { tracked: quick ? 0.6 : 6, corrected: quick ? 0.3 : 2.5 },
  },
});

/** The rate of corrected moments falls over the whole training. */
const falling = { from: 4e-3, to: 1e-5 } as const;
const neighbors = 16;

export const corrected: Experiment = {
  title: 'Corrected moments',
  summary: 'SpecNet2-neighbor by the paper’s rule against corrected moments: errors, accuracy and gaps',
  paper:
    'SpecNet2-neighbor tracks YᵀDY: a row is as it was when a batch last saw it. The paper does not say how old the rows ' +
    'become. This experiment compares its rule with moments that are corrected by an unbiased estimate of the changes since.',
  remarks: [
    'On the moons both rules use the network and the batches of the paper, so that an epoch has the same steps. Corrected moments also have the calibrated scale and a rate that falls over the training, from 4e-3.',
    'Errors on one moon are against the eigenvectors of the graph, not against the eigenfunctions. Every replica has its own points.',
  ],
  settings: (choices) => {
    const all = settings(choices.quick);
    return {
      graphs: {
        'one moon': { ...moonRecipes.oneMoon },
        'two moons': { ...moonRecipes.twoMoons },
        MNIST: `knn ${neighbors}`,
      },
      networks: `2-128-2, 2-128-1 and 784-256-256-${mnistComponents}, ReLU`,
      optimizer: 'Adam',
      'rates of the paper': { moons: moon.rate, MNIST: all.mnist.rate },
      'rate of corrected moments': { ...falling },
      batches: { moons: moon.batch.tracked, MNIST: all.mnist.batch },
      images: all.mnist.points,
      epochs: Object.fromEntries(sets.map((set) => [set, epochsOf(choices, all[set].epochs.corrected)])),
      seed: choices.seed,
    };
  },
  jobs: (choices) => sets.flatMap((set) => rules.flatMap((rule) => jobsOf(choices, set, rule))),
  review(finished, choices) {
    const curve = (set: SetName, rule: RuleName, column: number, byTime: boolean): Curve => {
      const jobs = jobsIn(finished, choices, set, rule);
      const seconds = byTime
        ? overReplicas(
            jobs.map((job) => job.seconds),
            mean,
          )
        : undefined;
      return replicaCurve(
        jobs.map(({ numbers }) => numbers.rows.map((row) => row[column])),
        'range',
        seconds,
      );
    };
    const figure = (set: SetName, name: string, title: string, y: Axis, panels: readonly PanelEntry[]): Figure => ({
      name,
      title,
      caption: `${replicaCurveCaption(jobsIn(finished, choices, set, 'tracked').length, 'range', 'draw')}.`,
      panels: panels.map(([heading, column, byTime = false]) => ({
        kind: 'lines',
        title: heading,
        x: byTime ? timeAxis(finished, 'of training') : { label: 'epoch' },
        y,
        series: rules.map((rule) => makeSeries(styles[rule], curve(set, rule, column, byTime))),
      })),
    });
    const logarithmic = (label: string): Axis => ({ label, scale: 'log' });
    const fraction: Axis = { label: 'fraction of points on the right moon', include: [0.5, 1] };
    return {
      figures: [
        figure('one-moon', 'errors', 'Errors on one moon', logarithmic('relative error τ'), [
          ['first eigenvector', 4],
          ['second eigenvector', 5],
        ]),
        figure('two-moons', 'accuracy', 'Accuracy on two moons', fraction, [
          ['training points', 0],
          ['test points', 1],
        ]),
        figure('mnist', 'gaps', 'The gap f2 − f2* on MNIST, at the best scale', logarithmic('f2 − f2*'), [
          ['over epochs', 2],
          ['over time', 2, true],
        ]),
      ],
      claims: claimsOf(finished, choices),
    };
  },
};

/** A panel: its title, the column of numbers that it shows, and whether over time instead of epochs. */
type PanelEntry = readonly [title: string, column: number, byTime?: boolean];

interface Numbers {
  readonly rows: readonly (readonly number[])[];
}

function jobsOf(choices: Choices, set: SetName, rule: RuleName): Job[] {
  const { kind, points, hidden, batch, rate, epochs, replicas, epochSeconds } = settings(choices.quick)[set];
  const count = epochsOf(choices, epochs[rule]);
  return seedsOf(choices, replicas).map((start) => {
    const steps = Math.max(1, count * Math.ceil(points / batch[rule]));
    const training: TrainingTask & { readonly data: number } = {
      data: start,
      method: 'specnet2',
      scheme: 'neighbor',
      batch: batch[rule],
      hidden,
      epochs: count,
      start,
      pencil: 'random-walk',
      shown: false,
      ...(rule === 'tracked' ? { rate } : { rate: { ...falling, steps }, moments: 'corrected', scale: 'calibrated' }),
    };
    const task = set === 'mnist' ? { ...training, train: points, test: 1, neighbors } : training;
    return jobOf(kind, task, ['rule', rule, start], count * epochSeconds[rule]);
  });
}

/** The finished jobs of a rule. They stand in the order of `jobs`. */
function jobsIn(
  finished: readonly FinishedJob[],
  choices: Choices,
  set: SetName,
  rule: RuleName,
): FinishedJob<TrainingTask, Numbers>[] {
  const wanted = jobsOf(choices, set, rule);
  return finished.filter(({ kind, key }) =>
    wanted.some((job) => job.kind === kind && job.key === key),
  ) as unknown as FinishedJob<TrainingTask, Numbers>[];
}

/** The gap at the last epoch that ended within `time` seconds, or at the first one. */
function gapAfter({ numbers, seconds }: FinishedJob<TrainingTask, Numbers>, time: number): number {
  const epoch = seconds.findLastIndex((end) => end <= time);
  return numbers.rows[Math.max(0, epoch)][2];
}

function claimsOf(finished: readonly FinishedJob[], choices: Choices): Claim[] {
  const all = settings(choices.quick);
  const last = (set: SetName, rule: RuleName, column: number): number[] =>
    jobsIn(finished, choices, set, rule).map(({ numbers }) => numbers.rows.at(-1)![column]);
  const secondsOf = (rule: RuleName): number =>
    mean(jobsIn(finished, choices, 'mnist', rule).map(({ seconds }) => seconds.at(-1)!));
  const errors = rules.map((rule) => [4, 5].map((column) => mean(last('one-moon', rule, column))));
  const accuracies = rules.map((rule) => last('two-moons', rule, 0));
  // Both after the same time, that of the shorter training.
  const time = Math.min(...rules.map(secondsOf));
  const gaps = rules.map((rule) => mean(jobsIn(finished, choices, 'mnist', rule).map((job) => gapAfter(job, time))));
  const ends = rules.map(
    (rule) => `${formatNumber(mean(last('mnist', rule, 2)))} after ${formatNumber(secondsOf(rule))} s`,
  );
  const show = (values: readonly number[]): string => values.map((value) => formatNumber(value)).join(' / ');
  const confirm = (agrees: boolean, set: SetName): Claim['agrees'] =>
    shortRunCanConfirm(agrees, choices, all[set].epochs.corrected);
  const short = (set: SetName): number => epochsOf(choices, all[set].epochs.corrected);
  return [
    {
      figure: 'errors',
      claim: 'Not in the paper: with corrected moments, errors on one moon are less than half as large.',
      measured: `After ${short('one-moon')} epochs, mean over draws, first / second: ${show(errors[0])} by the paper’s rule, ${show(errors[1])} with corrected moments.`,
      agrees: confirm(
        errors[1].every((error, k) => error < errors[0][k] / 2),
        'one-moon',
      ),
      why: 'Agrees if both mean errors are below half of those by the paper’s rule.',
    },
    {
      figure: 'accuracy',
      claim: 'Not in the paper: with corrected moments, every draw of two moons is separated.',
      measured: `After ${short('two-moons')} epochs, worst and mean over draws: ${show([Math.min(...accuracies[0]), mean(accuracies[0])])} by the paper’s rule, ${show([Math.min(...accuracies[1]), mean(accuracies[1])])} with corrected moments.`,
      agrees: confirm(Math.min(...accuracies[1]) >= 0.99, 'two-moons'),
      why: 'Agrees if the worst accuracy on training points is at least 0.99.',
    },
    {
      figure: 'gaps',
      claim: 'Not in the paper: on MNIST, corrected moments end nearer to the minimum in the same time.',
      measured: `After ${formatNumber(time)} s of ${timeName(finished)}, the gap is ${formatNumber(gaps[0])} by the paper’s rule and ${formatNumber(gaps[1])} with corrected moments; at the end ${ends.join(' and ')}.`,
      agrees: confirm(gaps[1] < gaps[0] / 2, 'mnist'),
      why: 'Agrees if the gap is below half of the other one.',
    },
  ];
}
