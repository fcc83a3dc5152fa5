/** Does it matter whether a network learns for (W, D) or for D^-½WD^-½? */

import { courseWords } from '../../shared/course.ts';
import { type Experiment, unlessShort } from '../../shared/experiment.ts';
import { drawn, type LinePanel } from '../../../charts/figure.ts';
import {
  bothErrors,
  curveOf,
  good,
  networksOf,
  ordinal,
  places,
  settled,
  trainingJobs,
  trainingSettings,
  usualEpochs,
} from './trainings.ts';
import { nameOf, type Pair } from '../../shared/schemes.ts';

export const oneMoonPencil: Experiment = {
  title: 'One moon, two forms of the eigenproblem',
  summary: '(W, D) against D^-½WD^-½ for the full scheme',
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
          caption: `Errors on training points. ${courseWords(networksOf(done, good[0]).length, 'range')}.`,
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
                `${nameOf(pair)}: ${(['random-walk', 'symmetric'] as const).map((pencil, form) => `${forms[pencil]} ${bothErrors(levels[p][form][0], levels[p][form][1])}`).join(', ')}`,
            )
            .join('; ')
            .concat('.'),
          agrees: unlessShort(
            ratios.every((ratio) => ratio < 2 && ratio > 0.5),
            choices,
            usualEpochs,
          ),
          why: 'Agrees if all errors, mean of the last third of the epochs, are within a factor of two. For D^-½WD^-½ a network has to learn D^½ψ, which follows the unevenness of the points.',
        },
      ],
    };
  },
};
