/** How would tfjs train by SpecNet2-neighbor? The same step: its network there, at its best, and what little else there is in plain arrays. */

import type { Graph } from '../lib/graph/graph.ts';
import type { Mlp } from '../lib/network/mlp.ts';
import type { Tensor } from '../lib/tensor/tensor.ts';
import { type Competitor, local, type Numbers } from './measure.ts';
import type { Tfjs, TfBackend, TfOptimizer, TfTensor } from './peers.ts';

export interface TrainingCase {
  readonly graph: Graph;
  readonly points: Tensor;
  /** As it is before the first step; a relu network. */
  readonly network: Mlp;
  readonly rate: number;
}

/** One step for each batch that comes. The answer are the parameters after it. */
export async function tfjsTraining(
  tf: Tfjs,
  backend: TfBackend,
  training: TrainingCase,
  batches: () => Int32Array,
): Promise<Competitor> {
  const ready = (): Promise<boolean> => tf.setBackend(backend);
  await ready();
  const trainer = new TfjsTrainer(tf, training);
  const run = (): void => trainer.step(batches());
  return { ...local(`tfjs-${backend}`, run, () => trainer.parameters(), ready), close: () => trainer.close() };
}

/** All numbers in one row. */
export function joined(parts: readonly Numbers[]): Float32Array {
  const result = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

/** tfjs keeps variables in a global register by name. */
let trainerCount = 0;

class TfjsTrainer {
  readonly #tf: Tfjs;
  readonly #graph: Graph;
  readonly #width: number;
  readonly #points: TfTensor;
  readonly #layers: readonly { name: string; weights: TfTensor; bias: TfTensor }[];
  readonly #adam: TfOptimizer;
  /** Rows of Y as they were last computed, and YᵀDY and ηᵀY of all of them. */
  readonly #last: Float64Array;
  readonly #gram: Float64Array;
  readonly #mean: Float64Array;
  readonly #neighborhood: Neighborhood;

  constructor(tf: Tfjs, { graph, points, network, rate }: TrainingCase) {
    this.#tf = tf;
    this.#graph = graph;
    this.#width = network.outputs;
    this.#points = tf.tensor(Float32Array.from(points.data), [...points.shape]);
    const id = trainerCount++;
    const variable = (name: string, { data, shape }: Tensor): TfTensor =>
      tf.variable(tf.tensor(Float32Array.from(data), [...shape]), true, name);
    this.#layers = network.layers.map(({ weights, bias }, l) => {
      const name = `training-${id}-${l}`;
      return { name, weights: variable(`${name}-weights`, weights), bias: variable(`${name}-bias`, bias) };
    });
    this.#adam = new tf.AdamOptimizer(rate, 0.9, 0.999, 1e-8);
    this.#last = Float64Array.from(network.evaluate(points).data);
    this.#gram = new Float64Array(this.#width ** 2);
    this.#mean = new Float64Array(this.#width);
    for (let i = 0; i < graph.size; i++) this.#addRow(i, 1);
    this.#neighborhood = new Neighborhood(graph);
  }

  step(batch: Int32Array): void {
    this.#tf.tidy(() => {
      const rows = this.#neighborhood.of(batch);
      const values = this.#forward(rows);
      const y = values[values.length - 1].dataSync();
      this.#follow(rows, y);
      const gradients = this.#backward(batch, values, this.#seed(batch, y));
      this.#adam.applyGradients(gradients);
    });
  }

  /** Weights and bias of every layer in turn. */
  parameters(): Float32Array {
    return joined(this.#layers.flatMap(({ weights, bias }) => [weights.dataSync(), bias.dataSync()]));
  }

  close(): void {
    this.#adam.dispose();
    for (const { weights, bias } of this.#layers) [weights, bias].forEach((tensor) => tensor.dispose());
    this.#points.dispose();
  }

  /** The points themselves, then what each layer makes of them: product, bias and relu are one operation. */
  #forward(rows: Int32Array): TfTensor[] {
    const { gather, fused } = this.#tf;
    const values = [gather(this.#points, rows)];
    for (const [l, { weights: b, bias }] of this.#layers.entries()) {
      const activation = l + 1 < this.#layers.length ? 'relu' : 'linear';
      values.push(fused.matMul({ a: values[l], b, bias, activation }));
    }
    return values;
  }

  /** Of the batch alone, whose values are taken from those of its neighbourhood. */
  #backward(batch: Int32Array, values: readonly TfTensor[], seed: Float32Array): { name: string; tensor: TfTensor }[] {
    const { gather, matMul, mul, step, sum, tensor } = this.#tf;
    const places = batch.map((row) => this.#neighborhood.placeOf(row));
    const gradients: { name: string; tensor: TfTensor }[] = [];
    let gradient = tensor(seed, [batch.length, this.#width]);
    for (let l = this.#layers.length - 1; l >= 0; l--) {
      const { name, weights } = this.#layers[l];
      const input = gather(values[l], places);
      gradients.push({ name: `${name}-weights`, tensor: matMul(input, gradient, true, false) });
      gradients.push({ name: `${name}-bias`, tensor: sum(gradient, 0) });
      if (l > 0) gradient = mul(matMul(gradient, weights, false, true), step(input));
    }
    return gradients;
  }

  /** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY at the batch's rows. */
  #seed(batch: Int32Array, y: Float32Array): Float32Array {
    const { weights, degrees, volume, size: n } = this.#graph;
    const width = this.#width;
    const seed = new Float32Array(batch.length * width);
    const row = new Float64Array(width);
    for (let i = 0; i < batch.length; i++) {
      const node = batch[i];
      row.fill(0);
      for (let e = weights.starts[node]; e < weights.starts[node + 1]; e++) {
        const from = this.#neighborhood.placeOf(weights.columns[e]) * width;
        for (let j = 0; j < width; j++) row[j] += weights.values[e] * y[from + j];
      }
      const own = this.#neighborhood.placeOf(node) * width;
      for (let j = 0; j < width; j++) {
        let pull = 0;
        for (let p = 0; p < width; p++) pull += y[own + p] * this.#gram[p * width + j];
        const affinity = row[j] - (degrees[node] / Math.sqrt(volume)) * this.#mean[j];
        seed[i * width + j] = (4 / n) * ((degrees[node] * pull) / n / n - affinity);
      }
    }
    return seed;
  }

  /** The record of moments follows the rows that were computed anew. */
  #follow(rows: Int32Array, y: Float32Array): void {
    for (let i = 0; i < rows.length; i++) {
      this.#addRow(rows[i], -1);
      for (let j = 0; j < this.#width; j++) this.#last[rows[i] * this.#width + j] = y[i * this.#width + j];
      this.#addRow(rows[i], 1);
    }
  }

  #addRow(row: number, sign: 1 | -1): void {
    const { degrees, volume } = this.#graph;
    const width = this.#width;
    const mass = sign * degrees[row];
    for (let j = 0; j < width; j++) {
      const value = mass * this.#last[row * width + j];
      this.#mean[j] += value / Math.sqrt(volume);
      for (let p = 0; p < width; p++) this.#gram[j * width + p] += value * this.#last[row * width + p];
    }
  }
}

/** A batch and everyone it is joined to. */
class Neighborhood {
  readonly #graph: Graph;
  readonly #places: Int32Array;
  #rows: Int32Array = new Int32Array(0);

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#places = new Int32Array(graph.size).fill(-1);
  }

  of(batch: Int32Array): Int32Array {
    const { starts, columns } = this.#graph.weights;
    for (const row of this.#rows) this.#places[row] = -1;
    const rows: number[] = [];
    const take = (row: number): void => {
      if (this.#places[row] < 0) this.#places[row] = rows.push(row) - 1;
    };
    for (const row of batch) {
      take(row);
      for (let e = starts[row]; e < starts[row + 1]; e++) take(columns[e]);
    }
    this.#rows = Int32Array.from(rows);
    return this.#rows;
  }

  placeOf(row: number): number {
    return this.#places[row];
  }
}
