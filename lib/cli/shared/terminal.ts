/** What may a command do to the world, and how does it show that it is at work? */

export interface Terminal {
  /** Standard output: the result and nothing else. */
  print(text: string): void;
  /** Standard error: progress, and what went wrong. */
  note(text: string): void;
  /** Milliseconds from some moment on. */
  now(): number;
  /** Whether a person looks at standard error. */
  readonly interactive: boolean;
  /** Whether standard output shows colours. */
  readonly colored: boolean;
}

/** Done; failed, or not as it should be; wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** One line that is written over and over, and gone at the end. Nobody but a person at a terminal sees it. */
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

  /** For work that tells the fraction done. */
  percent(text: string): (fraction: number) => void {
    return (fraction) => this.show(`${text} … ${Math.round(100 * fraction)} %`);
  }

  clear(): void {
    if (this.#visible) this.#terminal.note('\r\u001b[K');
  }
}
