/** How do the jobs on two moons come to their numbers? Accuracy of two clusters of the first coordinate, after every epoch. */

import { accuracy } from '../../../embedding/clustering/agreement.ts';
import { kMeans } from '../../../embedding/clustering/k-means.ts';
import { type Tensor, zeros } from '../../../tensor/tensor.ts';
import { type DirectTask, embedDirectly } from '../direct.ts';
import type { Outcome, JobContext } from '../../shared/experiment.ts';
import { moonRecipes, turnedOutputs, twoMoonsWorld } from '../../shared/moon-data.ts';
import { shortened } from '../../shared/statistics.ts';
import { trainAndLook, type TrainingTask } from '../../shared/training.ts';

const components = 1;

export interface TwoMoonsTask extends TrainingTask {
  readonly data: number;
}

/** Points where they lie, and the first coordinate they get. */
export interface Coloured {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly shade: readonly number[];
}

export interface TwoMoonsNumbers {
  /** After each epoch: accuracy on training and on testing points. */
  readonly rows: readonly (readonly number[])[];
  /** Where shown. */
  readonly pictures: { readonly train: Coloured; readonly test: Coloured } | null;
}

export async function trainTwoMoons(task: TwoMoonsTask, context: JobContext): Promise<Outcome<TwoMoonsNumbers>> {
  const { train, test, graph } = await twoMoonsWorld(task.data);
  const points = train.points;
  const { network, rows, seconds } = await trainAndLook(graph, points, components, task, context, (now) => {
    const turned = turnedOutputs(graph, now, points, components);
    return [train, test].map((part) => split(turned(part.points), part.labels!));
  });
  const turned = turnedOutputs(graph, network, points, components);
  const pictures = task.shown ? picturesOf(points, test.points, turned(points), turned(test.points)) : null;
  return { numbers: { rows, pictures }, seconds };
}

export async function embedTwoMoons(task: DirectTask, context: JobContext): Promise<Outcome<TwoMoonsNumbers>> {
  const { train, test, graph } = await twoMoonsWorld(task.data);
  const world = { graph, recipe: moonRecipes.twoMoons, train: train.points, test: test.points };
  const { onTrain, onTest, seconds } = await embedDirectly(world, components, [128], task, context);
  const rows = [shortened([split(onTrain, train.labels!), split(onTest, test.labels!)])];
  const pictures = task.shown ? picturesOf(train.points, test.points, onTrain, onTest) : null;
  return { numbers: { rows, pictures }, seconds };
}

/** Share of points on the right moon when the coordinate is cut in two by k-means, as the paper does on either part. */
function split(coordinate: Tensor, labels: Int32Array): number {
  const column = zeros([coordinate.rows, 1]);
  for (let i = 0; i < coordinate.rows; i++) column.data[i] = coordinate.data[i];
  return accuracy(kMeans(column, 2, { restarts: 3 }).labels, labels);
}

/** Points that a picture shows. */
const shownPoints = 1000;

function picturesOf(
  train: Tensor,
  test: Tensor,
  onTrain: Tensor,
  onTest: Tensor,
): NonNullable<TwoMoonsNumbers['pictures']> {
  const picture = ({ rows, data }: Tensor, { data: found }: Tensor): Coloured => {
    const step = rows / shownPoints;
    const pick = (value: (i: number) => number): number[] =>
      Array.from({ length: shownPoints }, (_, p) => Number(value(Math.floor(p * step)).toPrecision(4)));
    return { x: pick((i) => data[2 * i]), y: pick((i) => data[2 * i + 1]), shade: pick((i) => found[i]) };
  };
  return { train: picture(train, onTrain), test: picture(test, onTest) };
}
