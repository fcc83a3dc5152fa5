/** Times of Adam steps, also after gradients have vanished. */

import { bothTwins, normals, type Pair, zeros } from '../loads/data.ts';
import type { Kernels } from '../../lib/wasm/all-kernels.ts';
import { sequentially } from '../sequentially.ts';
import { type Competitor, local } from '../measure.ts';
import type { Tfjs } from '../competitors/peers.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';

/** The number of weights and biases of 784-256-256-6, rounded. */
const parameterCount = 269000;
const options = { rate: 1e-3, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };
/** Units per layer. The first half of every row of weights belongs to dead units. */
const units = 256;
/** Steps before the units die, so that moments exist. About 900 steps later they would be denormal numbers. */
const liveSteps = 10;

export const optimizer: Group = async (context) => {
  const deadSteps = context.quick ? 1500 : 5000;
  const live = normals('gradient', parameterCount, 1e-2);
  const tiny = normals('gradient', parameterCount, 1e-22);
  const dead = zeros(parameterCount);
  for (const side of ['ours', 'heap'] as const)
    dead[side].set(live[side].map((g, i) => (i % units < units / 2 ? 0 : g)));
  return [
    await measureSteps(context, 'all alive', live, live, 0),
    await measureSteps(context, `half dead for ${deadSteps} steps`, live, dead, deadSteps),
    await measureSteps(context, 'gradients of 1e-22', tiny, tiny, 0),
  ];
};

/** One optimizer with its own state. */
interface Stepper {
  readonly competitor: Competitor;
  step(gradient: 'first' | 'later'): void;
  /** Must be called before steps that are not timed. */
  ready(): Promise<unknown>;
}

/** Initializes the moments with steps on `first`, then steps on `later`: `before` untimed steps, then timed ones. */
async function measureSteps(
  context: Context,
  state: string,
  first: Pair<Float32Array>,
  later: Pair<Float32Array>,
  before: number,
): Promise<Row> {
  const { simd, plain } = bothTwins();
  const tf = await context.peers.tfjs();
  const steppers = [
    kernelStepper('ours', simd, 'ours', first, later),
    kernelStepper('plain', plain, 'heap', first, later),
    ...(tf ? [tfjsStepper(tf, first.heap, later.heap)] : []),
  ];
  if (before > 0) context.say(`${before} steps of each, half of the units dead`);
  await sequentially(steppers, async (stepper) => {
    await stepper.ready();
    for (let i = 0; i < liveSteps; i++) stepper.step('first');
    for (let i = 0; i < before; i++) stepper.step('later');
  });
  const size = `${parameterCount}, ${state}`;
  const competitors = steppers.map(({ competitor }) => competitor);
  return measureRow(context, 'Adam', size, { amount: 28 * parameterCount, unit: 'byte' }, competitors);
}

function kernelStepper(
  name: string,
  kernels: Kernels,
  side: 'ours' | 'heap',
  first: Pair<Float32Array>,
  later: Pair<Float32Array>,
): Stepper {
  const gradients = { first: first[side], later: later[side] };
  const [mean, square] = [zeros(parameterCount)[side], zeros(parameterCount)[side]];
  const parameters = normals('parameters', parameterCount)[side];
  const { beta1, beta2 } = options;
  let t = 0;
  const step = (which: 'first' | 'later'): void => {
    t++;
    const root = Math.sqrt(1 - beta2 ** t);
    const rate = (options.rate * root) / (1 - beta1 ** t);
    const epsilon = options.epsilon * root;
    kernels.adamStep(parameterCount, rate, beta1, beta2, epsilon, 0, gradients[which], mean, square, parameters);
  };
  const competitor = local(
    name,
    () => step('later'),
    () => parameters,
  );
  return { competitor, step, ready: async () => {} };
}

/** The Adam optimizer of tfjs-core: the same formula, in about a dozen tensor operations per step. */
function tfjsStepper(tf: Tfjs, first: Float32Array, later: Float32Array): Stepper {
  const ready = (): Promise<boolean> => tf.setBackend('wasm');
  const name = `parameters-${stepperCount++}`;
  let made: ReturnType<typeof make> | null = null;
  const make = () => ({
    gradients: { first: tf.tensor(first, [parameterCount]), later: tf.tensor(later, [parameterCount]) },
    parameters: tf.variable(tf.tensor(normals('parameters', parameterCount).heap, [parameterCount]), true, name),
    adam: new tf.AdamOptimizer(options.rate, options.beta1, options.beta2, options.epsilon),
  });
  const step = (which: 'first' | 'later'): void => {
    made ??= make();
    made.adam.applyGradients([{ name, tensor: made.gradients[which] }]);
  };
  const close = (): void => {
    made?.adam.dispose();
    for (const tensor of [made?.parameters, made?.gradients.first, made?.gradients.later]) tensor?.dispose();
  };
  const competitor = local(
    'tfjs-wasm',
    () => step('later'),
    () => made!.parameters.dataSync(),
    ready,
  );
  return { competitor: { ...competitor, close }, step, ready };
}

/** Makes variable names unique: tfjs registers variables globally by name. */
let stepperCount = 0;
