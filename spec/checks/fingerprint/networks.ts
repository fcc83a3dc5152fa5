/** Cases of `train`: every method and scheme, on dense and sparse points, with every activation and optimizer. */

import type { Graph } from '../../../lib/index.ts';
import type { Mlp, MlpOptions, Points } from '../../../lib/doors/network.ts';
import type { TrainingState, TrainOptions } from '../../../lib/doors/solver.ts';
import { type Api, trainingFlops, trainingParts } from './api.ts';
import { bumps, normalMatrix, openInputs } from './inputs.ts';
import type { Case, Parts } from './record.ts';

interface Task {
  readonly on: 'moon' | 'sparse' | 'sparse matrix' | 'wide' | 'large' | 'many';
  readonly hidden: readonly number[];
  readonly outputs?: number;
  readonly network?: MlpOptions;
  readonly training: TrainOptions;
}

type Named = readonly [name: string, task: Task];

const methods = ['specnet1', 'specnet2'] as const;
const schemes = ['local', 'full', 'neighbor'] as const;
const precisions = ['single', 'double'] as const;
const activations = ['relu', 'softplus', 'tanh', 'sigmoid'] as const;
const optimizers = {
  sgd: { kind: 'sgd' },
  'sgd with momentum': { kind: 'sgd', momentum: 0.9 },
  adam: { kind: 'adam', beta1: 0.8, beta2: 0.99 },
  adamw: { kind: 'adamw', decay: 0.05 },
} as const;

export async function networkCases(api: Api): Promise<readonly Case[]> {
  const { moon, moonGraph, sparse, sparseGraph } = await openInputs(api);
  const wide = sparse.copy();
  const noise = normalMatrix(api, wide.rows, wide.cols, 'wide', 'single');
  for (let i = 0; i < wide.size; i++) wide.data[i] += 0.05 * noise.data[i];
  const large = bumps(api, 160, 600);
  const many = bumps(api, 600, 64);
  const sets: Record<Task['on'], readonly [points: Points, graph: Graph]> = {
    moon: [moon, moonGraph],
    sparse: [sparse, sparseGraph],
    'sparse matrix': [api.fromDense(sparse), sparseGraph],
    wide: [wide, sparseGraph],
    many: [many, await api.buildGraph(many, { kind: 'self-tuned', neighbors: 12 })],
    large: [large, await api.buildGraph(large, { kind: 'self-tuned', neighbors: 12 })],
  };
  const flops: number[] = [];

  const open = ({ on, hidden, outputs = 3, network }: Task): { network: Mlp; points: Points; graph: Graph } => {
    const [given, graph] = sets[on];
    const points = given.copy(network?.precision ?? 'single');
    return { network: new api.Mlp([points.cols, ...hidden, outputs], { seed: 3, ...network }), points, graph };
  };
  const trained = async (task: Task): Promise<Parts> => {
    const { network, points, graph } = open(task);
    const state = await api.train(graph, network, points, { seed: 4, ...task.training });
    flops.push(trainingFlops(state));
    return trainingParts(state, network, points);
  };
  const resumed = async (task: Task, keep: (state: TrainingState) => TrainingState): Promise<Parts> => {
    const { network, points, graph } = open(task);
    const options = { seed: 4, ...task.training };
    const first = await api.train(graph, network, points, { ...options, epochs: 1 });
    const other = open(task).network;
    const state = await api.train(graph, other, points, { ...options, epochs: 3, from: keep(first) });
    return trainingParts(state, other, points);
  };
  const saved = async (task: Task): Promise<Parts> => {
    const { network, points, graph } = open(task);
    return { bytes: api.saveTraining(await api.train(graph, network, points, { seed: 4, ...task.training })) };
  };
  return [
    ...[...onMoon(), ...onSparse(), ...onLarge()].map(([name, task]): Case => [name, () => trained(task)]),
    ...resumable().flatMap(([name, task]): Case[] => [
      [`resume ${name}`, () => resumed(task, (state) => state)],
      [`resume ${name} from a file`, () => resumed(task, (state) => api.loadTraining(api.saveTraining(state)))],
      [`saveTraining ${name}`, () => saved(task)],
    ]),
    ['flops', () => ({ flops })],
  ];
}

