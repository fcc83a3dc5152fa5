/** Checkpoint files: the state of a training after its latest epoch, from which the next run resumes. */

import { badValue } from '../../core/check.ts';
import { loadTraining, saveTraining } from '../../embedding/model/model-file.ts';
import { type TrainingState, methodName } from '../../spectral/train/options.ts';
import { cleanUpOnInterrupt, openOutput, type Output, replaceOutput } from '../../files/write.ts';
import { UsageError } from './arguments.ts';
import { nameFileInErrors, readBytes } from './input.ts';

/** The parts of a training state that identify the training procedure. */
type MethodAndScheme = Pick<TrainingState, 'method' | 'scheme'>;

export class Checkpoint {
  readonly #output: Output;
  /** The state found in the file. Undefined if there was no file. */
  readonly resumeFrom: TrainingState | undefined;
  readonly #failure = new AbortController();
  #latest: TrainingState | null = null;
  #writing: Promise<void> | null = null;
  /** Removes the signal handler. One handler stays installed between writes, so that no signal is missed. */
  #removeHandler: (() => void) | null = null;

  private constructor(output: Output, resumeFrom: TrainingState | undefined) {
    this.#output = output;
    this.resumeFrom = resumeFrom;
  }

  /** Opens a checkpoint. An existing file must hold a state of the same method and scheme. */
  static async open(path: string, expected: MethodAndScheme): Promise<Checkpoint> {
    const output = openOutput('--checkpoint', path);
    if (output.destination.kind !== 'file') {
      throw new UsageError(`expected --checkpoint to be a file, got '${path}', which is a pipe or device.`);
    }
    const resumeFrom = output.destination.stats
      ? await nameFileInErrors(path, async () => loadTraining(await readBytes(path)))
      : undefined;
    const [wanted, found] = [expected, resumeFrom ?? expected].map(({ method, scheme }) => methodName(method, scheme));
    if (found !== wanted) {
      const remedy = 'Use the same --method and --scheme, or another --checkpoint file.';
      throw badValue(path, `the state of a training by ${wanted}`, `one by ${found}`, remedy);
    }
    return new Checkpoint(output, resumeFrom);
  }

  /** Aborts when the file cannot be written. */
  get signal(): AbortSignal {
    return this.#failure.signal;
  }

  /** Saves a state in the background. If several states arrive during a write, only the last of them is written. */
  save(state: TrainingState): void {
    this.#latest = state;
    this.#removeHandler ??= cleanUpOnInterrupt(this.#output);
    this.#writing ??= this.#write();
  }

  /** Resolves when the last state is in the file. */
  async close(): Promise<void> {
    await this.#writing;
    this.#removeHandler?.();
    this.signal.throwIfAborted();
  }

  async #write(): Promise<void> {
    try {
      while (this.#latest) {
        const state = this.#latest;
        this.#latest = null;
        // oxlint-disable-next-line no-await-in-loop -- writes must not overlap
        await replaceOutput(this.#output, saveTraining(state));
      }
    } catch (error) {
      this.#failure.abort(error);
    } finally {
      this.#writing = null;
    }
  }
}
