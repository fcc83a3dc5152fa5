/** The independent reader: a Python process that reads files by NumPy and SciPy. */

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** What the reader found: numbers in double precision, and everything else as JSON. */
export interface Reading {
  readonly shape: readonly number[];
  readonly numbers: Float64Array;
  readonly facts: unknown;
}

interface Answer {
  readonly refused?: string;
  readonly shape: readonly number[];
  readonly count: number;
  readonly facts: unknown;
}

/** Asks one question at a time. */
export class Reader {
  #process: ChildProcessByStdio<Writable, Readable, null>;
  #received: Buffer = Buffer.alloc(0);
  #wake: () => void = () => undefined;
  /** How often the process crashed. A crash counts as a refusal, and the next question starts another process. */
  crashes = 0;

  /** Null if there is no Python with NumPy and SciPy. */
  static open(): Reader | null {
    const { status } = spawnSync('python3', ['-c', 'import numpy, scipy'], { stdio: 'ignore' });
    return status === 0 ? new Reader() : null;
  }

  private constructor() {
    this.#process = this.#start();
  }

  /** What the reader finds in the bytes; null if it refuses them. */
  async read(kind: string, bytes: Uint8Array, options: object = {}): Promise<Reading | null> {
    const { stdin } = this.#process;
    stdin.write(`${JSON.stringify({ kind, length: bytes.length, options })}\n`);
    stdin.write(bytes);
    const line = await this.#take('line');
    if (!line) {
      this.crashes++;
      this.#received = Buffer.alloc(0);
      this.#process = this.#start();
      return null;
    }
    const { refused, shape, count, facts } = JSON.parse(line.toString()) as Answer;
    if (refused !== undefined) return null;
    const numbers = new Float64Array(new Uint8Array((await this.#take(8 * count))!).buffer);
    return { shape, numbers, facts };
  }

  async close(): Promise<void> {
    this.#process.stdin.end();
  }

  #start(): ChildProcessByStdio<Writable, Readable, null> {
    const script = fileURLToPath(new URL('./reader.py', import.meta.url));
    const child = spawn('python3', ['-W', 'ignore', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => undefined); // the question after a crash; #take notices
    child.stdout.on('data', (piece: Buffer) => {
      this.#received = Buffer.concat([this.#received, piece]);
      this.#wake();
    });
    child.once('close', () => this.#wake());
    return child;
  }

  /** Null if the process has ended. */
  async #take(wanted: number | 'line'): Promise<Buffer | null> {
    for (;;) {
      const end = wanted === 'line' ? this.#received.indexOf(10) + 1 : wanted;
      if (wanted === 0 || (end > 0 && this.#received.length >= end)) {
        const taken = this.#received.subarray(0, end);
        this.#received = this.#received.subarray(end);
        return taken;
      }
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) return null;
      // oxlint-disable-next-line no-await-in-loop -- until enough has arrived
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
