/** Where do names stand in a cloud, so that none hides another? */

import type { Point } from './path.ts';

export interface Room {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Middles of boxes of one size: where they are wanted, or at the nearest free place in the room. In their order. */
export function spreadOut(wanted: readonly Point[], [width, height]: Point, room: Room): Point[] {
  const placed: Point[] = [];
  const isFree = ([x, y]: Point): boolean =>
    x >= room.left + width / 2 &&
    x <= room.right - width / 2 &&
    y >= room.top + height / 2 &&
    y <= room.bottom - height / 2 &&
    placed.every(([a, b]) => Math.abs(x - a) >= width || Math.abs(y - b) >= height);
  for (const point of wanted) placed.push(nearby(point, Math.hypot(width, height)).find(isFree) ?? point);
  return placed;
}

const directions = 16;
const stride = 3;

/** A place and those around it, the nearest first, as far as so many names reach. */
function nearby([x, y]: Point, reach: number): Point[] {
  const rings = Array.from({ length: Math.ceil((4 * reach) / stride) }, (_, i) => (i + 1) * stride);
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
