/** Where do the methods put the points of one moon? Beside where eigenfunctions put them. */

import { formatNumber } from '../../../core/readable.ts';
import { type Experiment, unlessShort } from '../../shared/experiment.ts';
import type { CloudPanel } from '../../../charts/figure.ts';
import type { Embedding } from './jobs.ts';
import { allTrainings, directOf, good, networksOf, parts, trainingSettings, usualEpochs } from './trainings.ts';
import { nameOf, pairs } from '../../shared/schemes.ts';

export const oneMoonEmbedding: Experiment = {
  title: 'One moon, embeddings',
  summary: 'where each method puts the points, beside the truth',
  paper:
    'Embeddings of all methods by the first two nontrivial eigenfunctions, below the ground truth; shown, and not judged in words.',
  remarks: [
    'Columns are scaled and turned as τ does it, each alone. Of every set 500 points are shown, of the first start.',
  ],
  settings: trainingSettings,
  jobs: allTrainings,
  review(done, choices) {
    const entries = [
      { name: 'exact eigenvectors', numbers: directOf(done, 'eigen').numbers },
      ...pairs.map((pair) => ({ name: nameOf(pair), numbers: networksOf(done, pair)[0].numbers })),
      { name: 'Ritz head on landmarks', numbers: directOf(done, 'landmarks').numbers },
    ];
    const truth = directOf(done, 'eigen').numbers.truth!;
    // One scale for all panels, so that they can be compared.
    const rangeOf = (which: 'first' | 'second', part: 'train' | 'test'): number[] => {
      const all = [truth, ...entries.map(({ numbers }) => numbers.embedding!)].flatMap((one) => one[part][which]);
      return [Math.min(...all), Math.max(...all)];
    };
    const panel = (name: string, found: Embedding, part: 'train' | 'test'): CloudPanel => ({
      kind: 'cloud',
      title: name,
      x: { label: 'first coordinate', include: rangeOf('first', part) },
      y: { label: 'second coordinate', include: rangeOf('second', part) },
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
        caption: 'Orange: eigenfunctions. Blue: what was found. All panels have the same scales.',
        panels: entries.map(({ name, numbers }) => panel(name, numbers.embedding!, part)),
      })),
      claims: [
        {
          figure: 'test',
          claim:
            'Not in the paper’s words: SpecNet1-full, SpecNet2-full and SpecNet2-neighbor give the curve of the eigenfunctions, the other three do not.',
          measured: `Sum of both errors on testing points at the end: ${[...near, ...far].map((entry) => `${entry.name} ${formatNumber(distance(entry))}`).join(', ')}; exact eigenvectors ${formatNumber(distance(entries[0]))}.`,
          agrees: unlessShort(Math.max(...near.map(distance)) < Math.min(...far.map(distance)), choices, usualEpochs),
          why: 'Agrees if each of the three is nearer than each of the others, at the last epoch of the first start.',
        },
      ],
    };
  },
};
