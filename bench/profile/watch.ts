/** Where does the time go? Functions are replaced by ones that look at the clock when they begin and when they end. */

// oxlint-disable-next-line no-explicit-any -- functions of every kind are watched
type AnyFunction = (this: any, ...operands: any[]) => unknown;

/** The part that a call belongs to, by its operands and by the part it is made in; null for that part itself. */
export type PartOf = (operands: readonly unknown[], within: string) => string | null;

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

  /** Replaces holder[name]. Until `start` that costs a call and nothing else. */
  over<Name extends PropertyKey>(holder: { [name in Name]: unknown }, name: Name, part: string | PartOf): void {
    holder[name] = this.watched(holder[name] as AnyFunction, part);
  }

  watched<F extends AnyFunction>(inner: F, part: string | PartOf): F {
    // oxlint-disable-next-line typescript/no-this-alias -- the function's own `this` is handed on
    const watch = this;
    return function (this: unknown, ...operands: unknown[]): unknown {
      if (!watch.#isOn) return inner.apply(this, operands);
      const within = watch.#inside[watch.#inside.length - 1];
      watch.#enter(typeof part === 'string' ? part : (part(operands, within) ?? within));
      try {
        return inner.apply(this, operands);
      } finally {
        watch.#leave();
      }
    } as F;
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
