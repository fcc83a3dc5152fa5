/** Shapes of matrices for the loops of specs. */

/** `shapes('3×1', '10×2')` is [[3, 1], [10, 2]]. */
export function shapes(...texts: `${number}×${number}`[]): [rows: number, cols: number][] {
  return texts.map((text) => text.split('×').map(Number) as [number, number]);
}
