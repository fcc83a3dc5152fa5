/** How does a picture keep up with points that move? It grows at once with those that would leave it, and shrinks late and slowly. */

import { type Bounds, boundsOf } from './view.ts';

/** In shares of the width that is needed, or of what is missing; and in frames. */
const habits = { slack: 0.06, tooMuch: 0.25, patience: 12, haste: 0.12, close: 0.02, marksReach: 1 };

/** Bounds on the way from some to others. Points that go the same way are never outside of them. */
export function mixBounds(before: Bounds, after: Bounds, share: number): Bounds {
  const mix = (a: Bounds['middle'], b: Bounds['middle']): [number, number, number] => [
    a[0] + share * (b[0] - a[0]),
    a[1] + share * (b[1] - a[1]),
    a[2] + share * (b[2] - a[2]),
  ];
  return { middle: mix(before.middle, after.middle), reach: mix(before.reach, after.reach) };
}

/** One end of one axis, outward counted as positive. */
interface Side {
  at: number;
  /** Frames for which much less would have been enough. */
  roomy: number;
  shrinks: boolean;
}

export class Following {
  readonly #home: Bounds;
  /** Left, right, bottom, top. */
  readonly #sides: Side[];

  /** `home` is always within. */
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

  /** Whether much less would be enough for what it has seen last. */
  get isRoomy(): boolean {
    return this.#sides.some(({ roomy }) => roomy > 0);
  }

  /** What to show when nothing moves any more: no more than is needed. */
  rest(places: Float32Array, marks: Float32Array): Bounds {
    for (const state of this.#sides) Object.assign(state, { at: -Infinity });
    return this.next(places, marks);
  }

  /** What to show when the points are there, three numbers each. Marks are followed too, unless they are far away. */
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

/** No farther than so many widths of the points: else those would shrink to a dot. */
function withMarks(points: readonly number[], marks: readonly number[]): number[] {
  return points.map((at, side) => {
    const most = at + habits.marksReach * (at + points[side ^ 1]);
    return Math.max(at, Math.min(most, marks[side]));
  });
}
