/** Compact SVG paths: integers in tenths of a unit, relative to the previous point. */

export type Point = readonly [x: number, y: number];

/** The attribute that scales tenths to units. It applies to stroke widths and dashes as well. */
export const tenths = 'transform="scale(.1)"';

/** A polyline through the points, with a gap at points that are not finite. */
export function lineThrough(points: readonly Point[]): string {
  const pen = new Pen();
  const pieces: Point[][] = [[]];
  for (const point of points) {
    if (point.every(Number.isFinite)) pieces.at(-1)!.push(point);
    else pieces.push([]);
  }
  return pieces
    .map((piece) =>
      simplify(piece)
        .map((point, i) => pen.to(i === 0 ? 'm' : 'l', point))
        .join(''),
    )
    .join('');
}

/** The largest distance of an omitted point from the line, too small to be visible. */
const tolerance = 0.2;

/** Omits points that lie within the tolerance of the line, by the algorithm of Douglas and Peucker. */
function simplify(points: readonly Point[]): readonly Point[] {
  if (points.length < 3) return points;
  const [[x, y], [endX, endY]] = [points[0], points.at(-1)!];
  const [dx, dy] = [endX - x, endY - y];
  const length = Math.hypot(dx, dy);
  // If both ends coincide, as in a closed band, there is no line: use the distance from the end.
  const distanceOf = ([a, b]: Point): number =>
    length > 0 ? Math.abs(dx * (b - y) - dy * (a - x)) / length : Math.hypot(a - x, b - y);
  let [farthest, at] = [tolerance, 0];
  for (const [i, point] of points.entries()) {
    const distance = distanceOf(point);
    if (distance > farthest) [farthest, at] = [distance, i];
  }
  if (at === 0) return [points[0], points.at(-1)!];
  return [...simplify(points.slice(0, at + 1)), ...simplify(points.slice(at)).slice(1)];
}

/** Dots, as strokes of length zero with round caps. Their order does not matter; sorting keeps the steps short. */
export function dotsAt(points: readonly Point[]): string {
  const pen = new Pen();
  const sorted = points.filter((point) => point.every(Number.isFinite)).toSorted(([a], [b]) => a - b);
  return sorted.map((point) => `${pen.to('m', point)}h0`).join('');
}

/** Vertical lines. */
export function verticalLines(bars: readonly (readonly [x: number, from: number, to: number])[]): string {
  const pen = new Pen();
  return bars.map(([x, from, to]) => pen.to('m', [x, from]) + pen.to('l', [x, to])).join('');
}

/** Tracks the rounded position, so that rounding errors do not accumulate. */
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
