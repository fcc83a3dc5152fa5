/** Errors of tracked and corrected moments in the middle of a training on MNIST, at several batch sizes. */

import { loadMnist } from '../../datasets/index.ts';
import { Random } from '../../lib/core/random.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { scaledGraph } from '../../lib/graph/graph.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { chainOf } from '../../lib/network/layers/chain.ts';
import { toKernelFormat } from '../../lib/network/layers/inputs.ts';
import { Optimizer } from '../../lib/network/optimizer/optimizer.ts';
import { batchesOf } from '../../lib/spectral/descent/batches.ts';
import { Descent } from '../../lib/spectral/descent/descent.ts';
import { correctedMoments, measureAll, type Moments, zeroMoments } from '../../lib/spectral/descent/moments.ts';
import { NetworkRows } from '../../lib/spectral/descent/rows/network-rows.ts';
import { objectives } from '../../lib/spectral/descent/objective.ts';
import { stepperOf } from '../../lib/spectral/descent/step-rule.ts';
import { networkViewers } from '../../lib/spectral/descent/view.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { train } from '../../lib/spectral/train/train.ts';
import { mean, type QualityOptions, type Section, show } from './section.ts';

const images = 5000;
const components = 6;
const hidden = [256, 256];
/** The training before the measurement. */
const before = { moments: 'corrected', batch: 64, rate: 1e-3, epochs: 5 } as const;
/** The rate during the measurement, the steps in which the record ages, and those that are measured. */
const rate = 1e-4;
const aging = 300;
const measured = 40;
const batches = [2, 8, 64];

export type MomentPart = 'tracked' | 'corrected';

/** The errors at one batch size. */
export interface MomentErrors {
  readonly batch: number;
  /** The mean of |N(B)|. */
  readonly seen: number;
  /** The root mean square distance from the true moments, and the length of the mean error. */
  readonly distance: Record<MomentPart, number>;
  readonly bias: Record<MomentPart, number>;
}

export async function momentQuality({ say }: QualityOptions): Promise<Section> {
  say('MNIST: graph and training');
  const { points } = (await loadMnist({ train: images, test: 1, seed: 1 })).train;
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
  const input = toKernelFormat(points);
  const start = new Mlp([points.cols, ...hidden, components], { seed: 1 });
  const { parameters, optimizer: adam } = await train(graph, start, input, { ...before, seed: 1 });
  const pencil = pencilOf('bench', scaledGraph(graph, images ** 2 / graph.volume), 'random-walk', true, 'single');
  const lines = batches.map((batch): MomentErrors => {
    say(`MNIST: batches of ${batch}`);
    const network = new Mlp(start.sizes);
    for (const [i, { data }] of network.parameters.entries()) data.set(parameters[i].data);
    const optimizer = new Optimizer(network.parameters, { kind: 'adam' });
    optimizer.restore(adam);
    const table = network.evaluate(input);
    const record = zeroMoments(components);
    measureAll(pencil, table.data, record);
    const source = correctedMoments(record, table, pencil);
    const errors: Record<MomentPart, Float64Array[]> = { tracked: [], corrected: [] };
    const supports: number[] = [];
    let isMeasured = false;
    const descent = new Descent({
      caller: 'bench',
      look: networkViewers.neighbor(pencil),
      rows: new NetworkRows({
        width: components,
        precision: 'single',
        chain: chainOf('bench', network.layers, input),
        optimizer,
        rate,
        through: false,
        table,
      }),
      moments: {
        ...source,
        update(view, seen) {
          const corrected = source.update(view, seen);
          if (!isMeasured) return record;
          const exact = zeroMoments(components);
          measureAll(pencil, network.evaluate(input).data, exact);
          errors.tracked.push(errorOf(record, exact));
          errors.corrected.push(errorOf(corrected, exact));
          supports.push(view.support!.length);
          return record;
        },
      },
      objective: objectives.specnet2,
      stepper: stepperOf('bench', { precondition: 'none', length: 1 }, components, 'single'),
      rotation: { orthogonalize: 'gram', rotate: 'before' },
    });
    let steps = 0;
    for (const rows of endlessBatches(batch)) {
      isMeasured = steps >= aging;
      if (steps++ === aging + measured) break;
      descent.step(rows);
    }
    const both = (of: (list: readonly Float64Array[]) => number): Record<MomentPart, number> => ({
      tracked: of(errors.tracked),
      corrected: of(errors.corrected),
    });
    return { batch, seen: mean(supports), distance: both(rootMeanSquare), bias: both(biasOf) };
  });
  return {
    title: `Moments in the middle of a training, ${images} images of MNIST, 784-256-256-6`,
    settings: `steps by tracked moments at the rate ${rate}; ${measured} steps after ${aging} at this batch; one seed`,
    header: ['batch', 'n/|N(B)|', 'tracked', 'its bias', 'corrected', 'its bias'],
    rows: lines.map(({ batch, seen, distance, bias }) => [
      String(batch),
      show(images / seen, 1),
      ...(['tracked', 'corrected'] as const).flatMap((part) => [show(distance[part], 4), show(bias[part], 4)]),
    ]),
    notes: [
      'Root mean square distance of (YᵀDY, ηᵀY) from the true moments, relative to ‖YᵀDY‖; bias: the length of the mean error.',
    ],
    figures: lines,
  };
}

function* endlessBatches(batch: number): Generator<Int32Array, never> {
  const random = new Random('moments').fork(`batch ${batch}`);
  for (;;) yield* batchesOf(images, batch, 'random', random);
}

/** The difference of YᵀDY, and that of ηᵀY in the same units, relative to ‖YᵀDY‖. */
function errorOf(found: Moments, exact: Moments): Float64Array {
  const norm = Math.hypot(...exact.gram);
  let trace = 0;
  for (let p = 0; p < exact.gram.length; p += components + 1) trace += exact.gram[p];
  const gram = Array.from(found.gram, (entry, p) => (entry - exact.gram[p]) / norm);
  return Float64Array.from([
    ...gram,
    ...Array.from(found.mean, (entry, p) => (entry - exact.mean[p]) / Math.sqrt(trace)),
  ]);
}

function rootMeanSquare(errors: readonly Float64Array[]): number {
  return Math.sqrt(mean(errors.map((error) => Math.hypot(...error) ** 2)));
}

function biasOf(errors: readonly Float64Array[]): number {
  return Math.hypot(...errors[0].map((_, p) => mean(errors.map((error) => error[p]))));
}
