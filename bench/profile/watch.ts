/** A stopwatch that charges time to parts. It wraps functions so that they read the clock at their start and end. */

/** The name of the time outside all watched functions. */
export const rest = 'rest';

/**
 * If one watched function calls another, the time of the inner one counts for the inner one alone. So all parts add up
 * to the time between `start` and `stop`.
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

  /** The same function, timed. Before `start` it costs one extra call and nothing else. */
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

  /** The time since `start` by part, in units of the clock. */
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

  /** Charges the time since the last reading of the clock to the innermost function. */
  #charge(): void {
    const now = this.#clock();
    const part = this.#inside[this.#inside.length - 1];
    this.#times.set(part, (this.#times.get(part) ?? 0) + now - this.#last);
    this.#last = now;
  }
}
