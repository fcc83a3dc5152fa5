/** The experiment `mnist-embedding`: embeddings of the digits by networks, compared with the eigenvectors. */

import { formatNumber } from '../../../core/readable.ts';
import { type Experiment, shortRunCanConfirm } from '../../shared/experiment.ts';
import { type CloudPanel, colors } from '../../../charts/figure.ts';
import type { Digits, MnistNumbers, MnistTask } from './jobs.ts';
import { direct, directsOf, settingsOf, sixteenNeighbors, trained, trainingsOf, defaultEpochs } from './trainings.ts';

export const mnistEmbedding: Experiment = {
  title: 'MNIST, embeddings',
  summary: 'coordinates 1–3 and 4–6 of the exact eigenvectors and of both methods, colored by digit',
  paper:
    'Coordinates after 50 epochs of SpecNet1-local with batch 45 and of SpecNet2-neighbor with batch 2, compared with the ' +
    'eigenvectors. SpecNet2 is nearer to them, and test images lie where training images of their digit lie.',
  remarks: [
    'The six coordinates are drawn as four pairs: the first with the second and the third, the fourth with the fifth and the sixth.',
  ],
  settings: (choices) => settingsOf(choices, sixteenNeighbors),
  jobs: (choices) => [
    ...trainingsOf(choices, sixteenNeighbors).filter(({ task }) => (task as unknown as MnistTask).shown),
    ...directsOf(choices, sixteenNeighbors),
  ],
  review(finished, choices) {
    const [one, two] = (['specnet1', 'specnet2'] as const).map((method) =>
      trained(finished).find(({ task }) => task.method === method)!,
    );
    const rows: readonly { name: string; numbers: MnistNumbers }[] = [
      { name: 'eigenvectors', numbers: direct(finished, 'eigen').numbers },
      { name: 'SpecNet1-local', numbers: one.numbers },
      { name: 'SpecNet2-neighbor', numbers: two.numbers },
      { name: 'regression on landmarks', numbers: direct(finished, 'regression').numbers },
    ];
    const panel = (name: string, digits: Digits, x: number, y: number): CloudPanel => ({
      kind: 'cloud',
      title: name,
      x: { label: `coordinate ${x + 1}` },
      y: { label: `coordinate ${y + 1}` },
      labeled: true,
      clouds: Array.from({ length: 10 }, (_, digit) => {
        const chosen = (column: readonly number[]): number[] =>
          column.filter((_value, i) => digits.labels[i] === digit);
        return {
          name: String(digit),
          color: colors[digit],
          x: chosen(digits.columns[x]),
          y: chosen(digits.columns[y]),
        };
      }),
    });
    const part = (which: 'train' | 'test') => ({
      name: which,
      title: `Coordinates of ${which === 'train' ? 'training' : 'test'} images`,
      caption: `Colored by digit. The label of a digit is at the median of its images, or next to it if the place is taken. Signs are aligned with the eigenvectors.${which === 'test' ? ' The test images under “eigenvectors” are by Nyström’s extension.' : ''}`,
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
    const votes = rows.map(({ name, numbers }) => `${name} ${formatNumber(numbers.vote!)}`).join(', ');
    const [exact, , second] = rows;
    return {
      figures: [part('train'), part('test')],
      claims: [
        {
          figure: 'train',
          claim: 'SpecNet2-neighbor with batch 2 is nearer to the exact embedding than SpecNet1-local with batch 45.',
          measured: `f1 − f1* after ${one.task.epochs} epochs: ${formatNumber(gaps[1][0])} against ${formatNumber(gaps[0][0])}; f2 − f2* at the best scale: ${formatNumber(gaps[1][2])} against ${formatNumber(gaps[0][2])}.`,
          agrees: shortRunCanConfirm(gaps[1][2] < gaps[0][2], choices, defaultEpochs),
          why: 'Compared by f2 at the best scale of the span, which is defined for both.',
        },
        {
          figure: 'test',
          claim: 'Test images are embedded like training images.',
          measured: `Fraction of test images with the same digit as most of their ten nearest training images in the six coordinates: ${votes}.`,
          agrees: shortRunCanConfirm(second.numbers.vote! > exact.numbers.vote! - 0.1, choices, defaultEpochs),
          why: 'Agrees if SpecNet2 is at most 0.1 below the exact eigenvectors with Nyström.',
        },
      ],
    };
  },
};

/** Negates coordinates to match the signs of the reference. The sign of an eigenvector is arbitrary. */
function aligned({ columns, labels }: Digits, reference: Digits): Digits {
  const signed = columns.map((column, c) => {
    const product = column.reduce((sum, value, i) => sum + value * reference.columns[c][i], 0);
    return product < 0 ? column.map((value) => -value) : column;
  });
  return { columns: signed, labels };
}
