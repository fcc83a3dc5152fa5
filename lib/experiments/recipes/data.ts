/** What do the data sets look like, and which part of the matrix does each scheme read? */

import { moonNoise, oneMoon, twoMoons } from '../../../datasets/moons.ts';
import { formatNumber } from '../../core/readable.ts';
import { batchNeighbors } from '../../graph/batch-neighbors.ts';
import { buildGraph } from '../../graph/build-graph.ts';
import { toDense } from '../../sparse/inspect.ts';
import { neighborsOf } from '../../sparse/slice.ts';
import { tensor } from '../../tensor/convert.ts';
import { type FinishedJob, type Experiment, jobOf, type Outcome } from '../shared/experiment.ts';
import type { MatrixPanel, ShadedPanel } from '../../charts/figure.ts';
import { moonPoints, moonRecipes } from '../shared/moon-data.ts';
import { shortened } from '../shared/statistics.ts';

export interface DataTask {
  readonly data: number;
  /** Points of the small moon whose matrix is drawn. */
  readonly small: number;
  readonly batch: number;
}

interface GraphFacts {
  /** Mean neighbours of a batch of 4. */
  readonly neighbors: number;
  readonly pieces: number;
}

export interface DataNumbers {
  readonly moons: readonly {
    readonly x: readonly number[];
    readonly y: readonly number[];
    readonly shade: readonly number[];
  }[];
  readonly facts: { readonly oneMoon: GraphFacts; readonly printed: GraphFacts; readonly twoMoons: GraphFacts };
  /** W − ηηᵀ of a small moon whose points are in order along the arc, row by row. */
  readonly matrix: readonly number[];
  readonly batch: readonly number[];
  readonly neighbors: readonly number[];
}

const batch = 4;
const small = 48;
/** Of what is drawn and not computed with. */
const drawnDigits = 4;
/** As the text prints it. */
const printedSigma = 0.1;

export const data: Experiment = {
  title: 'The data sets, and what each scheme reads',
  summary: 'the moons as pictures, and the parts of W − ηηᵀ that local, full and neighbor read',
  paper:
    'Both data sets are half circles with normal noise, 2,000 points to train on and as many to test. A batch reads of ' +
    'W − ηηᵀ the block of its own rows and columns (local), all of its rows (full), or the columns of its rows ' +
    'that are neighbours of the batch, with two small sums for the rest (neighbor). A batch of 4 has about 620 neighbours on one moon and about 670 on two.',
  remarks: [],
  settings: ({ seed }) => ({
    points: moonPoints,
    'one moon': { ...moonRecipes.oneMoon, noise: moonNoise.oneMoon },
    'two moons': { ...moonRecipes.twoMoons, noise: moonNoise.twoMoons },
    'points of the small matrix': small,
    batch,
    'seed of the points': seed,
  }),
  jobs: ({ seed }) => [jobOf('data', { data: seed, small, batch } satisfies DataTask, ['moons'], 2)],
  review(done) {
    const [{ numbers }] = done as unknown as readonly FinishedJob<DataTask, DataNumbers>[];
    const { moons, facts, matrix, batch: rows, neighbors } = numbers;
    const moon = (title: string, i: number): ShadedPanel => ({
      kind: 'shaded',
      title,
      x: { label: 'x' },
      y: { label: 'y' },
      px: moons[i].x,
      py: moons[i].y,
      shade: moons[i].shade,
      square: true,
    });
    const part = (title: string, seen: (row: number, column: number) => boolean): MatrixPanel => ({
      kind: 'matrix',
      title,
      size: small,
      values: matrix,
      seen: matrix.map((_, p) => seen(Math.floor(p / small), p % small)),
    });
    const inBatch = (row: number): boolean => rows.includes(row);
    const near = (target: number, found: number): boolean => Math.abs(found / target - 1) < 0.05;
    return {
      figures: [
        {
          name: 'moons',
          title: 'One moon and two moons',
          caption:
            'The training points. Colour: the angle at which a point was drawn, from blue for 0 to orange for π, or the moon it belongs to.',
          panels: [moon('one moon', 0), moon('two moons', 1)],
        },
        {
          name: 'matrix',
          title: 'The parts of W − ηηᵀ that a batch reads',
          caption: `A small moon of ${small} points in order along the arc, and a batch of ${batch}. Blue: positive, orange: negative. What is faint is not read. Neighbor reads the columns in which a row of the batch has an entry of W; in the others there is −ηηᵀ alone, whose product with Y it keeps as a sum.`,
          panels: [
            part('local', (row, column) => inBatch(row) && inBatch(column)),
            part('full', inBatch),
            part('neighbor', (row, column) => inBatch(row) && neighbors.includes(column)),
          ],
        },
      ],
      claims: [
        {
          figure: 'moons',
          claim: 'On one moon a batch of 4 has about 620 neighbours, with σ = 0.1.',
          measured: `${formatNumber(facts.oneMoon.neighbors)} with σ = 0.2, ${pieces(facts.oneMoon)}; ${formatNumber(facts.printed.neighbors)} with σ = 0.1, ${pieces(facts.printed)}.`,
          agrees: near(620, facts.printed.neighbors),
          why: `${near(620, facts.oneMoon.neighbors) ? 'The number is that of σ = 0.2' : 'Neither gives the number, σ = 0.2 is nearer'}, which the authors' program uses. The text's σ = 0.1 would leave points alone. All experiments here use 0.2.`,
        },
        {
          figure: 'moons',
          claim: 'On two moons a batch of 4 has about 670 neighbours.',
          measured: `${formatNumber(facts.twoMoons.neighbors)}, ${pieces(facts.twoMoons)}.`,
          agrees: near(670, facts.twoMoons.neighbors),
          why: 'σ = 0.15 and threshold 0.08, as printed.',
        },
      ],
    };
  },
};

