/** How near do networks come to the optimum on MNIST? Losses over epochs and time, for two graphs, and the embeddings. */

import { formatNumber } from '../core/readable.ts';
import { courseOf } from './course.ts';
import { directMethods, directStyles } from './direct.ts';
import { type Choices, type Claim, type Done, type Experiment, type Job, jobOf, seedsOf } from './experiment.ts';
import { type CloudPanel, colours, drawn, type LinePanel, type Series } from './figure.ts';
import {
  type Digits,
  mnistComponents,
  type MnistData,
  type MnistDirectTask,
  mnistHidden,
  type MnistNumbers,
  type MnistTask,
} from './mnist-jobs.ts';
import { unlessShort } from './one-moon-trainings.ts';
import { nameOf } from './schemes.ts';
import { deviation, mean, overReplicas } from './statistics.ts';

type MnistDone = Done<MnistTask, MnistNumbers>;
type DirectDone = Done<MnistDirectTask, MnistNumbers>;

/** Neighbours of a point, itself counted, and what the paper says of batches. */
interface Variant {
  readonly neighbors: number;
  /** Of SpecNet1-local, as many as batches of 2, 4 and 8 have neighbours. */
  readonly localBatches: readonly [number, number, number];
}

const sixteen: Variant = { neighbors: 16, localBatches: [45, 90, 180] };
const ten: Variant = { neighbors: 10, localBatches: [28, 56, 112] };
const neighborBatches = [2, 4, 8] as const;
const rate = 1e-4;
const usual = { quick: 2, full: 10 };
const epochsOf = ({ quick }: Choices): number => (quick ? 20 : 50);
const sizesOf = ({ quick }: Choices): { train: number; test: number } =>
  quick ? { train: 2000, test: 1000 } : { train: 20_000, test: 10_000 };
/** Seconds that 1,000 images take in an epoch, by batch. */
const paces: Record<number, number> = { 2: 0.6, 4: 0.42, 8: 0.32 };
const localPace = 0.12;

const settingsOf = (choices: Choices, { neighbors, localBatches }: Variant) => ({
  images: sizesOf(choices),
  graph: { kind: 'knn', neighbors, 'the point itself': 'counted', weights: '(A + Aᵀ)/2' },
  network: `784-256-256-${mnistComponents} for SpecNet2, 784-256-256-${mnistComponents + 1} for SpecNet1, ReLU`,
  optimizer: `Adam, rate ${rate}`,
  'batches of SpecNet1-local': [...localBatches],
  'batches of SpecNet2-neighbor': [...neighborBatches],
  epochs: epochsOf(choices),
  'seed of the images': choices.seed,
  'seeds of networks and batches': seedsOf(choices, usual),
});

function trainingsOf(choices: Choices, variant: Variant): Job[] {
  const data: MnistData = { data: choices.seed, ...sizesOf(choices), neighbors: variant.neighbors };
  const epochs = epochsOf(choices);
  const shared = { ...data, rate, hidden: mnistHidden, epochs, pencil: 'random-walk' } as const;
  const thousands = data.train / 1000;
  return seedsOf(choices, usual).flatMap((start, replica) => {
    const job = (
      method: MnistTask['method'],
      scheme: MnistTask['scheme'],
      batch: number,
      first: number,
      pace: number,
    ): Job => {
      const task: MnistTask = { ...shared, method, scheme, batch, start, shown: replica === 0 && batch === first };
      return jobOf('mnist', task, [`k${variant.neighbors}`, method, scheme, batch, start], epochs * thousands * pace);
    };
    const local = variant.localBatches.map((batch) =>
      job('specnet1', 'local', batch, variant.localBatches[0], localPace),
    );
    return local.concat(
      neighborBatches.map((batch) => job('specnet2', 'neighbor', batch, neighborBatches[0], paces[batch])),
    );
  });
}

function directsOf(choices: Choices, { neighbors }: Variant): Job[] {
  return directMethods.map((method) => {
    const task: MnistDirectTask = { data: choices.seed, ...sizesOf(choices), neighbors, method, start: choices.seed };
    return jobOf('mnist-direct', task, [`k${neighbors}`, method], 5);
  });
}

const trained = (done: readonly Done[]): MnistDone[] =>
  done.filter(({ kind }) => kind === 'mnist') as unknown as MnistDone[];

const direct = (done: readonly Done[], method: MnistDirectTask['method']): DirectDone =>
  (done.filter(({ kind }) => kind === 'mnist-direct') as unknown as DirectDone[]).find(
    ({ task }) => task.method === method,
  )!;

const batchColours = ['orange', 'green', 'blue'] as const;

