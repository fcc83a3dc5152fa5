/** Texts: sparse word counts with Zipf frequencies, topics as labels, and seeds. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { texts } from '../../datasets/index.ts';

const test = suite('texts');

test('the same seed gives the same documents, and another draw other documents of the same topics', () => {
  const options = { n: 50, words: 200, seed: 3 };
  assert.equal(texts(options), texts(options));
  assert.not.equal(texts({ ...options, draw: 'test' }).points.columns, texts(options).points.columns);
  assert.not.equal(texts({ ...options, seed: 4 }).points.columns, texts(options).points.columns);
});

test('documents are sparse, not empty, and have labels', () => {
  const { points, labels } = texts({ n: 300, words: 2000, topics: 4, length: 60 });
  assert.equal([points.rows, points.cols, labels.length], [300, 2000, 300]);
  assert.equal([...new Set(labels)].toSorted(), [0, 1, 2, 3]);
  assert.ok(points.nonzeros < 300 * 90 && points.nonzeros > 300 * 20);
  for (let i = 0; i < 300; i++) assert.ok(points.starts[i + 1] > points.starts[i]);
  assert.ok(points.values.every((value) => value > 0));
});

test('words follow the law of Zipf: the most frequent are in most documents, and most are in few', () => {
  const { points } = texts({ n: 1000, words: 3000, topicFraction: 0 });
  const documents = new Int32Array(3000);
  for (const word of points.columns) documents[word]++;
  // Word r has the share 1/(r + 2) of the sum of all shares, and a document some 100 words.
  const total = Array.from({ length: 3000 }, (_, r) => 1 / (r + 2)).reduce((a, b) => a + b);
  for (const rank of [3, 30, 300]) {
    const expected = 1000 * (1 - Math.exp(-100 / (rank + 2) / total));
    assert.ok(Math.abs(documents[rank] - expected) < 0.25 * expected, `${rank}: ${documents[rank]} for ${expected}`);
  }
});

test('bad options of texts are refused', () => {
  assert.throws(() => texts({ topicFraction: 2 }), /texts: expected topicFraction from 0 to 1, got 2\./);
  assert.throws(() => texts({ words: 0 }), /texts: expected words to be a whole number, at least 1, got 0\./);
});

test.run();
