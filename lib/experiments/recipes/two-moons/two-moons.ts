/** How surely do networks tell two moons apart? Accuracy over epochs, with its spread over starts. */

import { formatNumber } from '../../../core/readable.ts';
import { courseOf } from '../../shared/course.ts';
import { directMethods, directStyles, type DirectTask } from '../direct.ts';
import { type FinishedJob, epochsOf, type Experiment, jobOf, seedsOf, unlessShort } from '../../shared/experiment.ts';
import { drawn, type LinePanel, type ShadedPanel, type Style } from '../../../charts/figure.ts';
import { moonPoints, moonRecipes } from '../../shared/moon-data.ts';
import { lastThird } from '../one-moon/trainings.ts';
import { nameOf, type Pair, styleOf } from '../../shared/schemes.ts';
import { deviation, mean, overReplicas } from '../../shared/statistics.ts';
import { timeWord } from '../../shared/times.ts';
import type { TwoMoonsNumbers, TwoMoonsTask } from './jobs.ts';

const compared: readonly Pair[] = [
  { method: 'specnet1', scheme: 'neighbor' },
  { method: 'specnet2', scheme: 'neighbor' },
];
const colours = { specnet1: 'vermilion', specnet2: 'blue' } as const;
const rates = { specnet1: 1e-5, specnet2: 1e-3 } as const;
/** Seconds that an epoch takes, and the look at it. */
const pace = 0.06;
const batch = 4;
const usualEpochs = { quick: 60, full: 300 };
const usual = { quick: 4, full: 10 };
const parts = { train: 'training points', test: 'testing points' } as const;

type FinishedTwoMoonsJob = FinishedJob<TwoMoonsTask, TwoMoonsNumbers>;

