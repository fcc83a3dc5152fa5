/** Texts as sparse rows of word counts, weighted by TF-IDF. */

import { fromTriplets } from '../../lib/sparse/build.ts';
import type { CsrMatrix } from '../../lib/sparse/csr.ts';

/** Words in fewer texts, or in more than this fraction of them, say nothing about groups of texts. */
const fewestTexts = 5;
const largestShare = 0.5;

/** log(1 + count)·log(texts / texts with the word), one row for each text. */
export function tfIdf(texts: readonly string[]): CsrMatrix {
  const bags = texts.map(countWords);
  const frequency = new Map<string, number>();
  for (const bag of bags) for (const word of bag.keys()) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const kept = [...frequency].filter(([, count]) => count >= fewestTexts && count <= largestShare * texts.length);
  const column = new Map(kept.map(([word], at) => [word, at]));
  const [rows, columns, values]: number[][] = [[], [], []];
  for (const [row, bag] of bags.entries()) {
    for (const [word, count] of bag) {
      const at = column.get(word);
      if (at === undefined) continue;
      rows.push(row);
      columns.push(at);
      values.push(Math.log1p(count) * Math.log(texts.length / frequency.get(word)!));
    }
  }
  return fromTriplets({ rows, columns, values }, [texts.length, column.size]);
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[a-z]{3,20}/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
