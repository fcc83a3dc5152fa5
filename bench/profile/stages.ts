/** The training step of SpecNet2-neighbor, put together from its parts with a clock around each. */

import { Random } from '../../lib/core/random.ts';
import { LayerChain, differentiableLayers } from '../../lib/network/layers/chain.ts';
import { toKernelFormat } from '../../lib/network/layers/inputs.ts';
import type { ChainInput, DifferentiableLayer } from '../../lib/network/layers/layer.ts';
import { Optimizer } from '../../lib/network/optimizer/optimizer.ts';
import { batchesOf } from '../../lib/spectral/descent/batches.ts';
import { Descent } from '../../lib/spectral/descent/descent.ts';
import { measureAll, trackedMoments, zeroMoments } from '../../lib/spectral/descent/moments.ts';
import { NetworkRows } from '../../lib/spectral/descent/rows/network-rows.ts';
import { objectives } from '../../lib/spectral/descent/objective.ts';
import { stepperOf } from '../../lib/spectral/descent/step-rule.ts';
import { networkViewers } from '../../lib/spectral/descent/view.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import type { Mlp } from '../../lib/network/bodies/mlp.ts';
import { type Load, seed } from '../loads/loads.ts';
import type { Watch } from './watch.ts';

/** The parts in the order of a step. 'forward' and 'backward' are followed by the name of a layer. */
export const parts = ['neighborhood', 'forward', 'moments', 'gradient', 'backward', 'optimizer', 'chain'] as const;
type Part = (typeof parts)[number] | `${'forward' | 'backward'} ${string}`;

export interface WatchedTraining {
  step(): void;
  readonly network: Mlp;
}

/** The same steps that the trainer makes for this load, on a fresh copy of the network. */
export function watchedTraining(watch: Watch, { graph, points, network, batch, rate }: Load): WatchedTraining {
  const own = network.copy();
  const { outputs: width, precision } = own;
  const timed = <A extends unknown[], R>(part: Part, call: (...operands: A) => R): ((...operands: A) => R) =>
    watch.watched(call, part);
  const pencil = pencilOf('bench', graph, 'random-walk', true, precision);
  const input = toKernelFormat(points);
  const table = own.evaluate(input);
  const record = zeroMoments(width);
  measureAll(pencil, table.data, record);
  const [first, layers] = differentiableLayers('bench', own.layers, input);
  const chain = new LayerChain(timedInput(timed, first), layers.map((layer) => timedLayer(timed, layer))); // oxfmt-ignore
  const optimizer = new Optimizer(own.parameters);
  const rows = new NetworkRows({
    width,
    precision,
    chain: {
      workspace: chain.workspace,
      forward: timed('chain', (list: Int32Array | null) => chain.forward(list)),
      backward: timed('chain', (places: Int32Array | null, delta: typeof table) => {
        const { starts, compute } = chain.backward(places, delta);
        return { starts, compute: timed('chain', compute) };
      }),
    },
    optimizer: {
      get steps() {
        return optimizer.steps;
      },
      step: timed('optimizer', (gradients, speed) => optimizer.step(gradients, speed)),
    },
    rate,
    through: false,
    table,
  });
  const moments = trackedMoments(record, table, pencil);
  const { constrained, gradient } = objectives.specnet2;
  const descent = new Descent({
    caller: 'bench',
    look: timed('neighborhood', networkViewers.neighbor(pencil)),
    rows: {
      width,
      evaluate: (support) => rows.evaluate(support),
      move: timed('gradient', (...operands) => rows.move(...operands)),
      rotate: (...operands) => rows.rotate(...operands),
    },
    moments: { ...moments, update: timed('moments', moments.update) },
    objective: { constrained, gradient: timed('gradient', gradient) },
    stepper: stepperOf('bench', { precondition: 'none', length: 1 }, width, precision),
    rotation: { orthogonalize: 'gram', rotate: 'before' },
  });
  const random = new Random(new Random(seed).fork('batches').state());
  const batches = (function* () {
    for (;;) yield* batchesOf(graph.size, batch, 'shuffled', random);
  })();
  return { network: own, step: () => descent.step(batches.next().value!) };
}

type Timed = <A extends unknown[], R>(part: Part, call: (...operands: A) => R) => (...operands: A) => R;

function timedInput(timed: Timed, input: ChainInput): ChainInput {
  if (!input.learns) return { ...input, forward: timed('forward points', input.forward) };
  return {
    learns: true,
    forward: timed('forward sparse points', (rows, workspace) => input.forward(rows, workspace)),
    transposed: timed('backward sparse points', (rows) => input.transposed(rows)),
    backward: timed('backward sparse points', (...operands) => input.backward(...operands)),
  };
}

function timedLayer(timed: Timed, layer: DifferentiableLayer): DifferentiableLayer {
  const { rows, cols } = layer.layer.weights;
  return {
    layer: layer.layer,
    forward: timed(`forward ${rows}→${cols}`, (x, workspace) => layer.forward(x, workspace)),
    backward: timed(`backward ${rows}→${cols}`, (...operands) => layer.backward(...operands)),
  };
}
