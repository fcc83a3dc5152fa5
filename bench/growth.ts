/** A process that measures time and memory of one neighbor step on a given graph. It prints one line of JSON. */

import { Random } from '../lib/core/random.ts';
import type { Graph } from '../lib/graph/graph.ts';
import { Mlp } from '../lib/network/bodies/mlp.ts';
import { randomRows } from '../lib/spectral/descent/rows/free-rows.ts';
import { zeros } from '../lib/tensor/tensor.ts';
import { bothTwins } from './loads/data.ts';
import { seed, stepsOf } from './loads/loads.ts';
import { type Competitor, local, type Pace, race, type Timings } from './measure.ts';
import { randomGraph, solverSteps } from './loads/solver-steps.ts';

export interface GrowthCase {
  readonly kind: 'solver' | 'network';
  readonly n: number;
  readonly perRow: number;
  readonly components: number;
  readonly batch: number;
  /** The largest distance between row indices of neighbors. Null: no limit. */
  readonly band: number | null;
  /** The number of rows that batches are drawn from. Null: all. */
  readonly window: number | null;
  readonly pace: Pace;
}

export interface GrowthResult {
  readonly ours: Timings;
  readonly checksum: number;
  /** Resident memory at the end. */
  readonly bytes: number;
}

const hidden = 64;
const inputs = 3;

const makers: Record<GrowthCase['kind'], (graph: Graph, growth: GrowthCase) => Competitor> = {
  solver(graph, { components, batch, window }) {
    const start = randomRows(new Random('start'), graph.size, components, graph.degrees, 'single');
    return solverSteps('solver', graph, 'neighbor', start, batch, window ?? graph.size);
  },
  network(graph, { components, batch }) {
    const points = zeros([graph.size, inputs]);
    new Random('points').fillUniform(points.data);
    const network = new Mlp([inputs, hidden, components], { seed });
    const { step, parameters } = stepsOf({ name: 'growth', graph, points, network, batch, rate: 1e-4 });
    return local('network', step, parameters);
  },
};

bothTwins();
const growth = JSON.parse(process.argv[2]) as GrowthCase;
const graph = randomGraph(growth.n, growth.perRow, growth.band ?? growth.n);
const { times, checksum } = await race([makers[growth.kind](graph, growth)], growth.pace);
const result: GrowthResult = { ours: times[growth.kind], checksum, bytes: process.memoryUsage.rss() };
console.log(JSON.stringify(result));
