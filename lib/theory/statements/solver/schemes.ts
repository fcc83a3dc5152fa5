/** The statement on which schemes compute the exact gradient, checked with the solver on a graph of any size. */

import { Random } from '../../../core/random.ts';
import type { Graph } from '../../../graph/graph.ts';
import type { Floats } from '../../../kernels/types.ts';
import type { CsrMatrix } from '../../../sparse/csr.ts';
import { neighborsOf, sliceBlock } from '../../../sparse/slices/slice.ts';
import { Descent } from '../../../spectral/descent/descent.ts';
import { FreeRows, randomRows } from '../../../spectral/descent/rows/free-rows.ts';
import { measureAll, measuredMoments, type MomentSource, zeroMoments } from '../../../spectral/descent/moments.ts';
import { type Pencil, pencilOf } from '../../../spectral/pencil/pencil.ts';
import { type Stepper, stepperOf } from '../../../spectral/descent/step-rule.ts';
import { viewers, type Viewer } from '../../../spectral/descent/view.ts';
import type { Formulas } from '../../instances/formulas.ts';
import { norm } from '../../instances/landscape.ts';
import { allRows } from '../../instances/small-pencil.ts';
import type { Finding, GraphCheck, Note } from '../../instances/statement.ts';

const width = 2;
const rotation = { orthogonalize: 'gram', rotate: 'after' } as const;
/** Steps before the gradient is checked, so that the tracked moments have been updated several times. */
const stepsBefore = 10;

export const sameGradient: GraphCheck = {
  about: 'graphs',
  *checkSteps(graph, seed, formulas) {
    const random = new Random(seed).fork('schemes');
    const pencil = pencilOf('verify', graph, 'random-walk', true, 'double');
    const batches = [1, 4, 50, graph.size].filter((batch, i, all) => batch <= graph.size && all.indexOf(batch) === i);
    const findings: Finding[] = [];
    const notes: Note[] = [];
    for (const [i, size] of batches.entries()) {
      yield i / batches.length;
      const record = zeroMoments(width);
      const start = randomRows(random, graph.size, width, pencil.mass, 'double');
      measureAll(pencil, start.data, record);
      const rows = new FreeRows(start, record, formulas.follow);
      const tracked = formulas.moments(record);
      takeSteps(pencil, rows, tracked, size, random, formulas);
      const batch = random.permutation(graph.size).slice(0, size);
      const exact = exactGradient(graph.weights, rows.stored.data, batch);
      const errorOf = (view: Viewer, moments: MomentSource): number =>
        relativeError(schemeGradient(view, batch, rows, moments, formulas), exact);
      const measured = measuredMoments(width);
      findings.push({
        what: `error of full, b = ${size}`,
        measured: errorOf(viewers.full(pencil), measured),
        bound: 1e-13,
      });
      findings.push({
        what: `error of neighbor, b = ${size}`,
        measured: errorOf(viewers.neighbor(pencil), tracked),
        bound: 1e-13,
      });
      const neighborhoodError = relativeError(
        schemeGradient(viewers.neighbor(pencil), batch, neighborhoodRows(graph, rows, batch), tracked, formulas),
        exact,
      );
      findings.push({
        what: `error of neighbor on N(B) alone, b = ${size}`,
        measured: neighborhoodError,
        bound: 1e-13,
      });
      const localGradient = schemeGradient(viewers.local(pencil), batch, rows, measured, formulas);
      findings.push({
        what: `local minus the gradient of its batch as a graph, b = ${size}`,
        measured: relativeDifference(localGradient, batchGradient(graph, rows.stored.data, batch)),
        bound: 1e-13,
      });
      const local = relativeError(localGradient, exact);
      notes.push({ what: `error of local, b = ${size}`, value: local });
      const far = { what: `a thousandth over the error of local, b = ${size}`, measured: 1e-3 / local, bound: 1 };
      findings.push(size < graph.size ? far : { what: 'error of local, b = n', measured: local, bound: 1e-13 });
    }
    return { findings, notes };
  },
};

