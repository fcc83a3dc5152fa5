/** The statement on the second derivative of f2 along a direction, with the powers of n corrected. */

import { reduceKernels } from '../../../wasm/families.ts';
import type { PencilCheck } from '../../instances/statement.ts';
import {
  curvature,
  exactDerivatives,
  gradientOf,
  hessianOf,
  normalRows,
  stationaryPoint,
} from '../../instances/landscape.ts';
import { completeGraph, eigenpairs, gramOf, type SmallPencil, timesWeights } from '../../instances/small-pencil.ts';

export const hessianForm: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const n = pencil.size;
    // Rows of Y and of the direction S are scaled as in the theory: n times those of Z.
    const [y, s] = [normalRows(random, pencil, width, n), normalRows(random, pencil, width, n)];
    const along = (t: number): Float64Array => y.map((entry, p) => entry + t * s[p]);
    const { second } = exactDerivatives((t) => valueInY(pencil, width, along(t)), 0.5);
    // The gradient of the solver is n times the derivative of f2.
    const slopeAt = (t: number): number =>
      reduceKernels().dot(s.length, gradientOf(pencil, width, along(t), formulas, n), s) / n;
    const fromGradient = exactDerivatives(slopeAt, 0.5).first;
    const form = correctedForm(pencil, width, y, s);
    const scale =
      Math.abs(second) + Math.abs(valueInY(pencil, width, along(1))) + Math.abs(valueInY(pencil, width, along(-1)));
    return {
      findings: [
        {
          what: 'the form minus the second derivative of f2, relative',
          measured: Math.abs(form - second) / scale,
          bound: 1e-10,
        },
        {
          what: 'the form minus the derivative of the solver’s gradient, relative',
          measured: Math.abs(form - fromGradient) / scale,
          bound: 1e-10,
        },
        {
          what: 'the form minus that of the Hessian matrix at Z = Y/n, relative',
          measured: Math.abs(form - curvature(hessianOf(pencil, width, divided(n, y)), divided(n, s))) / scale,
          bound: 1e-10,
        },
      ],
      printed: [
        {
          what: 'the printed form minus the second derivative, relative',
          measured: Math.abs(printedForm(pencil, width, y, s) - second) / scale,
          bound: 1e-10,
        },
      ],
    };
  },
  refute() {
    for (let size = 2; size <= 6; size++) {
      const pencil = completeGraph(size);
      const pairs = eigenpairs(pencil);
      // At the minimizer for K = 1, along itself, the second derivative is 8λ₁².
      const y = stationaryPoint(pencil, pairs, [0], 1).map((entry) => size * entry);
      const stretched = (t: number): Float64Array => y.map((entry) => (1 + t) * entry);
      const { second } = exactDerivatives((t) => valueInY(pencil, 1, stretched(t)), 0.5);
      const measured = Math.abs(printedForm(pencil, 1, y, y) - second);
      if (measured <= 1e-10) continue;
      return [
        {
          what: `complete graph of ${size} nodes, K = 1, at the minimizer along itself: printed minus true`,
          measured,
          bound: 1e-10,
          pencil,
        },
      ];
    }
    return [];
  },
};

/** f2(Y) = n⁻²·tr(−2YᵀWY + n⁻²(YᵀDY)²). */
function valueInY(pencil: SmallPencil, width: number, y: Float64Array): number {
  const gram = gramOf(pencil, width, y);
  const n = pencil.size;
  const affinity = reduceKernels().dot(y.length, y, timesWeights(pencil, width, y));
  return (reduceKernels().dot(gram.length, gram, gram) / n ** 2 - 2 * affinity) / n ** 2;
}

/** tr SᵀWS, and tr SᵀDS·YᵀDY + tr SᵀDY·SᵀDY + tr SᵀDY·YᵀDS. */
function traces(pencil: SmallPencil, width: number, y: Float64Array, s: Float64Array) {
  const affinity = reduceKernels().dot(s.length, s, timesWeights(pencil, width, s));
  const [gramS, gramY] = [gramOf(pencil, width, s), gramOf(pencil, width, y)];
  const mixed = new Float64Array(width * width);
  reduceKernels().gram(pencil.size, width, width, pencil.mass, s, y, mixed);
  let quartic = 0;
  for (let k = 0; k < width; k++) {
    for (let l = 0; l < width; l++) {
      const [p, transposed] = [k * width + l, l * width + k];
      quartic += gramS[p] * gramY[transposed] + mixed[p] * mixed[transposed] + mixed[p] ** 2;
    }
  }
  return { affinity, quartic };
}

function correctedForm(pencil: SmallPencil, width: number, y: Float64Array, s: Float64Array): number {
  const { affinity, quartic } = traces(pencil, width, y, s);
  const n = pencil.size;
  return n ** -2 * (-4 * affinity + 4 * n ** -2 * quartic);
}

/** The form as the paper displays it: with W/n and D/n everywhere. */
function printedForm(pencil: SmallPencil, width: number, y: Float64Array, s: Float64Array): number {
  const { affinity, quartic } = traces(pencil, width, y, s);
  const n = pencil.size;
  return (-4 * affinity) / n + (4 * quartic) / n ** 2;
}

function divided(n: number, y: Float64Array): Float64Array {
  return y.map((entry) => entry / n);
}
