/** `Network`: layers of a product, a bias and an activation, one after the other; the last one is linear. */

import { badValue } from '../../core/check.ts';
import { runSync, type Task } from '../../core/task.ts';
import { kernels } from '../../kernels/table.ts';
import type { Activation } from '../../kernels/types.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { pointRange } from '../../sparse/points.ts';
import { type Precision, type Tensor, zeros } from '../../tensor/tensor.ts';
import { Workspace } from '../../tensor/workspace.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import { checkInputs, checkPrecision, type Points } from '../layers/inputs.ts';
import type { Layer } from '../layers/layer.ts';

/** Of hidden layers. */
export const activations = ['relu', 'softplus', 'tanh', 'sigmoid'] as const satisfies readonly Activation[];

/** The kernels' memory has 32-bit addresses. */
const largestBytes = 2 ** 32;

/** Refuses networks whose weights and values, of the rows evaluated at a time, do not fit into memory. */
export function checkMemory(caller: string, sizes: readonly number[], precision: Precision = 'single'): void {
  const numbers = sizes.reduce((sum, size, l) => sum + size * ((sizes[l + 1] ?? 0) + (l > 0 ? 1 + blockRows : 0)), 0);
  const bytes = numbers * (precision === 'double' ? 8 : 4);
  if (bytes <= largestBytes) return;
  const got = `${(bytes / 2 ** 30).toPrecision(3)} GiB for layers of ${sizes.join(', ')}`;
  throw badValue(caller, `a network that takes at most ${largestBytes / 2 ** 30} GiB`, got, 'Use fewer units.');
}

/** Rows evaluated at a time, without gradients, so that hidden layers stay in the caches. */
const blockRows = 1024;

/** A network of given layers. Its parameters change as it learns; nothing else does. `Mlp` draws the initial ones. */
export class Network {
  /** Columns of the input, units of each hidden layer, columns of the output. */
  readonly sizes: readonly number[];
  readonly activation: Exclude<Activation, 'identity'>;
  readonly layers: readonly Layer[];

  /** `parameters` are weights and bias, layer by layer: the tensors themselves, which fit each other. */
  constructor(activation: Exclude<Activation, 'identity'>, parameters: readonly Tensor[]) {
    useThreads();
    const weights = parameters.filter((_, i) => i % 2 === 0);
    this.sizes = [weights[0].rows, ...weights.map(({ cols }) => cols)];
    this.activation = activation;
    this.layers = weights.map((each, l) => ({
      weights: each,
      bias: parameters[2 * l + 1],
      activation: l + 1 < weights.length ? activation : 'identity',
    }));
  }

  get inputs(): number {
    return this.sizes[0];
  }

  get outputs(): number {
    return this.sizes[this.sizes.length - 1];
  }

  get precision(): Precision {
    return this.layers[0].weights.precision;
  }

  /** Weights and bias, layer by layer: the tensors themselves. */
  get parameters(): readonly Tensor[] {
    return this.layers.flatMap(({ weights, bias }) => [weights, bias]);
  }

  /** The output for every row, new. */
  evaluate(points: Points): Tensor {
    return runSync(evaluateLayersSteps('Mlp.evaluate', this.layers, points));
  }

  /** A network of its own with the same parameters. */
  copy(): Network {
    return new Network(
      this.activation,
      this.parameters.map((parameter) => parameter.copy()),
    );
  }
}

/** The last layer's values for every row, new, block by block. */
export function* evaluateLayersSteps(caller: string, layers: readonly Layer[], points: Points): Task<Tensor> {
  checkInputs(caller, points, layers[0].weights.rows);
  checkPrecision(caller, layers[0].weights, points);
  const last = layers[layers.length - 1].weights;
  const result = zeros([points.rows, last.cols], last.precision);
  const workspace = new Workspace();
  for (let from = 0; from < points.rows; from += blockRows) {
    const to = Math.min(points.rows, from + blockRows);
    let values = pointRange(points, from, to);
    workspace.reset();
    for (const layer of layers) values = evaluateLayer(layer, values, workspace);
    result.data.set((values as Tensor).data, from * last.cols);
    yield to / points.rows;
  }
  return result;
}

/** One layer's values, in the workspace. */
function evaluateLayer({ weights, bias, activation }: Layer, x: Points, workspace: Workspace): Tensor {
  const out = workspace.take([x.rows, weights.cols], weights.precision);
  const { rows, cols, size, data } = out;
  if (x instanceof CsrMatrix) {
    kernels.csrMatmul(rows, cols, x.starts, x.columns, x.values, weights.data, data, false);
    kernels.addBias(rows, cols, data, bias.data, data);
    if (activation !== 'identity') kernels.activate(activation, size, data, data);
  } else kernels.dense(activation, rows, cols, x.cols, x.data, weights.data, bias.data, data);
  return out;
}
