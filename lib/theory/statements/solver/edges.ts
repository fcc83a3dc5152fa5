/** The statement that the gradient on sampled edges is that of f2 on average. Checked over all pairs of edges. */

import type { Formulas } from '../../instances/formulas.ts';
import { gradientOf, norm, normalRows } from '../../instances/landscape.ts';
import type { SmallPencil } from '../../instances/small-pencil.ts';
import type { PencilCheck } from '../../instances/statement.ts';

export const edgeGradientUnbiased: PencilCheck = {
  about: 'pencils',
  check({ pencil, whole, ofGraph, components: width, random }, formulas) {
    if (!ofGraph) return null;
    const graph = whole ?? pencil;
    const z = normalRows(random, pencil, width, 1);
    const exact = gradientOf(pencil, width, z, formulas);
    const average = averageGradient(graph, width, z, whole !== null, formulas);
    const difference = norm(average.map((entry, p) => entry - exact[p]));
    return { findings: [{ what: 'average minus ∇f2, relative', measured: difference / norm(exact), bound: 1e-11 }] };
  },
};

/** The average over all pairs of entries of W, each entry with the probability W_ij/volume. */
function averageGradient(
  { size, weights, mass }: SmallPencil,
  width: number,
  z: Float64Array,
  deflate: boolean,
  { edges }: Formulas,
): Float64Array {
  const volume = mass.reduce((sum, degree) => sum + degree, 0);
  // The rows f = (√volume/n)·Y = √volume·Z of the two ends of each entry.
  const unit = Math.sqrt(volume);
  const entries = Array.from(weights, (weight, p) => ({
    ends: [Math.floor(p / size), p % size],
    probability: weight / volume,
  })).filter(({ probability }) => probability > 0);
  const average = new Float64Array(z.length);
  const [rows, out] = [new Float64Array(4 * width), new Float64Array(4 * width)];
  for (const first of entries) {
    for (const second of entries) {
      const places = [...first.ends, ...second.ends];
      for (const [p, node] of places.entries()) {
        for (let k = 0; k < width; k++) rows[p * width + k] = unit * z[node * width + k];
      }
      edges(4, width, deflate, rows, out);
      const weight = first.probability * second.probability * unit;
      for (const [p, node] of places.entries()) {
        for (let k = 0; k < width; k++) average[node * width + k] += weight * out[p * width + k];
      }
    }
  }
  return average;
}