function losses(variant: Variant, paper: string, minutes: Experiment['minutes']): Experiment {
  const groups = [
    ...variant.localBatches.map((batch, i) => ({
      method: 'specnet1' as const,
      batch,
      colour: batchColours[i],
      dash: 'dashed' as const,
    })),
    ...neighborBatches.map((batch, i) => ({
      method: 'specnet2' as const,
      batch,
      colour: batchColours[i],
      dash: 'solid' as const,
    })),
  ];
  const nameFor = ({ method, batch }: { method: MnistTask['method']; batch: number }): string =>
    `${nameOf({ method, scheme: method === 'specnet1' ? 'local' : 'neighbor' })}, batch ${batch}`;
  const ofGroup = (
    done: readonly Done[],
    { method, batch }: { method: MnistTask['method']; batch: number },
  ): MnistDone[] => trained(done).filter(({ task }) => task.method === method && task.batch === batch);
  const lists = (jobs: readonly MnistDone[], place: number): number[][] =>
    jobs.map(({ numbers }) => numbers.rows.map((row) => Math.log10(Math.max(row[place], 1e-12))));
  return {
    title: `MNIST, ${variant.neighbors} nearest neighbours`,
    summary: `log₁₀(f1 − f1*) and log₁₀(f2 − f2*) over epochs and time, k = ${variant.neighbors}`,
    minutes,
    paper,
    remarks: [
      'f1* and f2* are those of the Lanczos eigenvalues of the very graph that is trained on. The paper prints f2* = Σλ²; the minimum is −Σλ², and that is used here.',
      'f1 of SpecNet1 is that of seven columns, the trivial vector among them, as in the paper; that of SpecNet2 is of its six columns made orthonormal. The scale of SpecNet1’s rows is free: its f2 is taken at the best scale of the same span.',
      'In this graph D is of the size of k and not of n, so that the minimiser of f2 has entries of n/√volume, far larger than what a new network puts out. SpecNet2 at rate 1e-4 needs thousands of steps to grow there, and f2 tells more of that than of the directions.',
    ],
    settings: (choices) => settingsOf(choices, variant),
    jobs: (choices) => [...trainingsOf(choices, variant), ...directsOf(choices, variant)],
    review(done, choices) {
      const panel = (place: 0 | 1, by: 'epoch' | 'seconds'): LinePanel => {
        const series = groups.map((group): Series => {
          const jobs = ofGroup(done, group);
          const seconds = overReplicas(
            jobs.map((job) => job.seconds),
            mean,
          );
          const { colour, dash } = group;
          const course = courseOf(lists(jobs, place), 'deviation', by === 'epoch' ? undefined : seconds);
          return drawn({ name: nameFor(group), colour, dash }, course);
        });
        const right = Math.max(...series.flatMap(({ x }) => x));
        const ours = (['landmarks', 'untrained'] as const).map((method): Series => {
          const { numbers, seconds } = direct(done, method);
          const value = Math.log10(numbers.rows[0][place]);
          return drawn(directStyles[method], { x: [by === 'epoch' ? 1 : seconds[0], right], y: [value, value] });
        });
        return {
          kind: 'lines',
          title: `log₁₀(f${place + 1} − f${place + 1}*)`,
          x: by === 'epoch' ? { label: 'epoch' } : { label: 'seconds of training', scale: 'log' },
          y: { label: `log₁₀(f${place + 1} − f${place + 1}*)` },
          series: [...series, ...ours],
        };
      };
      return {
        figures: [
          {
            name: 'losses',
            title: `Losses on MNIST, ${variant.neighbors} nearest neighbours`,
            caption:
              'Mean over starts, band of one standard deviation. Dotted: Ritz heads, which need no training; over time from the moment they are there.',
            panels: [panel(0, 'epoch'), panel(0, 'seconds'), panel(1, 'epoch'), panel(1, 'seconds')],
          },
        ],
        claims: lossClaims(done, choices),
      };
    },
  };

  function lossClaims(done: readonly Done[], { quick }: Choices): Claim[] {
    const final = (group: (typeof groups)[number], place: number): { level: number; spread: number } => {
      const last = lists(ofGroup(done, group), place).map((list) => list.at(-1)!);
      return { level: mean(last), spread: deviation(last) };
    };
    const [one, two] = [groups[0], groups[3]];
    const say = (group: (typeof groups)[number]): string =>
      `${nameFor(group)}: ${[0, 1].map((place) => `${final(group, place).level.toFixed(2)} ± ${final(group, place).spread.toFixed(2)}`).join(' and ')}`;
    const { epochs } = trained(done)[0].task;
    const [{ numbers }] = trained(done);
    const ours = direct(done, 'landmarks');
    const best = Math.min(...groups.map((group) => final(group, 0).level));
    return [
      {
        figure: 'losses',
        claim: `Batches of 2, 4 and 8 have about ${variant.localBatches.join(', ')} neighbours.`,
        measured: `${numbers.batchNeighbors.map(formatNumber).join(', ')}.`,
        agrees: numbers.batchNeighbors.every((found, i) => Math.abs(found / variant.localBatches[i] - 1) < 0.1),
        why: 'With the point itself counted among its nearest; agrees within a tenth.',
      },
      {
        figure: 'losses',
        claim: `With small batches SpecNet2-neighbor does better: batch 2 against SpecNet1-local with batch ${one.batch}.`,
        measured: `log₁₀ of f1 − f1* and f2 − f2* after ${epochs} epochs: ${say(two)}; ${say(one)}.`,
        agrees: unlessShort(
          [0, 1].every((place) => final(two, place).level < final(one, place).level),
          quick,
        ),
        why: 'Agrees if both losses are lower. SpecNet2 has to grow its output first, and SpecNet1 need not.',
      },
      {
        figure: 'losses',
        claim: 'SpecNet2-neighbor varies more from start to start than SpecNet1-local.',
        measured: `Deviation of log₁₀(f1 − f1*) over ${ofGroup(done, two).length} starts: ${final(two, 0).spread.toFixed(3)} (batch 2) against ${final(one, 0).spread.toFixed(3)} (batch ${one.batch}).`,
        agrees: ofGroup(done, two).length < 3 ? null : final(two, 0).spread > final(one, 0).spread,
        why: ofGroup(done, two).length < 3 ? 'Two starts do not tell a spread.' : 'Compared at the last epoch.',
      },
      {
        figure: 'losses',
        claim: 'Not in the paper: a Ritz head on landmarks is nearer to the optimum, without training.',
        measured: `log₁₀(f1 − f1*) ${Math.log10(ours.numbers.rows[0][0]).toFixed(2)} after ${formatNumber(ours.seconds[0])} s; the best training: ${best.toFixed(2)} after ${epochs} epochs.`,
        agrees: Math.log10(ours.numbers.rows[0][0]) < best,
        why: 'The best linear layer on features that follow the data is the solution of a small eigenproblem.',
      },
    ];
  }
}

