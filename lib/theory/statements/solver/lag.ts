/** The statement on how far tracked moments lag behind rows that all move, as the outputs of a network do. */

import { fromDense } from '../../../sparse/build.ts';
import { everyIndex } from '../../../sparse/indices.ts';
import { NeighborUnion } from '../../../sparse/slices/neighbor-union.ts';
import { inclusionIn } from '../../../spectral/descent/inclusion.ts';
import { measureAll, type Moments, zeroMoments } from '../../../spectral/descent/moments.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Formulas } from '../../instances/formulas.ts';
import { normalRows, subsets } from '../../instances/landscape.ts';
import { type SmallPencil, viewOf } from '../../instances/small-pencil.ts';
import type { Note, PencilCheck } from '../../instances/statement.ts';

const batchSizes = [1, 2] as const;
const steps = 6;

export const trackedLag: PencilCheck = {
  about: 'pencils',
  check({ pencil, whole, ofGraph, components: width, random }, formulas) {
    if (!ofGraph) return null;
    const graph = whole ?? pencil;
    const [start, speed] = [normalRows(random, graph, width, 1), normalRows(random, graph, width, 1)];
    const found = batchSizes
      .filter((batch) => batch <= graph.size)
      .map((batch) => {
        const { difference, scale, note } = lagOf(graph, width, start, speed, batch, formulas);
        const what = `lag after ${steps} steps minus Σ η_j·speed_j·(1/π_j − 1)(1 − (1 − π_j)^${steps}), b = ${batch}`;
        return { finding: { what, measured: difference / scale, bound: 1e-11 }, note };
      });
    return { findings: found.map(({ finding }) => finding), notes: found.map(({ note }) => note) };
  },
};

/** The expected lag of ηᵀY by all sequences of batches, compared with the formula. */
function lagOf(
  graph: SmallPencil,
  width: number,
  start: Float64Array,
  speed: Float64Array,
  batch: number,
  formulas: Formulas,
): { difference: number; scale: number; note: Note } {
  const { size, mass } = graph;
  const weights = fromDense(new Tensor(graph.weights, [size, size]));
  const volume = mass.reduce((sum, degree) => sum + degree, 0);
  const eta = mass.map((degree) => degree / Math.sqrt(volume));
  const union = new NeighborUnion(weights);
  const supports = subsets(size, batch)
    .filter((rows) => rows.length === batch)
    .map((rows) => ({ rows: Int32Array.from(rows), support: union.of(Int32Array.from(rows)).slice() }));
  const at = (t: number): Float64Array => start.map((entry, p) => entry + t * speed[p]);
  const momentsOf = (rows: Float64Array): Moments => {
    const moments = zeroMoments(width);
    measureAll({ size, mass, eta }, rows, moments);
    return moments;
  };
  // ηᵀY and the table are linear in each other, so that the average table of a step is all that the next one needs.
  let table = start;
  let mean = new Float64Array(width);
  for (let t = 1; t <= steps; t++) {
    const now = at(t);
    const next = new Float64Array(table.length);
    mean = new Float64Array(width);
    const { gram, mean: trackedMean } = momentsOf(table);
    for (const { rows, support } of supports) {
      const rowsNow = new Tensor(table.slice(), [size, width]);
      const record = { gram: gram.slice(), mean: trackedMean.slice() };
      const data = new Float64Array(support.length * width);
      for (const [i, row] of support.entries()) data.set(now.subarray(row * width, (row + 1) * width), i * width);
      const source = formulas.tracked(record, rowsNow, { weights, mass, eta });
      const view = { ...viewOf(graph, rows, size), support };
      const moments = source.update(view, { count: support.length, data, factor: null });
      for (let k = 0; k < width; k++) mean[k] += moments.mean[k] / supports.length;
      for (let p = 0; p < next.length; p++) next[p] += rowsNow.data[p] / supports.length;
    }
    table = next;
  }
  const probabilities = inclusionIn(weights).at(batch, everyIndex(size));
  const ages = probabilities.map((seen) => (1 / seen - 1) * (1 - (1 - seen) ** steps));
  const { mean: expected } = momentsOf(speed.map((entry, p) => entry * ages[Math.floor(p / width)]));
  const { mean: exact } = momentsOf(at(steps));
  const moved = Math.max(...momentsOf(speed.map(Math.abs)).mean);
  const seen = supports.reduce((sum, { support }) => sum + support.length, 0) / supports.length;
  const age = probabilities.reduce((sum, one) => sum + 1 / one, 0) / size;
  return {
    difference: Math.max(...mean.map((entry, k) => Math.abs(exact[k] - entry - expected[k]))),
    scale: steps * moved,
    note: { what: `mean of 1/π over n/|N(B)|, b = ${batch}`, value: age / (size / seen) },
  };
}
