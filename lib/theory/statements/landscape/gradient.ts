/** The statement that the gradient of the solver is the derivative of f2. */

import { exactDerivatives, gradientOf, norm, normalRows, valueOf } from '../../instances/landscape.ts';
import type { PencilCheck } from '../../instances/statement.ts';

export const gradient: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const { size, mass } = pencil;
    const z = normalRows(random, pencil, width, 1);
    const found = gradientOf(pencil, width, z, formulas);
    const h = 0.5 / Math.sqrt(Math.max(...mass));
    const scale = norm(found) + Math.abs(valueOf(pencil, width, z)) / h;
    let largestError = 0;
    for (let p = 0; p < z.length; p++) {
      const moved = z.slice();
      const at = (t: number): number => {
        moved[p] = z[p] + t;
        return valueOf(pencil, width, moved);
      };
      largestError = Math.max(largestError, Math.abs(exactDerivatives(at, h).first - found[p]));
    }
    // The same in the solver's scale, Y = nZ: n times the derivative of f2(Y) = F(Y/n) is ∇F(Z).
    const y = z.map((entry) => size * entry);
    const gradientInY = gradientOf(pencil, width, y, formulas, size);
    return {
      findings: [
        { what: 'difference to the derivative of F, relative', measured: largestError / scale, bound: 1e-10 },
        {
          what: 'difference between the scales of Y and of Z, relative',
          measured: norm(gradientInY.map((entry, p) => entry - found[p])) / scale,
          bound: 1e-12,
        },
      ],
    };
  },
};
