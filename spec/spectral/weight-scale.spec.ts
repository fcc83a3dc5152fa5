/** The unit in which weights are given changes nothing: the same bits for powers of two, the same numbers for all others. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { diffusionMap, laplacianEigenmap, spectralClustering } from '../../lib/doors/embedding.ts';
import { laplacian } from '../../lib/doors/graph.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { rayleighRitz, solve, train } from '../../lib/doors/solver.ts';
import { fromTriplets, mapValues, rowSums, toDense } from '../../lib/doors/sparse.ts';
import { verify } from '../../lib/doors/theory.ts';
import {
  buildGraph,
  type CsrMatrix,
  DiffusionMap,
  type Graph,
  graphFrom,
  nystrom,
  SpectralClustering,
  SpectralEmbedding,
  spectrum,
  type Tensor,
  tensor,
} from '../../lib/index.ts';

const test = suite('scale of the weights');

const { points } = oneMoon({ n: 40, seed: 3 });
const { weights: knn } = await buildGraph(points, { kind: 'knn-gaussian', neighbors: 8 });
/** Weights with many digits, the largest in [1, 2). */
const given = mapValues(knn.copy('double'), (weight) => 1.2345678901234567 * weight);
const scaled = (factor: number): Graph => graphFrom(mapValues(given, (weight) => factor * weight));
const reference = graphFrom(given);

/** Powers of two from 1e-300 to 1e300, even and odd. Within 2⁻¹⁶ … 2¹⁶ only even ones, whose roots do not round. */
const powers = [-996, -127, -17, -8, 6, 41, 996];
/** Other factors, which round. */
const factors = [1e-300, 3e-60, 7, 1e100, 3e300];

type Numbers = Record<string, ArrayLike<number>>;

const training = { epochs: 2, batch: 10 };
const y = tensor(Array.from({ length: 40 }, (_, i) => [Math.sin(i), Math.cos(2 * i)]));

async function fitted(graph: Graph, options: object): Promise<Numbers> {
  const { embedding, eigenvalues } = await new SpectralEmbedding(options).fit(points, { graph });
  return { embedding: embedding.data, eigenvalues };
}

const found = ({ values, vectors }: { values: Float64Array; vectors: Tensor }): Numbers => ({
  values,
  vectors: vectors.data,
});

async function solved(graph: Graph, options: object): Promise<Numbers> {
  const { eigenvalues, eigenvectors, converged } = await solve(graph, { components: 2, epochs: 40, ...options });
  const { data } = eigenvectors;
  // UᵀDU = n²I: in units of the degrees the vectors do not depend on the scale.
  const unit = Math.sqrt(graph.volume / reference.volume);
  return { eigenvalues, vectors: data.map((value) => value * unit), converged: [Number(converged)] };
}

/** Everything that takes a graph. */
const methods: Record<string, (graph: Graph) => Numbers | Promise<Numbers>> = {
  'fit by regression': (graph) => fitted(graph, {}),
  'fit by regression of a network': (graph) => fitted(graph, { hidden: [8], training }),
  'fit by the Ritz head': (graph) => fitted(graph, { method: 'ritz' }),
  'fit by the Ritz head of a network': (graph) => fitted(graph, { method: 'ritz', hidden: [8], training }),
  'fit by SpecNet1': (graph) => fitted(graph, { method: 'specnet1', hidden: [8], training }),
  'fit by SpecNet2': (graph) => fitted(graph, { method: 'specnet2', hidden: [8], training }),
  'fit by corrected moments': (graph) =>
    fitted(graph, { method: 'specnet2', hidden: [8], training: { ...training, moments: 'corrected' } }),
  'fit by SpecNet2 on edges': (graph) =>
    fitted(graph, { method: 'specnet2', hidden: [8], training: { ...training, scheme: 'edges' } }),
  'a diffusion map': async (graph) => ({
    embedding: (await new DiffusionMap({ time: 2 }).fit(points, { graph })).embedding.data,
  }),
  'spectral clustering': async (graph) => ({
    labels: (await new SpectralClustering({ clusters: 3 }).fit(points, { graph })).labels,
  }),
  spectrum: async (graph) => found(await spectrum(graph, { count: 4 })),
  'the symmetric spectrum': async (graph) => found(await spectrum(graph, { count: 4, laplacian: 'symmetric' })),
  solve: (graph) => solved(graph, {}),
  'solve by SpecNet1': (graph) => solved(graph, { method: 'specnet1' }),
  'solve by TriOFM': (graph) => solved(graph, { method: 'triofm' }),
  'solve in single precision': (graph) => solved(graph, { precision: 'single' }),
  'solve by conjugate gradients': (graph) => solved(graph, { step: 'conjugate' }),
  'solve the symmetric pencil': (graph) => solved(graph, { pencil: 'symmetric' }),
  'Rayleigh-Ritz': (graph) => ({ values: rayleighRitz(graph, y).eigenvalues }),
  'Laplacian eigenmap': async (graph) => ({ rows: (await laplacianEigenmap(graph, { components: 2 })).embedding.data }),
  'diffusion map of a graph': async (graph) => ({
    rows: (await diffusionMap(graph, { components: 2 })).embedding.data,
  }),
  'clusters of a graph': async (graph) => ({ labels: (await spectralClustering(graph, { clusters: 3 })).labels }),
};

