/** The experiment `one-moon-cost`: errors of networks on one moon against leading cost and against time. */

import { formatNumber } from '../../../core/readable.ts';
import { replicaCurveCaption } from '../../shared/replica-curve.ts';
import {
  type Choices,
  type Claim,
  type FinishedJob,
  type Experiment,
  shortRunCanConfirm,
} from '../../shared/experiment.ts';
import { makeSeries, type LinePanel } from '../../../charts/figure.ts';
import { moonPoints } from '../../shared/moon-data.ts';
import {
  curveOf,
  lastThird,
  moonBatch,
  networksOf,
  ordinal,
  errorColumns,
  trainingJobs,
  trainingSettings,
  defaultEpochs,
} from './trainings.ts';
import { type Pair, styleOf } from '../../shared/schemes.ts';
import { mean, overReplicas } from '../../shared/statistics.ts';
import { timeAxis, timeName } from '../../shared/times.ts';

const compared: readonly Pair[] = [
  { method: 'specnet1', scheme: 'full' },
  { method: 'specnet1', scheme: 'neighbor' },
  { method: 'specnet2', scheme: 'full' },
  { method: 'specnet2', scheme: 'neighbor' },
];

export const oneMoonCost: Experiment = {
  title: 'One moon, networks: cost',
  summary: 'the same errors against the cost that the paper counts and against seconds, full and neighbor',
  paper:
    'The leading cost of an epoch is n²/b for the full scheme and n·|N|/b for the neighbor scheme, where |N| is the mean number of ' +
    'neighbors of a batch, about 620. Against this cost, SpecNet2-neighbor reaches the final level of its first error ' +
    'earlier than SpecNet2-full, and the levels are similar.',
  remarks: ['Times are those of training, without the measurement of errors after each epoch.'],
  settings: trainingSettings,
  jobs: (choices) => compared.flatMap((pair) => trainingJobs(choices, pair)),
  review(finished, choices) {
    const { neighbors } = networksOf(finished)[0].numbers;
    const perEpoch = ({ scheme }: Pair): number =>
      (moonPoints * (scheme === 'full' ? moonPoints : neighbors)) / moonBatch;
    const panel = (i: 0 | 1, by: 'cost' | 'seconds'): LinePanel => ({
      kind: 'lines',
      title: `${ordinal[i]} eigenfunction`,
      x:
        by === 'cost'
          ? { label: 'leading cost, multiplications per column', scale: 'log' }
          : timeAxis(finished, 'of training'),
      y: { label: 'relative error τ', scale: 'log' },
      series: compared.map((pair) => {
        const jobs = networksOf(finished, pair);
        const seconds = overReplicas(
          jobs.map((job) => job.seconds),
          mean,
        );
        const x = by === 'cost' ? seconds.map((_, epoch) => (epoch + 1) * perEpoch(pair)) : seconds;
        return makeSeries(styleOf(pair), curveOf(jobs, errorColumns.train[i], x));
      }),
    });
    return {
      figures: [
        {
          name: 'cost',
          title: 'Errors on training points against cost and time',
          caption: `${replicaCurveCaption(networksOf(finished, compared[0]).length, 'range')}.`,
          panels: [panel(0, 'cost'), panel(0, 'seconds'), panel(1, 'cost'), panel(1, 'seconds')],
        },
      ],
      claims: costClaims(finished, perEpoch, choices),
    };
  },
};

function costClaims(finished: readonly FinishedJob[], perEpoch: (pair: Pair) => number, choices: Choices): Claim[] {
  const [fullPair, neighborPair] = compared.slice(2);
  const [full, neighbor] = [fullPair, neighborPair].map((pair) => {
    const jobs = networksOf(finished, pair);
    const curve = curveOf(jobs, errorColumns.train[0]).y;
    const level = mean(lastThird(curve));
    const epoch = curve.findIndex((value) => value <= 1.25 * level) + 1;
    return {
      level,
      epoch,
      cost: epoch * perEpoch(pair),
      epochSeconds: mean(jobs.map(({ seconds, task }) => seconds.at(-1)! / task.epochs)),
    };
  });
  return [
    {
      figure: 'cost',
      claim: 'SpecNet2-neighbor reaches the final level of its first error at less cost than SpecNet2-full.',
      measured: `Within 25 % of the level after ${neighbor.epoch} epochs and ${formatNumber(neighbor.cost)} multiplications, full after ${full.epoch} and ${formatNumber(full.cost)}.`,
      agrees: shortRunCanConfirm(neighbor.cost < full.cost, choices, defaultEpochs),
      why: 'The cost of an epoch of neighbor is smaller by the fraction |N|/n of neighbors among all points.',
    },
    {
      figure: 'cost',
      claim: 'Both reach similar errors.',
      measured: `${formatNumber(neighbor.level)} (neighbor) and ${formatNumber(full.level)} (full), mean of the last third of the epochs.`,
      agrees: shortRunCanConfirm(
        Math.max(neighbor.level / full.level, full.level / neighbor.level) < 1.35,
        choices,
        defaultEpochs,
      ),
      why: 'Agrees within a factor of 1.35.',
    },
    {
      figure: 'cost',
      claim: 'Not in the paper: neighbor is also cheaper in measured time.',
      measured: `An epoch takes ${formatNumber(1000 * neighbor.epochSeconds)} ms of ${timeName(finished)} with SpecNet2-neighbor, ${formatNumber(1000 * full.epochSeconds)} ms with SpecNet2-full.`,
      agrees: neighbor.epochSeconds < full.epochSeconds,
      why: `The factor is ${formatNumber(full.epochSeconds / neighbor.epochSeconds)}, that of the leading cost is ${formatNumber(perEpoch(fullPair) / perEpoch(neighborPair))}. Both schemes read the same entries of W; the full scheme evaluates the network at all points.`,
    },
  ];
}