/** Two columns, dense. */
function onMoon(): Named[] {
  const of = (training: TrainOptions, network?: MlpOptions): Task => ({
    on: 'moon',
    hidden: [24, 16],
    ...(network && { network }),
    training: { epochs: 2, batch: 8, ...training },
  });
  const rates = { from: 1e-3, to: 1e-4, steps: 50 };
  return [
    ...precisions.flatMap((precision) => [
      ...methods.flatMap((method) =>
        schemes.map((scheme): Named => [
          `moon ${method} ${scheme} ${precision}`,
          of({ method, scheme }, { precision }),
        ]),
      ),
      [`moon regression ${precision}`, of({ method: 'regression', epochs: 4 }, { precision })] as const,
      [`moon ritz ${precision}`, of({ method: 'ritz', epochs: 4 }, { precision })] as const,
    ]),
    ...schemes.flatMap((scheme): Named[] => [
      [`moon weighted ${scheme}`, of({ scheme, weighted: true })],
      [`moon calibrated ${scheme}`, of({ scheme, scale: 'calibrated' })],
      [`moon specnet1 calibrated ${scheme}`, of({ method: 'specnet1', scheme, scale: 'calibrated' })],
      [`moon symmetric ${scheme}`, of({ scheme, pencil: 'symmetric' })],
      [`moon not deflated ${scheme}`, of({ scheme, deflate: false })],
    ]),
    ...(['local', 'full'] as const).flatMap((scheme) =>
      precisions.map((precision): Named => [
        `moon specnet1 ${scheme} ${precision} not through`,
        of({ method: 'specnet1', scheme, through: false }, { precision }),
      ]),
    ),
    ...activations.flatMap((activation) =>
      precisions.map((precision): Named => [`moon ${activation} ${precision}`, of({}, { activation, precision })]),
    ),
    ...Object.entries(optimizers).flatMap(([name, optimizer]) =>
      precisions.map((precision): Named => [`moon ${name} ${precision}`, of({ optimizer }, { precision })]),
    ),
    ...(['cyclic', 'random'] as const).map((order): Named => [`moon ${order}`, of({ order })]),
    ...(['linear', 'cosine', 'exponential'] as const).map((shape): Named => [
      `moon ${shape} rate`,
      of({ rate: { ...rates, shape } }),
    ]),
    ...(['he', 'glorot'] as const).map((initial): Named => [`moon ${initial}`, of({}, { initial })]),
    ['moon ritz refreshed', of({ method: 'ritz', epochs: 4, refresh: 1 })],
    ['moon no hidden layer', { ...of({}), hidden: [] }],
    ['moon 10 outputs', { ...of({ method: 'specnet1', scheme: 'full', batch: 20 }), outputs: 10 }],
    ['moon 10 outputs neighbor', { ...of({}), outputs: 10 }],
    ['moon batch of all rows', of({ batch: 300 })],
  ];
}

/** 64 columns and three layers of 64 units: sparse products, and zeros from ReLU. */
function onSparse(): Named[] {
  const of = (training: TrainOptions, network?: MlpOptions, on: Task['on'] = 'sparse'): Task => ({
    on,
    hidden: [64, 64, 64],
    ...(network && { network }),
    training: { epochs: 1, batch: 8, ...training },
  });
  return [
    ...[8, 40].flatMap((batch) =>
      methods.flatMap((method) =>
        schemes.flatMap((scheme) =>
          (['sparse', 'wide'] as const).map((on): Named => [
            `${on} ${method} ${scheme} batch ${batch}`,
            of({ method, scheme, batch }, {}, on),
          ]),
        ),
      ),
    ),
    ...methods.flatMap((method) =>
      schemes.map((scheme): Named => [
        `sparse ${method} ${scheme} double`,
        of({ method, scheme }, { precision: 'double' }),
      ]),
    ),
    ...(['sparse', 'wide'] as const).flatMap((on): Named[] => [
      [`${on} regression`, of({ method: 'regression', batch: 40, epochs: 2 }, {}, on)],
      [`${on} ritz`, of({ method: 'ritz', batch: 16, epochs: 2 }, {}, on)],
    ]),
    ...(['sparse', 'wide'] as const).flatMap((on) =>
      activations.map((activation): Named => [`${on} ${activation}`, of({}, { activation }, on)]),
    ),
    ...(['sparse', 'wide'] as const).flatMap((on) =>
      Object.entries(optimizers).map(([name, optimizer]): Named => [`${on} ${name}`, of({ optimizer }, {}, on)]),
    ),
    ...(['local', 'full'] as const).map((scheme): Named => [
      `sparse specnet1 ${scheme} not through`,
      of({ method: 'specnet1', scheme, through: false }),
    ]),
    ['sparse matrix', of({}, {}, 'sparse matrix')],
    ['sparse one hidden layer', { ...of({}), hidden: [40] }],
    ['sparse narrow second layer', { ...of({}), hidden: [48, 16] }],
    ['sparse no hidden layer', { ...of({}), hidden: [] }],
  ];
}

/** Large enough that threads share products and steps of Adam. */
function onLarge(): Named[] {
  const of = (training: TrainOptions): Task => ({
    on: 'large',
    hidden: [256, 256],
    training: { epochs: 1, batch: 8, ...training },
  });
  return [
    ['large neighbor', of({})],
    ['many full', { on: 'many', hidden: [64, 64], training: { epochs: 1, batch: 200, scheme: 'full' } }],
    ['large neighbor batch 40', of({ batch: 40, epochs: 2 })],
    ['large full', of({ scheme: 'full', batch: 40 })],
    ['large specnet1 neighbor', of({ method: 'specnet1' })],
    ['large ritz', of({ method: 'ritz', batch: 20, epochs: 2 })],
    ['large adamw', of({ optimizer: optimizers.adamw })],
  ];
}

/** Trainings to resume. */
function resumable(): Named[] {
  const moon = { on: 'moon', hidden: [16] } as const;
  const training = { epochs: 3, batch: 8 } as const;
  return [
    ['specnet2 neighbor', { ...moon, training }],
    ['specnet2 neighbor double', { ...moon, network: { precision: 'double' }, training }],
    ['specnet1 full', { ...moon, training: { ...training, method: 'specnet1', scheme: 'full' } }],
    ['specnet1 neighbor', { ...moon, training: { ...training, method: 'specnet1' } }],
    ['local sgd', { ...moon, training: { ...training, scheme: 'local', optimizer: { kind: 'sgd', momentum: 0.5 } } }],
    ['regression', { ...moon, training: { ...training, method: 'regression' } }],
    ['ritz', { ...moon, training: { ...training, method: 'ritz' } }],
    ['sparse', { on: 'sparse', hidden: [64, 64], training }],
  ];
}
