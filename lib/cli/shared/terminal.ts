/** The interface of the terminal for commands: output streams, a clock and a progress line. */

export interface Terminal {
  /** Writes to standard output. Only the result goes there. */
  print(text: string): void;
  /** Writes to standard error: progress, warnings and errors. */
  note(text: string): void;
  /** Milliseconds since an arbitrary origin. */
  now(): number;
  /** Whether standard error is a terminal. */
  readonly interactive: boolean;
  /** Whether standard output shows colors. */
  readonly colored: boolean;
}

/** 0: success. 1: failed, not converged or an unexpected verdict. 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** A progress line that is overwritten in place and erased at the end. Only shown on an interactive terminal. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #visible: boolean;

  constructor(terminal: Terminal, quiet: boolean) {
    this.#terminal = terminal;
    this.#visible = terminal.interactive && !quiet;
  }

  show(text: string): void {
    if (this.#visible) this.#terminal.note(`\r\u001b[K${text}`);
  }

  /** A callback that shows the text with the fraction done in percent. */
  percent(text: string): (fraction: number) => void {
    return (fraction) => this.show(`${text} … ${Math.round(100 * fraction)} %`);
  }

  /** The same, with the time left, as the time since the first call suggests. */
  estimate(text: string): (fraction: number) => void {
    let begin: { readonly fraction: number; readonly time: number } | null = null;
    return (fraction) => {
      const time = this.#terminal.now();
      begin ??= { fraction, time };
      const done = fraction - begin.fraction;
      const left = done > 0 ? ((time - begin.time) * (1 - fraction)) / done / 60_000 : NaN;
      const wait = left >= 1 ? `, ${Math.round(left)} min left` : '';
      this.show(`${text} … ${Math.round(100 * fraction)} %${wait}`);
    };
  }

  clear(): void {
    if (this.#visible) this.#terminal.note('\r\u001b[K');
  }
}
