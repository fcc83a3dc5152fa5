/** Cases of fitted models: each method of the estimators, their files, new points, Ritz heads and the eigenmaps of graphs. */

import type { FittedEmbedding, SpectralEmbeddingOptions, Tensor } from '../../../lib/index.ts';
import type { Body, Points } from '../../../lib/doors/network.ts';
import type { RitzOptions } from '../../../lib/doors/solver.ts';
import type { Api } from './api.ts';
import { openInputs } from './inputs.ts';
import type { Case, Parts } from './record.ts';

type Named = readonly [name: string, options: SpectralEmbeddingOptions];

const training = { epochs: 2, batch: 16 } as const;
const activations = ['relu', 'softplus', 'tanh', 'sigmoid'] as const;

export async function modelCases(api: Api): Promise<readonly Case[]> {
  const { moon, sparse, moonGraph, sparseGraph } = await openInputs(api);
  const { points: moons, labels } = api.twoMoons({ n: 400, seed: 5, shuffle: true });
  const unseen = api.twoMoons({ n: 50, seed: 5, draw: 'test' }).points;
  const [fitOf, ofSparse, ofShifted] = [
    fitter(moons, unseen),
    fitter(sparse, sparse.rowRange(0, 40)),
    fitter(shifted(moons), shifted(unseen)),
  ];
  const landmarks = api.chooseLandmarks(moon, { count: 60, seed: 2 });
  const hidden = api.hiddenLayers(new api.Mlp([2, 40, 2], { seed: 2 }));
  const sparseHidden = api.hiddenLayers(new api.Mlp([64, 48, 40, 2], { seed: 2, activation: 'tanh' }));
  return [
    ...dense().map(([name, options]): Case => [`moons ${name}`, () => fitOf(options)]),
    ...networks().map(([name, options]): Case => [`sparse ${name}`, () => ofSparse(options)]),
    ['sparse landmarks', () => ofSparse({ components: 3, landmarks: 64 })],
    ['shifted landmarks', () => ofShifted({})],
    ['shifted specnet2', () => ofShifted({ method: 'specnet2', hidden: [32], training })],
    [
      'given graph',
      async () => modelParts(await new api.SpectralEmbedding({ seed: 7 }).fit(moon, { graph: moonGraph }), moon),
    ],
    ...([{}, { method: 'ritz' }, { method: 'specnet2', training }] as const).flatMap((options, i): Case[] => [
      [`DiffusionMap ${i}`, () => diffusionParts(options)],
      [`SpectralClustering ${i}`, () => clusterParts(options)],
    ]),
    ['ritzHead on landmarks', () => headParts(landmarks, moon, {})],
    ['ritzHead on landmarks with ridge', () => headParts(landmarks, moon, { ridge: 1e-3 })],
    ['ritzHead on hidden layers', () => headParts(hidden, moon, {})],
    ['ritzHead in blocks', () => headParts(hidden, moon, { memory: 0 })],
    ['ritzHead in blocks of landmarks', () => headParts(landmarks, moon, { memory: 0 })],
    ['ritzHead on sparse points', () => headParts(sparseHidden, api.fromDense(sparse), {}, sparseGraph)],
    ['laplacianEigenmap', async () => eigenmapParts(await api.laplacianEigenmap(moonGraph, { components: 3 }))],
    ['diffusionMap', async () => eigenmapParts(await api.diffusionMap(moonGraph, { components: 3, time: 2 }))],
    ['spectralClustering', () => graphClusters()],
    ['nystrom', () => nystromParts()],
    ['labels', () => labelParts()],
  ];

  function fitter(points: Tensor, others: Tensor) {
    return async (options: SpectralEmbeddingOptions): Promise<Parts> =>
      modelParts(await new api.SpectralEmbedding({ seed: 7, ...options }).fit(points), others);
  }

  function modelParts(fitted: FittedEmbedding, others: Tensor): Parts {
    const { embedding, eigenvalues, diagnostics, model } = fitted;
    const { f1, f2, gap } = diagnostics;
    const saved = api.saveModel(model);
    return {
      eigenvalues,
      embedding: embedding.data,
      unseen: fitted.transform(others).data,
      reloaded: api.transform(api.loadModel(saved), others).data,
      diagnostics: [f1, f2, gap?.f1 ?? 0, gap?.f2 ?? 0],
      saved,
      onnx: api.exportOnnx(model),
    };
  }

  async function diffusionParts(options: SpectralEmbeddingOptions): Promise<Parts> {
    const fitted = await new api.DiffusionMap({ seed: 7, time: 3, ...options }).fit(moons);
    const { embedding, eigenvalues } = fitted;
    return { eigenvalues, embedding: embedding.data, unseen: fitted.transform(unseen).data };
  }

  async function clusterParts(options: SpectralEmbeddingOptions): Promise<Parts> {
    const fitted = await new api.SpectralClustering({ seed: 7, clusters: 3, restarts: 4, ...options }).fit(moons);
    const { centers, labels: found, sizes } = fitted;
    return { centers: centers.data, labels: found, sizes, unseen: fitted.predict(unseen) };
  }

  async function headParts(
    body: Body,
    points: Points,
    options: Partial<RitzOptions>,
    graph = moonGraph,
  ): Promise<Parts> {
    const { weights, bias, eigenvalues, ridge } = await api.ritzHead(graph, body, points, {
      components: 3,
      ...options,
    });
    const features = body.features(points);
    const values = 'values' in features ? features.values : features.data;
    return { eigenvalues, weights: weights.data, bias: bias.data, ridge: [ridge], features: values };
  }

  async function graphClusters(): Promise<Parts> {
    const {
      labels: found,
      centers,
      inertia,
      embedding,
    } = await api.spectralClustering(moonGraph, { clusters: 3, seed: 1 });
    return { labels: found, centers: centers.data, inertia: [inertia], embedding: embedding.data };
  }

  async function nystromParts(): Promise<Parts> {
    const recipe = { kind: 'self-tuned', neighbors: 12 } as const;
    const { embedding, eigenvalues } = await api.laplacianEigenmap(moonGraph, { components: 3 });
    const source = { points: moon, recipe, graph: moonGraph, embedding, eigenvalues };
    const fresh = api.oneMoon({ n: 50, seed: 9 }).points;
    return {
      fresh: (await api.nystrom(source, fresh)).data,
      own: (await api.nystrom(source, moon)).data,
    };
  }

  async function labelParts(): Promise<Parts> {
    const { labels: found, centers, inertia } = await api.kMeans(moons, 2, { restarts: 3, seed: 1 });
    const { accuracy, adjustedRandIndex, normalizedMutualInformation } = api;
    const scores = [accuracy, adjustedRandIndex, normalizedMutualInformation].map((score) => score(found, labels!));
    return { labels: found, centers: centers.data, scores: [inertia, ...scores] };
  }
}

