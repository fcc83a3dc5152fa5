/** The statement that corrected moments are unbiased, and that their variance vanishes with the changes. Checked over all batches. */

import { fromDense } from '../../../sparse/build.ts';
import { NeighborUnion } from '../../../sparse/slices/neighbor-union.ts';
import type { CsrMatrix } from '../../../sparse/csr.ts';
import { measureAll, type Moments, zeroMoments } from '../../../spectral/descent/moments.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Formulas } from '../../instances/formulas.ts';
import { normalRows, subsets } from '../../instances/landscape.ts';
import { type SmallPencil, viewOf } from '../../instances/small-pencil.ts';
import type { PencilCheck } from '../../instances/statement.ts';

/** How far the rows have moved since they were recorded, relative to their size. */
const changes = [0.01, 0.001] as const;
const batchSizes = [1, 2] as const;

export const correctedUnbiased: PencilCheck = {
  about: 'pencils',
  check({ pencil, components: width, random }, formulas) {
    const { size } = pencil;
    const weights = fromDense(new Tensor(pencil.weights, [size, size]));
    const now = normalRows(random, pencil, width, 1);
    const moved = normalRows(random, pencil, width, 1);
    const exact = momentsOf(pencil, width, now).gram;
    const scale = Math.max(...exact.map(Math.abs));
    const rounding = (1e-10 * scale) ** 2; // the variance of rounding, if every batch sees all rows
    const records = [...changes.map((change) => now.map((entry, p) => entry - change * moved[p])), now.map(() => 0)];
    const found = batchSizes
      .filter((batch) => batch <= size)
      .map((batch) => {
        const [larger, smaller, empty] = records.map((before) =>
          spread(estimates(pencil, weights, width, before, now, batch, formulas), exact),
        );
        return {
          findings: [
            { what: `average minus YᵀDY, b = ${batch}`, measured: empty.bias / scale, bound: 1e-12 },
            {
              what: `variance ratio for a tenth of the change, b = ${batch}`,
              measured: smaller.variance / (larger.variance + rounding),
              bound: 0.02,
            },
          ],
          note: {
            what: `variance relative to that without a record, b = ${batch}`,
            value: larger.variance / (empty.variance + rounding),
          },
        };
      });
    return { findings: found.flatMap(({ findings }) => findings), notes: found.map(({ note }) => note) };
  },
};

function momentsOf({ size, mass }: SmallPencil, width: number, y: Float64Array): Moments {
  const moments = zeroMoments(width);
  measureAll({ size, mass, eta: null }, y, moments);
  return moments;
}

/** For each batch, the estimate of YᵀDY of the rows `now`, from a record of the rows `before`. */
function estimates(
  pencil: SmallPencil,
  weights: CsrMatrix,
  width: number,
  before: Float64Array,
  now: Float64Array,
  batch: number,
  { corrected }: Formulas,
): Float64Array[] {
  const { size, mass } = pencil;
  const union = new NeighborUnion(weights);
  return subsets(size, batch)
    .filter((rows) => rows.length === batch)
    .map((rows) => {
      const support = union.of(Int32Array.from(rows)).slice();
      const data = rowsAt(support, width, now);
      const table = new Tensor(before.slice(), [size, width]);
      const source = corrected(momentsOf(pencil, width, before), table, { weights, mass, eta: null });
      const view = { ...viewOf(pencil, Int32Array.from(rows), size), support };
      return source.update(view, { count: support.length, data, factor: null }).gram.slice();
    });
}

function rowsAt(rows: Int32Array, width: number, y: Float64Array): Float64Array {
  return Float64Array.from(
    { length: rows.length * width },
    (_, p) => y[rows[Math.floor(p / width)] * width + (p % width)],
  );
}

/** The largest error of the average, and the sum over all entries of the mean squared error. */
function spread(all: readonly Float64Array[], exact: Float64Array): { bias: number; variance: number } {
  const average = exact.map((_, k) => all.reduce((sum, found) => sum + found[k], 0) / all.length);
  const squares = all.map((found) => found.reduce((sum, entry, k) => sum + (entry - exact[k]) ** 2, 0));
  return {
    bias: Math.max(...average.map((entry, k) => Math.abs(entry - exact[k]))),
    variance: squares.reduce((sum, square) => sum + square, 0) / all.length,
  };
}
