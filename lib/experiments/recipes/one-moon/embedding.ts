/** The experiment `one-moon-embedding`: embeddings of one moon by all methods, compared with the eigenfunctions. */

import { formatNumber } from '../../../core/readable.ts';
import { type Experiment, shortRunCanConfirm } from '../../shared/experiment.ts';
import type { CloudPanel } from '../../../charts/figure.ts';
import type { Embedding } from './jobs.ts';
import { allTrainings, directOf, goodPairs, networksOf, parts, trainingSettings, defaultEpochs } from './trainings.ts';
import { nameOf, pairs } from '../../shared/schemes.ts';

export const oneMoonEmbedding: Experiment = {
  title: 'One moon, embeddings',
  summary: 'the embedding by each method, compared with the eigenfunctions',
  paper:
    'Embeddings by the first two nontrivial eigenfunctions, for all methods, below the ground truth. The text does not comment on them.',
  remarks: [
    'Each column is scaled, with its sign, as in the definition of τ. Each panel shows 500 points of the first start.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(finished, choices) {
    const entries = [
      { name: 'exact eigenvectors', numbers: directOf(finished, 'eigen').numbers },
      ...pairs.map((pair) => ({ name: nameOf(pair), numbers: networksOf(finished, pair)[0].numbers })),
      { name: 'Ritz head on landmarks', numbers: directOf(finished, 'landmarks').numbers },
    ];
    const truth = directOf(finished, 'eigen').numbers.truth!;
    // The same scale in all panels.
    const rangeOf = (which: 'first' | 'second', part: 'train' | 'test'): number[] => {
      const all = [truth, ...entries.map(({ numbers }) => numbers.embedding!)].flatMap((one) => one[part][which]);
      return [Math.min(...all), Math.max(...all)];
    };
    const panel = (name: string, embedding: Embedding, part: 'train' | 'test'): CloudPanel => ({
      kind: 'cloud',
      title: name,
      x: { label: 'first coordinate', include: rangeOf('first', part) },
      y: { label: 'second coordinate', include: rangeOf('second', part) },
      clouds: [
        { name: 'eigenfunctions', color: 'orange', x: truth[part].first, y: truth[part].second },
        { name: 'method', color: 'blue', x: embedding[part].first, y: embedding[part].second },
      ],
    });
    const totalError = ({ numbers }: (typeof entries)[number]): number =>
      numbers.rows.at(-1)![2] + numbers.rows.at(-1)![3];
    const goodNames = new Set(goodPairs.map(nameOf));
    const [good, poor] = [true, false].map((isGood) =>
      entries.slice(1, -1).filter(({ name }) => goodNames.has(name) === isGood),
    );
    return {
      figures: (['train', 'test'] as const).map((part) => ({
        name: part,
        title: `Embeddings of ${parts[part]}`,
        caption: 'Orange: eigenfunctions. Blue: embedding by the method. All panels have the same scales.',
        panels: entries.map(({ name, numbers }) => panel(name, numbers.embedding!, part)),
      })),
      claims: [
        {
          figure: 'test',
          claim:
            'Not in the paper’s text: SpecNet1-full, SpecNet2-full and SpecNet2-neighbor reproduce the curve of the eigenfunctions, the other three do not.',
          measured: `Sum of both errors on test points after the last epoch: ${[...good, ...poor].map((entry) => `${entry.name} ${formatNumber(totalError(entry))}`).join(', ')}; exact eigenvectors ${formatNumber(totalError(entries[0]))}.`,
          agrees: shortRunCanConfirm(
            Math.max(...good.map(totalError)) < Math.min(...poor.map(totalError)),
            choices,
            defaultEpochs,
          ),
          why: 'Agrees if each of the three has a smaller error than each of the others, after the last epoch of the first start.',
        },
      ],
    };
  },
};
