/** How is a path written in few characters? In whole tenths of a unit, each step from the place before. */

export type Point = readonly [x: number, y: number];

/** What a path of these units needs around it; widths and dashes in it are in tenths too. */
export const tenths = 'transform="scale(.1)"';

/** Lines from point to point, with a gap at a point that is not finite. */
export function lineThrough(points: readonly Point[]): string {
  const pen = new Pen();
  let text = '';
  let broken = true;
  for (const point of points) {
    const shown = point.every(Number.isFinite);
    if (shown) text += pen.to(broken ? 'm' : 'l', point);
    broken = !shown;
  }
  return text;
}

/** A round dot at each, by strokes of no length; their order does not matter, and sorted the steps are short. */
export function dotsAt(points: readonly Point[]): string {
  const pen = new Pen();
  const sorted = points.filter((point) => point.every(Number.isFinite)).toSorted(([a], [b]) => a - b);
  return sorted.map((point) => `${pen.to('m', point)}h0`).join('');
}

/** Upright lines. */
export function uprightsAt(bars: readonly (readonly [x: number, from: number, to: number])[]): string {
  const pen = new Pen();
  return bars.map(([x, from, to]) => pen.to('m', [x, from]) + pen.to('l', [x, to])).join('');
}

/** Knows where it is: rounding errors do not add up. */
class Pen {
  #x = 0;
  #y = 0;

  to(command: 'm' | 'l', [x, y]: Point): string {
    const [left, up] = [Math.round(10 * x), Math.round(10 * y)];
    const [dx, dy] = [left - this.#x, up - this.#y];
    [this.#x, this.#y] = [left, up];
    return `${command}${dx}${dy < 0 ? '' : ' '}${dy}`;
  }
}
