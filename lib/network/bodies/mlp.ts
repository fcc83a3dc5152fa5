/** Multilayer perceptrons: layers of a product, a bias and an activation; the last one is linear. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { runSync, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import { kernels } from '../../kernels/table.ts';
import type { Activation } from '../../kernels/types.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { RowSlicer } from '../../sparse/row-slicer.ts';
import { type Precision, precisions, type Tensor, zeros } from '../../tensor/tensor.ts';
import { Workspace } from '../../tensor/workspace.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import { type Initial, initials } from '../layers/initial.ts';
import { checkFit, checkInputs, type Points } from '../layers/inputs.ts';
import type { Layer } from '../layers/layer.ts';

/** The activation of the hidden layers, and their initial weights. */
export interface MlpOptions {
  /** Of the hidden layers. Default: 'relu'. */
  readonly activation?: Exclude<Activation, 'identity'>;
  /** Default: 'fan-in'. */
  readonly initial?: Initial;
  readonly precision?: Precision;
  readonly seed?: Seed;
}

/** Of hidden layers. */
export const activations = ['relu', 'softplus', 'tanh', 'sigmoid'] as const satisfies readonly Activation[];

const rules: Rules<MlpOptions> = {
  activation: activations,
  initial: Object.keys(initials),
  precision: precisions,
  seed: 'seed',
};

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

/** A network whose parameters change as it learns; nothing else does. */
export class Mlp {
  /** Columns of the input, units of each hidden layer, columns of the output. */
  readonly sizes: readonly number[];
  readonly activation: Exclude<Activation, 'identity'>;
  readonly layers: readonly Layer[];

  constructor(sizes: readonly number[], options: MlpOptions = {}) {
    checkOptions('Mlp', options, rules);
    const { activation = 'relu', initial = 'fan-in', precision = 'single', seed = 0 } = options;
    if (!Array.isArray(sizes) || sizes.length < 2) throw badValue('Mlp', 'sizes of at least input and output', sizes);
    for (const size of sizes) checkCount('Mlp', 'a size', size, 1);
    checkMemory('Mlp', sizes, precision);
    useThreads();
    this.sizes = [...sizes];
    this.activation = activation;
    const random = new Random(seed);
    this.layers = sizes.slice(1).map((outputs, l) => {
      const weights = zeros([sizes[l], outputs], precision);
      const bias = zeros([outputs], precision);
      initials[initial](weights, bias, random.fork(`layer ${l}`));
      return { weights, bias, activation: l + 2 < sizes.length ? activation : 'identity' };
    });
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

  /** The weights and bias of each layer, in order. Not copies. */
  get parameters(): readonly Tensor[] {
    return this.layers.flatMap(({ weights, bias }) => [weights, bias]);
  }

  /** The output for every row, new. */
  evaluate(points: Points): Tensor {
    return evaluateLayers('Mlp.evaluate', this.layers, points);
  }

  /** A network of its own with the same parameters. */
  copy(): Mlp {
    const twin = new Mlp(this.sizes, { activation: this.activation, precision: this.precision });
    for (const [i, { data }] of twin.parameters.entries()) data.set(this.parameters[i].data);
    return twin;
  }
}

/** The last layer's values for every row, new, block by block. */
export function evaluateLayers(caller: string, layers: readonly Layer[], points: Points): Tensor {
  return runSync(evaluateLayersSteps(caller, layers, points));
}

/** `evaluateLayers` as a task. */
export function* evaluateLayersSteps(caller: string, layers: readonly Layer[], points: Points): Task<Tensor> {
  checkInputs(caller, points, layers[0].weights.rows);
  checkFit(caller, layers[0].weights, points);
  const slicer = points instanceof CsrMatrix ? new RowSlicer(points) : null;
  const last = layers[layers.length - 1].weights;
  const result = zeros([points.rows, last.cols], last.precision);
  const workspace = new Workspace();
  for (let from = 0; from < points.rows; from += blockRows) {
    const to = Math.min(points.rows, from + blockRows);
    const rows = slicer && Int32Array.from({ length: to - from }, (_, i) => from + i);
    let values: Points = rows ? slicer.take(rows) : (points as Tensor).rowRange(from, to);
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
