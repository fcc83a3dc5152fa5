/** Which schemes train a network on one moon? Errors over epochs, over cost and over time, and the embeddings. */

import { formatNumber } from '../core/readable.ts';
import { directMethods, directStyles } from './direct.ts';
import type { Claim, Done, Experiment } from './experiment.ts';
import { type CloudPanel, drawn, type LinePanel } from './figure.ts';
import { moonPoints } from './moon-data.ts';
import type { Embedding } from './one-moon-jobs.ts';
import {
  allTrainings,
  curveOf,
  directOf,
  lastThird,
  levelOf,
  networksOf,
  places,
  settled,
  trainingEpochs,
  trainingJobs,
  trainingSettings,
  unlessShort,
} from './one-moon-trainings.ts';
import { nameOf, type Pair, pairs, styleOf } from './schemes.ts';
import { mean, overReplicas } from './statistics.ts';

const ordinal = ['first', 'second'] as const;
const parts = { train: 'training points', test: 'testing points' } as const;

const good: readonly Pair[] = [
  { method: 'specnet1', scheme: 'full' },
  { method: 'specnet2', scheme: 'full' },
  { method: 'specnet2', scheme: 'neighbor' },
];
const poor = pairs.filter((pair) => !good.some((one) => nameOf(one) === nameOf(pair)));

const both = (first: number, second: number): string => `${formatNumber(first)} / ${formatNumber(second)}`;

export const oneMoonNetwork: Experiment = {
  title: 'One moon, networks',
  summary: 'errors of both eigenfunctions on training and testing points, six schemes, the floor, the Ritz head',
  minutes: { quick: 1, full: 20 },
  paper:
    'A network with one hidden layer of 128 units is trained by batches of 4. SpecNet1-full, SpecNet2-full and ' +
    'SpecNet2-neighbor approximate the first two nontrivial eigenfunctions well; SpecNet1-local, SpecNet2-local and ' +
    'SpecNet1-neighbor do not. Errors on testing points are like those on training points.',
  remarks: [
    'Errors are the paper’s τ against eigenfunctions on a fine grid. The exact eigenvectors of the graph differ from the eigenfunctions too, by an amount that the draw of the points decides: the dotted line. A network may come below it, for it is smooth.',
    'Columns of a network’s output are turned into approximate eigenvectors by Rayleigh-Ritz on the training points, and testing points by the same matrix.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(done, choices) {
    const last = trainingEpochs(choices);
    const panel = (part: 'train' | 'test', i: 0 | 1): LinePanel => ({
      kind: 'lines',
      title: `${ordinal[i]} eigenfunction, ${parts[part]}`,
      x: { label: 'epoch' },
      y: { label: 'relative error τ', scale: 'log' },
      series: [
        ...pairs.map((pair) => drawn(styleOf(pair), curveOf(networksOf(done, pair), places[part][i]))),
        ...directMethods.map((method) =>
          drawn(directStyles[method], levelOf(directOf(done, method), places[part][i], [1, last])),
        ),
      ],
    });
    return {
      figures: [
        {
          name: 'errors',
          title: 'Errors of networks on one moon',
          caption: 'Mean over starts, band from the least to the largest. Dotted: what needs no training.',
          panels: [panel('train', 0), panel('test', 0), panel('train', 1), panel('test', 1)],
        },
      ],
      claims: networkClaims(done, choices.quick),
    };
  },
};

