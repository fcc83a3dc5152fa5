/** How does a network learn the eigenvectors of a graph? By the same steps as the solver's, its parameters in place of rows. */

import { badValue, checkOptions } from '../../core/check.ts';
import { carryOut, part, type Work } from '../../core/pace.ts';
import { Random } from '../../core/random.ts';
import { type Graph, markOf, scaledGraph } from '../../graph/graph.ts';
import { kernels } from '../../kernels/table.ts';
import { bestForm, type Points } from '../../network/layers/inputs.ts';
import { Mlp } from '../../network/bodies/mlp.ts';
import { Optimizer } from '../../network/optimizer/optimizer.ts';
import { rateAt } from '../../network/optimizer/schedule.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { findCourse } from './alternation.ts';
import { batchesOf } from '../descent/batches.ts';
import { constancyOf } from './collapse.ts';
import { BlowUp, Descent } from '../descent/descent.ts';
import { type Moments, zeroMoments } from '../descent/moments.ts';
import { NetworkRows, networkMoments } from '../descent/network-rows.ts';
import { leastBatch, objectives } from '../descent/objective.ts';
import { type Pencil, pencilOf } from '../pencil/pencil.ts';
import { findTargets, taughtViewer, type Targets, towards } from './regression.ts';
import { stepperOf } from '../descent/step-rule.ts';
import { networkViewers } from '../descent/view.ts';
import { isTaughtBy, settleTraining, type Taught, type TrainingState, type TrainOptions } from './settings.ts';

const caller = 'train';

/**
 * Changes the network, whose outputs become the rows of Y: with SpecNet2 a rotation of Λ^½ times the eigenvectors, with
 * SpecNet1 their span, by regression and 'ritz' they themselves. Resolves with the state after the last epoch.
 */
export async function train(
  graph: Graph,
  network: Mlp,
  points: Points,
  options: TrainOptions = {},
): Promise<TrainingState> {
  checkOptions(caller, options);
  return carryOut(training(graph, network, points, options), options);
}

/** `train` as a part of other work; with the targets of a regression where they are known. */
export function* training(
  graph: Graph,
  network: Mlp,
  points: Points,
  options: TrainOptions,
  known?: Targets,
): Work<TrainingState> {
  const settings = settleTraining(graph, network, points, options);
  const { method, scheme, batch, order, epochs, rate } = settings;
  const pencil = pencilOf(
    caller,
    settings.scale === 'calibrated' ? scaledGraph(graph, graph.size ** 2 / graph.volume) : graph,
    settings.pencil,
    settings.deflate,
    network.precision,
  );
  const { from } = options;
  const random = new Random(from ? from.random : new Random(settings.seed).fork('batches').state());
  const optimizer = new Optimizer(network.parameters, settings.optimizer);
  if (from) {
    optimizer.restore(from.optimizer);
    for (const [i, { data }] of network.parameters.entries()) data.set(from.parameters[i].data);
  }
  const input = bestForm(points);
  const isTaught = isTaughtBy(method);
  const begun = method === 'regression' ? eigenShare : 0;
  const taught = isTaught ? yield* part(firstTargets(graph, network, method, from, known), 0, begun) : null;
  const last = scheme === 'neighbor' && !isTaught ? (from?.rows?.copy() ?? network.evaluate(input)) : null;
  const rows = new NetworkRows(network, input, optimizer, settings.through, last, method === 'ritz');
  const record = zeroMoments(network.outputs);
  if (last) measureAll(pencil, last, record);
  const moments = networkMoments(rows, record, pencil);
  const stepper = stepperOf(
    { precondition: settings.weighted ? 'degree' : 'none', length: 1 },
    network.outputs,
    network.precision,
  );
  const objective = isTaught ? towards(graph.volume / graph.size) : objectives[method];
  const descent = new Descent(caller, rows, objective, moments, stepper, {
    orthogonalise: 'gram',
    rotate: 'before',
  });
  descent.flops = from?.flops ?? 0;
  const view = isTaught ? taughtViewer(pencil, taught!) : networkViewers[scheme](pencil);
  const least = isTaught ? 1 : leastBatch(method, scheme, network.outputs);
  let epoch = from?.epoch ?? 0;
  const state = (): TrainingState => ({
    epoch,
    method,
    scheme: isTaught ? null : scheme,
    graph: markOf(graph),
    parameters: network.parameters.map((parameter) => parameter.copy()),
    optimizer: optimizer.state(),
    random: random.state(),
    moments: last && { gram: record.gram.slice(), mean: record.mean.slice() },
    rows: (method === 'ritz' ? taught : last)?.copy() ?? null,
    flops: descent.flops,
  });
  const isConstant = constancyOf(network, input);
  const first = epoch;
  while (epoch < epochs) {
    let done = 0;
    if (method === 'ritz' && epoch % settings.refresh === 0) {
      const reached = begun + (1 - begun) * ((epoch - first) / (epochs - first));
      taught!.data.set((yield* part(findCourse(caller, graph, network, input), reached, reached)).data);
    }
    for (const list of batchesOf(graph.size, batch, order, random, least)) {
      rows.rate = rateAt(rate, optimizer.steps);
      try {
        descent.step(view(list));
      } catch (error) {
        throw error instanceof BlowUp ? tooFast(rows.rate, epoch + 1, error.message) : error;
      }
      const fraction = (epoch - first + (done += list.length) / graph.size) / (epochs - first);
      yield begun + (1 - begun) * fraction;
    }
    // So that the record's rounding does not add up, and a state's record is that of its rows in any pencil.
    if (last) measureAll(pencil, last, record);
    epoch++;
    if (isConstant()) throw tooFast(rows.rate, epoch, 'the outputs have become constant');
    options.onEpoch?.({ epoch, steps: optimizer.steps, flops: descent.flops, state });
  }
  return state();
}

/** The eigenvectors; or of 'ritz' what was taught last, for what comes next depends on the network. */
function* firstTargets(
  graph: Graph,
  network: Mlp,
  method: Taught,
  from: TrainingState | undefined,
  known: Targets | undefined,
): Work<Tensor> {
  if (method === 'ritz') return from?.rows?.copy() ?? zeros([graph.size, network.outputs], network.precision);
  const { rows, converged } = known ?? (yield* findTargets(graph, network.outputs));
  if (converged) return rows;
  const remedy = "SpecNet2 and 'ritz' need none.";
  throw badValue(caller, 'a graph whose eigenvectors Lanczos can find', 'another', remedy);
}

function tooFast(rate: number, epoch: number, what: string): RangeError {
  return badValue(
    caller,
    'a rate small enough',
    `${rate}: ${what} in epoch ${epoch}`,
    'Lower the rate, or bring points of size one.',
  );
}

function measureAll({ size, mass, eta }: Pencil, { cols, data }: Tensor, out: Moments): void {
  kernels.gram(size, cols, cols, mass, data, data, out.gram);
  if (eta) kernels.weightedColumnSums(size, cols, eta, data, out.mean);
}

/** Of the progress, what finding the eigenvectors counts for. */
const eigenShare = 0.1;
