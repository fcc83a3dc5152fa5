/** The minimum of a quartic: a root of its derivative, a cubic, whose roots have a closed form. */

/** Newton steps that restore the digits which the closed form loses by cancellation. */
const polishing = 4;

/** The t that minimizes c1·t + c2·t² + c3·t³ + c4·t⁴, for c4 > 0, or c4 = c3 = 0 < c2; 0 where no t makes it negative. */
export function minimizeQuartic(c1: number, c2: number, c3: number, c4: number): number {
  const value = (t: number): number => t * (c1 + t * (c2 + t * (c3 + t * c4)));
  let best = 0;
  for (const start of [...cubicRoots(4 * c4, 3 * c3, 2 * c2, c1), -c1 / (2 * c2)]) {
    let t = start;
    for (let step = 0; step < polishing; step++) {
      const slope = c1 + t * (2 * c2 + t * (3 * c3 + t * 4 * c4));
      const curvature = 2 * c2 + t * (6 * c3 + t * 12 * c4);
      if (curvature > 0) t -= slope / curvature;
    }
    if (value(t) < value(best)) best = t;
  }
  return best;
}

/** Real roots of a·t³ + b·t² + c·t + d (Cardano, and Viète where there are three); none for a = 0. */
export function cubicRoots(a: number, b: number, c: number, d: number): number[] {
  if (a === 0) return [];
  const shift = b / (3 * a);
  const q = c / (3 * a) - shift * shift;
  const r = (shift * c - d) / (2 * a) - shift ** 3;
  const discriminant = q ** 3 + r * r;
  if (discriminant > 0) {
    const root = Math.sqrt(discriminant);
    // The larger of the two cube roots; the other is −q over it, without a difference of nearly equal numbers.
    const u = Math.cbrt(r + (r < 0 ? -root : root));
    return [u - q / u - shift];
  }
  if (q === 0) return [-shift];
  const radius = 2 * Math.sqrt(-q);
  const angle = Math.acos(Math.max(-1, Math.min(1, r / Math.sqrt(-(q ** 3))))) / 3;
  return [0, 1, 2].map((k) => radius * Math.cos(angle + (2 * Math.PI * k) / 3) - shift);
}
