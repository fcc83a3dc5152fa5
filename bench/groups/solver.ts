/** What does a step of the solver cost as the graph grows, and how does its loop compare with the same one in numpy? */

import { oneMoon } from '../../datasets/index.ts';
import { Random } from '../../lib/core/random.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { type Graph, graphFrom } from '../../lib/graph/graph.ts';
import { fromCsr } from '../../lib/sparse/build.ts';
import { symmetrize } from '../../lib/sparse/combine.ts';
import { randomRows } from '../../lib/spectral/iterate.ts';
import { pencilOf } from '../../lib/spectral/pencil.ts';
import { Run } from '../../lib/spectral/run.ts';
import { settle } from '../../lib/spectral/settings.ts';
import type { Scheme } from '../../lib/spectral/view.ts';
import { randomCsr } from '../data.ts';
import { inTurn } from '../in-turn.ts';
import { type Competitor, local } from '../measure.ts';
import { type Context, type Group, measureRow, type Row } from '../row.ts';

const width = 2;
const batch = 50;
const perRow = 16;
const sizes = [1000, 10_000, 100_000, 1_000_000];
/** The loop as it is here, row by row; the best numpy can do without a loop; and with the sparse matrices of scipy. */
const numpyForms = [
  ['numpy', 'rows'],
  ['numpy, flat', 'flat'],
  ['scipy', 'scipy'],
] as const;
/** Small enough to stay where it is, so that every step does the same work. */
const step = 1e-3;

export const solver: Group = async (context) => {
  const epoch = await epochAgainstNumpy(context);
  const steps = await inTurn(context.quick ? sizes.slice(0, 3) : sizes, (n) => measureSteps(context, n));
  context.note('An epoch is 40 steps in an order that is given. A step is on 50 rows, its batches drawn beforehand.');
  return [epoch, ...steps.flat()];
};

/** Y in single precision and moments in double on both sides, from the same start in the same order. */
async function epochAgainstNumpy(context: Context): Promise<Row> {
  const graph = await buildGraph(oneMoon({ seed: 6 }).points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  const { size, weights, degrees } = graph;
  const order = new Random('order').permutation(size);
  const start = randomRows(new Random('start'), size, width, degrees, 'single');
  const run = runOf(graph, 'neighbor', start);
  const epoch = (): void => {
    run.iterate.stored.data.set(start.data);
    run.measure();
    for (let from = 0; from < size; from += batch) run.step(order.subarray(from, from + batch));
  };
  const arrays = {
    values: weights.values.slice(),
    columns: weights.columns.slice(),
    starts: weights.starts.slice(),
    y: start.data.slice(),
    degrees: degrees.slice(),
    order,
  };
  const numbers = { rows: size, width, batch, step };
  const work = { amount: 2 * weights.nonzeros * width, unit: 'flop' } as const;
  return measureRow(
    context,
    'epoch, neighbor',
    `${size}, ${Math.round(weights.nonzeros / size)}/row · ${width}`,
    work,
    [
      local('ours', epoch, () => run.iterate.stored.data),
      ...(await inTurn(numpyForms, async ([name, form]) => {
        const all = { ...numbers, form };
        return (await context.python?.competitor(name, { case: 'epoch', sizes: all, arrays })) ?? null;
      })),
    ],
  );
}

/** The neighbor scheme, and the others beside it: full's time grows with n. */
async function measureSteps(context: Context, n: number): Promise<Row[]> {
  context.say(`drawing ${n} nodes`);
  const { heap } = randomCsr('solver', n, perRow / 2);
  const graph = graphFrom(symmetrize(fromCsr(heap, [n, n])));
  const start = randomRows(new Random('start'), n, width, graph.degrees, 'single');
  const entries = (2 * batch * width * graph.weights.nonzeros) / n;
  const work = { amount: entries, unit: 'flop' } as const;
  const size = `${n}, ${Math.round(graph.weights.nonzeros / n)}/row · ${width}`;
  const row = (kernel: string, ...names: [Scheme, string][]): Promise<Row> =>
    measureRow(
      context,
      kernel,
      size,
      work,
      names.map(([scheme, name]) => stepper(graph, scheme, name, start)),
    );
  return [
    await row('step, neighbor', ['neighbor', 'ours'], ['full', 'full']),
    await row('step, local', ['local', 'ours']),
  ];
}

function stepper(graph: Graph, scheme: Scheme, name: string, start: ReturnType<typeof randomRows>): Competitor {
  const run = runOf(graph, scheme, start);
  const random = new Random('batches');
  const batches = Array.from({ length: 64 }, () =>
    Int32Array.from(new Set(Array.from({ length: 2 * batch }, () => random.integer(graph.size)))).subarray(0, batch),
  );
  let next = 0;
  const last = (): Int32Array => batches[(next + 63) % 64];
  return local(
    name,
    () => run.step(batches[next++ % 64]),
    () => Array.from(last(), (i) => run.iterate.stored.data[i * width]),
  );
}

function runOf(graph: Graph, scheme: Scheme, rows: ReturnType<typeof randomRows>): Run {
  const settings = settle(graph, { components: width, scheme, batch, step, precision: 'single' });
  const pencil = pencilOf('bench', graph, settings.pencil, settings.deflate, settings.precision);
  return new Run(settings, pencil, { rows, random: new Random('unused').state() });
}