function eigenmapParts({ embedding, eigenvalues, residuals }: Awaited<ReturnType<Api['laplacianEigenmap']>>): Parts {
  return { eigenvalues, residuals, embedding: embedding.data };
}

/** In double precision, far from 0. */
function shifted(points: Tensor): Tensor {
  const far = points.copy('double');
  for (let i = 0; i < far.size; i++) far.data[i] += 1e5;
  return far;
}

function dense(): Named[] {
  return [
    ['landmarks', { components: 3 }],
    ['few landmarks', { landmarks: 20 }],
    ['ritz landmarks', { method: 'ritz', components: 3 }],
    ['gaussian graph', { graph: { kind: 'gaussian', sigma: 0.3, threshold: 1e-3 } }],
    ...networks(),
    ...activations.flatMap((activation): Named[] => [
      [`ritz ${activation}`, { method: 'ritz', hidden: [32], activation }],
      [`specnet2 ${activation}`, { method: 'specnet2', hidden: [32], activation, training }],
    ]),
    ['ritz no hidden layer', { method: 'ritz', hidden: [] }],
  ];
}

function networks(): Named[] {
  return [
    ['regression network', { hidden: [64, 32], training }],
    ['ritz network', { method: 'ritz', hidden: [64, 64] }],
    ['ritz network, trained', { method: 'ritz', hidden: [64, 64], training }],
    ['specnet1', { method: 'specnet1', training: { ...training, scheme: 'full' } }],
    ['specnet1 neighbor', { method: 'specnet1', training }],
    ['specnet2', { method: 'specnet2', training }],
    ['specnet2 plain', { method: 'specnet2', hidden: [48, 48], training: { ...training, scale: 'plain', batch: 40 } }],
  ];
}
