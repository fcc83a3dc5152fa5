/** What do networks gain over the classical way? Errors on testing points and time, beside an eigensolver and Nyström's extension. */

import { formatMilliseconds, formatNumber } from '../../core/readable.ts';
import { directMethods, directStyles } from './direct.ts';
import { type Experiment, onlyInFull } from '../shared/experiment.ts';
import { drawn, type LinePanel, type Style } from '../../charts/figure.ts';
import {
  allTrainings,
  directOf,
  networksOf,
  places,
  settled,
  trainingSettings,
  usualEpochs,
} from './one-moon/trainings.ts';
import { pairs, styleOf } from '../shared/schemes.ts';
import { mean } from '../shared/statistics.ts';
import { timeAxis, timeWord } from '../shared/times.ts';

export const classical: Experiment = {
  title: 'Networks and the classical way, on one moon',
  summary: 'a direct eigensolver and Nyström beside the networks: errors on testing points and time',
  paper:
    'Nothing: Nyström’s extension is named as the classical way to new points, and is not compared with. The same ' +
    'comparison for two moons and MNIST stands in the figures of these experiments.',
  remarks: [
    'Seconds are those of training, or of the eigensolver and the extension to all testing points; the graph is there before. The extension needs all training points at hand, a network or a head does not. A testing point out of reach of all training points counts as the nearest of them.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(done, choices) {
    const entries = [
      ...pairs.map((pair) => {
        const jobs = networksOf(done, pair);
        return {
          style: styleOf(pair),
          errors: places.test.map((place) => settled(jobs, place)),
          seconds: mean(jobs.map(({ seconds }) => seconds.at(-1)!)),
        };
      }),
      ...directMethods.map((method) => {
        const { numbers, seconds } = directOf(done, method);
        return {
          style: directStyles[method],
          errors: places.test.map((place) => numbers.rows[0][place]),
          seconds: seconds[0] + seconds[1],
        };
      }),
    ];
    const panel = (i: number): LinePanel => ({
      kind: 'lines',
      title: `${['first', 'second'][i]} eigenfunction`,
      x: timeAxis(done, 'of training, or of the eigensolver and extension'),
      y: { label: 'relative error τ on testing points', scale: 'log' },
      series: entries.map(({ style, errors, seconds }) => drawn(marked(style), { x: [seconds], y: [errors[i]] })),
    });
    const exact = entries.find(({ style }) => style === directStyles.eigen)!;
    const trained = entries.slice(0, pairs.length);
    const best = trained.reduce((a, b) => (a.errors[0] + a.errors[1] < b.errors[0] + b.errors[1] ? a : b));
    return {
      figures: [
        {
          name: 'errors',
          title: 'Errors on testing points against time',
          caption:
            'One mark for each method, labelled in the legend and in the table. Trainings: mean over starts and the last third of the epochs, time of all epochs. Round marks: trainings, hollow those of SpecNet1; a shape of its own: what needs no training.',
          panels: [panel(0), panel(1)],
        },
      ],
      tables: [
        {
          title: `Errors on testing points, and ${timeWord(done)}`,
          header: ['method', 'first', 'second', timeWord(done)],
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
            'Not in the paper: at this size the eigensolver with Nyström’s extension is as good as the best training, and far quicker.',
          measured: `Exact eigenvectors ${exact.errors.map(formatNumber).join(' / ')} in ${formatMilliseconds(1000 * exact.seconds)}; ${best.style.name} ${best.errors.map(formatNumber).join(' / ')} in ${formatMilliseconds(1000 * best.seconds)}.`,
          agrees: onlyInFull(
            exact.errors[0] + exact.errors[1] < 1.15 * (best.errors[0] + best.errors[1]) &&
              exact.seconds < best.seconds,
            choices,
            usualEpochs,
          ),
          why: 'Agrees if the sum of both errors is at most 15 % larger, in less time.',
        },
      ],
    };
  },
};

function marked(style: Style): Style {
  return { ...style, marks: true };
}
