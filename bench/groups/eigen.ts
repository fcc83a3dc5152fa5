/** Times of eigenvectors: against ARPACK on the same graph, and against scikit-learn starting from points. */

import { runSync } from '../../lib/core/task.ts';
import { loadMnist, oneMoonDensity, twoMoons } from '../../datasets/index.ts';
import { laplacianEigenmap } from '../../lib/embedding/eigenmaps/eigenmap.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { eigenfunctions } from '../../lib/theory/continuum/eigenfunctions.ts';
import { laplacian } from '../../lib/graph/laplacian.ts';
import { lanczosSteps } from '../../lib/linalg/lanczos/lanczos.ts';
import { disableSimd, enableSimd } from '../../lib/wasm/simd.ts';
import { local, type Numbers, slow } from '../measure.ts';
import { Python } from '../competitors/python.ts';
import { type Context, type Group, measureRow, mebibytes, type Row } from '../report/row.ts';
import { eigensolverRows } from './eigensolvers.ts';

export const eigen: Group = async (context) => {
  const others = context.only ? [] : [await onMnist(context), await onMoons(context), await onContinuum(context)];
  const rows = [...others, ...(await eigensolverRows(context))];
  context.note('Rates count the products with the graph alone, without orthogonalization; of points, their bytes.');
  return rows;
};

/** 8 eigenpairs of D^-½WD^-½ with residuals of at most 1e-8. Ours are also verified to be complete. */
async function onMnist(context: Context): Promise<Row> {
  const n = context.quick ? 5000 : 20000;
  const size = `MNIST ${n}, 16 neighbors, 8 pairs`;
  context.say(`the graph of ${size}`);
  const { train } = await loadMnist({ train: n, test: 1 });
  const graph = await buildGraph(train.points, { kind: 'knn', neighbors: 16 });
  const operator = laplacian(graph);
  const options = { count: 8, tolerance: 1e-8 };
  let last = runSync(lanczosSteps(operator, options));
  const solve = (): void => {
    last = runSync(lanczosSteps(operator, options));
  };
  const solvePlainly = (): void => {
    disableSimd();
    solve();
    enableSimd();
  };
  const { starts, columns, values } = graph.weights;
  const arrays = { starts: starts.slice(), columns: columns.slice(), values: values.slice() };
  const sizes = { rows: n, ...options };
  const work = { amount: 2 * last.products * values.length, unit: 'flop' } as const;
  return measureRow(context, 'eigenpairs', size, work, [
    local('ours', solve, () => last.values),
    local('plain', solvePlainly, () => last.values),
    (await context.python?.competitor('eigsh', { case: 'eigsh', sizes, arrays })) ?? null,
  ]);
}

/** From points to two coordinates. The compared answer is log10(1 − eigenvalue). */
async function onMoons(context: Context): Promise<Row> {
  const n = context.quick ? 4000 : 20000;
  const { points } = twoMoons({ n });
  const embed = async (): Promise<Numbers> => {
    const graph = await buildGraph(points, { kind: 'knn', neighbors: 15 });
    return (await laplacianEigenmap(graph, { components: 2 })).eigenvalues.map((value) => Math.log10(1 - value));
  };
  const python = context.python ? await Python.start(context.note, 'sklearn') : null;
  const input = { sizes: { rows: n, cols: 2, neighbors: 15 }, arrays: { points: points.data.slice() } };
  const peer = await python?.competitor('shift-invert', { case: 'current embedding', ...input });
  try {
    const patient = { ...context, pace: { rounds: context.quick ? 1 : 2, milliseconds: 1 } };
    const work = { amount: points.data.byteLength, unit: 'byte' } as const;
    const size = `two moons ${n}, 15 neighbors, 2 coordinates`;
    return await measureRow(patient, 'embedding', size, work, [slow('ours', embed), peer ?? null]);
  } finally {
    if (python) {
      const calls = "shift-invert is scikit-learn with the call of current releases, eigsh(L, sigma=-1e-5, which='LM')";
      context.note(`${calls}: ${python.versions}.`);
    }
    python?.stop();
  }
}

/** The limits of one moon's eigenvectors as functions, on a grid of 201×151 points. */
async function onContinuum(context: Context): Promise<Row> {
  let values: Numbers = [];
  const solve = (): void => {
    ({ values } = eigenfunctions(oneMoonDensity(), { sigma: 0.2, count: 3 }));
  };
  const work = { amount: 8 * 201 * 151, unit: 'byte' } as const;
  const row = await measureRow(context, 'eigenfunctions', 'one moon, σ 0.2, 3', work, [
    local('ours', solve, () => values),
  ]);
  context.note(`After the eigenfunctions of one moon: ${mebibytes(process.memoryUsage().rss)} of resident memory.`);
  return row;
}
