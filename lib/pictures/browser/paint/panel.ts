/** One scatter plot on the canvas: where it lies, and how it maps coordinates to pixels. */

/** A rectangle in CSS pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A point v is moved and scaled to p = (v − center)·scale, from −1 to 1 across the panel, then rotated, then placed at
 * (rotation·p)·zoom + pan, where −1 is the left or the lower edge and 1 the opposite one.
 */
export interface Panel extends Box {
  /** The columns along the horizontal axis, the vertical axis and into the depth. */
  readonly columns: readonly [x: number, y: number, z: number];
  readonly center: readonly [number, number, number];
  readonly scale: readonly [number, number, number];
  /** 3×3, row-major. */
  readonly rotation: Float32Array;
  readonly zoom: readonly [number, number];
  readonly pan: readonly [number, number];
  /** Whether nearer points cover farther ones. */
  readonly isSpatial: boolean;
}

/** A linear function of the three coordinates: constant + x·v₀ + y·v₁ + z·v₂. */
export type Affine = readonly [constant: number, x: number, y: number, z: number];

/** The map of a panel to CSS pixels from the left and from the top, and to the depth, which is larger for nearer points. */
export function mapOf(panel: Panel): { left: Affine; top: Affine; depth: Affine } {
  const { center, scale, rotation: r, zoom, pan, width, height } = panel;
  const row = (first: number, factor: number, constant: number): Affine => {
    const [x, y, z] = [0, 1, 2].map((axis) => r[first + axis] * scale[axis] * factor);
    return [constant - x * center[0] - y * center[1] - z * center[2], x, y, z];
  };
  return {
    left: row(0, (zoom[0] * width) / 2, panel.left + (0.5 + 0.5 * pan[0]) * width),
    top: row(3, (-zoom[1] * height) / 2, panel.top + (0.5 - 0.5 * pan[1]) * height),
    depth: row(6, 1, 0),
  };
}

/** The position of a point in CSS pixels. */
export function positionOf(panel: Panel, x: number, y: number, z: number): [left: number, top: number] {
  const { left, top } = mapOf(panel);
  const at = ([constant, a, b, c]: Affine): number => constant + a * x + b * y + c * z;
  return [at(left), at(top)];
}

/** Whether a position lies inside of the box. */
export function isInside({ left, top, width, height }: Box, x: number, y: number): boolean {
  return x >= left && y >= top && x <= left + width && y <= top + height;
}

/** The index of the visible point nearest to a position, or −1 if none is within `reach` pixels. */
export function nearestPoint(
  panel: Panel,
  columns: readonly Float32Array[],
  isHidden: (index: number) => boolean,
  [left, top]: readonly [number, number],
  reach: number,
): number {
  const [xs, ys, zs] = panel.columns.map((column) => columns[column]);
  const map = mapOf(panel);
  const [x0, x1, x2, x3] = map.left;
  const [y0, y1, y2, y3] = map.top;
  let [best, nearest] = [-1, reach * reach];
  for (let i = 0; i < xs.length; i++) {
    const x = x0 + x1 * xs[i] + x2 * ys[i] + x3 * zs[i] - left;
    const y = y0 + y1 * xs[i] + y2 * ys[i] + y3 * zs[i] - top;
    const distance = x * x + y * y;
    if (distance > nearest || isHidden(i)) continue;
    best = i;
    nearest = distance;
  }
  return best;
}
