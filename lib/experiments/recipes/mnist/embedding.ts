/** Where do networks put the digits of MNIST? Beside where eigenvectors put them. */

import { formatNumber } from '../../../core/readable.ts';
import { type Experiment, unlessShort } from '../../shared/experiment.ts';
import { type CloudPanel, colours } from '../../../charts/figure.ts';
import type { Digits, MnistNumbers, MnistTask } from './jobs.ts';
import { direct, directsOf, settingsOf, sixteen, trained, trainingsOf, usualEpochs } from './trainings.ts';

export const mnistEmbedding: Experiment = {
  title: 'MNIST, embeddings',
  summary: 'coordinates 1–3 and 4–6 of the true eigenvectors and of both methods, coloured by digit',
  paper:
    'Coordinates after 50 epochs, of SpecNet1-local with batch 45 and of SpecNet2-neighbor with batch 2, beside the ' +
    'eigenvectors. SpecNet2 is nearer to the truth, and testing images lie where training images of their digit lie.',
  remarks: [
    'The six coordinates are four pairs: the first against the second and the third, the fourth against the fifth and the sixth.',
  ],
  settings: (choices) => settingsOf(choices, sixteen),
  jobs: (choices) => [
    ...trainingsOf(choices, sixteen).filter(({ task }) => (task as unknown as MnistTask).shown),
    ...directsOf(choices, sixteen),
  ],
  review(done, choices) {
    const [one, two] = (['specnet1', 'specnet2'] as const).map((method) =>
      trained(done).find(({ task }) => task.method === method)!,
    );
    const rows: readonly { name: string; numbers: MnistNumbers }[] = [
      { name: 'eigenvectors', numbers: direct(done, 'eigen').numbers },
      { name: 'SpecNet1-local', numbers: one.numbers },
      { name: 'SpecNet2-neighbor', numbers: two.numbers },
      { name: 'taught to landmarks', numbers: direct(done, 'regression').numbers },
    ];
    const panel = (name: string, digits: Digits, x: number, y: number): CloudPanel => ({
      kind: 'cloud',
      title: name,
      x: { label: `coordinate ${x + 1}` },
      y: { label: `coordinate ${y + 1}` },
      named: true,
      clouds: Array.from({ length: 10 }, (_, digit) => {
        const chosen = (column: readonly number[]): number[] =>
          column.filter((_value, i) => digits.labels[i] === digit);
        return {
          name: String(digit),
          colour: colours[digit],
          x: chosen(digits.columns[x]),
          y: chosen(digits.columns[y]),
        };
      }),
    });
    const part = (which: 'train' | 'test') => ({
      name: which,
      title: `Coordinates of ${which === 'train' ? 'training' : 'testing'} images`,
      caption: `Coloured by digit, whose number stands at the median of its images, or beside it where another stands there. Signs are those of the eigenvectors.${which === 'test' ? ' Testing images under “eigenvectors” by Nyström’s extension.' : ''}`,
      panels: rows.flatMap(({ name, numbers }) =>
        [
          [0, 1],
          [0, 2],
          [3, 4],
          [3, 5],
        ].map(([x, y]) => panel(name, aligned(numbers.pictures![which], rows[0].numbers.pictures![which]), x, y)),
      ),
    });
    const gaps = [one, two].map(({ numbers }) => numbers.rows.at(-1)!);
    const say = rows.map(({ name, numbers }) => `${name} ${formatNumber(numbers.vote!)}`).join(', ');
    const [exact, , second] = rows;
    return {
      figures: [part('train'), part('test')],
      claims: [
        {
          figure: 'train',
          claim: 'SpecNet2-neighbor with batch 2 is nearer to the true embedding than SpecNet1-local with batch 45.',
          measured: `f1 − f1* after ${one.task.epochs} epochs: ${formatNumber(gaps[1][0])} against ${formatNumber(gaps[0][0])}; f2 − f2* at the best scale: ${formatNumber(gaps[1][2])} against ${formatNumber(gaps[0][2])}.`,
          agrees: unlessShort(gaps[1][2] < gaps[0][2], choices, usualEpochs),
          why: 'Compared by f2 of the span, which both have in common.',
        },
        {
          figure: 'test',
          claim: 'Testing images are embedded like training images.',
          measured: `Share of testing images whose ten nearest training images in these six coordinates mostly have their digit: ${say}.`,
          agrees: unlessShort(second.numbers.vote! > exact.numbers.vote! - 0.1, choices, usualEpochs),
          why: 'Agrees if SpecNet2 comes within 0.1 of the exact eigenvectors with Nyström.',
        },
      ],
    };
  },
};

/** The sign of a coordinate is free. */
function aligned({ columns, labels }: Digits, truth: Digits): Digits {
  const turned = columns.map((column, c) => {
    const product = column.reduce((sum, value, i) => sum + value * truth.columns[c][i], 0);
    return product < 0 ? column.map((value) => -value) : column;
  });
  return { columns: turned, labels };
}
