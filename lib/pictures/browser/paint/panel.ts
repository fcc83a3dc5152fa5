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

/** The position of a point in CSS pixels. */
export function positionOf(panel: Panel, x: number, y: number, z: number): [left: number, top: number] {
  const { center, scale, rotation: r, zoom, pan, left, top, width, height } = panel;
  const [a, b, c] = [(x - center[0]) * scale[0], (y - center[1]) * scale[1], (z - center[2]) * scale[2]];
  const across = (r[0] * a + r[1] * b + r[2] * c) * zoom[0] + pan[0];
  const up = (r[3] * a + r[4] * b + r[5] * c) * zoom[1] + pan[1];
  return [left + (0.5 + 0.5 * across) * width, top + (0.5 - 0.5 * up) * height];
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
  // The map to pixels is affine: three unit steps from the center give its matrix.
  const [cx, cy, cz] = panel.center;
  const [originX, originY] = positionOf(panel, cx, cy, cz);
  const steps = [
    positionOf(panel, cx + 1, cy, cz),
    positionOf(panel, cx, cy + 1, cz),
    positionOf(panel, cx, cy, cz + 1),
  ];
  const [ax, bx, dx] = steps.map(([x]) => x - originX);
  const [ay, by, dy] = steps.map(([, y]) => y - originY);
  const [offsetX, offsetY] = [originX - left, originY - top];
  let [best, nearest] = [-1, reach * reach];
  for (let i = 0; i < xs.length; i++) {
    const a = xs[i] - cx;
    const b = ys[i] - cy;
    const c = zs[i] - cz;
    const x = offsetX + ax * a + bx * b + dx * c;
    const y = offsetY + ay * a + by * b + dy * c;
    const distance = x * x + y * y;
    if (distance > nearest || isHidden(i)) continue;
    best = i;
    nearest = distance;
  }
  return best;
}
