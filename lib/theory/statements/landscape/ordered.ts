/** The statement on the stable points of ordered columns (TriOFM): the leading eigenvectors themselves, in order. */

import { symmetricEigen } from '../../../linalg/eigen.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Formulas } from '../../instances/formulas.ts';
import type { Instance } from '../../instances/instances.ts';
import { exactDerivatives, gradientOf, norm, selection } from '../../instances/landscape.ts';
import { type Eigenpairs, eigenpairs, normalized, type SmallPencil } from '../../instances/small-pencil.ts';
import type { PencilCheck } from '../../instances/statement.ts';

/** The number of points that are checked on each pencil. */
const points = 5;
/** Eigenvalues that differ by less count as equal, and then directions between them are neutral. */
const sameValue = 1e-6;

/** The eigenvector in each column, or null for a column of zeros. */
type Arrangement = readonly (number | null)[];

export const orderedColumns: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const unit = normalized(pencil);
    const pairs = eigenpairs(pencil);
    const scale = Math.max(1, Math.abs(pairs.values[0]));
    const ordered = { ...formulas, objective: formulas.ordered };
    const leading = arrangement(pairs, width, (k) => k);
    let [gradient, above, difference, misjudged] = [0, 0, 0, 0];
    for (let trial = 0; trial < points; trial++) {
      const chosen = trial === 0 ? leading : randomArrangement(random, pairs, width);
      const z = pointOf(unit, pairs, chosen);
      gradient = Math.max(gradient, norm(gradientOf(unit, width, z, ordered)) / scale ** 1.5);
      const { blocks, abovePart } = jacobian(unit, width, z, ordered);
      above = Math.max(above, abovePart / scale);
      const predicted = chosen.map((_, k) => growthRates(pairs, chosen, k));
      for (const [k, block] of blocks.entries()) {
        const found = symmetricEigen(block).values;
        const sorted = predicted[k].toSorted((a, b) => b - a);
        for (const [i, value] of found.entries()) {
          difference = Math.max(difference, Math.abs(value - sorted[i]) / scale);
        }
      }
      const isStable = predicted.every((rates) => Math.min(...rates) > sameValue);
      const isLeading = chosen.every((index, k) => index === leading[k] && index !== null);
      if (isSeparated(pairs, width) && isStable !== isLeading) misjudged++;
    }
    return {
      findings: [
        { what: 'direction at these points', measured: gradient, bound: 1e-10 },
        { what: 'derivative of a column by a later one', measured: above, bound: 1e-10 },
        { what: 'eigenvalues of the derivative minus the closed form', measured: difference, bound: 1e-9 },
        { what: 'stable points that are not the leading ones in order, or the reverse', measured: misjudged, bound: 0 },
      ],
    };
  },
};

/** Column k has the eigenvector `choose(k)`, or zeros if its eigenvalue is not positive. */
function arrangement({ values }: Eigenpairs, width: number, choose: (k: number) => number): Arrangement {
  return Array.from({ length: width }, (_, k) => (values[choose(k)] > sameValue ? choose(k) : null));
}

function randomArrangement(random: Instance['random'], pairs: Eigenpairs, width: number): Arrangement {
  const order = random.permutation(pairs.values.length);
  return arrangement(pairs, width, (k) => order[k]).map((index) => (random.uniform() < 0.2 ? null : index));
}

function pointOf(pencil: SmallPencil, pairs: Eigenpairs, chosen: Arrangement): Float64Array {
  const lengths = chosen.map((index) => (index === null ? 0 : Math.sqrt(pairs.values[index])));
  const columns = chosen.map((index) => index ?? 0);
  return selection(pencil, pairs, columns, lengths, chosen.length);
}

/** The derivative of column k by itself along each eigenvector: 8μ along its own, 4μ along earlier ones, 4(μ − λᵢ) along others. */
function growthRates({ values }: Eigenpairs, chosen: Arrangement, k: number): number[] {
  const own = chosen[k];
  const mu = own === null ? 0 : values[own];
  return Array.from(values, (value, i) => {
    if (i === own) return 8 * mu;
    return chosen.slice(0, k).includes(i) ? 4 * mu : 4 * (mu - value);
  });
}

/** Whether the leading eigenvalues are positive and apart from each other and from the next. */
function isSeparated({ values }: Eigenpairs, width: number): boolean {
  for (let k = 0; k < width; k++) {
    if (!(values[k] > 10 * sameValue)) return false;
    if (k + 1 < values.length && values[k] - values[k + 1] < 10 * sameValue) return false;
  }
  return true;
}

/** The blocks ∂g_k/∂x_k of the derivative, and its largest entry ∂g_k/∂x_l for l > k. */
function jacobian(
  pencil: SmallPencil,
  width: number,
  x: Float64Array,
  formulas: Formulas,
): { blocks: Tensor<Float64Array>[]; abovePart: number } {
  const { size } = pencil;
  const blocks = Array.from({ length: width }, () => new Tensor(new Float64Array(size * size), [size, size]));
  let abovePart = 0;
  for (let q = 0; q < x.length; q++) {
    const [column, l] = [Math.floor(q / width), q % width];
    const along = new Map<number, Float64Array>();
    const at = (t: number): Float64Array => {
      if (!along.has(t)) {
        const moved = x.slice();
        moved[q] += t;
        along.set(t, gradientOf(pencil, width, moved, formulas));
      }
      return along.get(t)!;
    };
    for (let p = 0; p < x.length; p++) {
      const [row, k] = [Math.floor(p / width), p % width];
      if (k > l) continue;
      const { first } = exactDerivatives((t) => at(t)[p], 0.5);
      if (k === l) blocks[k].data[row * size + column] = first;
      else abovePart = Math.max(abovePart, Math.abs(first));
    }
  }
  return { blocks, abovePart };
}