export const mnist = losses(
  sixteen,
  'A network of two hidden layers of 256 units is trained on 20,000 images and the graph of 16 nearest neighbours, ' +
    'SpecNet1-local with batches of 45, 90 and 180 against SpecNet2-neighbor with batches of 2, 4 and 8, which see as many ' +
    'images; 10 starts, 50 epochs. SpecNet2 varies more, but is better on average when batches are small.',
  { quick: 1.2, full: 150 },
);

export const mnistTen = losses(
  ten,
  'The same with 10 nearest neighbours and batches of 28, 56 and 112 for SpecNet1-local. SpecNet2-neighbor with batch 2 ' +
    'varies more, and is better than SpecNet1-local with batch 28 in the long run.',
  { quick: 1.2, full: 150 },
);

export const mnistEmbedding: Experiment = {
  title: 'MNIST, embeddings',
  summary: 'coordinates 1–3 and 4–6 of the true eigenvectors and of both methods, coloured by digit',
  minutes: { quick: 1.2, full: 150 },
  paper:
    'Coordinates after 50 epochs, of SpecNet1-local with batch 45 and of SpecNet2-neighbor with batch 2, beside the ' +
    'eigenvectors. SpecNet2 is nearer to the truth, and testing images lie where training images of their digit lie.',
  remarks: ['Three coordinates are shown as two pairs: the first against the second, and the first against the third.'],
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
      { name: 'Ritz head on landmarks', numbers: direct(done, 'landmarks').numbers },
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
      caption: `Coloured by digit, whose number stands at the median of its images. ${which === 'test' ? 'Testing images under “eigenvectors” by Nyström’s extension.' : ''}`,
      panels: rows.flatMap(({ name, numbers }) =>
        [
          [0, 1],
          [0, 2],
          [3, 4],
          [3, 5],
        ].map(([x, y]) => panel(name, numbers.pictures![which], x, y)),
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
          agrees: unlessShort(gaps[1][2] < gaps[0][2], choices.quick),
          why: 'Compared by f2 of the span, which both have in common.',
        },
        {
          figure: 'test',
          claim: 'Testing images are embedded like training images.',
          measured: `Share of testing images whose ten nearest training images in these six coordinates mostly have their digit: ${say}.`,
          agrees: unlessShort(second.numbers.vote! > exact.numbers.vote! - 0.1, choices.quick),
          why: 'Agrees if SpecNet2 comes within 0.1 of the exact eigenvectors with Nyström.',
        },
      ],
    };
  },
};
