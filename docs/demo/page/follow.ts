/** The bounds of a picture whose points move. They grow at once when points would leave it, and shrink late and slowly. */

import { type Bounds, boundsOf } from './view.ts';

/** Fractions of the needed width or of the remaining distance; `patience` is in frames. */
const habits = { slack: 0.06, tooMuch: 0.25, patience: 12, haste: 0.12, close: 0.02, marksReach: 1 };

/** Interpolates bounds. Points that move along with them never leave them. */
export function mixBounds(before: Bounds, after: Bounds, fraction: number): Bounds {
  const mix = (a: Bounds['middle'], b: Bounds['middle']): [number, number, number] => [
    a[0] + fraction * (b[0] - a[0]),
    a[1] + fraction * (b[1] - a[1]),
    a[2] + fraction * (b[2] - a[2]),
  ];
  return { middle: mix(before.middle, after.middle), reach: mix(before.reach, after.reach) };
}

/** One end of one axis. Outward is positive. */
interface Side {
  at: number;
  /** The number of successive frames that needed much less room. */
  roomy: number;
  shrinks: boolean;
}

export class Following {
  readonly #home: Bounds;
  /** Left, right, bottom, top. */
  readonly #sides: Side[];

  /** `home` is always inside the bounds. */
  constructor(home: Bounds) {
    this.#home = home;
    this.#sides = sidesOf(home).map((at) => ({ at, roomy: 0, shrinks: false }));
  }

  get bounds(): Bounds {
    const [left, right, bottom, top] = this.#sides.map(({ at }) => at);
    return {
      middle: [(right - left) / 2, (top - bottom) / 2, 0],
      reach: [(right + left) / 2, (top + bottom) / 2, 1],
    };
  }

  /** Whether the last frame needed much less room. */
  get isRoomy(): boolean {
    return this.#sides.some(({ roomy }) => roomy > 0);
  }

  /** The bounds once nothing moves anymore: no larger than needed. */
  rest(places: Float32Array, marks: Float32Array): Bounds {
    for (const state of this.#sides) Object.assign(state, { at: -Infinity });
    return this.next(places, marks);
  }

  /** The bounds for points at `places`, three numbers each. Marks are included unless they are far away. */
  next(places: Float32Array, marks: Float32Array): Bounds {
    const home = sidesOf(this.#home);
    const points = places.length > 0 ? sidesOf(boundsOf(places)) : home;
    const needed = points.map((at, side) => Math.max(at, home[side]));
    if (!needed.every(Number.isFinite)) return this.bounds;
    const wanted = marks.length > 0 ? withMarks(needed, sidesOf(boundsOf(marks))) : needed;
    for (const [side, state] of this.#sides.entries()) {
      const width = wanted[side] + wanted[side ^ 1];
      move(state, wanted[side], wanted[side] + habits.slack * width, width);
    }
    return this.bounds;
  }
}

function move(state: Side, needed: number, wanted: number, width: number): void {
  const { tooMuch, patience, haste, close } = habits;
  if (needed > state.at) {
    Object.assign(state, { at: wanted, roomy: 0, shrinks: false });
    return;
  }
  state.roomy = state.at - needed > tooMuch * width ? state.roomy + 1 : 0;
  if (state.roomy >= patience) state.shrinks = true;
  if (!state.shrinks) return;
  if (state.at - wanted > close * width) state.at -= haste * (state.at - wanted);
  else state.shrinks = false;
}

function sidesOf({ middle, reach }: Bounds): number[] {
  return [0, 1].flatMap((c) => [reach[c] - middle[c], reach[c] + middle[c]]);
}

/** Includes marks up to a limited distance, because otherwise the points would shrink to a dot. */
function withMarks(points: readonly number[], marks: readonly number[]): number[] {
  return points.map((at, side) => {
    const most = at + habits.marksReach * (at + points[side ^ 1]);
    return Math.max(at, Math.min(most, marks[side]));
  });
}
