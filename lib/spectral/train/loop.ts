/** The loop over epochs and batches that all trainings share: what it starts from, its progress, its errors, its state. */

import { badValue } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import { Random } from '../../core/random.ts';
import { graphFingerprint } from '../../graph/graph.ts';
import { type Points, toKernelFormat } from '../../network/layers/inputs.ts';
import { Optimizer } from '../../network/optimizer/optimizer.ts';
import { rateAt } from '../../network/optimizer/schedule.ts';
import { batchesOf } from '../descent/batches.ts';
import { BlowUp } from '../descent/descent.ts';
import { constancyOf } from './collapse.ts';
import { caller, type LoopSettings, type Training, type TrainingState } from './options.ts';

/** What one kind of training does in the loop. */
export interface Lesson {
  /** A batch has at least so many rows. */
  readonly leastBatch: number;
  /** Before the first step of an epoch that begins when this fraction is done. */
  prepare(epoch: number, done: number): Task<void>;
  step(batch: Int32Array): void;
  /** After the last step of an epoch. */
  finish(): void;
  /** Leading work so far, in flops. */
  readonly flops: number;
  /** Its part of the state, copied. */
  state(): Pick<TrainingState, 'scheme' | 'moments' | 'rows'>;
}

export class TrainingLoop {
  /** The points as the kernels like them best. */
  readonly input: Points;
  readonly optimizer: Optimizer;
  readonly #training: Training;
  readonly #settings: LoopSettings;
  readonly #random: Random;
  #epoch: number;

  /** Sets the network to the parameters of `options.from`, if there is such a state. */
  constructor(training: Training, settings: LoopSettings) {
    const { network, points, options } = training;
    const { from } = options;
    this.#training = training;
    this.#settings = settings;
    this.#epoch = from?.epoch ?? 0;
    this.#random = new Random(from ? from.random : new Random(settings.seed).fork('batches').state());
    this.optimizer = new Optimizer(network.parameters, settings.optimizer);
    if (from) {
      this.optimizer.restore(from.optimizer);
      for (const [i, { data }] of network.parameters.entries()) data.set(from.parameters[i].data);
    }
    this.input = toKernelFormat(points);
  }

  *run(lesson: Lesson): Task<TrainingState> {
    const { batch, order, epochs } = this.#settings;
    const { graph, network, options } = this.#training;
    const { size } = graph;
    const first = this.#epoch;
    const isConstant = constancyOf(network, this.input);
    const state = (): TrainingState => this.#state(lesson);
    while (this.#epoch < epochs) {
      const fractionOf = (seen: number): number => (this.#epoch - first + Math.min(1, seen / size)) / (epochs - first);
      let seen = 0;
      yield* lesson.prepare(this.#epoch, fractionOf(0));
      for (const list of batchesOf(size, batch, order, this.#random, lesson.leastBatch)) {
        try {
          lesson.step(list);
        } catch (error) {
          throw error instanceof BlowUp ? this.#tooFast(this.optimizer.steps, error.message) : error;
        }
        yield fractionOf((seen += list.length));
      }
      lesson.finish();
      if (isConstant()) throw this.#tooFast(this.optimizer.steps - 1, 'the outputs have become constant');
      this.#epoch++;
      options.onEpoch?.({ epoch: this.#epoch, steps: this.optimizer.steps, flops: lesson.flops, state });
    }
    return state();
  }

  #state(lesson: Lesson): TrainingState {
    return {
      epoch: this.#epoch,
      method: this.#settings.method,
      graph: graphFingerprint(this.#training.graph),
      parameters: this.#training.network.parameters.map((parameter) => parameter.copy()),
      optimizer: this.optimizer.state(),
      random: this.#random.state(),
      flops: lesson.flops,
      ...lesson.state(),
    };
  }

  /** At step 0, 1, 2, … of the optimizer. */
  #tooFast(step: number, what: string): RangeError {
    const got = `${rateAt(this.#settings.rate, step)}: ${what} in epoch ${this.#epoch + 1}`;
    return badValue(caller, 'a rate small enough', got, 'Lower the rate, or bring points of size one.');
  }
}
