/** The experiment `one-moon-network`: errors of networks over epochs on training and test points, for all schemes. */

import { formatNumber } from '../../../core/readable.ts';
import { replicaCurveCaption } from '../../shared/replica-curve.ts';
import { directMethods, directStyles } from '../direct.ts';
import {
  type Choices,
  type Claim,
  type FinishedJob,
  epochsOf,
  type Experiment,
  shortRunCanRefute,
  shortRunCanConfirm,
} from '../../shared/experiment.ts';
import { makeSeries, type LinePanel } from '../../../charts/figure.ts';
import {
  allTrainings,
  bothErrors,
  curveOf,
  directOf,
  goodPairs,
  levelOf,
  networksOf,
  ordinal,
  parts,
  errorColumns,
  poorPairs,
  finalError,
  trainingSettings,
  defaultEpochs,
} from './trainings.ts';
import { nameOf, type Pair, pairs, styleOf } from '../../shared/schemes.ts';

export const oneMoonNetwork: Experiment = {
  title: 'One moon, networks',
  summary: 'errors on training and test points: both methods, three schemes each, exact eigenvectors, Ritz heads',
  paper:
    'A network with one hidden layer of 128 units is trained by batches of 4. SpecNet1-full, SpecNet2-full and ' +
    'SpecNet2-neighbor approximate the first two nontrivial eigenfunctions well; SpecNet1-local, SpecNet2-local and ' +
    'SpecNet1-neighbor do not. Errors on training and on test points are drawn, but not compared in the text.',
  remarks: [
    'Errors are the paper’s τ against eigenfunctions on a fine grid. The exact eigenvectors of the graph also differ from the eigenfunctions, by an amount that depends on the random points: the dotted line. A network can be below this line, because it is smooth.',
    'The outputs of a network are rotated to approximate eigenvectors by Rayleigh-Ritz on the training points. Test points are rotated by the same matrix.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(finished, choices) {
    const epochs = epochsOf(choices, defaultEpochs);
    const panel = (part: 'train' | 'test', i: 0 | 1): LinePanel => ({
      kind: 'lines',
      title: `${ordinal[i]} eigenfunction, ${parts[part]}`,
      x: { label: 'epoch' },
      y: { label: 'relative error τ', scale: 'log' },
      series: [
        ...pairs.map((pair) => makeSeries(styleOf(pair), curveOf(networksOf(finished, pair), errorColumns[part][i]))),
        ...directMethods.map((method) =>
          makeSeries(directStyles[method], levelOf(directOf(finished, method), errorColumns[part][i], [1, epochs])),
        ),
      ],
    });
    return {
      figures: [
        {
          name: 'errors',
          title: 'Errors of networks on one moon',
          caption: `${replicaCurveCaption(networksOf(finished, pairs[0]).length, 'range')}. Dotted: methods without training, interleaved where they coincide.`,
          panels: [panel('train', 0), panel('test', 0), panel('train', 1), panel('test', 1)],
        },
      ],
      claims: networkClaims(finished, choices),
    };
  },
};

function networkClaims(finished: readonly FinishedJob[], choices: Choices): Claim[] {
  const errors = (pair: Pair, part: 'train' | 'test'): [number, number] => {
    const jobs = networksOf(finished, pair);
    return [finalError(jobs, errorColumns[part][0]), finalError(jobs, errorColumns[part][1])];
  };
  const describeErrors = (list: readonly Pair[]): string =>
    list.map((pair) => `${nameOf(pair)} ${bothErrors(...errors(pair, 'test'))}`).join(', ');
  const total = (pair: Pair): number => errors(pair, 'test')[0] + errors(pair, 'test')[1];
  const [worstGood, bestPoor] = [Math.max(...goodPairs.map(total)), Math.min(...poorPairs.map(total))];
  const exact = directOf(finished, 'eigen').numbers.rows[0];
  const ratios = goodPairs.map((pair) => errors(pair, 'test')[0] / errors(pair, 'train')[0]);
  const ritz = (['landmarks', 'untrained'] as const).map((method) => ({
    method,
    row: directOf(finished, method).numbers.rows[0],
  }));
  return [
    {
      figure: 'errors',
      claim:
        'SpecNet1-full, SpecNet2-full and SpecNet2-neighbor approximate both eigenfunctions well, the other three do not.',
      measured: `On test points, mean of the last third of the epochs, first / second: ${describeErrors(goodPairs)}; the others: ${describeErrors(poorPairs)}. Exact eigenvectors: ${bothErrors(exact[2], exact[3])}.`,
      agrees: shortRunCanConfirm(worstGood < bestPoor, choices, defaultEpochs),
      why: 'Agrees if the largest sum of both errors of the first three is below the smallest of the others.',
    },
    {
      figure: 'errors',
      claim: 'Not in the paper’s text: errors on test points are similar to those on training points.',
      measured: `First eigenfunction, ratio of test error to training error: ${goodPairs.map((pair, i) => `${nameOf(pair)} ${formatNumber(ratios[i])}`).join(', ')}.`,
      agrees: shortRunCanConfirm(
        ratios.every((ratio) => ratio < 1.25 && ratio > 0.8),
        choices,
        defaultEpochs,
      ),
      why: 'Agrees if all ratios are between 0.8 and 1.25.',
    },
    {
      figure: 'errors',
      claim: 'Not in the paper: the last layer need not be trained. A Ritz head is as accurate without training.',
      measured: `${ritz.map(({ method, row }) => `${directStyles[method].name} ${bothErrors(row[2], row[3])}`).join(', ')} on test points; against the eigenvectors of the graph ${ritz.map(({ row }) => bothErrors(row[4], row[5])).join(', ')}.`,
      agrees: shortRunCanRefute(
        ritz.every(({ row }) => row[2] + row[3] < 1.15 * worstGood),
        choices,
        defaultEpochs,
      ),
      why: 'Agrees if the sum of both errors is at most 15 % above the largest of the three good trainings.',
    },
  ];
}
