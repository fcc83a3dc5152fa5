/** Clusters of the points on the page, found by `specnet/worker` in a thread of its own, while the methods go on learning. */

import { type EmbeddingWorker, type RemoteClustering, startWorker } from '../../../lib/doors/worker.ts';
import { adjustedRandIndex } from '../../../lib/embedding/clustering/agreement.ts';
import type { Task } from '../protocol.ts';
import type { Settings } from '../settings.ts';

export interface ClusterEvents {
  /** Fetches the points and the recipe of their graph. */
  fetchTask(): Promise<Task>;
  onFound(labels: Int32Array): void;
  /** What is found, or how far the search is. */
  onNote(text: string): void;
}

export class Clusters {
  readonly #events: ClusterEvents;
  /** Started when clusters are first asked for. */
  #worker: EmbeddingWorker | null = null;
  #search = new AbortController();
  #found: RemoteClustering | null = null;
  #summary = '';

  constructor(events: ClusterEvents) {
    this.#events = events;
  }

  /** Ends the search under way, and forgets what was found. */
  forget(): void {
    this.#search.abort();
    this.#found = null;
    this.#events.onNote('');
  }

  /** Finds clusters of the points that are shown, and compares them with the labels. */
  async find({ clusters, seed }: Settings, labels: Int32Array | null): Promise<void> {
    this.forget();
    const { signal } = (this.#search = new AbortController());
    const { onNote, onFound, fetchTask } = this.#events;
    const progress = (fraction: number): void => onNote(`Finding clusters … ${Math.round(100 * fraction)} %`);
    try {
      progress(0);
      const { points, graph } = await fetchTask();
      signal.throwIfAborted();
      const options = { clusters: clusters === 'auto' ? clusters : Number(clusters), seed, graph };
      this.#worker ??= startWorker();
      const found = await this.#worker.cluster(points, options, { progress, signal, transfer: true });
      this.#found = found;
      this.#summary = summaryOf(found, labels);
      onNote(this.#summary);
      onFound(found.labels);
    } catch (error) {
      if (!signal.aborted) onNote((error as Error).message);
    }
  }

  /** Tells the clusters of new points, which have `columns` numbers each. */
  async predict(data: Float32Array, columns: number): Promise<void> {
    const found = this.#found;
    if (!found) return;
    if (data.length === 0) return this.#events.onNote(this.#summary);
    const clusters = await found.predict({ data, shape: [data.length / columns, columns] });
    if (found !== this.#found) return;
    const names = Array.from(clusters, (cluster) => cluster + 1).join(', ');
    this.#events.onNote(`${this.#summary} Of the new points: ${names}.`);
  }
}

function summaryOf({ sizes, choice, labels, warnings }: RemoteClustering, given: Int32Array | null): string {
  const count = `${sizes.length} clusters of ${sizes.join(', ')} points`;
  const reason = choice ? `, by the gap of ${choice.chosen.gap.toPrecision(2)} after λ${choice.chosen.clusters}` : '';
  const agreement = given ? ` Agreement with the labels: ${adjustedRandIndex(labels, given).toFixed(3)} (adjusted Rand index).` : ''; // oxfmt-ignore
  return [`${count}${reason}.${agreement}`, ...warnings.slice(0, 1)].join(' ');
}
