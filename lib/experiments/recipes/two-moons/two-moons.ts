/** The experiment `two-moons`: accuracy of networks over epochs, with its spread over random starts. */

import { formatNumber } from '../../../core/readable.ts';
import { replicaCurve } from '../../shared/replica-curve.ts';
import { directMethods, directStyles, type DirectTask } from '../direct.ts';
import {
  type FinishedJob,
  epochsOf,
  type Experiment,
  jobOf,
  seedsOf,
  shortRunCanConfirm,
} from '../../shared/experiment.ts';
import { makeSeries, type LinePanel, type ShadedPanel, type Style } from '../../../charts/figure.ts';
import { moonPoints, moonRecipes } from '../../shared/moon-data.ts';
import { lastThird } from '../one-moon/trainings.ts';
import { nameOf, type Pair, styleOf } from '../../shared/schemes.ts';
import { deviation, mean, overReplicas } from '../../shared/statistics.ts';
import { timeName } from '../../shared/times.ts';
import type { TwoMoonsNumbers, TwoMoonsTask } from './jobs.ts';

const compared: readonly Pair[] = [
  { method: 'specnet1', scheme: 'neighbor' },
  { method: 'specnet2', scheme: 'neighbor' },
];
const colors = { specnet1: 'vermilion', specnet2: 'blue' } as const;
const rates = { specnet1: 1e-5, specnet2: 1e-3 } as const;
/** Seconds per epoch, including measurements. */
const epochSeconds = 0.06;
const batch = 4;
const defaultEpochs = { quick: 60, full: 300 };
const defaultReplicas = { quick: 4, full: 10 };
const parts = { train: 'training points', test: 'test points' } as const;

type FinishedTwoMoonsJob = FinishedJob<TwoMoonsTask, TwoMoonsNumbers>;

export const twoMoons: Experiment = {
  title: 'Two moons',
  summary: 'accuracy with error bars over starts, SpecNet1 and SpecNet2 neighbor, and the embeddings',
  paper:
    'K-means splits the first nontrivial coordinate into two clusters, which are compared with the moons, over 10 starts ' +
    'of the network. SpecNet1-neighbor and SpecNet2-neighbor have similar mean accuracies, but that of SpecNet1 varies ' +
    'much more: SpecNet2 is more reliable.',
  remarks: ['As in the paper, SpecNet1 has two outputs, one for the trivial vector, and SpecNet2 has one.'],
  settings: (choices) => ({
    points: moonPoints,
    graph: { ...moonRecipes.twoMoons },
    network: '2-128-1 for SpecNet2, 2-128-2 for SpecNet1, ReLU',
    optimizer: 'Adam',
    rates,
    batch,
    epochs: epochsOf(choices, defaultEpochs),
    'seed of the points': choices.seed,
    'seeds of networks and batches': seedsOf(choices, defaultReplicas),
  }),
  jobs: (choices) => {
    const epochs = epochsOf(choices, defaultEpochs);
    const { seed: data } = choices;
    return [
      ...compared.flatMap(({ method, scheme }) =>
        seedsOf(choices, defaultReplicas).map((start, replica) => {
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
          return jobOf('two-moons', task, [method, scheme, start], epochs * epochSeconds);
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
  review(finished, choices) {
    const epochs = epochsOf(choices, defaultEpochs);
    const trained = ({ method }: Pair): FinishedTwoMoonsJob[] =>
      (finished.filter(({ kind }) => kind === 'two-moons') as unknown as FinishedTwoMoonsJob[]).filter(
        ({ task }) => task.method === method,
      );
    const direct = (method: DirectTask['method']): FinishedJob<DirectTask, TwoMoonsNumbers> =>
      (
        finished.filter(({ kind }) => kind === 'two-moons-direct') as unknown as FinishedJob<
          DirectTask,
          TwoMoonsNumbers
        >[]
      ).find(({ task }) => task.method === method)!;
    const lists = (pair: Pair, column: number): number[][] =>
      trained(pair).map(({ numbers }) => numbers.rows.map((row) => row[column]));
    const panel = (part: 'train' | 'test'): LinePanel => {
      const column = part === 'train' ? 0 : 1;
      return {
        kind: 'lines',
        title: parts[part],
        x: { label: 'epoch' },
        y: { label: 'fraction of points on the right moon', include: [0.5, 1] },
        series: [
          ...compared.map((pair) => makeSeries(barStyle(pair), replicaCurve(lists(pair, column), 'deviation'))),
          ...directMethods.map((method) => {
            const value = direct(method).numbers.rows[0][column];
            return makeSeries(directStyles[method], { x: [1, epochs], y: [value, value] });
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
          caption: `Mean over ${starts} starts. Bars extend one standard deviation to both sides and can exceed 1. Dotted: methods without training, interleaved where they coincide.`,
          panels: [panel('train'), panel('test')],
        },
        {
          name: 'embedding',
          title: 'The first coordinate on two moons',
          caption: `Points colored by the first coordinate, from blue for the minimum to orange for the maximum, after ${epochs} epochs of the first start.`,
          panels: (['train', 'test'] as const).flatMap((part) =>
            shown.map(({ name, numbers }) => picture(name, numbers, part)),
          ),
        },
      ],
      claims: [
        {
          figure: 'accuracy',
          claim: 'The mean accuracies of SpecNet1-neighbor and SpecNet2-neighbor are close to each other.',
          measured: `On test points, mean over starts and the last third of ${epochs} epochs: ${formatNumber(one.level)} and ${formatNumber(two.level)}; after the last epoch ${formatNumber(one.final)} and ${formatNumber(two.final)}.`,
          agrees: shortRunCanConfirm(Math.abs(one.level - two.level) < 0.1, choices, defaultEpochs),
          why: 'Agrees if they differ by less than 0.1.',
        },
        {
          figure: 'accuracy',
          claim: 'The accuracy of SpecNet1-neighbor varies much more from start to start.',
          measured: `Standard deviation over ${starts} starts, mean of the last third of the epochs: ${formatNumber(one.spread)} for SpecNet1, ${formatNumber(two.spread)} for SpecNet2.`,
          agrees: starts < 3 ? null : shortRunCanConfirm(one.spread > 2 * two.spread, choices, defaultEpochs),
          why: starts < 3 ? 'At least three starts are needed.' : 'Agrees if it is more than twice as large.',
        },
        {
          figure: 'accuracy',
          claim: 'Not in the paper: a Ritz head separates the moons without training.',
          measured: `Landmarks: ${ritz.numbers.rows[0][1].toFixed(4)} of the test points in ${formatNumber(ritz.seconds[0])} s of ${timeName(finished)}; exact eigenvectors with Nyström: ${exact.numbers.rows[0][1].toFixed(4)}; SpecNet2 took ${formatNumber(mean(trained(compared[1]).map(({ seconds }) => seconds.at(-1)!)))} s for ${epochs} epochs.`,
          agrees: ritz.numbers.rows[0][1] > 0.99,
          why: 'Agrees if the accuracy is above 0.99.',
        },
      ],
    };
  },
};

function barStyle(pair: Pair): Style {
  return { ...styleOf(pair), color: colors[pair.method], spread: 'bars' };
}

/** Chooses the sign, which is arbitrary, so that the first moon is positive. Its points come first. */
function aligned(values: readonly number[]): readonly number[] {
  const firstMoon = mean(values.slice(0, values.length / 2));
  return firstMoon < 0 ? values.map((value) => -value) : values;
}
