/** How many neighbours do points have in a graph where nobody said? 16, or all there are where there are fewer points. */

import type { GraphRecipe } from '../graph/build-graph.ts';

const usual = 16;

/** The recipe with the number of neighbours that suits so many points, if it needs one and has none; knn for none at all. */
export function settleRecipe(points: number, recipe: GraphRecipe = { kind: 'knn' }): GraphRecipe {
  // What is no recipe at all is refused where the graph is made.
  if (recipe?.kind !== 'knn' && recipe?.kind !== 'knn-gaussian' && recipe?.kind !== 'self-tuned') return recipe;
  const most = recipe.includeSelf === false ? points - 1 : points;
  return { ...recipe, neighbors: recipe.neighbors ?? Math.min(usual, most) };
}
