/** The worker's side of `EmbeddingWorker`: computes embeddings and keeps their models. */

import { badValue } from '../core/check.ts';
import { runAsync } from '../core/task.ts';
import { type Labeling, labelRows } from '../embedding/clustering/labeling.ts';
import { DiffusionMap, scaleByTime, SpectralClustering } from '../embedding/estimators.ts';
import { loadModel, saveModel } from '../embedding/model/model-file.ts';
import { type Model, transformSteps } from '../embedding/model/model.ts';
import { pointsOf } from '../embedding/model/point-table.ts';
import { type FittedEmbedding, SpectralEmbedding } from '../embedding/spectral-embedding.ts';
import type { Graph } from '../graph/graph.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { setThreads } from '../wasm/set-threads.ts';
import { type CallContext, type Handlers, inOrder } from './calls.ts';
import type { EmbeddingCalls, SentEmbedding, SentPoints } from './embedding-calls.ts';
import { receivePoints } from './sent-points.ts';

interface Kept {
  readonly model: Model;
  /** In whose name errors of `transform` are. */
  readonly caller: string;
  readonly graph?: Graph;
  /** Of clusters: the rule that assigns points to them. */
  readonly labeling?: Labeling;
  /** Of a diffusion map: the number of steps of the random walk. */
  readonly time?: number;
}

/** The handlers of a worker. Calls are worked on one after another, so that each has all cores and the kernels' memory. */
export function embeddingService(): Handlers<EmbeddingCalls> {
  const models = new Map<number, Kept>();
  let count = 0;
  const keep = (kept: Kept): number => {
    models.set(count, kept);
    return count++;
  };
  const keepFitted = (fitted: FittedEmbedding, more: Pick<Kept, 'labeling' | 'time'> = {}): SentEmbedding => {
    const { model, graph, embedding, eigenvalues, converged, diagnostics } = fitted;
    const id = keep({ model, graph, caller: 'SpectralEmbedding.transform', ...more });
    return { model: id, embedding, eigenvalues, columns: model.columns ?? null, converged, diagnostics };
  };
  const find = (id: number): Kept => {
    const kept = models.get(id);
    if (!kept) throw badValue('EmbeddingWorker', 'a model of this worker', id);
    return kept;
  };
  const handlers: Handlers<EmbeddingCalls> = {
    setThreads: (threads) => void setThreads(threads),
    fit: async ({ points, options, source }, context) => {
      const estimator = new SpectralEmbedding(options);
      return keepFitted(await estimator.fit(receivePoints(points), { ...source, ...watch(context) }));
    },
    cluster: async ({ points, options, source }, context) => {
      const estimator = new SpectralClustering(options);
      const fitted = await estimator.fit(receivePoints(points), { ...source, ...watch(context) });
      const { base, labeling, centers, labels, sizes, choice, stability, quality, warnings, converged } = fitted;
      const report = { labels, sizes, choice, stability, quality, warnings };
      return { base: keepFitted(base, { labeling }), centers, ...report, converged };
    },
    diffusionMap: async ({ points, options, source }, context) => {
      const estimator = new DiffusionMap(options);
      const fitted = await estimator.fit(receivePoints(points), { ...source, ...watch(context) });
      const { base, time, embedding } = fitted;
      return { base: keepFitted(base, { time }), time, embedding };
    },
    loadModel: (bytes) => {
      const model = loadModel(bytes);
      const { eigenvalues, columns = null } = model;
      return { model: keep({ model, caller: 'transform' }), eigenvalues, columns };
    },
    transform: ({ model, points }, context) => apply(find(model), points, context),
    diffuse: async ({ model, points }, context) => {
      const kept = find(model);
      return scaleByTime(await apply(kept, points, context), kept.model.eigenvalues, kept.time!);
    },
    predict: async ({ model, points }, context) => {
      const kept = find(model);
      return labelRows(kept.labeling!, await apply(kept, points, context), false);
    },
    saveModel: (model) => saveModel(find(model).model),
    graph: (model) => find(model).graph!,
    release: (model) => void models.delete(model),
  };
  return queued(handlers);
}

/** The same handlers, one at a time. A call that is aborted while it waits does nothing. */
function queued(handlers: Handlers<EmbeddingCalls>): Handlers<EmbeddingCalls> {
  const enqueue = inOrder();
  type AnyHandler = (input: unknown, context: CallContext<number>) => unknown;
  const wait = (handler: AnyHandler): AnyHandler => {
    return (input, context) =>
      enqueue(() => {
        context.signal.throwIfAborted();
        return handler(input, context);
      });
  };
  const entries = Object.entries(handlers).map(([name, handler]) => [name, wait(handler as AnyHandler)]);
  return Object.fromEntries(entries) as Handlers<EmbeddingCalls>;
}

function watch({ signal, notify }: CallContext<number>) {
  return { signal, progress: notify };
}

/** The coordinates of points under a model. Tables arrive as the model encodes them. */
async function apply({ model, caller }: Kept, points: SentPoints, context: CallContext<number>): Promise<Tensor> {
  const source = pointsOf(receivePoints(points));
  return runAsync(transformSteps(caller, model, source), watch(context));
}
