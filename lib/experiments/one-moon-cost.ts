/** What does it cost to train a network on one moon? Errors against leading cost and against time. */

import { formatNumber } from '../core/readable.ts';
import { type Choices, type Claim, type Done, type Experiment, unlessShort } from './experiment.ts';
import { drawn, type LinePanel } from './figure.ts';
import { moonPoints } from './moon-data.ts';
import {
  curveOf,
  lastThird,
  networksOf,
  ordinal,
  places,
  trainingJobs,
  trainingSettings,
  usualEpochs,
} from './one-moon-trainings.ts';
import { type Pair, styleOf } from './schemes.ts';
import { mean, overReplicas } from './statistics.ts';
import { timeAxis, timeWord } from './times.ts';

const costly: readonly Pair[] = [
  { method: 'specnet1', scheme: 'full' },
  { method: 'specnet1', scheme: 'neighbor' },
  { method: 'specnet2', scheme: 'full' },
  { method: 'specnet2', scheme: 'neighbor' },
];

export const oneMoonCost: Experiment = {
  title: 'One moon, networks: what they cost',
  summary: 'the same errors against leading cost and against seconds, full and neighbor',
  paper:
    'The leading cost of an epoch is n²/b for the full scheme and n·|N|/b for the neighbor scheme, |N| the mean number of ' +
    'neighbours of a batch, about 620. Against this cost SpecNet2-neighbor reaches the level of its first error earlier ' +
    'than SpecNet2-full, and the levels are alike.',
  remarks: ['Seconds are those of training, without the look at errors after each epoch.'],
  settings: trainingSettings,
  jobs: (choices) => costly.flatMap((pair) => trainingJobs(choices, pair)),
  review(done, choices) {
    const { neighbors } = networksOf(done)[0].numbers;
    const perEpoch = ({ scheme }: Pair): number => (moonPoints * (scheme === 'full' ? moonPoints : neighbors)) / 4;
    const panel = (i: 0 | 1, by: 'cost' | 'seconds'): LinePanel => ({
      kind: 'lines',
      title: `${ordinal[i]} eigenfunction`,
      x:
        by === 'cost'
          ? { label: 'leading cost, multiplications for each column', scale: 'log' }
          : timeAxis(done, 'of training'),
      y: { label: 'relative error τ', scale: 'log' },
      series: costly.map((pair) => {
        const jobs = networksOf(done, pair);
        const seconds = overReplicas(
          jobs.map((job) => job.seconds),
          mean,
        );
        const x = by === 'cost' ? seconds.map((_, epoch) => (epoch + 1) * perEpoch(pair)) : seconds;
        return drawn(styleOf(pair), curveOf(jobs, places.train[i], x));
      }),
    });
    return {
      figures: [
        {
          name: 'cost',
          title: 'Errors on training points against cost and time',
          caption: 'Mean over starts, band from the least to the largest.',
          panels: [panel(0, 'cost'), panel(0, 'seconds'), panel(1, 'cost'), panel(1, 'seconds')],
        },
      ],
      claims: costClaims(done, perEpoch, choices),
    };
  },
};

function costClaims(done: readonly Done[], perEpoch: (pair: Pair) => number, choices: Choices): Claim[] {
  const [full, neighbor] = (['full', 'neighbor'] as const).map((scheme) => {
    const pair: Pair = { method: 'specnet2', scheme };
    const jobs = networksOf(done, pair);
    const curve = curveOf(jobs, places.train[0]).y;
    const level = mean(lastThird(curve));
    const epoch = curve.findIndex((value) => value <= 1.25 * level) + 1;
    return {
      level,
      epoch,
      cost: epoch * perEpoch(pair),
      pace: mean(jobs.map(({ seconds, task }) => seconds.at(-1)! / task.epochs)),
    };
  });
  return [
    {
      figure: 'cost',
      claim: 'SpecNet2-neighbor reaches the level of its first error at less cost than SpecNet2-full.',
      measured: `Within 25 % of its level after ${neighbor.epoch} epochs and ${formatNumber(neighbor.cost)} multiplications, full after ${full.epoch} and ${formatNumber(full.cost)}.`,
      agrees: unlessShort(neighbor.cost < full.cost, choices, usualEpochs),
      why: 'An epoch of neighbor costs less by the share of neighbours among all points, and it needs about as many epochs.',
    },
    {
      figure: 'cost',
      claim: 'Both come to similar errors.',
      measured: `${formatNumber(neighbor.level)} (neighbor) and ${formatNumber(full.level)} (full), mean of the last third of the epochs.`,
      agrees: unlessShort(
        Math.max(neighbor.level / full.level, full.level / neighbor.level) < 1.35,
        choices,
        usualEpochs,
      ),
      why: 'Agrees within a factor of 1.35.',
    },
    {
      figure: 'cost',
      claim: 'Not in the paper: in measured time neighbor is cheaper as well.',
      measured: `${timeWord(done)} of an epoch: ${formatNumber(1000 * neighbor.pace)} ms for SpecNet2-neighbor, ${formatNumber(1000 * full.pace)} ms for SpecNet2-full.`,
      agrees: neighbor.pace < full.pace,
      why: 'The factor is smaller than that of the leading cost: W has the same entries in both schemes, and the full scheme pays for evaluating the network at all points.',
    },
  ];
}
