/** Points of a sphere that are denser on one side, and their distance from the harmonics. */

import { buildGraph, type GraphRecipe, nystrom, Random, Tensor } from '../../lib/index.ts';
import { diffusionMap } from '../../lib/doors/embedding.ts';
import { principalAngles } from '../../lib/doors/linalg.ts';

/** Points of the unit circle or sphere. One at a height from −1 to 1 is kept with the probability `density(height)`. */
export function unevenSphere(
  n: number,
  dimension: number,
  seed: number,
  density: (height: number) => number,
): Tensor<Float64Array> {
  const random = new Random(seed);
  const data: number[] = [];
  while (data.length < n * dimension) {
    const point = Array.from({ length: dimension }, () => random.normal());
    const length = Math.hypot(...point);
    if (random.uniform() < density(point[dimension - 1] / length)) data.push(...point.map((x) => x / length));
  }
  return new Tensor(Float64Array.from(data), [n, dimension]);
}

/** The largest sine of an angle between the span of coordinates and that of the harmonics of degree 1: x, y (and z). */
export function distanceFromHarmonics(coordinates: Tensor, points: Tensor): number {
  return Math.sin(Math.max(...principalAngles(coordinates, points)));
}

/** A diffusion map of the points as `nystrom` takes it, and by how much their own rows differ from those it gives them. */
export async function extendable(points: Tensor, recipe: GraphRecipe) {
  const graph = await buildGraph(points, recipe);
  const { embedding, eigenvalues } = await diffusionMap(graph, { components: 3, time: 2 });
  const source = { points, recipe, graph, embedding, eigenvalues };
  const own = await nystrom(source, points);
  let worst = 0;
  for (let i = 0; i < own.size; i++) worst = Math.max(worst, Math.abs(own.data[i] - embedding.data[i]));
  return { source, worst };
}
