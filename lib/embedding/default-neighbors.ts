/** The default number of neighbors of graph recipes: 16, or all points if there are fewer. */

import type { GraphRecipe } from '../graph/build-graph.ts';

const defaultNeighbors = 16;

/** Fills in the number of neighbors if the recipe needs one and has none. Default: a 'knn' recipe. */
export function resolveRecipe(points: number, recipe: GraphRecipe = { kind: 'knn' }): GraphRecipe {
  // buildGraph checks whether this is a recipe at all.
  if (recipe?.kind !== 'knn' && recipe?.kind !== 'knn-gaussian' && recipe?.kind !== 'self-tuned') return recipe;
  const most = recipe.includeSelf === false ? points - 1 : points;
  return { ...recipe, neighbors: recipe.neighbors ?? Math.min(defaultNeighbors, most) };
}