/** Steps of the neighbor scheme on random batches. */
function takeSteps(
  pencil: Pencil,
  rows: FreeRows,
  moments: MomentSource,
  batch: number,
  random: Random,
  formulas: Formulas,
): void {
  const length = (0.05 * pencil.size) / Math.max(...pencil.mass);
  const { objective } = formulas;
  const stepper = stepperOf('verify', { precondition: 'none', length }, width, 'double');
  const look = viewers.neighbor(pencil);
  const descent = new Descent({ caller: 'verify', look, rows, moments, objective, stepper, rotation });
  for (let step = 0; step < stepsBefore; step++) descent.step(random.permutation(pencil.size).slice(0, batch));
}

/** A copy of the rows in which all rows outside of N(B) are NaN. */
function neighborhoodRows(graph: Graph, rows: FreeRows, batch: Int32Array): FreeRows {
  const kept = rows.stored.copy();
  kept.data.fill(NaN);
  for (const row of neighborsOf(graph.weights, batch, true)) {
    for (let k = 0; k < width; k++) kept.data[row * width + k] = rows.stored.data[row * width + k];
  }
  return new FreeRows(kept);
}

/** The gradient that the solver's step computes. The rows do not move. */
function schemeGradient(
  view: Viewer,
  batch: Int32Array,
  rows: FreeRows,
  moments: MomentSource,
  formulas: Formulas,
): Float64Array {
  let gradient = new Float64Array(0);
  const stepper: Stepper = {
    memory: null,
    flops: () => 0,
    length: null,
    condition() {},
    choose(of, arrays, { mean }, update) {
      update.apply(of, arrays, mean);
      gradient = arrays.direction.slice();
      return 0;
    },
  };
  const { objective } = formulas;
  new Descent({ caller: 'verify', look: view, rows, moments, objective, stepper, rotation }).step(batch);
  return gradient;
}

/** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY on these rows, from the weights of the graph alone, without code of the solver. */
function exactGradient({ rows: n, starts, columns, values }: CsrMatrix, y: Floats, rows: Int32Array): Float64Array {
  const degrees = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let e = starts[i]; e < starts[i + 1]; e++) degrees[i] += values[e];
  const volume = degrees.reduce((sum, degree) => sum + degree, 0);
  const gram = new Float64Array(width * width);
  const trivial = new Float64Array(width);
  for (let i = 0; i < n; i++) {
    for (let p = 0; p < gram.length; p++) {
      gram[p] += degrees[i] * y[i * width + Math.floor(p / width)] * y[i * width + (p % width)];
    }
    for (let k = 0; k < width; k++) trivial[k] += degrees[i] * y[i * width + k];
  }
  return Float64Array.from({ length: rows.length * width }, (_, p) => {
    const [i, k] = [rows[Math.floor(p / width)], p % width];
    let quartic = 0;
    for (let l = 0; l < width; l++) quartic += y[i * width + l] * gram[l * width + k];
    let affinity = volume > 0 ? (-degrees[i] * trivial[k]) / volume : 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) affinity += values[e] * y[columns[e] * width + k];
    return (-4 / n) * affinity + (4 / n ** 3) * degrees[i] * quartic;
  });
}

/** The exact gradient of the batch as a graph of its own: with W[B,B], its degrees and its size. */
function batchGradient({ weights }: Graph, y: Floats, batch: Int32Array): Float64Array {
  const own = Float64Array.from(
    { length: batch.length * width },
    (_, p) => y[batch[Math.floor(p / width)] * width + (p % width)],
  );
  return exactGradient(sliceBlock(weights, batch, batch), own, allRows(batch.length));
}

/** ‖a − b‖/‖b‖. */
function relativeError(a: Float64Array, b: Float64Array): number {
  return norm(a.map((entry, p) => entry - b[p])) / norm(b);
}

/** ‖a − b‖ over the larger norm. 0 if both are zero, as for a node without neighbors in its batch. */
function relativeDifference(a: Float64Array, b: Float64Array): number {
  const difference = norm(a.map((entry, p) => entry - b[p]));
  return difference === 0 ? 0 : difference / Math.max(norm(a), norm(b));
}
