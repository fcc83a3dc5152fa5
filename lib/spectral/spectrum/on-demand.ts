/** What only some graphs need: the multilevel solver, the factorization, and another order of a large graph. Loaded on demand. */

export { reorder } from '../../graph/reorder.ts';
export { censusSteps } from '../../linalg/factorization/inertia.ts';
export { analyzeGraphSteps, laplacianPencil } from '../../linalg/factorization/laplacian-pencil.ts';
export { shiftInvertSteps } from '../../linalg/factorization/shift-invert.ts';
export { tryMultilevelSteps } from '../../linalg/multilevel/multilevel.ts';
