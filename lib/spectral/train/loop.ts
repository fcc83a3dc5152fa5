/** The loop over epochs and batches that all trainings share, with its start, progress, errors and state. */

import { badValue } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import { Random, type RandomState } from '../../core/random.ts';
import { type Graph, graphFingerprint } from '../../graph/graph.ts';
import { type Points, takerOf } from '../../network/layers/inputs.ts';
import { Optimizer } from '../../network/optimizer/optimizer.ts';
import { rateAt } from '../../network/optimizer/schedule.ts';
import { BlowUp } from '../descent/descent.ts';
import { collapseTest } from './collapse.ts';
import {
  caller,
  lastingSettings,
  type LoopSettings,
  type LoopSource,
  stepsPerEpoch,
  type Training,
  type TrainingState,
} from './options.ts';

/** A procedure that the loop runs: SpecNet, also on edges, regression, or training under the Ritz head. */
export interface Procedure {
  /** The batches of an epoch, each valid until the next one. */
  batches(random: Random): Iterable<Int32Array>;
  /** Runs before the first step of each epoch. `done` is the fraction of the training that is done by then. */
  prepareSteps(epoch: number, done: number): Task<void>;
  step(batch: Int32Array): void;
  /** Runs after the last step of each epoch. */
  finish(): void;
  /** `EpochState.flops`. */
  readonly flops: number;
  /** The part of the state that belongs to the procedure, copied. */
  state(): Pick<TrainingState, 'scheme' | 'rows'>;
}

/** For procedures that do nothing between epochs. */
export const stepsOnly: Pick<Procedure, 'prepareSteps' | 'finish'> = { *prepareSteps() {}, finish() {} };

/** The source of a graph and points in memory. */
export function sourceOf(graph: Graph, input: Points): LoopSource {
  return { size: graph.size, fingerprint: () => graphFingerprint(graph), take: takerOf(input) };
}

export class TrainingLoop {
  readonly optimizer: Optimizer;
  readonly #training: Pick<Training, 'network' | 'options'>;
  readonly #settings: LoopSettings;
  readonly #source: LoopSource;
  readonly #random: Random;
  #epoch: number;
  /** The steps of the epoch that has begun, and the state of the random generator at its beginning. */
  #steps: number;
  #begun: RandomState;

  /** If `options.from` is given, sets the network and the optimizer to that state. */
  constructor(training: Pick<Training, 'network' | 'options'>, settings: LoopSettings, source: LoopSource) {
    const { network, options } = training;
    const { from } = options;
    this.#training = training;
    this.#settings = settings;
    this.#source = source;
    this.#epoch = from?.epoch ?? 0;
    this.#steps = from?.step ?? 0;
    this.#begun = from ? from.random : new Random(settings.seed).fork('batches').state();
    this.#random = new Random(this.#begun);
    this.optimizer = new Optimizer(network.parameters, settings.optimizer);
    if (from) {
      this.optimizer.restore(from.optimizer);
      for (const [i, { data }] of network.parameters.entries()) data.set(from.parameters[i].data);
    }
  }

  *runSteps(procedure: Procedure): Task<TrainingState> {
    const { batch, epochs } = this.#settings;
    const { network, options } = this.#training;
    const inEpoch = stepsPerEpoch(this.#source, batch);
    const first = this.#epoch;
    const hasCollapsed = collapseTest(network, this.#source);
    const state = (): TrainingState => this.state(procedure);
    while (this.#epoch < epochs) {
      const fractionOf = (steps: number): number =>
        (this.#epoch - first + Math.min(1, steps / inEpoch)) / (epochs - first);
      let steps = 0;
      yield* procedure.prepareSteps(this.#epoch, fractionOf(0));
      for (const rows of procedure.batches(this.#random)) {
        // These steps are already in the state that the training continues from.
        if (steps++ < this.#steps) continue;
        this.#steps = steps;
        try {
          procedure.step(rows);
        } catch (error) {
          // It is found before this step moves anything, so the step before was too long.
          const last = Math.max(0, this.optimizer.steps - 1);
          throw error instanceof BlowUp ? this.#tooFast(last, error.message) : error;
        }
        yield fractionOf(steps);
      }
      procedure.finish();
      if (hasCollapsed()) throw this.#tooFast(this.optimizer.steps - 1, 'the outputs have become constant');
      this.#epoch++;
      this.#steps = 0;
      this.#begun = this.#random.state();
      options.onEpoch?.({ epoch: this.#epoch, steps: this.optimizer.steps, flops: procedure.flops, state });
    }
    return state();
  }

  /** The state after the last step of this procedure, copied. */
  state(procedure: Pick<Procedure, 'state' | 'flops'>): TrainingState {
    const own = procedure.state();
    return {
      epoch: this.#epoch,
      ...(this.#steps > 0 && { step: this.#steps }),
      method: this.#settings.method,
      graph: this.#source.fingerprint(),
      parameters: this.#training.network.parameters.map((parameter) => parameter.copy()),
      optimizer: this.optimizer.state(),
      random: this.#begun,
      flops: procedure.flops,
      settings: lastingSettings(this.#settings, own.scheme),
      ...own,
    };
  }

  /** The error for a rate that is too large, with the rate at this step. */
  #tooFast(step: number, what: string): RangeError {
    const got = `${rateAt(this.#settings.rate, step)}: ${what} in epoch ${this.#epoch + 1}`;
    return badValue(caller, 'a rate small enough', got, 'Lower the rate, or scale the points to order one.');
  }
}
