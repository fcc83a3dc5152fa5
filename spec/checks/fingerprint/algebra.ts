/** Cases of linear algebra: graphs, neighbors, `lanczos`, `spectrum`, small eigenproblems, subspaces and files of matrices. */

import type { GraphRecipe, SpectrumOptions } from '../../../lib/index.ts';
import type { LanczosOptions, LanczosResult, LinearOperator } from '../../../lib/doors/linalg.ts';
import type { Api } from './api.ts';
import { bumps, normalMatrix, openInputs } from './inputs.ts';
import type { Case, Parts } from './record.ts';

const kinds = ['random-walk', 'symmetric', 'unnormalized'] as const;

export async function algebraCases(api: Api): Promise<readonly Case[]> {
  const { moon, moonGraph, sparse } = await openInputs(api);
  const { points } = api.oneMoon({ n: 3000, seed: 2 });
  const large = await api.buildGraph(points, { kind: 'self-tuned', neighbors: 32 });
  const operator = api.laplacian(large);
  const columns = bumps(api, 2000, 48);
  const a = normalMatrix(api, 40, 6, 'a');
  const b = normalMatrix(api, 40, 6, 'b');
  const square = symmetric(api.matmul(a, b, { transposeA: true }));
  const gram = api.matmul(a, a, { transposeA: true });
  return [
    ...Object.entries(recipes).map(([name, recipe]): Case => [`graph ${name}`, () => graphParts(recipe)]),
    ...(['tree', 'brute', 'descent'] as const).flatMap((method): Case[] => [
      [`neighbors ${method}`, () => neighborParts(points, method)],
      [`neighbors ${method} in 48 columns`, () => neighborParts(columns, method)],
    ]),
    ['nearestAmong', async () => foundParts(await api.nearestAmong(points, moon, { neighbors: 5 }))],
    ...kinds.flatMap((laplacian): Case[] => [
      [`spectrum ${laplacian}`, () => spectrumParts(moonGraph, { count: 4, laplacian })],
      [`spectrum large ${laplacian}`, () => spectrumParts(large, { count: 6, laplacian, tolerance: 1e-6, seed: 3 })],
    ]),
    ['spectrum count 1', () => spectrumParts(large, { count: 1 })],
    ...Object.entries(searches()).map(([name, options]): Case => [
      `lanczos ${name}`,
      async () => lanczosParts(await api.lanczos(operator, { count: 4, tolerance: 1e-7, ...options })),
    ]),
    ['lanczos dense', async () => lanczosParts(await api.lanczos(api.laplacian(moonGraph), { count: 3, basis: 120 }))],
    [
      'lanczos dense deflated',
      async () => lanczosParts(await api.lanczos(api.laplacian(moonGraph), { count: 3, basis: 120, deflate: moon })),
    ],
    ['lanczos with repeated eigenvalues', async () => lanczosParts(await api.lanczos(repeated, { count: 5 }))],
    ['eigenfunctions', () => continuous()],
    ['symmetricEigen', () => flatten(api.symmetricEigen(square))],
    ['generalizedEigen', () => flatten(api.generalizedEigen(square, gram))],
    ['generalizedEigen with cut', () => flatten(api.generalizedEigen(square, deficient(), { cut: 1e-8 }))],
    ['thinSvd', () => flatten(api.thinSvd(a))],
    ['singularValues', () => ({ values: api.singularValues(b), rank: [api.numericalRank(b)] })],
    ['principalAngles', () => ({ angles: api.principalAngles(a, b), weighted: api.principalAngles(a, b, weights()) })],
    ['alignRotation', () => alignParts()],
    ['alignSigns', () => ({ aligned: api.alignSigns(a, b).data, errors: api.relativeErrors(a, b, weights()) })],
    ['reorder', () => matrixParts(api.reorder(moonGraph).graph.weights)],
    ['sparse points', () => matrixParts(api.fromDense(sparse))],
    ['npz', () => throughNpz()],
    [
      'Matrix Market',
      async () => matrixParts(await api.readMatrixMarket(await api.writeMatrixMarket(moonGraph.weights))),
    ],
  ];

  function symmetric(matrix: typeof a): typeof a {
    const transposed = api.transpose(matrix);
    return api.scale(api.add(matrix, transposed), 0.5);
  }

  /** a·aᵀ, of rank 3 instead of 6. */
  function deficient(): typeof a {
    const thin = normalMatrix(api, 6, 3, 'thin');
    return api.matmul(thin, thin, { transposeB: true });
  }

  function weights(): Float64Array {
    return Float64Array.from({ length: 40 }, (_, i) => 1 + (i % 7) / 3);
  }

  async function graphParts(recipe: GraphRecipe): Promise<Parts> {
    const { weights: found, degrees, volume, components } = await api.buildGraph(moon, recipe);
    return { ...matrixParts(found), degrees, volume: [volume, components.count] };
  }

  async function neighborParts(of: typeof moon, method: 'tree' | 'brute' | 'descent'): Promise<Parts> {
    return foundParts(await api.nearestNeighbors(of, { neighbors: 10, method, seed: 1 }));
  }

  async function spectrumParts(graph: typeof large, options: SpectrumOptions): Promise<Parts> {
    const { values, vectors, residuals, products } = await api.spectrum(graph, options);
    return { values, residuals, vectors: vectors.data, products: [products] };
  }

  function searches(): Record<string, Partial<LanczosOptions>> {
    const constant = api.zeros([large.size, 1], 'double');
    for (let i = 0; i < large.size; i++) constant.data[i] = Math.sqrt(large.degrees[i]);
    return {
      largest: {},
      smallest: { which: 'smallest' },
      'small basis': { basis: 12 },
      'large basis': { basis: 80 },
      unverified: { verify: false },
      deflated: { deflate: constant },
      started: { start: constant.data },
      'another seed': { seed: 'another' },
      'few products': { productLimit: 60, tolerance: 1e-12 },
    };
  }

  function alignParts(): Parts {
    const { aligned, rotation } = api.alignRotation(a, b);
    return { aligned: aligned.data, rotation: rotation.data, errors: api.relativeErrors(a, b) };
  }

  function continuous(): Parts {
    const density = api.oneMoonDensity();
    const found = api.eigenfunctions(density, { sigma: 0.2, count: 3, spacing: 0.05 });
    return { values: found.values, functions: found.evaluate(moon).data };
  }

  async function throughNpz(): Promise<Parts> {
    return matrixParts(await api.readNpz(await api.writeNpz(moonGraph.weights)));
  }
}

