/** The public surface is the documented one. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as files from '../lib/files.ts';
import * as specnet from '../lib/index.ts';
import * as built from 'specnet';
import * as builtFiles from 'specnet/files';

const test = suite('public surface');

const names = words(`
  Random
  kernels plainKernels enableSimd disableSimd setThreads simdStatus
  Tensor tensor zeros Workspace fromNdarray toNdarray
  CsrMatrix fromTriplets fromDense fromCsr diagonalMatrix identity
  combine mapValues symmetrize asymmetry bandwidth diagonal rowSums toDense toTriplets
  sliceRows sliceBlock neighborsOf BatchSlicer permute permuteRows inversePermutation reverseCuthillMcKee
  NotPositiveDefinite symmetricEigen generalizedEigen thinSvd singularValues numericalRank fromMlMatrix toMlMatrix
  principalAngles alignSigns alignRotation relativeErrors
  Tape stopGradient checkGradient
  matmul dense add subtract multiply scale addBias relu softplus tanh sigmoid convert transpose gatherRows scaleRows
  sum mean traceOfProduct cholesky thinQr solveTriangular invertTriangular
  buildGraph graphFrom batchNeighbors laplacian nearestNeighbors nearestAmong radiusNeighbors radiusAmong reorder
  eigenfunctions lanczos
  spectrum solve rayleighRitz StepTooLarge laplacianEigenmap diffusionMap nystrom spectralClustering kMeans nearestCenters
  accuracy adjustedRandIndex normalizedMutualInformation
  Mlp Optimizer Landmarks chooseLandmarks hiddenLayers ritzHead train
  SpectralEmbedding FittedEmbedding DiffusionMap FittedDiffusionMap SpectralClustering FittedClustering
  saveModel loadModel exportOnnx transform saveTraining loadTraining
  verify statements
`);

const fileNames = words('readMatrixMarket writeMatrixMarket readNpz writeNpz');

function words(text: string): string[] {
  return text.trim().split(/\s+/).toSorted();
}

test('the names are these, no more and no fewer', () => {
  assert.equal(Object.keys(specnet).toSorted(), names);
  assert.equal(Object.keys(files).toSorted(), fileNames);
});

test('the built package has the same names', () => {
  assert.equal(Object.keys(built).toSorted(), names);
  assert.equal(Object.keys(builtFiles).toSorted(), fileNames);
});

test.run();
