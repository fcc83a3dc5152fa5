/** `texts`: sparse word counts of documents about topics, weighted by TF-IDF. */

import { badValue, checkCount } from '../lib/core/check.ts';
import { checkOptions, type Rules } from '../lib/core/options.ts';
import { Random } from '../lib/core/random.ts';
import { firstAtLeast } from '../lib/core/search.ts';
import { fromTriplets } from '../lib/sparse/build.ts';
import type { CsrMatrix } from '../lib/sparse/csr.ts';
import { drawDefaults, type DrawOptions, drawRules } from './draw.ts';

/** The vocabulary, the topics, and the length of documents. */
export interface TextsOptions extends DrawOptions {
  /** The size of the vocabulary. Default: 8000. */
  readonly words?: number;
  /** Default: 10. */
  readonly topics?: number;
  /** The mean number of words in a document. Lengths vary from half to one and a half of it. Default: 100. */
  readonly length?: number;
  /** The fraction of words that are drawn from the topic of a document, from 0 to 1. Default: 0.4. */
  readonly topicFraction?: number;
}

/** Sparse points with labels. */
export interface Texts {
  readonly name: string;
  /** n×words: the count of a word in a document times log(n / number of documents with the word). */
  readonly points: CsrMatrix;
  /** The topic of every document. */
  readonly labels: Int32Array;
}

const rules: Rules<TextsOptions> = {
  ...drawRules,
  words: 'number',
  topics: 'number',
  length: 'number',
  topicFraction: 'number',
};
const defaults = { ...drawDefaults, words: 8000, topics: 10, length: 100, topicFraction: 0.4 } as const;

/**
 * Documents as bags of words. The r-th most frequent word has a frequency proportional to 1/(r + 2), by Zipf's law, in the
 * language as well as in each topic, which orders the words in its own way. The topics depend on the seed, not on the name of
 * the draw.
 */
export function texts(options: TextsOptions = {}): Texts {
  const caller = 'texts';
  checkOptions(caller, options, rules);
  const { n, words, topics, length, topicFraction, seed, draw } = { ...defaults, ...options };
  checkCount(caller, 'n', n, 1);
  checkCount(caller, 'words', words, 1);
  checkCount(caller, 'topics', topics, 1);
  checkCount(caller, 'length', length, 2);
  if (!(topicFraction >= 0 && topicFraction <= 1)) throw badValue(caller, 'topicFraction from 0 to 1', topicFraction);
  const random = new Random(seed).fork(caller);
  const orders = Array.from({ length: topics }, (_, t) => random.fork(`topic ${t}`).permutation(words));
  const cumulative = zipf(words);
  const total = cumulative[words - 1];
  const drawing = random.fork(draw);
  const labels = new Int32Array(n);
  const rows: number[] = [];
  const columns: number[] = [];
  for (let i = 0; i < n; i++) {
    labels[i] = drawing.integer(topics);
    const count = Math.round(length * (0.5 + drawing.uniform()));
    for (let k = 0; k < count; k++) {
      const isTopical = drawing.uniform() < topicFraction;
      const rank = firstAtLeast(cumulative, total * drawing.uniform());
      rows.push(i);
      columns.push(isTopical ? orders[labels[i]][rank] : rank);
    }
  }
  const counts = fromTriplets({ rows, columns, values: new Float32Array(rows.length).fill(1) }, [n, words]);
  return { name: 'texts', points: weighByRarity(counts), labels };
}

/** Sums of 1/(r + 2). */
function zipf(words: number): Float64Array {
  const sums = new Float64Array(words);
  for (let r = 0, sum = 0; r < words; r++) {
    sum += 1 / (r + 2);
    sums[r] = sum;
  }
  return sums;
}

/** Words of all documents get the weight 0 and are left out. */
function weighByRarity({ rows, cols, starts, columns, values }: CsrMatrix): CsrMatrix {
  const documents = new Int32Array(cols);
  for (const word of columns) documents[word]++;
  const kept = { rows: [] as number[], columns: [] as number[], values: [] as number[] };
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const weight = values[e] * Math.log(rows / documents[columns[e]]);
      if (weight === 0) continue;
      kept.rows.push(i);
      kept.columns.push(columns[e]);
      kept.values.push(weight);
    }
  }
  return fromTriplets(kept, [rows, cols]);
}