function networkClaims(done: readonly Done[], quick: boolean): Claim[] {
  const errors = (pair: Pair, part: 'train' | 'test'): [number, number] => {
    const jobs = networksOf(done, pair);
    return [settled(jobs, places[part][0]), settled(jobs, places[part][1])];
  };
  const say = (list: readonly Pair[]): string =>
    list.map((pair) => `${nameOf(pair)} ${both(...errors(pair, 'test'))}`).join(', ');
  const total = (pair: Pair): number => errors(pair, 'test')[0] + errors(pair, 'test')[1];
  const [best, worst] = [Math.max(...good.map(total)), Math.min(...poor.map(total))];
  const floor = directOf(done, 'eigen').numbers.rows[0];
  const ratios = good.map((pair) => errors(pair, 'test')[0] / errors(pair, 'train')[0]);
  const ritz = (['landmarks', 'untrained'] as const).map((method) => ({
    method,
    row: directOf(done, method).numbers.rows[0],
  }));
  return [
    {
      figure: 'errors',
      claim:
        'SpecNet1-full, SpecNet2-full and SpecNet2-neighbor approximate both eigenfunctions well, the other three badly.',
      measured: `On testing points, mean of the last third of the epochs, first / second: ${say(good)}; against ${say(poor)}. Exact eigenvectors: ${both(floor[2], floor[3])}.`,
      agrees: unlessShort(best < worst, quick),
      why: 'Agrees if the worst sum of both errors of the first three is below the best of the others.',
    },
    {
      figure: 'errors',
      claim: 'Errors on testing points are like those on training points.',
      measured: `First eigenfunction, testing over training error: ${good.map((pair, i) => `${nameOf(pair)} ${formatNumber(ratios[i])}`).join(', ')}.`,
      agrees: ratios.every((ratio) => ratio < 1.25 && ratio > 0.8),
      why: 'Within a quarter. The network is a function, and 2,000 points determine its few hundred weights.',
    },
    {
      figure: 'errors',
      claim: 'Not in the paper: the last layer need not be trained. A Ritz head is as good at once.',
      measured: `${ritz.map(({ method, row }) => `${directStyles[method].name} ${both(row[2], row[3])}`).join(', ')} on testing points; against the eigenvectors of the graph ${ritz.map(({ row }) => both(row[4], row[5])).join(', ')}.`,
      agrees: ritz.every(({ row }) => row[2] + row[3] < 1.15 * best),
      why: 'Agrees if the sum of both errors is within 15 % of the worst of the three good trainings, or below.',
    },
  ];
}

const costly: readonly Pair[] = [
  { method: 'specnet1', scheme: 'full' },
  { method: 'specnet1', scheme: 'neighbor' },
  { method: 'specnet2', scheme: 'full' },
  { method: 'specnet2', scheme: 'neighbor' },
];

export const oneMoonCost: Experiment = {
  title: 'One moon, networks: what they cost',
  summary: 'the same errors against leading cost and against seconds, full and neighbor',
  minutes: { quick: 0.5, full: 15 },
  paper:
    'The leading cost of an epoch is n²/b for the full scheme and n·|N|/b for the neighbor scheme, |N| the mean number of ' +
    'neighbours of a batch, about 620. Against this cost SpecNet2-neighbor reaches the level of its first error earlier ' +
    'than SpecNet2-full, and the levels are alike.',
  remarks: [
    'Seconds are those of training without the look at errors, of replicas that ran side by side on all cores.',
  ],
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
          : { label: 'seconds of training', scale: 'log' },
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
      claims: costClaims(done, perEpoch, choices.quick),
    };
  },
};

function costClaims(done: readonly Done[], perEpoch: (pair: Pair) => number, quick: boolean): Claim[] {
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
      agrees: unlessShort(neighbor.cost < full.cost, quick),
      why: 'An epoch of neighbor costs less by the share of neighbours among all points, and it needs about as many epochs.',
    },
    {
      figure: 'cost',
      claim: 'Both come to similar errors.',
      measured: `${formatNumber(neighbor.level)} (neighbor) and ${formatNumber(full.level)} (full), mean of the last third of the epochs.`,
      agrees: unlessShort(Math.max(neighbor.level / full.level, full.level / neighbor.level) < 1.35, quick),
      why: 'Agrees within a factor of 1.35.',
    },
    {
      figure: 'cost',
      claim: 'Not in the paper: in measured time neighbor is cheaper as well.',
      measured: `${formatNumber(1000 * neighbor.pace)} ms an epoch for SpecNet2-neighbor, ${formatNumber(1000 * full.pace)} for SpecNet2-full.`,
      agrees: neighbor.pace < full.pace,
      why: 'The factor is smaller than that of the leading cost: W has the same entries in both schemes, and the full scheme pays for evaluating the network at all points.',
    },
  ];
}

