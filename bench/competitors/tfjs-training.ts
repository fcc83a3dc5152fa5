/** The SpecNet2-neighbor training step in tfjs: the network in its fastest tfjs form, everything else in plain arrays. */

import type { Graph } from '../../lib/graph/graph.ts';
import type { Mlp } from '../../lib/network/bodies/mlp.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { Neighborhood } from './neighborhood.ts';
import { type Competitor, local, type Numbers } from '../measure.ts';
import type { Tfjs, TfBackend, TfTensor } from './peers.ts';

export interface TrainingCase {
  readonly graph: Graph;
  readonly points: Tensor;
  /** Before the first step. A ReLU network. */
  readonly network: Mlp;
  readonly rate: number;
}

/** One step per batch. The answer is the parameters after it. */
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

/** Concatenates the arrays. */
export function joined(parts: readonly Numbers[]): Float32Array {
  const result = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

interface Layer {
  readonly weights: TfTensor;
  readonly bias: TfTensor;
}

/** All three tensors are replaced in every step. */
interface AdamState {
  readonly parameters: TfTensor;
  /** The moments, divided by one minus their decay rate. */
  readonly first: TfTensor;
  readonly second: TfTensor;
}

/** Measured: 514 parameters are faster in one tensor, 269,000 are not. */
const mostInOneRow = 10_000;
const [beta1, beta2, epsilon] = [0.9, 0.999, 1e-8];

function dispose(states: readonly AdamState[]): void {
  for (const { parameters, first, second } of states) [parameters, first, second].forEach((tensor) => tensor.dispose());
}

class TfjsTrainer {
  readonly #tf: Tfjs;
  readonly #graph: Graph;
  readonly #width: number;
  readonly #points: TfTensor;
  /** Offsets of the weights and bias of each layer in the tensor of all parameters. */
  readonly #layout: readonly { inputs: number; outputs: number; weightsAt: number; biasAt: number }[];
  readonly #rate: number;
  /**
   * Few parameters are kept in one tensor, so that Adam needs few operations. Many are kept apart, so that none is
   * copied.
   */
  readonly #inOneRow: boolean;
  #states: AdamState[];
  #steps = 0;
  /** The latest values of the rows of Y, and YᵀDY and ηᵀY of all of them. */
  readonly #last: Float64Array;
  readonly #gram: Float64Array;
  readonly #mean: Float64Array;
  readonly #neighborhood: Neighborhood;

  constructor(tf: Tfjs, { graph, points, network, rate }: TrainingCase) {
    this.#tf = tf;
    this.#graph = graph;
    this.#width = network.outputs;
    this.#points = tf.tensor(Float32Array.from(points.data), [...points.shape]);
    const numbers = joined(network.parameters.map(({ data }) => data));
    let end = 0;
    this.#layout = network.layers.map(({ weights }) => {
      const weightsAt = end;
      const biasAt = weightsAt + weights.size;
      end = biasAt + weights.cols;
      return { inputs: weights.rows, outputs: weights.cols, weightsAt, biasAt };
    });
    this.#rate = rate;
    this.#inOneRow = end < mostInOneRow;
    const own = this.#inOneRow ? [{ data: numbers, shape: [end] }] : network.parameters;
    this.#states = own.map(({ data, shape }) => ({
      parameters: tf.tensor(Float32Array.from(data), [...shape]),
      first: tf.tensor(new Float32Array(data.length), [...shape]),
      second: tf.tensor(new Float32Array(data.length), [...shape]),
    }));
    this.#last = Float64Array.from(network.evaluate(points).data);
    this.#gram = new Float64Array(this.#width ** 2);
    this.#mean = new Float64Array(this.#width);
    for (let i = 0; i < graph.size; i++) this.#addRow(i, 1);
    this.#neighborhood = new Neighborhood(graph);
  }

  step(batch: Int32Array): void {
    const before = this.#states;
    this.#states = this.#tf.tidy(() => {
      const rows = this.#neighborhood.of(batch);
      const layers = this.#layers();
      const values = this.#forward(rows, layers);
      const y = values[values.length - 1].dataSync();
      this.#follow(rows, y);
      return this.#adam(this.#backward(batch, layers, values, this.#seed(batch, y)));
    });
    dispose(before);
  }

  /** Weights and bias of one layer after another. */
  parameters(): Float32Array {
    return joined(this.#states.map(({ parameters }) => parameters.dataSync()));
  }

  close(): void {
    dispose(this.#states);
    this.#points.dispose();
  }

  #layers(): Layer[] {
    const { slice, reshape } = this.#tf;
    if (!this.#inOneRow) {
      return this.#layout.map((_, l) => ({
        weights: this.#states[2 * l].parameters,
        bias: this.#states[2 * l + 1].parameters,
      }));
    }
    const [{ parameters }] = this.#states;
    return this.#layout.map(({ inputs, outputs, weightsAt, biasAt }) => ({
      weights: reshape(slice(parameters, weightsAt, inputs * outputs), [inputs, outputs]),
      bias: slice(parameters, biasAt, outputs),
    }));
  }

  /** The points, then the output of each layer: product, bias and ReLU are one operation. */
  #forward(rows: Int32Array, layers: readonly Layer[]): TfTensor[] {
    const { gather, fused } = this.#tf;
    const values = [gather(this.#points, rows)];
    for (const [l, { weights: b, bias }] of layers.entries()) {
      const activation = l + 1 < layers.length ? 'relu' : 'linear';
      values.push(fused.matMul({ a: values[l], b, bias, activation }));
    }
    return values;
  }

  /** The gradients of the batch alone. Its values are taken from those of its neighborhood. */
  #backward(batch: Int32Array, layers: readonly Layer[], values: readonly TfTensor[], seed: Float32Array): TfTensor[] {
    const { concat, gather, matMul, mul, reshape, step, sum, tensor } = this.#tf;
    const places = batch.map((row) => this.#neighborhood.placeOf(row));
    const parts: TfTensor[] = [];
    let gradient = tensor(seed, [batch.length, this.#width]);
    for (let l = layers.length - 1; l >= 0; l--) {
      const input = gather(values[l], places);
      const product = matMul(input, gradient, true, false);
      parts.unshift(this.#inOneRow ? reshape(product, [-1]) : product, sum(gradient, 0));
      if (l > 0) gradient = mul(matMul(gradient, layers[l].weights, false, true), step(input));
    }
    return this.#inOneRow ? [concat(parts)] : parts;
  }

  /** Adam in as few operations as possible: faster than the optimizer of tfjs. */
  #adam(gradients: readonly TfTensor[]): AdamState[] {
    const { add, div, mul, sqrt, square, sub } = this.#tf;
    this.#steps++;
    // rate·m̂/(√v̂ + ε) with m = (1 − β₁)·first, v = (1 − β₂)·second.
    const size = Math.sqrt((1 - beta2) / (1 - beta2 ** this.#steps));
    const length = (this.#rate * (1 - beta1)) / (1 - beta1 ** this.#steps) / size;
    return this.#states.map((state, k) => {
      const first = add(mul(state.first, beta1), gradients[k]);
      const second = add(mul(state.second, beta2), square(gradients[k]));
      const move = div(mul(first, length), add(sqrt(second), epsilon / size));
      return { parameters: sub(state.parameters, move), first, second };
    });
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
        let massPart = 0;
        for (let p = 0; p < width; p++) massPart += y[own + p] * this.#gram[p * width + j];
        const affinity = row[j] - (degrees[node] / Math.sqrt(volume)) * this.#mean[j];
        seed[i * width + j] = (4 / n) * ((degrees[node] * massPart) / n / n - affinity);
      }
    }
    return seed;
  }

  /** Updates the tracked moments for the recomputed rows. */
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
