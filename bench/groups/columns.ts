/** Times per column as the number of columns K grows: steps of the solver and of trainings, moments, Rayleigh-Ritz and wide heads. */

import { Random } from '../../lib/core/random.ts';
import type { Graph } from '../../lib/graph/graph.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { randomRows } from '../../lib/spectral/descent/rows/free-rows.ts';
import { measureAll, zeroMoments } from '../../lib/spectral/descent/moments.ts';
import type { Scheme } from '../../lib/spectral/descent/view.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { rayleighRitz } from '../../lib/spectral/ritz/rayleigh-ritz.ts';
import { Run } from '../../lib/spectral/solve/run.ts';
import { resolveOptions } from '../../lib/spectral/solve/settings.ts';
import { trainSteps } from '../../lib/spectral/train/train.ts';
import { type Precision, zeros } from '../../lib/tensor/tensor.ts';
import { bothTwins } from '../loads/data.ts';
import { seed } from '../loads/loads.ts';
import { type Competitor, local } from '../measure.ts';
import { type Context, givenRow, type Group, rivalOf, type Row } from '../report/row.ts';
import { sequentially } from '../sequentially.ts';
import { randomGraph, step } from '../loads/solver-steps.ts';

const reference = 8;
const widths = [1, 2, 4, reference, 9, 10, 12, 16, 32, 64];
const nodes = 20_000;
const perRow = 16;
const hidden = 64;
const solverBatch = 64;
const trainingBatch = 4;
/** The full scheme measures all rows in each step, and Rayleigh-Ritz multiplies them. */
const fewNodes = 2000;

export const columns: Group = async (context) => {
  bothTwins();
  const [graph, small] = [nodes, fewNodes].map((n) => randomGraph(n, perRow, solverBatch));
  const courses: [string, (width: number) => Competitor][] = [
    ...(['single', 'double'] as const).flatMap((precision) =>
      (['neighbor', 'local', 'full'] as const).map((scheme): [string, (width: number) => Competitor] => [
        `solver, ${scheme}, ${precision}`,
        (width) => solverStep(scheme === 'full' ? small : graph, scheme, precision, width),
      ]),
    ),
    ['training, tracked', (width) => trainingStep(graph, width, { batch: trainingBatch, rate: 1e-4 })],
    ['training, corrected', (width) => trainingStep(graph, width, { moments: 'corrected', epochs: 1e6 })],
    ['moments', (width) => moments(graph, width)],
    ['Rayleigh-Ritz', (width) => ritz(small, width)],
    ['transform', transform],
  ];
  const rows = await sequentially(courses, ([name, make]) => courseOf(context, name, make));
  context.note(
    `"vs ${reference} columns" is the time per column at K = ${reference} over that here. Moments, and the matrices that a step multiplies rows by, take K² operations a row.`,
  );
  return rows.flat();
};

/** All widths run alternately. */
async function courseOf(context: Context, name: string, make: (width: number) => Competitor): Promise<Row[]> {
  context.say(name);
  const { rounds, milliseconds } = context.pace;
  const competitors = widths.map(make);
  const times = widths.map(() => Infinity);
  const order = Array.from({ length: rounds }, (_, round) => widths.map((_width, i) => [round, i] as const)).flat();
  await sequentially(order, async ([round, i]) => {
    const { median } = await competitors[i].time(milliseconds, round === 0);
    times[i] = Math.min(times[i], median);
  });
  const perColumn = times[widths.indexOf(reference)] / reference;
  return widths.map((width, i) =>
    givenRow(name, `K = ${width}`, times[i], {
      at: width,
      checksum: competitors[i].checksum(),
      others: { [`${reference} columns`]: rivalOf(perColumn * width, times[i]) },
    }),
  );
}

function solverStep(graph: Graph, scheme: Scheme, precision: Precision, width: number): Competitor {
  const settings = resolveOptions(graph, { components: width, scheme, batch: solverBatch, step, precision });
  const pencil = pencilOf('bench', graph, settings.pencil, settings.deflate, precision);
  const rows = randomRows(new Random('start'), graph.size, width, graph.degrees, precision);
  const run = new Run(settings, pencil, { rows, random: new Random('unused').state() });
  const order = new Random('batches').permutation(graph.size);
  let at = 0;
  const next = (): void => {
    at = at + 2 * solverBatch > graph.size ? 0 : at + solverBatch;
    run.descent.step(order.subarray(at, at + solverBatch));
  };
  return local('step', next, () => run.rows.stored.data.subarray(0, width));
}

function trainingStep(graph: Graph, width: number, options: object): Competitor {
  const points = zeros([graph.size, 3]);
  new Random('points').fillUniform(points.data);
  const network = new Mlp([3, hidden, width], { seed });
  const work = trainSteps(graph, network, points, { seed, epochs: 2 ** 31 - 1, ...options });
  const { data } = network.parameters[0];
  return local(
    'step',
    () => void work.next(),
    () => data,
  );
}

function moments(graph: Graph, width: number): Competitor {
  const pencil = pencilOf('bench', graph, 'random-walk', true, 'single');
  const { data } = randomRows(new Random('start'), graph.size, width, graph.degrees, 'single');
  const record = zeroMoments(width);
  return local(
    'moments',
    () => measureAll(pencil, data, record),
    () => record.gram,
  );
}

function ritz(graph: Graph, width: number): Competitor {
  const rows = randomRows(new Random('start'), graph.size, width, graph.degrees, 'single');
  let values = new Float64Array(0);
  const run = (): void => {
    values = rayleighRitz(graph, rows).eigenvalues as Float64Array<ArrayBuffer>;
  };
  return local('Rayleigh-Ritz', run, () => values);
}

function transform(width: number): Competitor {
  const points = zeros([1000, 16]);
  new Random('points').fillUniform(points.data);
  const network = new Mlp([16, hidden, width], { seed });
  let out = points.data;
  const run = (): void => {
    out = network.evaluate(points).data as Float32Array;
  };
  return local('transform', run, () => out);
}
