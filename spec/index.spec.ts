/** The public surface is the documented one. */

import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSurface } from './surface.ts';

const test = suite('public surface');

/** The names of each public module, without types. The root repeats the names that most users need. */
const names: Record<string, string> = {
  specnet: `
    SpectralEmbedding FittedEmbedding SpectralClustering FittedClustering DiffusionMap FittedDiffusionMap
    transform loadModel saveModel exportOnnx readTable openTable buildGraph graphFrom spectrum nystrom
    accuracy adjustedRandIndex normalizedMutualInformation plotEmbedding
    enableSimd disableSimd simdStatus setThreads Random Tensor tensor CsrMatrix`,
  'specnet/autodiff': `
    Tape stopGradient checkGradient
    matmul dense add subtract multiply scale addBias relu softplus tanh sigmoid convert transpose gatherRows scaleRows
    sum mean traceOfProduct cholesky thinQr solveTriangular invertTriangular`,
  'specnet/benchmark': `
    benchMatrix benchWebGpu estimateBench measureMachine generateMatrix matrixNames matrixStructure readBenchmark compareBenchmarks plotBenchmark
    enableRelaxedSimd disableRelaxedSimd relaxedSimdStatus`,
  'specnet/embedding': `
    SpectralEmbedding FittedEmbedding SpectralClustering FittedClustering DiffusionMap FittedDiffusionMap
    transform loadModel saveModel loadTraining saveTraining exportOnnx
    laplacianEigenmap diffusionMap nystrom nystromExtension spectralClustering conductances kMeans nearestCenters
    accuracy adjustedRandIndex normalizedMutualInformation`,
  'specnet/formats': `
    readPoints openPoints formatFromName readCsv writeCsv streamCsv readIdx writeIdx readNpyTensor writeNpyTensor
    readNpz writeNpz readMatrixMarket writeMatrixMarket readTable openTable tableFormatFromName`,
  'specnet/graph': `
    buildGraph graphFrom normalizeDensity batchNeighbors laplacian nearestNeighbors nearestAmong radiusNeighbors radiusAmong reorder`,
  'specnet/kernels': 'kernels plainKernels enableSimd disableSimd simdStatus setThreads',
  'specnet/linalg': `
    NotPositiveDefinite symmetricEigen generalizedEigen thinSvd singularValues numericalRank fromMlMatrix toMlMatrix
    principalAngles alignSigns alignRotation relativeErrors lanczos multilevel cholesky thinQr solveTriangular invertTriangular`,
  'specnet/network': 'Mlp Optimizer Landmarks chooseLandmarks hiddenLayers',
  'specnet/solver': 'spectrum solve train ritzHead rayleighRitz StepTooLarge',
  'specnet/sparse': `
    CsrMatrix fromTriplets fromDense fromCsr diagonalMatrix identity combine mapValues symmetrize
    asymmetry bandwidth diagonal rowSums toDense toTriplets sliceRows sliceBlock neighborsOf BatchSlicer
    permute permuteRows inversePermutation reverseCuthillMcKee
    toSliced fromSliced toBlocked fromBlocked toHalf fromHalf sparseProduct transposedProduct`,
  'specnet/storage':
    'storeGraph buildStoredGraph openStoredGraph StoredGraph openStoredPoints StoredPoints fitStored transformStored',
  'specnet/tensor': 'Tensor tensor zeros Workspace fromNdarray toNdarray',
  'specnet/theory': 'verify statements eigenfunctions',
  'specnet/worker': 'startWorker',
  'specnet/datasets': `
    dataset trainAndTest oneMoon twoMoons oneMoonDensity twoMoonsDensity circles ring spiral sCurve swissRoll blobs texts
    loadMnist loadFashionMnist`,
};

const surface = await openSurface();
const words = (text: string): string[] => text.trim().split(/\s+/).toSorted();

test('the modules are these, and each file of lib/doors is one', () => {
  assert.equal(surface.map(({ name }) => name).toSorted(), Object.keys(names).toSorted());
  const doors = readdirSync('lib/doors').map((file) => `lib/doors/${file}`);
  assert.equal(surface.map(({ source }) => source).toSorted(), ['datasets/index.ts', 'lib/index.ts', ...doors].toSorted()); // oxfmt-ignore
});

for (const { name, source, module } of surface) {
  test(`${name} exports these names, no more and no fewer, and so does its build`, async () => {
    assert.equal(Object.keys(module).toSorted(), words(names[name]));
    assert.equal(Object.keys((await import(name)) as object).toSorted(), words(names[name]));
  });

  test(`${name} lists its names by hand and begins with a statement`, () => {
    const text = readFileSync(source, 'utf8');
    assert.not.match(text, /export \*|export default/);
    assert.match(text, /^\/\*\* [^?\n]+\. \*\/\n/);
  });
}

test('a name means the same thing in every module that exports it', () => {
  const first = new Map<string, unknown>();
  for (const { name, module } of surface) {
    for (const [key, value] of Object.entries(module)) {
      if (first.has(key)) assert.is(value, first.get(key), `${name}: ${key}`);
      first.set(key, value);
    }
  }
});

test.run();
