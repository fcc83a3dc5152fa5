/** Placement of labels in a scatter plot without overlaps. */

import type { Point } from './path.ts';

/** A rectangle of the page. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The centers of labels of equal size: each at its anchor, or at the nearest free position in the area. Placed in order. */
export function placeLabels(anchors: readonly Point[], [width, height]: Point, area: Area): Point[] {
  const placed: Point[] = [];
  const isFree = ([x, y]: Point): boolean =>
    x >= area.left + width / 2 &&
    x <= area.right - width / 2 &&
    y >= area.top + height / 2 &&
    y <= area.bottom - height / 2 &&
    placed.every(([a, b]) => Math.abs(x - a) >= width || Math.abs(y - b) >= height);
  for (const point of anchors) placed.push(candidatesNear(point, Math.hypot(width, height)).find(isFree) ?? point);
  return placed;
}

const directions = 16;
const stride = 3;

/** The point itself and points on circles around it, nearest first, up to four times the diagonal of a label. */
function candidatesNear([x, y]: Point, diagonal: number): Point[] {
  const rings = Array.from({ length: Math.ceil((4 * diagonal) / stride) }, (_, i) => (i + 1) * stride);
  return [
    [x, y],
    ...rings.flatMap((radius) =>
      Array.from({ length: directions }, (_, d): Point => {
        const angle = (2 * Math.PI * d) / directions;
        return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
      }),
    ),
  ];
}
