/** Which of the schemes see the true gradient? The solver's own, on a graph of any size. */

import { Random } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Floats } from '../../kernels/types.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { neighborsOf, sliceBlock } from '../../sparse/slice.ts';
import { Descent } from '../../spectral/descent/descent.ts';
import { FreeRows, randomRows } from '../../spectral/descent/free-rows.ts';
import { measureAll, measuredMoments, type MomentSource, zeroMoments } from '../../spectral/descent/moments.ts';
import { type Pencil, pencilOf } from '../../spectral/pencil/pencil.ts';
import { type Stepper, stepperOf } from '../../spectral/descent/step-rule.ts';
import { viewers, type Viewer } from '../../spectral/descent/view.ts';
import type { Formulas } from '../instances/formulas.ts';
import { norm } from '../instances/landscape.ts';
import { allRows } from '../instances/small-pencil.ts';
import type { Finding, GraphStatement, Note } from '../instances/statement.ts';

const width = 2;
const rotation = { orthogonalize: 'gram', rotate: 'after' } as const;
/** Real steps before the gradient is looked at, so that moments which are tracked have a past. */
const stepsBefore = 10;

export const sameGradient: GraphStatement = {
  about: 'graphs',
  label: 'remark on the schemes',
  claim:
    'full and neighbor see the exact gradient of f2 on their rows; local that of its batch as a graph, which is another unless the batch is everything',
  printed: null,
  expected: 'holds',
  instances: 1,
  *check(graph, seed, formulas) {
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
      walk(pencil, rows, tracked, size, random, formulas);
      const batch = random.permutation(graph.size).slice(0, size);
      const exact = exactGradient(graph.weights, rows.stored.data, batch);
      const seen = (view: Viewer, moments: MomentSource): number =>
        distance(gradientSeen(view, batch, rows, moments, formulas), exact);
      const measured = measuredMoments(width);
      findings.push({
        what: `full from exact, b = ${size}`,
        measured: seen(viewers.full(pencil), measured),
        bound: 1e-13,
      });
      findings.push({
        what: `neighbor from exact, b = ${size}`,
        measured: seen(viewers.neighbor(pencil), tracked),
        bound: 1e-13,
      });
      const apart = distance(
        gradientSeen(viewers.neighbor(pencil), batch, alone(graph, rows, batch), tracked, formulas),
        exact,
      );
      findings.push({ what: `neighbor on N(B) alone from exact, b = ${size}`, measured: apart, bound: 1e-13 });
      const seenLocally = gradientSeen(viewers.local(pencil), batch, rows, measured, formulas);
      findings.push({
        what: `local from the gradient of its batch as a graph, b = ${size}`,
        measured: difference(seenLocally, gradientAlone(graph, rows.stored.data, batch)),
        bound: 1e-13,
      });
      const local = distance(seenLocally, exact);
      notes.push({ what: `local from exact, b = ${size}`, value: local });
      const far = { what: `a thousandth over the distance of local, b = ${size}`, measured: 1e-3 / local, bound: 1 };
      findings.push(size < graph.size ? far : { what: 'local from exact, b = n', measured: local, bound: 1e-13 });
    }
    return { findings, notes };
  },
};

/** Steps of the neighbor scheme on random batches. */
function walk(
  pencil: Pencil,
  rows: FreeRows,
  moments: MomentSource,
  batch: number,
  random: Random,
  formulas: Formulas,
): void {
  const length = (0.05 * pencil.size) / Math.max(...pencil.mass);
  const { objective } = formulas;
  const stepper = stepperOf({ precondition: 'none', length }, width, 'double');
  const look = viewers.neighbor(pencil);
  const descent = new Descent({ caller: 'verify', look, rows, moments, objective, stepper, rotation });
  for (let step = 0; step < stepsBefore; step++) descent.step(random.permutation(pencil.size).slice(0, batch));
}

/** The same rows, those outside of N(B) made useless: who reads one gets no number. */
function alone(graph: Graph, rows: FreeRows, batch: Int32Array): FreeRows {
  const kept = rows.stored.copy();
  kept.data.fill(NaN);
  for (const row of neighborsOf(graph.weights, batch, true)) {
    for (let k = 0; k < width; k++) kept.data[row * width + k] = rows.stored.data[row * width + k];
  }
  return new FreeRows(kept);
}

/** What the solver's step computes before it moves, and it does not move. */
function gradientSeen(
  view: Viewer,
  batch: Int32Array,
  rows: FreeRows,
  moments: MomentSource,
  formulas: Formulas,
): Float64Array {
  let seen = new Float64Array(0);
  const stepper: Stepper = {
    memory: null,
    flops: () => 0,
    length: null,
    condition() {},
    choose(of, y, product, { mean }, update, out) {
      update.apply(of, y, product, mean, out);
      seen = out.slice();
      return 0;
    },
  };
  const { objective } = formulas;
  new Descent({ caller: 'verify', look: view, rows, moments, objective, stepper, rotation }).step(batch);
  return seen;
}

/** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY of these rows of a graph: from its weights and nothing that the solver made of them. */
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
    let pull = 0;
    for (let l = 0; l < width; l++) pull += y[i * width + l] * gram[l * width + k];
    let affinity = volume > 0 ? (-degrees[i] * trivial[k]) / volume : 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) affinity += values[e] * y[columns[e] * width + k];
    return (-4 / n) * affinity + (4 / n ** 3) * degrees[i] * pull;
  });
}

/** The same of a batch that knows of nothing but itself: W[B,B], degrees and n are its own. */
function gradientAlone({ weights }: Graph, y: Floats, batch: Int32Array): Float64Array {
  const own = Float64Array.from(
    { length: batch.length * width },
    (_, p) => y[batch[Math.floor(p / width)] * width + (p % width)],
  );
  return exactGradient(sliceBlock(weights, batch, batch), own, allRows(batch.length));
}

/** In units of what it should be. */
function distance(a: Float64Array, b: Float64Array): number {
  return norm(a.map((entry, p) => entry - b[p])) / norm(b);
}

/** In units of the larger, for both may be zero: of a node that its batch is not joined to. */
function difference(a: Float64Array, b: Float64Array): number {
  const apart = norm(a.map((entry, p) => entry - b[p]));
  return apart === 0 ? 0 : apart / Math.max(norm(a), norm(b));
}