function pieces({ pieces: count }: GraphFacts): string {
  return count === 1 ? 'in one piece' : `in ${count} pieces`;
}

export async function describeData(task: DataTask): Promise<Outcome<DataNumbers>> {
  const { data: seed, small: n, batch: size } = task;
  const one = oneMoon({ n: moonPoints, seed, draw: 'train' });
  const two = twoMoons({ n: moonPoints, seed, draw: 'train' });
  const facts = async (points: typeof one.points, recipe: Parameters<typeof buildGraph>[1]): Promise<GraphFacts> => {
    const graph = await buildGraph(points, recipe);
    return { neighbors: batchNeighbors(graph, [size], seed)[0], pieces: graph.components.count };
  };
  const tiny = oneMoon({ n, seed, draw: 'train' });
  const order = Array.from({ length: n }, (_, i) => i).toSorted(
    (a, b) => tiny.intrinsic!.data[a] - tiny.intrinsic!.data[b],
  );
  const sorted = tensor(order.map((i) => [tiny.points.data[2 * i], tiny.points.data[2 * i + 1]]));
  const graph = await buildGraph(sorted, moonRecipes.oneMoon);
  const dense = toDense(graph.weights);
  const matrix = Array.from(dense.data, (value, p) => {
    const [i, j] = [Math.floor(p / n), p % n];
    return value - (graph.degrees[i] * graph.degrees[j]) / graph.volume;
  });
  const rows = Int32Array.from({ length: size }, (_, b) => Math.floor(((b + 0.5) * n) / size));
  const picture = ({ points }: typeof one, shade: ArrayLike<number>) => ({
    x: shortened(
      points.data.filter((_, p) => p % 2 === 0),
      drawnDigits,
    ),
    y: shortened(
      points.data.filter((_, p) => p % 2 === 1),
      drawnDigits,
    ),
    shade: shortened(shade, drawnDigits),
  });
  return {
    numbers: {
      moons: [picture(one, one.intrinsic!.data), picture(two, two.labels!)],
      facts: {
        oneMoon: await facts(one.points, moonRecipes.oneMoon),
        printed: await facts(one.points, { ...moonRecipes.oneMoon, sigma: printedSigma }),
        twoMoons: await facts(two.points, moonRecipes.twoMoons),
      },
      matrix: shortened(matrix, drawnDigits),
      batch: [...rows],
      neighbors: [...neighborsOf(graph.weights, rows)],
    },
    seconds: [],
  };
}