export const twoMoons: Experiment = {
  title: 'Two moons',
  summary: 'accuracy with error bars over starts, SpecNet1 and SpecNet2 neighbor, and the embeddings',
  paper:
    'Two clusters of the first nontrivial coordinate, by k-means, against the moon each point was drawn from, over 10 ' +
    'starts of the network. SpecNet1-neighbor and SpecNet2-neighbor have mean accuracies near each other, but that of ' +
    'SpecNet1 varies far more: SpecNet2 is the more reliable one.',
  remarks: ['SpecNet1 learns two outputs of which the trivial vector is one, SpecNet2 one output, as in the paper.'],
  settings: (choices) => ({
    points: moonPoints,
    graph: { ...moonRecipes.twoMoons },
    network: '2-128-1 for SpecNet2, 2-128-2 for SpecNet1, ReLU',
    optimizer: 'Adam',
    rates,
    batch,
    epochs: epochsOf(choices, usualEpochs),
    'seed of the points': choices.seed,
    'seeds of networks and batches': seedsOf(choices, usual),
  }),
  jobs: (choices) => {
    const epochs = epochsOf(choices, usualEpochs);
    const { seed: data } = choices;
    return [
      ...compared.flatMap(({ method, scheme }) =>
        seedsOf(choices, usual).map((start, replica) => {
          const rate = rates[method];
          const task: TwoMoonsTask = {
            data,
            method,
            scheme,
            batch,
            hidden: [128],
            rate,
            epochs,
            start,
            pencil: 'random-walk',
            shown: replica === 0,
          };
          return jobOf('two-moons', task, [method, scheme, start], epochs * pace);
        }),
      ),
      ...directMethods.map((method) =>
        jobOf(
          'two-moons-direct',
          { data, method, start: data, shown: method === 'eigen' } satisfies DirectTask,
          [method],
          2,
        ),
      ),
    ];
  },
  review(done, choices) {
    const epochs = epochsOf(choices, usualEpochs);
    const trained = ({ method }: Pair): FinishedTwoMoonsJob[] =>
      (done.filter(({ kind }) => kind === 'two-moons') as unknown as FinishedTwoMoonsJob[]).filter(
        ({ task }) => task.method === method,
      );
    const direct = (method: DirectTask['method']): FinishedJob<DirectTask, TwoMoonsNumbers> =>
      (
        done.filter(({ kind }) => kind === 'two-moons-direct') as unknown as FinishedJob<DirectTask, TwoMoonsNumbers>[]
      ).find(({ task }) => task.method === method)!;
    const lists = (pair: Pair, place: number): number[][] =>
      trained(pair).map(({ numbers }) => numbers.rows.map((row) => row[place]));
    const panel = (part: 'train' | 'test'): LinePanel => {
      const place = part === 'train' ? 0 : 1;
      return {
        kind: 'lines',
        title: parts[part],
        x: { label: 'epoch' },
        y: { label: 'share of points on the right moon', include: [0.5, 1] },
        series: [
          ...compared.map((pair) => drawn(styleIn(pair), courseOf(lists(pair, place), 'deviation'))),
          ...directMethods.map((method) => {
            const value = direct(method).numbers.rows[0][place];
            return drawn(directStyles[method], { x: [1, epochs], y: [value, value] });
          }),
        ],
      };
    };
    const picture = (name: string, { pictures }: TwoMoonsNumbers, part: 'train' | 'test'): ShadedPanel => ({
      kind: 'shaded',
      title: `${name}, ${parts[part]}`,
      x: { label: 'x' },
      y: { label: 'y' },
      px: pictures![part].x,
      py: pictures![part].y,
      shade: aligned(pictures![part].shade),
      square: true,
    });
    const shown = [
      { name: 'exact eigenvector', numbers: direct('eigen').numbers },
      ...compared.map((pair) => ({ name: nameOf(pair), numbers: trained(pair)[0].numbers })),
    ];
    const [one, two] = compared.map((pair) => ({
      level: mean(lists(pair, 1).map((list) => mean(lastThird(list)))),
      spread: mean(lastThird(overReplicas(lists(pair, 1), deviation))),
      final: mean(lists(pair, 1).map((list) => list.at(-1)!)),
    }));
    const starts = trained(compared[0]).length;
    const ritz = direct('landmarks');
    const exact = direct('eigen');
    return {
      figures: [
        {
          name: 'accuracy',
          title: 'Accuracy on two moons',
          caption: `Mean over ${starts} starts, bars of one standard deviation to either side, so that they may reach above 1. Dotted: what needs no training; curves on one level take turns.`,
          panels: [panel('train'), panel('test')],
        },
        {
          name: 'embedding',
          title: 'The first coordinate on two moons',
          caption: `Points coloured by the first coordinate, from blue for the least to orange for the largest, after ${epochs} epochs of the first start.`,
          panels: (['train', 'test'] as const).flatMap((part) =>
            shown.map(({ name, numbers }) => picture(name, numbers, part)),
          ),
        },
      ],
      claims: [
        {
          figure: 'accuracy',
          claim: 'The mean accuracies of SpecNet1-neighbor and SpecNet2-neighbor are close to each other.',
          measured: `On testing points, mean over starts and the last third of ${epochs} epochs: ${formatNumber(one.level)} and ${formatNumber(two.level)}; at the end ${formatNumber(one.final)} and ${formatNumber(two.final)}.`,
          agrees: unlessShort(Math.abs(one.level - two.level) < 0.1, choices, usualEpochs),
          why: 'Agrees if they are within 0.1 of each other.',
        },
        {
          figure: 'accuracy',
          claim: 'The accuracy of SpecNet1-neighbor varies much more from start to start.',
          measured: `Standard deviation over ${starts} starts, mean of the last third: ${formatNumber(one.spread)} for SpecNet1, ${formatNumber(two.spread)} for SpecNet2.`,
          agrees: starts < 3 ? null : unlessShort(one.spread > 2 * two.spread, choices, usualEpochs),
          why: starts < 3 ? 'So few do not tell a spread.' : 'Agrees if it is more than twice as large.',
        },
        {
          figure: 'accuracy',
          claim: 'Not in the paper: a Ritz head tells the moons apart without training.',
          measured: `Landmarks: ${ritz.numbers.rows[0][1].toFixed(4)} of the testing points in ${formatNumber(ritz.seconds[0])} s of ${timeWord(done)}; exact eigenvectors with Nyström: ${exact.numbers.rows[0][1].toFixed(4)}; SpecNet2 took ${formatNumber(mean(trained(compared[1]).map(({ seconds }) => seconds.at(-1)!)))} s for ${epochs} epochs.`,
          agrees: ritz.numbers.rows[0][1] > 0.99,
          why: 'Agrees above 0.99.',
        },
      ],
    };
  },
};

function styleIn(pair: Pair): Style {
  return { ...styleOf(pair), colour: colours[pair.method], spread: 'bars' };
}

/** Signs are free: positive for the first moon, whose points come first. */
function aligned(values: readonly number[]): readonly number[] {
  const half = mean(values.slice(0, values.length / 2));
  return half < 0 ? values.map((value) => -value) : values;
}
