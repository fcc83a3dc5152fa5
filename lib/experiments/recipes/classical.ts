/** The experiment `classical`: test errors and times of networks and of an eigensolver with Nyström's extension. */

import { formatMilliseconds, formatNumber } from '../../core/readable.ts';
import { directMethods, directStyles } from './direct.ts';
import { type Experiment, shortRunCanRefute } from '../shared/experiment.ts';
import { makeSeries, type LinePanel, type Style } from '../../charts/figure.ts';
import {
  allTrainings,
  directOf,
  networksOf,
  errorColumns,
  finalError,
  trainingSettings,
  defaultEpochs,
} from './one-moon/trainings.ts';
import { pairs, styleOf } from '../shared/schemes.ts';
import { mean } from '../shared/statistics.ts';
import { timeAxis, timeName } from '../shared/times.ts';

export const classical: Experiment = {
  title: 'Networks and classical methods on one moon',
  summary: 'an eigensolver with Nyström compared with the networks: errors on test points and time',
  paper:
    'The paper mentions Nyström’s extension as the classical method for new points, and does not compare with it. The ' +
    'figures of two moons and MNIST contain the same comparison.',
  remarks: [
    'Times are those of training, or of the eigensolver and the extension to all test points, without the construction of the graph. The extension needs all training points; a network or a Ritz head does not. A test point without a neighbor among the training points is replaced by the nearest training point.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(finished, choices) {
    const entries = [
      ...pairs.map((pair) => {
        const jobs = networksOf(finished, pair);
        return {
          style: styleOf(pair),
          errors: errorColumns.test.map((column) => finalError(jobs, column)),
          seconds: mean(jobs.map(({ seconds }) => seconds.at(-1)!)),
        };
      }),
      ...directMethods.map((method) => {
        const { numbers, seconds } = directOf(finished, method);
        return {
          style: directStyles[method],
          errors: errorColumns.test.map((column) => numbers.rows[0][column]),
          seconds: seconds[0] + seconds[1],
        };
      }),
    ];
    const panel = (i: number): LinePanel => ({
      kind: 'lines',
      title: `${['first', 'second'][i]} eigenfunction`,
      x: timeAxis(finished, 'of training, or of the eigensolver and extension'),
      y: { label: 'relative error τ on test points', scale: 'log' },
      series: entries.map(({ style, errors, seconds }) =>
        makeSeries(withMarks(style), { x: [seconds], y: [errors[i]] }),
      ),
    });
    const exact = entries.find(({ style }) => style === directStyles.eigen)!;
    const trained = entries.slice(0, pairs.length);
    const best = trained.reduce((a, b) => (a.errors[0] + a.errors[1] < b.errors[0] + b.errors[1] ? a : b));
    return {
      figures: [
        {
          name: 'errors',
          title: 'Errors on test points against time',
          caption:
            'One mark per method, named in the legend and in the table. Round marks are trainings: the mean over starts and the last third of the epochs, against the time of all epochs; those of SpecNet1 are hollow. Other shapes are methods without training.',
          panels: [panel(0), panel(1)],
        },
      ],
      tables: [
        {
          title: `Errors on test points, and ${timeName(finished)}`,
          header: ['method', 'first', 'second', timeName(finished)],
          rows: entries.map(({ style, errors, seconds }) => [
            style.name,
            formatNumber(errors[0]),
            formatNumber(errors[1]),
            formatMilliseconds(1000 * seconds),
          ]),
        },
      ],
      claims: [
        {
          figure: 'errors',
          claim:
            'Not in the paper: for this number of points the eigensolver with Nyström’s extension is as accurate as the best training, and much faster.',
          measured: `Exact eigenvectors ${exact.errors.map(formatNumber).join(' / ')} in ${formatMilliseconds(1000 * exact.seconds)}; ${best.style.name} ${best.errors.map(formatNumber).join(' / ')} in ${formatMilliseconds(1000 * best.seconds)}.`,
          agrees: shortRunCanRefute(
            exact.errors[0] + exact.errors[1] < 1.15 * (best.errors[0] + best.errors[1]) &&
              exact.seconds < best.seconds,
            choices,
            defaultEpochs,
          ),
          why: 'Agrees if the sum of both errors is at most 15 % larger and the time is shorter.',
        },
      ],
    };
  },
};

function withMarks(style: Style): Style {
  return { ...style, marks: true };
}
