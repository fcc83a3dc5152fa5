/** Which schemes train a network on one moon? Errors over epochs, on points seen and not seen. */

import { formatNumber } from '../../../core/readable.ts';
import { courseWords } from '../../shared/course.ts';
import { directMethods, directStyles } from '../direct.ts';
import {
  type Choices,
  type Claim,
  type FinishedJob,
  epochsOf,
  type Experiment,
  onlyInFull,
  unlessShort,
} from '../../shared/experiment.ts';
import { drawn, type LinePanel } from '../../../charts/figure.ts';
import {
  allTrainings,
  bothErrors,
  curveOf,
  directOf,
  good,
  levelOf,
  networksOf,
  ordinal,
  parts,
  places,
  poor,
  settled,
  trainingSettings,
  usualEpochs,
} from './trainings.ts';
import { nameOf, type Pair, pairs, styleOf } from '../../shared/schemes.ts';

export const oneMoonNetwork: Experiment = {
  title: 'One moon, networks',
  summary: 'errors of both eigenfunctions on training and testing points, six schemes, the floor, the Ritz head',
  paper:
    'A network with one hidden layer of 128 units is trained by batches of 4. SpecNet1-full, SpecNet2-full and ' +
    'SpecNet2-neighbor approximate the first two nontrivial eigenfunctions well; SpecNet1-local, SpecNet2-local and ' +
    'SpecNet1-neighbor do not. Errors on training and on testing points are drawn, and not compared in words.',
  remarks: [
    'Errors are the paper’s τ against eigenfunctions on a fine grid. The exact eigenvectors of the graph differ from the eigenfunctions too, by an amount that the draw of the points decides: the dotted line. A network may come below it, for it is smooth.',
    'Columns of a network’s output are turned into approximate eigenvectors by Rayleigh-Ritz on the training points, and testing points by the same matrix.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(done, choices) {
    const last = epochsOf(choices, usualEpochs);
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
          caption: `${courseWords(networksOf(done, pairs[0]).length, 'range')}. Dotted, and taking turns where they are on one level: what needs no training.`,
          panels: [panel('train', 0), panel('test', 0), panel('train', 1), panel('test', 1)],
        },
      ],
      claims: networkClaims(done, choices),
    };
  },
};

function networkClaims(done: readonly FinishedJob[], choices: Choices): Claim[] {
  const errors = (pair: Pair, part: 'train' | 'test'): [number, number] => {
    const jobs = networksOf(done, pair);
    return [settled(jobs, places[part][0]), settled(jobs, places[part][1])];
  };
  const say = (list: readonly Pair[]): string =>
    list.map((pair) => `${nameOf(pair)} ${bothErrors(...errors(pair, 'test'))}`).join(', ');
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
      measured: `On testing points, mean of the last third of the epochs, first / second: ${say(good)}; against ${say(poor)}. Exact eigenvectors: ${bothErrors(floor[2], floor[3])}.`,
      agrees: unlessShort(best < worst, choices, usualEpochs),
      why: 'Agrees if the worst sum of both errors of the first three is below the best of the others.',
    },
    {
      figure: 'errors',
      claim: 'Not in the paper’s words: errors on testing points are like those on training points.',
      measured: `First eigenfunction, testing over training error: ${good.map((pair, i) => `${nameOf(pair)} ${formatNumber(ratios[i])}`).join(', ')}.`,
      agrees: unlessShort(
        ratios.every((ratio) => ratio < 1.25 && ratio > 0.8),
        choices,
        usualEpochs,
      ),
      why: 'Agrees within a quarter.',
    },
    {
      figure: 'errors',
      claim: 'Not in the paper: the last layer need not be trained. A Ritz head is as good at once.',
      measured: `${ritz.map(({ method, row }) => `${directStyles[method].name} ${bothErrors(row[2], row[3])}`).join(', ')} on testing points; against the eigenvectors of the graph ${ritz.map(({ row }) => bothErrors(row[4], row[5])).join(', ')}.`,
      agrees: onlyInFull(
        ritz.every(({ row }) => row[2] + row[3] < 1.15 * best),
        choices,
        usualEpochs,
      ),
      why: 'Agrees if the sum of both errors is within 15 % of the worst of the three good trainings, or below.',
    },
  ];
}
