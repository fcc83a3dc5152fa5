/** The experiment `one-moon-pencil`: training for the pencil (W, D) compared with training for D^-½WD^-½. */

import { replicaCurveCaption } from '../../shared/replica-curve.ts';
import { type Experiment, shortRunCanConfirm } from '../../shared/experiment.ts';
import { makeSeries, type LinePanel } from '../../../charts/figure.ts';
import {
  bothErrors,
  curveOf,
  goodPairs,
  networksOf,
  ordinal,
  errorColumns,
  finalError,
  trainingJobs,
  trainingSettings,
  defaultEpochs,
} from './trainings.ts';
import { nameOf, type Pair } from '../../shared/schemes.ts';

export const oneMoonPencil: Experiment = {
  title: 'One moon, two forms of the eigenproblem',
  summary: '(W, D) against D^-½WD^-½ for the full scheme',
  paper:
    'The same networks can be trained for (D^-½WD^-½, I) instead of (W, D), with the output multiplied by D^-½ at the ' +
    'end. With the full scheme and the same rates both give similar errors.',
  remarks: [],
  settings: trainingSettings,
  jobs: (choices) =>
    goodPairs
      .slice(0, 2)
      .flatMap((pair) => trainingJobs(choices, pair).concat(trainingJobs(choices, pair, 'symmetric'))),
  review(finished, choices) {
    const forms = { 'random-walk': '(W, D)', symmetric: 'D^-½WD^-½' } as const;
    const panel = (pair: Pair, i: 0 | 1): LinePanel => ({
      kind: 'lines',
      title: `${nameOf(pair)}, ${ordinal[i]} eigenfunction`,
      x: { label: 'epoch' },
      y: { label: 'relative error τ', scale: 'log' },
      series: [
        makeSeries(
          { name: forms['random-walk'], color: 'blue' },
          curveOf(networksOf(finished, pair), errorColumns.train[i]),
        ),
        makeSeries(
          { name: forms.symmetric, color: 'orange', dash: 'dashed' },
          curveOf(networksOf(finished, pair, 'symmetric'), errorColumns.train[i]),
        ),
      ],
    });
    const levels = goodPairs
      .slice(0, 2)
      .map((pair) =>
        (['random-walk', 'symmetric'] as const).map((pencil) =>
          errorColumns.train.map((column) => finalError(networksOf(finished, pair, pencil), column)),
        ),
      );
    const ratios = levels.flatMap(([walk, symmetric]) => walk.map((value, i) => symmetric[i] / value));
    return {
      figures: [
        {
          name: 'errors',
          title: 'Two forms of the eigenproblem',
          caption: `Errors on training points. ${replicaCurveCaption(networksOf(finished, goodPairs[0]).length, 'range')}.`,
          panels: goodPairs.slice(0, 2).flatMap((pair) => [panel(pair, 0), panel(pair, 1)]),
        },
      ],
      claims: [
        {
          figure: 'errors',
          claim: 'Training for D^-½WD^-½ instead of (W, D) gives similar errors.',
          measured: goodPairs
            .slice(0, 2)
            .map(
              (pair, p) =>
                `${nameOf(pair)}: ${(['random-walk', 'symmetric'] as const).map((pencil, form) => `${forms[pencil]} ${bothErrors(levels[p][form][0], levels[p][form][1])}`).join(', ')}`,
            )
            .join('; ')
            .concat('.'),
          agrees: shortRunCanConfirm(
            ratios.every((ratio) => ratio < 2 && ratio > 0.5),
            choices,
            defaultEpochs,
          ),
          why: 'Agrees if all errors, as the mean of the last third of the epochs, are within a factor of two. For D^-½WD^-½ a network has to learn D^½ψ, which depends on the random density of the points.',
        },
      ],
    };
  },
};
