/** How near do networks come to the optimum on MNIST? Losses over epochs and time, for two graphs. */

import { formatNumber } from '../../../core/readable.ts';
import { courseOf, courseWords } from '../../shared/course.ts';
import { directStyles } from '../direct.ts';
import {
  type Choices,
  type Claim,
  type FinishedJob,
  type Experiment,
  onlyInFull,
  unlessShort,
} from '../../shared/experiment.ts';
import { drawn, type LinePanel, type Series } from '../../../charts/figure.ts';
import type { MnistTask } from './jobs.ts';
import {
  direct,
  directsOf,
  type FinishedMnistJob,
  neighborBatches,
  settingsOf,
  sixteen,
  ten,
  trained,
  trainingsOf,
  usualEpochs,
  type Variant,
} from './trainings.ts';
import { nameOf } from '../../shared/schemes.ts';
import { deviation, mean, overReplicas } from '../../shared/statistics.ts';
import { timeAxis, timeWord } from '../../shared/times.ts';

const batchColours = ['orange', 'green', 'blue'] as const;

function losses(variant: Variant, paper: string): Experiment {
  const groups = [
    ...variant.localBatches.map((batch, i) => ({
      method: 'specnet1' as const,
      batch,
      colour: batchColours[i],
      dash: 'dashed' as const,
    })),
    ...neighborBatches.map((batch, i) => ({
      method: 'specnet2' as const,
      batch,
      colour: batchColours[i],
      dash: 'solid' as const,
    })),
  ];
  const nameFor = ({ method, batch }: { method: MnistTask['method']; batch: number }): string =>
    `${nameOf({ method, scheme: method === 'specnet1' ? 'local' : 'neighbor' })}, batch ${batch}`;
  const ofGroup = (
    done: readonly FinishedJob[],
    { method, batch }: { method: MnistTask['method']; batch: number },
  ): FinishedMnistJob[] => trained(done).filter(({ task }) => task.method === method && task.batch === batch);
  const lists = (jobs: readonly FinishedMnistJob[], place: number): number[][] =>
    jobs.map(({ numbers }) => numbers.rows.map((row) => Math.log10(Math.max(row[place], 1e-12))));
  return {
    title: `MNIST, ${variant.neighbors} nearest neighbours`,
    summary: `log₁₀(f1 − f1*) and log₁₀(f2 − f2*) over epochs and time, k = ${variant.neighbors}`,
    paper,
    remarks: [
      'f1* and f2* are those of the Lanczos eigenvalues of the very graph that is trained on. The paper prints f2* = Σλ²; the minimum is −Σλ², and that is used here.',
      'f1 of SpecNet1 is that of seven columns, the trivial vector among them, as in the paper; that of SpecNet2 is of its six columns made orthonormal. The scale of SpecNet1’s rows is free: its f2 is taken at the best scale of the same span.',
      'In this graph D is of the size of k and not of n, so that the minimiser of f2 has entries of n/√volume, far larger than what a new network puts out. SpecNet2 has to grow there, and f2 tells of that as well as of directions; f1 of directions alone.',
    ],
    settings: (choices) => settingsOf(choices, variant),
    jobs: (choices) => [...trainingsOf(choices, variant), ...directsOf(choices, variant)],
    review(done, choices) {
      const panel = (place: 0 | 1, by: 'epoch' | 'seconds'): LinePanel => {
        const series = groups.map((group): Series => {
          const jobs = ofGroup(done, group);
          const seconds = overReplicas(
            jobs.map((job) => job.seconds),
            mean,
          );
          const { colour, dash } = group;
          const course = courseOf(lists(jobs, place), 'deviation', by === 'epoch' ? undefined : seconds);
          return drawn({ name: nameFor(group), colour, dash }, course);
        });
        const right = Math.max(...series.flatMap(({ x }) => x));
        const ours = (['regression', 'landmarks', 'untrained'] as const).map((method): Series => {
          const { numbers, seconds } = direct(done, method);
          const value = Math.log10(numbers.rows[0][place]);
          return drawn(directStyles[method], { x: [by === 'epoch' ? 1 : seconds[0], right], y: [value, value] });
        });
        return {
          kind: 'lines',
          title: `log₁₀(f${place + 1} − f${place + 1}*)`,
          x: by === 'epoch' ? { label: 'epoch' } : timeAxis(done, 'of training'),
          y: { label: `log₁₀(f${place + 1} − f${place + 1}*)` },
          series: [...series, ...ours],
        };
      };
      return {
        figures: [
          {
            name: 'losses',
            title: `Losses on MNIST, ${variant.neighbors} nearest neighbours`,
            caption: `${courseWords(ofGroup(done, groups[0]).length, 'deviation')}. Dotted, and taking turns where they are on one level: what needs no training; over time from the moment they are there.`,
            panels: [panel(0, 'epoch'), panel(0, 'seconds'), panel(1, 'epoch'), panel(1, 'seconds')],
          },
        ],
        claims: lossClaims(done, choices),
      };
    },
  };

  function lossClaims(done: readonly FinishedJob[], choices: Choices): Claim[] {
    const final = (group: (typeof groups)[number], place: number): { level: number; spread: number } => {
      const last = lists(ofGroup(done, group), place).map((list) => list.at(-1)!);
      return { level: mean(last), spread: deviation(last) };
    };
    const [one, two] = [groups[0], groups[3]];
    const say = (group: (typeof groups)[number]): string =>
      `${nameFor(group)}: ${[0, 1].map((place) => told(final(group, place))).join(' and ')}`;
    const told = ({ level, spread }: ReturnType<typeof final>): string =>
      starts === 1 ? level.toFixed(2) : `${level.toFixed(2)} ± ${spread.toFixed(2)}`;
    const starts = ofGroup(done, one).length;
    const grown = ofGroup(done, two).map(({ numbers: { rows } }) => [rows[0], rows.at(-1)!]);
    const [before, after] = [0, 1].map((end) =>
      [1, 2].map((place) => formatNumber(mean(grown.map((rows) => rows[end][place])))),
    );
    const { epochs } = trained(done)[0].task;
    const [{ numbers }] = trained(done);
    const ours = direct(done, 'regression');
    const head = direct(done, 'landmarks');
    const best = Math.min(...groups.map((group) => final(group, 0).level));
    const nontrivial = numbers.eigenvalues.slice(1);
    const squares = nontrivial.reduce((sum, value) => sum + value ** 2, 0);
    const lowest = Math.min(...trained(done).flatMap((job) => job.numbers.rows.map(([, f2]) => f2))) - squares;
    const without = nontrivial.reduce((sum, value) => sum + 1 - value, 0);
    const nearest = Math.min(...trained(done).flatMap((job) => job.numbers.rows.map(([f1]) => f1)));
    const withTrivial = without + 1 - numbers.eigenvalues[0];
    const better = unlessShort(
      [0, 1].every((place) => final(two, place).level < final(one, place).level),
      choices,
      usualEpochs,
    );
    const clock = (group: (typeof groups)[number]): number[] =>
      overReplicas(
        ofGroup(done, group).map(({ seconds }) => seconds),
        mean,
      );
    const ended = clock(one).at(-1)!;
    const caughtUp = overReplicas(lists(ofGroup(done, two), 0), mean).findIndex(
      (level) => level <= final(one, 0).level,
    );
    const arrived = caughtUp < 0 ? Infinity : clock(two)[caughtUp];
    const nearer = onlyInFull(Math.log10(ours.numbers.rows[0][0]) < best, choices, usualEpochs);
    const untold = (agrees: Claim['agrees']): string =>
      agrees === null ? ` After ${epochs} epochs of ${usualEpochs.full} this cannot be told.` : '';
    return [
      {
        figure: 'losses',
        claim: `Batches of 2, 4 and 8 have about ${variant.localBatches.join(', ')} neighbours.`,
        measured: `${numbers.batchNeighbors.map(formatNumber).join(', ')}.`,
        agrees: numbers.batchNeighbors.every((found, i) => Math.abs(found / variant.localBatches[i] - 1) < 0.1),
        why: 'With the point itself counted among its nearest; agrees within a tenth.',
      },
      {
        figure: 'losses',
        claim: 'The minimum of f2 is Σλ² over the six nontrivial eigenvalues.',
        measured: `Σλ² = ${formatNumber(squares)}; the lowest f2 that a training reached is ${formatNumber(lowest)}.`,
        agrees: lowest >= squares,
        why: 'The sign is lost in print: the minimum is −Σλ², and distances are measured from there.',
      },
      {
        figure: 'losses',
        claim: 'f1* = K − Σλ, where SpecNet1 counts the trivial vector among its seven columns.',
        measured: `${formatNumber(withTrivial)} with it and seven columns, ${formatNumber(without)} without and six; the trainings come as near as ${formatNumber(nearest)} above.`,
        agrees: Math.abs(withTrivial - without) < 1e-6 && nearest > -1e-6,
        why: 'Agrees if both are the same and no training is below, in any epoch. The trivial eigenvalue is 1, so that it adds nothing; but a training has to find it, and what it misses counts in f1 of SpecNet1 alone.',
      },
      {
        figure: 'losses',
        claim: `With small batches SpecNet2-neighbor does better: batch 2 against SpecNet1-local with batch ${one.batch}.`,
        measured: `log₁₀ of f1 − f1* and f2 − f2* after ${epochs} epochs: ${say(two)}; ${say(one)}.`,
        agrees: better,
        why: `Agrees if both losses are lower. SpecNet2 has to grow its output, and SpecNet1 need not: f2 − f2* of SpecNet2 is ${before[0]} after the first epoch and ${after[0]} after the last, and would be ${before[1]} and ${after[1]} at the best scale of the same span.${untold(better)}`,
      },
      {
        figure: 'losses',
        claim: 'SpecNet2-neighbor varies more from start to start than SpecNet1-local.',
        measured:
          starts === 1
            ? 'One start has no deviation.'
            : `Deviation of log₁₀(f1 − f1*) over ${starts} starts: ${final(two, 0).spread.toFixed(3)} (batch 2) against ${final(one, 0).spread.toFixed(3)} (batch ${one.batch}).`,
        agrees: starts < 3 ? null : unlessShort(final(two, 0).spread > final(one, 0).spread, choices, usualEpochs),
        why: starts < 3 ? 'So few do not tell a spread.' : 'Compared at the last epoch.',
      },
      {
        figure: 'losses',
        claim: `Not in the paper: against time SpecNet1-local with batch ${one.batch} has made all its epochs before SpecNet2-neighbor with batch 2 is as near.`,
        measured: `log₁₀(f1 − f1*) of ${final(one, 0).level.toFixed(2)} after ${formatNumber(ended)} s of ${timeWord(done)}; SpecNet2-neighbor ${caughtUp < 0 ? `does not come there in ${epochs} epochs` : `is there after ${formatNumber(arrived)} s and ${caughtUp + 1} epochs`}.`,
        agrees: arrived > ended ? onlyInFull(true, choices, usualEpochs) : unlessShort(false, choices, usualEpochs),
        why: 'An epoch of batches of 2 has as many steps as there are pairs of images, each with its neighbours.',
      },
      {
        figure: 'losses',
        claim:
          'Not in the paper: eigenvectors taught to landmarks by least squares are nearer to the optimum, without training.',
        measured: `log₁₀(f1 − f1*) ${Math.log10(ours.numbers.rows[0][0]).toFixed(2)} after ${formatNumber(ours.seconds[0])} s of ${timeWord(done)}, a Ritz head on landmarks ${Math.log10(head.numbers.rows[0][0]).toFixed(2)} after ${formatNumber(head.seconds[0])} s; the best training: ${best.toFixed(2)} after ${epochs} epochs.`,
        agrees: nearer,
        why: `The eigenvectors are cheap, and a linear layer on features that follow the data has room for them.${untold(nearer)}`,
      },
    ];
  }
}

export const mnist = losses(
  sixteen,
  'A network of two hidden layers of 256 units is trained on 20,000 images and the graph of 16 nearest neighbours, ' +
    'SpecNet1-local with batches of 45, 90 and 180 against SpecNet2-neighbor with batches of 2, 4 and 8, which see as many ' +
    'images; 10 starts, and embeddings after 50 epochs. SpecNet2 varies more, but is better on average when batches are small.',
);

export const mnistTen = losses(
  ten,
  'The same with 10 nearest neighbours and batches of 28, 56 and 112 for SpecNet1-local. SpecNet2-neighbor with batch 2 ' +
    'varies more, and is better than SpecNet1-local with batch 28 in the long run.',
);