export const oneMoonEmbedding: Experiment = {
  title: 'One moon, embeddings',
  summary: 'where each method puts the points, beside the truth',
  minutes: { quick: 1, full: 20 },
  paper:
    'The first two coordinates of all methods on training and testing points, beside those of the eigenfunctions: the ' +
    'three good methods give the same curve, the others bend or tear it.',
  remarks: [
    'Columns are scaled and turned as τ does it, each alone. Of every set 500 points are shown, of the first start.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(done) {
    const entries = [
      { name: 'exact eigenvectors', numbers: directOf(done, 'eigen').numbers },
      ...pairs.map((pair) => ({ name: nameOf(pair), numbers: networksOf(done, pair)[0].numbers })),
      { name: 'Ritz head on landmarks', numbers: directOf(done, 'landmarks').numbers },
    ];
    const panel = (name: string, found: Embedding, truth: Embedding, part: 'train' | 'test'): CloudPanel => ({
      kind: 'cloud',
      title: name,
      x: { label: 'first coordinate' },
      y: { label: 'second coordinate' },
      clouds: [
        { name: 'eigenfunctions', colour: 'orange', x: truth[part].first, y: truth[part].second },
        { name: 'found', colour: 'blue', x: found[part].first, y: found[part].second },
      ],
    });
    const distance = ({ numbers }: (typeof entries)[number]): number =>
      numbers.rows.at(-1)![2] + numbers.rows.at(-1)![3];
    const goodNames = new Set(good.map(nameOf));
    const [near, far] = [true, false].map((wanted) =>
      entries.slice(1, -1).filter(({ name }) => goodNames.has(name) === wanted),
    );
    return {
      figures: (['train', 'test'] as const).map((part) => ({
        name: part,
        title: `Embeddings of ${parts[part]}`,
        caption: 'Orange: eigenfunctions. Blue: what was found.',
        panels: entries.map(({ name, numbers }) => panel(name, numbers.embedding!, numbers.truth, part)),
      })),
      claims: [
        {
          figure: 'test',
          claim:
            'SpecNet1-full, SpecNet2-full and SpecNet2-neighbor give the curve of the eigenfunctions, the other three do not.',
          measured: `Sum of both errors on testing points at the end: ${[...near, ...far].map((entry) => `${entry.name} ${formatNumber(distance(entry))}`).join(', ')}; exact eigenvectors ${formatNumber(distance(entries[0]))}.`,
          agrees: Math.max(...near.map(distance)) < Math.min(...far.map(distance)),
          why: 'Agrees if each of the three is nearer than each of the others, at the last epoch of the first start.',
        },
      ],
    };
  },
};

export const oneMoonPencil: Experiment = {
  title: 'One moon, two forms of the eigenproblem',
  summary: '(W, D) against D^-½WD^-½ for the full scheme',
  minutes: { quick: 1, full: 20 },
  paper:
    'The same networks can be trained for (D^-½WD^-½, I) in place of (W, D), with the output multiplied by D^-½ at the ' +
    'end. With the full scheme and the same rates both give similar errors.',
  remarks: [],
  settings: trainingSettings,
  jobs: (choices) =>
    good.slice(0, 2).flatMap((pair) => trainingJobs(choices, pair).concat(trainingJobs(choices, pair, 'symmetric'))),
  review(done, choices) {
    const forms = { 'random-walk': '(W, D)', symmetric: 'D^-½WD^-½' } as const;
    const panel = (pair: Pair, i: 0 | 1): LinePanel => ({
      kind: 'lines',
      title: `${nameOf(pair)}, ${ordinal[i]} eigenfunction`,
      x: { label: 'epoch' },
      y: { label: 'relative error τ', scale: 'log' },
      series: [
        drawn({ name: forms['random-walk'], colour: 'blue' }, curveOf(networksOf(done, pair), places.train[i])),
        drawn(
          { name: forms.symmetric, colour: 'orange', dash: 'dashed' },
          curveOf(networksOf(done, pair, 'symmetric'), places.train[i]),
        ),
      ],
    });
    const levels = good
      .slice(0, 2)
      .map((pair) =>
        (['random-walk', 'symmetric'] as const).map((pencil) =>
          places.train.map((place) => settled(networksOf(done, pair, pencil), place)),
        ),
      );
    const ratios = levels.flatMap(([walk, symmetric]) => walk.map((value, i) => symmetric[i] / value));
    return {
      figures: [
        {
          name: 'errors',
          title: 'Two forms of the eigenproblem',
          caption: 'Errors on training points; mean over starts, band from the least to the largest.',
          panels: good.slice(0, 2).flatMap((pair) => [panel(pair, 0), panel(pair, 1)]),
        },
      ],
      claims: [
        {
          figure: 'errors',
          claim: 'Training for D^-½WD^-½ in place of (W, D) gives similar errors.',
          measured: good
            .slice(0, 2)
            .map(
              (pair, p) =>
                `${nameOf(pair)}: ${(['random-walk', 'symmetric'] as const).map((pencil, form) => `${forms[pencil]} ${both(levels[p][form][0], levels[p][form][1])}`).join(', ')}`,
            )
            .join('; ')
            .concat('.'),
          agrees: unlessShort(
            ratios.every((ratio) => ratio < 2 && ratio > 0.5),
            choices.quick,
          ),
          why: 'Agrees if all errors, mean of the last third of the epochs, are within a factor of two. D^½ψ is less smooth than ψ, and a network of these units has to bend for it.',
        },
      ],
    };
  },
};