const recipes: Record<string, GraphRecipe> = {
  gaussian: { kind: 'gaussian', sigma: 0.2, threshold: 1e-3 },
  indicator: { kind: 'indicator', radius: 0.5 },
  kernel: { kind: 'kernel', kernel: (ratio) => Math.exp(-ratio), sigma: 0.3, threshold: 1e-3 },
  knn: { kind: 'knn', neighbors: 8 },
  'knn-gaussian': { kind: 'knn-gaussian', neighbors: 8 },
  'self-tuned': { kind: 'self-tuned', neighbors: 8, symmetric: 'max' },
};

/** A diagonal of 40 values, each of them ten times. */
const repeated: LinearOperator = {
  size: 400,
  apply(x, y) {
    for (let i = 0; i < x.length; i++) y[i] = (1 + Math.floor(i / 10)) * x[i];
  },
};

function lanczosParts({ values, vectors, residuals, norm, products, restarts }: LanczosResult): Parts {
  return { values, residuals, vectors: vectors.data, work: [norm, products, restarts] };
}

function foundParts({ indices, squaredDistances }: { indices: Int32Array; squaredDistances: Float32Array }): Parts {
  return { indices, squaredDistances };
}

function matrixParts({ starts, columns, values }: ReturnType<Api['fromDense']>): Parts {
  return { starts, columns, values };
}

/** Typed arrays and tensors of a result, by their names. */
function flatten(result: object): Parts {
  const entries = Object.entries(result).map(([name, value]) => [
    name,
    typeof value === 'number' ? [value] : 'data' in value ? value.data : value,
  ]);
  return Object.fromEntries(entries) as Parts;
}
