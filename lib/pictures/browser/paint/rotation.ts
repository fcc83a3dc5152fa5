/** Rotations of points in space, by two angles. */

/** Two angles in radians: around the vertical axis, then upward. */
export interface RotationAngles {
  readonly around: number;
  readonly up: number;
}

/** The matrix of a rotation, 3×3, row-major. */
export function rotationOf({ around, up }: RotationAngles): Float32Array {
  const [ca, sa, cu, su] = [Math.cos(around), Math.sin(around), Math.cos(up), Math.sin(up)];
  return Float32Array.of(ca, 0, sa, su * sa, cu, -su * ca, -cu * sa, su, cu * ca);
}
