/** What does it cost to train a network on one moon? Errors against leading cost and against time. */

import { formatNumber } from '../../../core/readable.ts';
import { courseWords } from '../../shared/course.ts';
import { type Choices, type Claim, type FinishedJob, type Experiment, unlessShort } from '../../shared/experiment.ts';
import { drawn, type LinePanel } from '../../../charts/figure.ts';
import { moonPoints } from '../../shared/moon-data.ts';
import {
  curveOf,
  lastThird,
  moonBatch,
  networksOf,
  ordinal,
  places,
  trainingJobs,
  trainingSettings,
  usualEpochs,
} from './trainings.ts';
import { type Pair, styleOf } from '../../shared/schemes.ts';
import { mean, overReplicas } from '../../shared/statistics.ts';
import { timeAxis, timeWord } from '../../shared/times.ts';

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
    const perEpoch = ({ scheme }: Pair): number =>
      (moonPoints * (scheme === 'full' ? moonPoints : neighbors)) / moonBatch;
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
          caption: `${courseWords(networksOf(done, costly[0]).length, 'range')}.`,
          panels: [panel(0, 'cost'), panel(0, 'seconds'), panel(1, 'cost'), panel(1, 'seconds')],
        },
      ],
      claims: costClaims(done, perEpoch, choices),
    };
  },
};

function costClaims(done: readonly FinishedJob[], perEpoch: (pair: Pair) => number, choices: Choices): Claim[] {
  const [fullPair, neighborPair] = costly.slice(2);
  const [full, neighbor] = [fullPair, neighborPair].map((pair) => {
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
      why: 'An epoch of neighbor costs less by the share of neighbours among all points.',
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
      measured: `An epoch takes ${formatNumber(1000 * neighbor.pace)} ms of ${timeWord(done)} with SpecNet2-neighbor, ${formatNumber(1000 * full.pace)} ms with SpecNet2-full.`,
      agrees: neighbor.pace < full.pace,
      why: `A factor of ${formatNumber(full.pace / neighbor.pace)}, where that of the leading cost is ${formatNumber(perEpoch(fullPair) / perEpoch(neighborPair))}. W has the same entries in both schemes; the full one evaluates the network at all points.`,
    },
  ];
}
