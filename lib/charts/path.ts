/** How is a path written in few characters? In whole tenths of a unit, each step from the place before. */

export type Point = readonly [x: number, y: number];

/** What a path of these units needs around it; widths and dashes in it are in tenths too. */
export const tenths = 'transform="scale(.1)"';

/** Lines from point to point, with a gap at a point that is not finite. */
export function lineThrough(points: readonly Point[]): string {
  const pen = new Pen();
  const pieces: Point[][] = [[]];
  for (const point of points) {
    if (point.every(Number.isFinite)) pieces.at(-1)!.push(point);
    else pieces.push([]);
  }
  return pieces
    .map((piece) =>
      bends(piece)
        .map((point, i) => pen.to(i === 0 ? 'm' : 'l', point))
        .join(''),
    )
    .join('');
}

/** How far a line may miss a point that is left out: less than one sees. */
const unseen = 0.2;

/** The ends, and between them what is not on the line through the others, by the way of Douglas and Peucker. */
function bends(points: readonly Point[]): readonly Point[] {
  if (points.length < 3) return points;
  const [[x, y], [endX, endY]] = [points[0], points.at(-1)!];
  const [dx, dy] = [endX - x, endY - y];
  const length = Math.hypot(dx, dy);
  // From a place to itself, as a band ends, there is no line: then from the place.
  const away = ([a, b]: Point): number =>
    length > 0 ? Math.abs(dx * (b - y) - dy * (a - x)) / length : Math.hypot(a - x, b - y);
  let [farthest, at] = [unseen, 0];
  for (const [i, point] of points.entries()) {
    const distance = away(point);
    if (distance > farthest) [farthest, at] = [distance, i];
  }
  if (at === 0) return [points[0], points.at(-1)!];
  return [...bends(points.slice(0, at + 1)), ...bends(points.slice(at)).slice(1)];
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
