/** Maps points to the pane, and positions on the pane to points. */

import { rotationOf, type RotationAngles } from '../../../lib/pictures/browser/paint/rotation.ts';
import type { Camera } from './painter.ts';

export interface Bounds {
  readonly middle: readonly [number, number, number];
  /** Half the extent of what is shown: horizontal, vertical and in depth. */
  readonly reach: readonly [number, number, number];
}

/** The bounds of places, three numbers each. */
export function boundsOf(places: Float32Array): Bounds {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < places.length; i++) {
    const c = i % 3;
    if (places[i] < low[c]) low[c] = places[i];
    if (places[i] > high[c]) high[c] = places[i];
  }
  const middle = [0, 1, 2].map((c) => (low[c] + high[c]) / 2) as [number, number, number];
  const reach = [0, 1, 2].map((c) => (high[c] - low[c]) / 2 || 1) as [number, number, number];
  return { middle, reach };
}

export const noRotation: RotationAngles = { around: 0, up: 0 };

/** `square`: the same scale horizontally and vertically, as for the original points. */
export function cameraOf(
  bounds: Bounds,
  angles: RotationAngles,
  aspect: number,
  square: boolean,
  spatial: boolean,
): Camera {
  const { middle, reach } = bounds;
  const margin = square || spatial ? 0.92 : 0.88;
  const radius = 0.8 * Math.hypot(...reach); // corners may leave the pane, points are rarely there
  const [across, up] = spatial ? [radius, radius] : reach;
  let scale: [number, number] = [margin / across, margin / up];
  if (square || spatial) {
    const least = Math.min(margin / (across / aspect), margin / up);
    scale = [least / aspect, least];
  }
  return { middle, rotation: rotationOf(angles), scale };
}

/** Three coordinates. */
type Place = [number, number, number];

/** From 0 to 1, measured from the left and from the top, and the depth. */
export function project({ middle, rotation, scale }: Camera, x: number, y: number, z: number): Place {
  const [a, b, c] = [x - middle[0], y - middle[1], z - middle[2]];
  const across = rotation[0] * a + rotation[1] * b + rotation[2] * c;
  const up = rotation[3] * a + rotation[4] * b + rotation[5] * c;
  const depth = rotation[6] * a + rotation[7] * b + rotation[8] * c;
  return [0.5 + 0.5 * across * scale[0], 0.5 - 0.5 * up * scale[1], depth];
}

/** The place that is drawn at this position, at the given depth. */
export function unproject({ middle, rotation, scale }: Camera, left: number, top: number, depth: number): Place {
  const [across, up] = [(2 * left - 1) / scale[0], (1 - 2 * top) / scale[1]];
  const at = (c: 0 | 1 | 2): number =>
    middle[c] + rotation[c] * across + rotation[3 + c] * up + rotation[6 + c] * depth;
  return [at(0), at(1), at(2)];
}

/** The nearest point on the pane, and its distance in pixels. */
export function nearest(
  camera: Camera,
  places: Float32Array,
  [left, top]: readonly [number, number],
  [width, height]: readonly [number, number],
): { index: number; distance: number; depth: number } {
  let best = { index: -1, distance: Infinity, depth: 0 };
  for (let i = 0; i < places.length; i += 3) {
    const [x, y, depth] = project(camera, places[i], places[i + 1], places[i + 2]);
    const distance = Math.hypot((x - left) * width, (y - top) * height);
    if (distance < best.distance) best = { index: i / 3, distance, depth };
  }
  return best;
}
