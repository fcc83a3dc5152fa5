/** The table of edges in a file draws every entry with its probability, and what the table in memory draws. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AliasTable } from '../../lib/core/alias-table.ts';
import { runSync } from '../../lib/core/task.ts';
import { graphFrom } from '../../lib/doors/graph.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { openStoredGraph, storeGraph } from '../../lib/doors/storage.ts';
import { type Graph, Random } from '../../lib/index.ts';
import { AliasFile } from '../../lib/storage/fit/alias-file.ts';
import { inFolder } from '../cli/run.ts';

const test = suite('table of edges in a file');

/** A graph of `size` nodes with edges to the next `reach` ones, and the weights that `weigh` draws. */
function banded(size: number, reach: number, weigh: (random: Random) => number): Graph {
  const random = new Random('weights');
  const [rows, columns, values]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < size; i++) {
    for (let j = i + 1; j <= Math.min(size - 1, i + reach); j++) {
      const weight = weigh(random);
      rows.push(i, j);
      columns.push(j, i);
      values.push(weight, weight);
    }
  }
  return graphFrom(fromTriplets({ rows, columns, values }, [size, size]));
}

const kinds: readonly [name: string, weigh: (random: Random) => number][] = [
  ['uniform', (random) => random.uniform(0.1, 1)],
  ['over six orders', (random) => 10 ** random.uniform(-6, 0)],
  ['two values', (random) => (random.uniform() < 0.1 ? 64 : 1)],
  ['nearly equal', (random) => 1 + 1e-6 * random.uniform()],
];

for (const [name, weigh] of kinds) {
  test(`weights that are ${name}: every entry has its probability, and draws are those of the table in memory`, () =>
    inFolder(async (folder) => {
      // 41,000 entries in three blocks; the cache has 16 of 161 pages.
      const graph = banded(2_060, 10, weigh);
      await storeGraph(graph, join(folder, 'graph'));
      const stored = openStoredGraph(join(folder, 'graph'));
      const file = new AliasFile('spec', join(folder, 'table'), stored, 2 ** 16);
      runSync(file.fillSteps());
      const { values } = graph.weights;
      const count = values.length;
      let total = 0;
      for (let e = 0; e < count; e++) total += values[e];
      const probabilities = new Float64Array(count);
      for (let index = 0; index < count; index++) {
        const [own, alias] = file.cellAt(index);
        assert.ok(own >= 0 && own <= 1 && alias >= 0 && alias < count, `${index}: ${own}, ${alias}`);
        probabilities[index] += own / count;
        probabilities[alias] += (1 - own) / count;
      }
      const worst = probabilities.reduce((most, p, e) => Math.max(most, Math.abs(p - values[e] / total)), 0);
      // Subtractions of up to `count` cells from a large one round 1e-16 each.
      assert.ok(worst * count < 1e-10, `${worst * count}`);

      const table = new AliasTable(values);
      const [one, other] = [new Random('draws'), new Random('draws')];
      for (let k = 0; k < 20_000; k++) assert.is(file.draw(one), table.draw(other));
      file.close();
      stored.close();
      assert.equal(readdirSync(folder), ['graph']);
    }));
}

test.run();
