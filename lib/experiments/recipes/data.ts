/** The experiment `data`: pictures of the data sets, and the part of the matrix that each scheme reads. */

import { moonNoise, oneMoon, twoMoons } from '../../../datasets/moons.ts';
import { formatNumber } from '../../core/readable.ts';
import { batchNeighbors } from '../../graph/batch-neighbors.ts';
import { buildGraph } from '../../graph/build-graph.ts';
import { toDense } from '../../sparse/inspect.ts';
import { neighborsOf } from '../../sparse/slices/slice.ts';
import { tensor } from '../../tensor/convert.ts';
import { type FinishedJob, type Experiment, jobOf, type Outcome } from '../shared/experiment.ts';
import type { MatrixPanel, ShadedPanel } from '../../charts/figure.ts';
import { moonPoints, moonRecipes } from '../shared/moon-data.ts';
import { roundDigits } from '../shared/statistics.ts';

export interface DataTask {
  readonly data: number;
  /** Points of the small moon whose matrix is drawn. */
  readonly small: number;
  readonly batch: number;
}

interface GraphFacts {
  /** The mean number of neighbors of a batch of 4. */
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
  /** W − ηηᵀ of a small moon, row by row. Its points are sorted along the arc. */
  readonly matrix: readonly number[];
  readonly batch: readonly number[];
  readonly neighbors: readonly number[];
}

const batch = 4;
const small = 48;
/** Digits of numbers that are only drawn. */
const drawnDigits = 4;
/** The value in the text of the paper. */
const printedSigma = 0.1;

export const data: Experiment = {
  title: 'The data sets, and what each scheme reads',
  summary: 'pictures of the moons, and the parts of W − ηηᵀ that local, full and neighbor read',
  paper:
    'Both data sets are half circles with normal noise, with 2,000 training points and 2,000 test points. Of W − ηηᵀ a ' +
    'batch reads the block of its own rows and columns (local), its whole rows (full), or the columns of its rows that are ' +
    'neighbors of the batch, with two small sums for the rest (neighbor). A batch of 4 has about 620 neighbors on one moon and about 670 on two.',
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
  review(finished) {
    const [{ numbers }] = finished as unknown as readonly FinishedJob<DataTask, DataNumbers>[];
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
    const isNear = (target: number, found: number): boolean => Math.abs(found / target - 1) < 0.05;
    return {
      figures: [
        {
          name: 'moons',
          title: 'One moon and two moons',
          caption:
            'The training points. Color: on one moon the angle of a point, from blue for 0 to orange for π; on two moons the moon of a point.',
          panels: [moon('one moon', 0), moon('two moons', 1)],
        },
        {
          name: 'matrix',
          title: 'The parts of W − ηηᵀ that a batch reads',
          caption: `A small moon of ${small} points sorted along the arc, and a batch of ${batch}. Blue: positive, orange: negative, faint: not read. Neighbor reads the columns in which a row of the batch has an entry of W. The other columns hold only −ηηᵀ, whose product with Y is tracked as a sum.`,
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
          claim: 'On one moon a batch of 4 has about 620 neighbors, with σ = 0.1.',
          measured: `${formatNumber(facts.oneMoon.neighbors)} with σ = 0.2, ${describePieces(facts.oneMoon)}; ${formatNumber(facts.printed.neighbors)} with σ = 0.1, ${describePieces(facts.printed)}.`,
          agrees: isNear(620, facts.printed.neighbors),
          why: `${isNear(620, facts.oneMoon.neighbors) ? 'The number matches σ = 0.2' : 'Neither value matches; the nearer one is σ = 0.2'}, which the authors' program uses. With σ = 0.1, as printed, some points would be isolated. All experiments here use 0.2.`,
        },
        {
          figure: 'moons',
          claim: 'On two moons a batch of 4 has about 670 neighbors.',
          measured: `${formatNumber(facts.twoMoons.neighbors)}, ${describePieces(facts.twoMoons)}.`,
          agrees: isNear(670, facts.twoMoons.neighbors),
          why: 'With σ = 0.15 and threshold 0.08, as printed.',
        },
      ],
    };
  },
};

function describePieces({ pieces: count }: GraphFacts): string {
  return count === 1 ? 'connected' : `${count} components`;
}

export async function describeData(task: DataTask): Promise<Outcome<DataNumbers>> {
  const { data: seed, small: n, batch: size } = task;
  const one = oneMoon({ n: moonPoints, seed, draw: 'train' });
  const two = twoMoons({ n: moonPoints, seed, draw: 'train' });
  const facts = async (points: typeof one.points, recipe: Parameters<typeof buildGraph>[1]): Promise<GraphFacts> => {
    const graph = await buildGraph(points, recipe);
    return { neighbors: batchNeighbors(graph, [size], seed)[0], pieces: graph.components.count };
  };
  const smallMoon = oneMoon({ n, seed, draw: 'train' });
  const order = Array.from({ length: n }, (_, i) => i).toSorted(
    (a, b) => smallMoon.intrinsic!.data[a] - smallMoon.intrinsic!.data[b],
  );
  const sorted = tensor(order.map((i) => [smallMoon.points.data[2 * i], smallMoon.points.data[2 * i + 1]]));
  const graph = await buildGraph(sorted, moonRecipes.oneMoon);
  const dense = toDense(graph.weights);
  const matrix = Array.from(dense.data, (value, p) => {
    const [i, j] = [Math.floor(p / n), p % n];
    return value - (graph.degrees[i] * graph.degrees[j]) / graph.volume;
  });
  const rows = Int32Array.from({ length: size }, (_, b) => Math.floor(((b + 0.5) * n) / size));
  const picture = ({ points }: typeof one, shade: ArrayLike<number>) => ({
    x: roundDigits(
      points.data.filter((_, p) => p % 2 === 0),
      drawnDigits,
    ),
    y: roundDigits(
      points.data.filter((_, p) => p % 2 === 1),
      drawnDigits,
    ),
    shade: roundDigits(shade, drawnDigits),
  });
  return {
    numbers: {
      moons: [picture(one, one.intrinsic!.data), picture(two, two.labels!)],
      facts: {
        oneMoon: await facts(one.points, moonRecipes.oneMoon),
        printed: await facts(one.points, { ...moonRecipes.oneMoon, sigma: printedSigma }),
        twoMoons: await facts(two.points, moonRecipes.twoMoons),
      },
      matrix: roundDigits(matrix, drawnDigits),
      batch: [...rows],
      neighbors: [...neighborsOf(graph.weights, rows)],
    },
    seconds: [],
  };
}
