/** Code that only some graphs need, loaded on demand: the multilevel solver, the factorization, and the reordering of large graphs. */

export { reorder } from '../../graph/reorder.ts';
export { censusSteps } from '../../linalg/factorization/inertia.ts';
export { analyzeGraphSteps, laplacianPencil } from '../../linalg/factorization/laplacian-pencil.ts';
export { shiftInvertSteps } from '../../linalg/factorization/shift-invert.ts';
export { tryMultilevelSteps } from '../../linalg/multilevel/multilevel.ts';
