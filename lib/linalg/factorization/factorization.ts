/** The factorization of a graph's Laplacian and what it is for: the module that is loaded on demand. */

export { censusSteps } from './inertia.ts';
export { analyzeGraphSteps, laplacianPencil } from './laplacian-pencil.ts';
export { shiftInvertSteps } from './shift-invert.ts';