/** Float64 gave 5e-13 at most; Float32 3e-5, by a regression on landmarks, whose features nearly depend on each other. */
const tolerance = (name: string): number => (/fit|a diffusion map|single/.test(name) ? 1e-4 : 1e-11);

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  assert.is(a.length, b.length);
  let worst = 0;
  for (let i = 0; i < a.length; i++) worst = Math.max(worst, Math.abs(a[i] - b[i]));
  return worst;
}

for (const [name, method] of Object.entries(methods)) {
  test(`${name} gives the same bits for weights times a power of two, and the same numbers for any unit`, async () => {
    const expected = await method(reference);
    for (const power of powers) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its factor
      assert.equal(await method(scaled(2 ** power)), expected, `2^${power}`);
    }
    for (const factor of factors) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time
      const result = await method(scaled(factor));
      for (const [part, numbers] of Object.entries(expected)) {
        const difference = largestDifference(numbers, result[part]);
        assert.ok(difference <= tolerance(name), `${part} differ by ${difference} at ${factor}`);
      }
    }
  });
}

const larger = (await buildGraph(oneMoon({ n: 150, seed: 3 }).points, { kind: 'knn-gaussian', neighbors: 8 })).weights;

for (const solver of ['lanczos', 'multilevel', 'direct'] as const) {
  test(`the eigensolver '${solver}' gives the same bits for powers of two, and the same eigenvalues for any unit`, async () => {
    const run = async (factor: number) => {
      const graph = graphFrom(mapValues(larger.copy('double'), (weight) => factor * weight));
      const { values, vectors, solver: used, complete } = await spectrum(graph, { count: 4, solver });
      assert.is(used, solver);
      return { values, vectors: vectors.data, complete };
    };
    const expected = await run(1);
    for (const power of [-996, -17, 6, 996]) assert.equal(await run(2 ** power), expected, `2^${power}`);
    for (const factor of [3e-60, 7, 3e300]) {
      const difference = largestDifference((await run(factor)).values, expected.values);
      assert.ok(difference <= 1e-11, `${difference} at ${factor}`);
    }
  });
}

test('the unnormalized Laplacian has the unit of the weights that were given', async () => {
  const expected = await spectrum(reference, { count: 4, laplacian: 'unnormalized' });
  const x = Float64Array.from({ length: 40 }, (_, i) => Math.sin(i));
  const apply = (graph: Graph): Float64Array => {
    const product = new Float64Array(40);
    laplacian(graph, 'unnormalized').apply(x, product);
    return product;
  };
  for (const power of powers.filter((k) => Math.abs(k) > 16)) {
    const graph = scaled(2 ** power);
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its factor
    const { values, vectors } = await spectrum(graph, { count: 4, laplacian: 'unnormalized' });
    assert.equal(
      values,
      expected.values.map((value) => value * 2 ** power),
      `2^${power}`,
    );
    assert.equal(vectors.data, expected.vectors.data);
    assert.equal(
      apply(graph),
      apply(reference).map((value) => value * 2 ** power),
    );
  }
  const huge = graphFrom(mapValues(given, (weight) => 8e307 * weight));
  const refused = await spectrum(huge, { count: 40, laplacian: 'unnormalized' }).catch(({ message }: Error) => message);
  assert.match(
    String(refused),
    /^spectrum: expected eigenvalues of D − W that double precision can hold, got Infinity\. Multiply all/,
  );
});

test('the graph says by what its weights were divided, and only unusual ones are', () => {
  assert.is(reference.scale, 1);
  assert.is(reference.weights, given);
  for (const factor of [2 ** -16, 1e-3, 1000, 2 ** 15]) assert.is(scaled(factor).scale, 1, `${factor}`);
  for (const factor of [1e-300, 1e-60, 1e30, 1e300]) {
    const { weights, scale } = scaled(factor);
    assert.equal(
      weights.values.map((weight) => scale * weight),
      given.values.map((weight) => factor * weight),
    );
    const largest = Math.max(...weights.values);
    assert.ok(largest >= 1 && largest < 2, `${largest}`);
    assert.ok(Number.isInteger(Math.log2(scale)), `${scale}`);
  }
});

