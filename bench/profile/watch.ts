/** A watch that charges time to parts: it wraps functions so that they read the clock when they begin and when they end. */

/** What is in no watched function. */
export const rest = 'rest';

/**
 * Time in a watched function that another one calls counts for the inner one alone, so that all parts add up to what
 * passed between `start` and `stop`.
 */
export class Watch {
  readonly #clock: () => number;
  #times = new Map<string, number>();
  readonly #inside: string[] = [rest];
  #isOn = false;
  #last = 0;

  constructor(clock = (): number => performance.now()) {
    this.#clock = clock;
  }

  /** The same function under a clock. Until `start` that costs a call and nothing else. */
  watched<A extends unknown[], R>(inner: (...operands: A) => R, part: string): (...operands: A) => R {
    return (...operands) => {
      if (!this.#isOn) return inner(...operands);
      this.#enter(part);
      try {
        return inner(...operands);
      } finally {
        this.#leave();
      }
    };
  }

  start(): void {
    this.#times = new Map();
    this.#isOn = true;
    this.#last = this.#clock();
  }

  /** By part, what passed since `start`, in units of the clock. */
  stop(): ReadonlyMap<string, number> {
    this.#charge();
    this.#isOn = false;
    return this.#times;
  }

  #enter(part: string): void {
    this.#charge();
    this.#inside.push(part);
  }

  #leave(): void {
    this.#charge();
    this.#inside.pop();
  }

  /** What passed since the last look at the clock belongs to the innermost function. */
  #charge(): void {
    const now = this.#clock();
    const part = this.#inside[this.#inside.length - 1];
    this.#times.set(part, (this.#times.get(part) ?? 0) + now - this.#last);
    this.#last = now;
  }
}
