/** Times of solver steps as the graph grows, and of the same loop in numpy. */

import { oneMoon } from '../../datasets/index.ts';
import { Random } from '../../lib/core/random.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { randomRows } from '../../lib/spectral/descent/rows/free-rows.ts';
import type { Scheme } from '../../lib/spectral/descent/view.ts';
import { sequentially } from '../sequentially.ts';
import { local } from '../measure.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';
import { randomGraph, runOf, solverSteps, step } from '../loads/solver-steps.ts';

const width = 2;
const batch = 50;
const perRow = 16;
const sizes = [1000, 10_000, 100_000, 1_000_000];
/** The same row-by-row loop in numpy, the fastest numpy code without a loop, and the same with scipy's sparse matrices. */
const numpyForms = [
  ['numpy', 'rows'],
  ['numpy, flat', 'flat'],
  ['scipy', 'scipy'],
] as const;

export const solver: Group = async (context) => {
  const epoch = await epochAgainstNumpy(context);
  const steps = await sequentially(context.quick ? sizes.slice(0, 3) : sizes, (n) => measureSteps(context, n));
  context.note('An epoch is 40 steps in an order that is given. A step is on 50 rows, its batches drawn beforehand.');
  return [epoch, ...steps.flat()];
};

/** Both sides keep Y in single and moments in double precision, and use the same start and the same order. */
async function epochAgainstNumpy(context: Context): Promise<Row> {
  const graph = await buildGraph(oneMoon({ seed: 6 }).points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
  const { size, weights, degrees } = graph;
  const order = new Random('order').permutation(size);
  const start = randomRows(new Random('start'), size, width, degrees, 'single');
  const run = runOf(graph, 'neighbor', start, batch);
  const epoch = (): void => {
    run.rows.stored.data.set(start.data);
    run.measure();
    for (let from = 0; from < size; from += batch) run.descent.step(order.subarray(from, from + batch));
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
      local('ours', epoch, () => run.rows.stored.data),
      ...(await sequentially(numpyForms, async ([name, form]) => {
        const all = { ...numbers, form };
        return (await context.python?.competitor(name, { case: 'epoch', sizes: all, arrays })) ?? null;
      })),
    ],
  );
}

/** The neighbor scheme and the other schemes. The time of the full scheme grows with n. */
async function measureSteps(context: Context, n: number): Promise<Row[]> {
  context.say(`drawing ${n} nodes`);
  const graph = randomGraph(n, perRow);
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
      names.map(([scheme, name]) => solverSteps(name, graph, scheme, start, batch)),
    );
  return [
    await row('step, neighbor', ['neighbor', 'ours'], ['full', 'full']),
    await row('step, local', ['local', 'ours']),
  ];
}