test('weights in single precision stay exact', () => {
  for (const factor of [2 ** -120, 2 ** 120]) {
    const single = mapValues(given, (weight) => factor * weight).copy('single');
    const { weights, scale } = graphFrom(single);
    assert.is(weights.precision, 'single');
    assert.equal(
      Float32Array.from(weights.values, (weight) => scale * weight),
      single.values,
    );
  }
  const wide = fromTriplets({ rows: [0, 1, 1, 2], columns: [1, 0, 2, 1], values: [3e38, 3e38, 1e-40, 1e-40] }, [3, 3]);
  const { weights, scale } = graphFrom(wide);
  assert.is(weights.precision, 'double', 'single would lose the small one');
  assert.equal(
    Float32Array.from(weights.values, (weight) => scale * weight),
    wide.values,
  );
});

test('a weight that vanishes beside the largest is refused in words', () => {
  const values = [1e300, 1e300, 1e-300, 1e-300];
  const wide = fromTriplets({ rows: [0, 1, 1, 2], columns: [1, 0, 2, 1], values }, [3, 3], 'double');
  assert.throws(
    () => graphFrom(wide),
    /^graphFrom: expected weights of at least 1e-308 times the largest, got 1e-300\./,
  );
});

test('a kernel of any magnitude gives the same graph and the same Nyström extension', async () => {
  const queries = oneMoon({ n: 10, seed: 4 }).points;
  const build = async (factor: number): Promise<[Graph, Tensor]> => {
    const recipe = { kind: 'kernel', kernel: (t: number) => factor * Math.exp(-t / 2), sigma: 0.5, radius: 1 } as const;
    const graph = await buildGraph(points, recipe);
    const { embedding, eigenvalues } = await laplacianEigenmap(graph, { components: 2 });
    return [graph, await nystrom({ points, recipe, graph, embedding, eigenvalues }, queries)];
  };
  const [graph, extension] = await build(1);
  assert.is(graph.scale, 1);
  for (const power of [-996, -61, 60, 996]) {
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its factor
    const [other, extended] = await build(2 ** power);
    assert.is(other.scale, 2 ** power);
    assert.equal(other.weights.values, graph.weights.values, `2^${power}`);
    assert.equal(extended.data, extension.data, `2^${power}`);
  }
});

test('plain training and constant steps have the same bits outside the ordinary range, and depend on the unit within it', async () => {
  const ways: Record<string, (graph: Graph) => Promise<unknown>> = {
    async train(graph) {
      const network = new Mlp([2, 6, 2], { seed: 1 });
      await train(graph, network, points, { epochs: 2, batch: 10 });
      return network.parameters.map(({ data }) => data);
    },
    'train on edges': async (graph) => {
      const network = new Mlp([2, 6, 2], { seed: 1 });
      await train(graph, network, points, { epochs: 2, batch: 10, scheme: 'edges', scale: 'plain' });
      return network.parameters.map(({ data }) => data);
    },
    solve: async (graph) => (await solve(graph, { components: 1, step: 0.05, epochs: 5 })).eigenvalues,
  };
  for (const [name, run] of Object.entries(ways)) {
    const expected = await run(reference);
    for (const power of [-996, -17, 21, 996])
      assert.equal(await run(scaled(2 ** power)), expected, `${name}: 2^${power}`);
    for (const power of [-2, 2]) assert.not.equal(await run(scaled(2 ** power)), expected, `${name}: 2^${power}`);
  }
});

test('statements are verified alike on a graph and a pencil of any unit', async () => {
  const names = ['gradient', 'hessian-form'] as const;
  const small = (matrix: CsrMatrix): { weights: Tensor; mass: Float64Array } => {
    const weights = toDense(matrix);
    const mass = rowSums(matrix);
    return { weights, mass };
  };
  const block = fromTriplets(
    { rows: [0, 1, 1, 2, 2, 0], columns: [1, 0, 2, 1, 0, 2], values: [1.5, 1.5, 1, 1, 0.5, 0.5] },
    [3, 3],
    'double',
  );
  const onGraph = await verify(names, { graph: reference, instances: 3 });
  const onPencil = await verify(names, { pencil: small(block), instances: 3 });
  assert.is(onGraph.length, 2);
  for (const power of [-990, -60, 60, 990]) {
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its factor
    assert.equal(await verify(names, { graph: scaled(2 ** power), instances: 3 }), onGraph, `2^${power}`);
    const pencil = small(mapValues(block, (weight) => weight * 2 ** power));
    // oxlint-disable-next-line no-await-in-loop -- one at a time
    const evidence = await verify(names, { pencil, instances: 3 });
    assert.equal(
      evidence.map(({ verdict }) => verdict),
      onPencil.map(({ verdict }) => verdict),
      `2^${power}`,
    );
  }
});

test.run();
