/** How does a training survive an interruption? Its state lies in a file, and the next training goes on from there. */

import { badValue } from '../../core/check.ts';
import { loadTraining, saveTraining } from '../../embedding/model/model-file.ts';
import { type TrainingState, wayOf } from '../../spectral/train/options.ts';
import { inNameOf, readBytes } from './input.ts';
import { checkFolder, cleanUpOnInterrupt, writeDraft } from './output.ts';

/** How a network is trained, as far as a state knows. */
type Way = Pick<TrainingState, 'method' | 'scheme'>;

export class Checkpoint {
  readonly path: string;
  /** What an earlier training left in the file. */
  readonly from: TrainingState | undefined;
  readonly #failure = new AbortController();
  #latest: TrainingState | null = null;
  #writing: Promise<void> | null = null;
  /** Held from the first state to the last: a signal that comes between two of them must not be lost. */
  #release: (() => void) | null = null;

  private constructor(path: string, from: TrainingState | undefined) {
    this.path = path;
    this.from = from;
  }

  /** A file that is there must hold the state of such a training; one that is not there will be written. */
  static async open(path: string, wanted: Way): Promise<Checkpoint> {
    await checkFolder('--checkpoint', path);
    const from = await inNameOf(path, async () => {
      const bytes = await readBytes(path).catch((error: Error) => {
        if (!error.message.includes('ENOENT')) throw error;
      });
      return bytes && loadTraining(bytes);
    });
    const [asked, found] = [wanted, from ?? wanted].map(({ method, scheme }) => wayOf(method, scheme));
    if (found !== asked) throw badValue(path, `the state of a training by ${asked}`, `one by ${found}`);
    return new Checkpoint(path, from ?? undefined);
  }

  /** Aborted once the file cannot be written. */
  get signal(): AbortSignal {
    return this.#failure.signal;
  }

  /** Written as soon as the one before is; of several that came meanwhile, the last. */
  keep(state: TrainingState): void {
    this.#latest = state;
    this.#release ??= cleanUpOnInterrupt(this.path);
    this.#writing ??= this.#write();
  }

  /** No state comes any more: resolves when the last one is in the file. */
  async close(): Promise<void> {
    await this.#writing;
    this.#release?.();
    this.signal.throwIfAborted();
  }

  async #write(): Promise<void> {
    try {
      while (this.#latest) {
        const state = this.#latest;
        this.#latest = null;
        // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
        await writeDraft(this.path, saveTraining(state));
      }
    } catch (error) {
      this.#failure.abort(error);
    } finally {
      this.#writing = null;
    }
  }
}
