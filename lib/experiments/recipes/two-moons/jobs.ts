/** The jobs on two moons. They measure the accuracy of two clusters of the first coordinate after every epoch. */

import { runSync } from '../../../core/task.ts';
import { accuracy } from '../../../embedding/clustering/agreement.ts';
import { kMeansSteps } from '../../../embedding/clustering/k-means.ts';
import { type Tensor, zeros } from '../../../tensor/tensor.ts';
import { type DirectTask, embedDirectly } from '../direct.ts';
import type { Outcome, JobContext } from '../../shared/experiment.ts';
import { moonRecipes, ritzOutputs, twoMoonsProblem } from '../../shared/moon-data.ts';
import { roundDigits } from '../../shared/statistics.ts';
import { trainAndMeasure, type TrainingTask } from '../../shared/training.ts';

const components = 1;

export interface TwoMoonsTask extends TrainingTask {
  readonly data: number;
}

/** Points, with their first learned coordinate as shade. */
export interface ColoredPoints {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly shade: readonly number[];
}

export interface TwoMoonsNumbers {
  /** After each epoch: accuracy on training and on test points. */
  readonly rows: readonly (readonly number[])[];
  /** Null unless the task asks for them by `shown`. */
  readonly pictures: { readonly train: ColoredPoints; readonly test: ColoredPoints } | null;
}

export async function trainTwoMoons(task: TwoMoonsTask, context: JobContext): Promise<Outcome<TwoMoonsNumbers>> {
  const { train, test, graph } = await twoMoonsProblem(task.data);
  const points = train.points;
  const { network, rows, seconds } = await trainAndMeasure(graph, points, components, task, context, (current) => {
    const embed = ritzOutputs(graph, current, points, components);
    return [train, test].map((part) => splitAccuracy(embed(part.points), part.labels!));
  });
  const embed = ritzOutputs(graph, network, points, components);
  const pictures = task.shown ? picturesOf(points, test.points, embed(points), embed(test.points)) : null;
  return { numbers: { rows, pictures }, seconds };
}

export async function embedTwoMoons(task: DirectTask, context: JobContext): Promise<Outcome<TwoMoonsNumbers>> {
  const { train, test, graph } = await twoMoonsProblem(task.data);
  const problem = { graph, recipe: moonRecipes.twoMoons, train: train.points, test: test.points };
  const { onTrain, onTest, seconds } = await embedDirectly(problem, components, [128], task, context);
  const rows = [roundDigits([splitAccuracy(onTrain, train.labels!), splitAccuracy(onTest, test.labels!)])];
  const pictures = task.shown ? picturesOf(train.points, test.points, onTrain, onTest) : null;
  return { numbers: { rows, pictures }, seconds };
}

/** The accuracy of a split of the coordinate in two by k-means, for each set of points separately, as in the paper. */
function splitAccuracy(coordinate: Tensor, labels: Int32Array): number {
  const column = zeros([coordinate.rows, 1]);
  for (let i = 0; i < coordinate.rows; i++) column.data[i] = coordinate.data[i];
  return accuracy(runSync(kMeansSteps(column, 2, { restarts: 3 })).labels, labels);
}

/** The number of points in a picture. */
const picturePoints = 1000;

function picturesOf(
  train: Tensor,
  test: Tensor,
  onTrain: Tensor,
  onTest: Tensor,
): NonNullable<TwoMoonsNumbers['pictures']> {
  const picture = ({ rows, data }: Tensor, { data: coordinate }: Tensor): ColoredPoints => {
    const step = rows / picturePoints;
    const pick = (value: (i: number) => number): number[] =>
      Array.from({ length: picturePoints }, (_, p) => Number(value(Math.floor(p * step)).toPrecision(4)));
    return { x: pick((i) => data[2 * i]), y: pick((i) => data[2 * i + 1]), shade: pick((i) => coordinate[i]) };
  };
  return { train: picture(train, onTrain), test: picture(test, onTest) };
}
