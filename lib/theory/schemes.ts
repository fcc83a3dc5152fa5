/** Which of the schemes see the true gradient, and what does a step of each cost? The solver's own, on a graph of any size. */

import { Random } from '../core/random.ts';
import type { Graph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { mapValues } from '../sparse/combine.ts';
import { neighborsOf } from '../sparse/slice.ts';
import { Descent } from '../spectral/descent.ts';
import { FreeRows, randomRows } from '../spectral/iterate.ts';
import { freshMoments, type MomentSource, zeroMoments } from '../spectral/moments.ts';
import { applyPencil, type Pencil, pencilOf } from '../spectral/pencil.ts';
import { type Stepper, stepperOf } from '../spectral/step-rule.ts';
import { type Scheme, schemes, viewers, type Viewer } from '../spectral/view.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Formulas } from './formulas.ts';
import type { Finding, GraphStatement, Note } from './statement.ts';

const width = 2;
const rotation = { orthogonalise: 'gram', rotate: 'after' } as const;
/** Real steps before the gradient is looked at, so that moments which are tracked have a past. */
const stepsBefore = 10;

export const sameGradient: GraphStatement = {
  about: 'graphs',
  label: 'remark on the schemes',
  claim: 'full and neighbor see the exact gradient of f2 on their rows; local does not, unless the batch is everything',
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
      const rows = new FreeRows(randomRows(random, graph.size, width, pencil.mass, 'double'));
      const record = zeroMoments(width);
      rows.measure(null, pencil.mass, pencil.eta, record);
      const tracked = formulas.track(record);
      walk(pencil, rows, tracked, size, random, formulas);
      const batch = random.permutation(graph.size).slice(0, size);
      const exact = exactGradient(pencil, rows.stored, batch);
      const seen = (view: Viewer, moments: MomentSource): number =>
        distance(gradientSeen(view, batch, rows, moments, formulas), exact);
      const fresh = freshMoments(width, ({ support, supportMass, supportEta }, out) =>
        rows.measure(support, supportMass, supportEta, out),
      );
      findings.push({
        what: `full from exact, b = ${size}`,
        measured: seen(viewers.full(pencil), fresh),
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
      const local = seen(viewers.local(pencil), fresh);
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
  const stepper = stepperOf({ precondition: 'none', length }, width, 'double');
  const descent = new Descent('verify', rows, formulas.objective, moments, stepper, rotation);
  const view = viewers.neighbor(pencil);
  for (let step = 0; step < stepsBefore; step++) descent.step(view(random.permutation(pencil.size).slice(0, batch)));
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
    work: () => 0,
    choose(_view, _rows, _product, _moments, gradient) {
      seen = gradient.slice();
      return 0;
    },
  };
  new Descent('verify', rows, formulas.objective, moments, stepper, rotation).step(view(batch));
  return seen;
}

/** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY on the batch, from all of W and all rows. */
function exactGradient(pencil: Pencil, y: Tensor, batch: Int32Array): Float64Array {
  const { size, mass } = pencil;
  const data = y.data as Float64Array;
  const product = new Float64Array(data.length);
  applyPencil(pencil, width, data, product);
  const gram = new Float64Array(width * width);
  for (let i = 0; i < size; i++) {
    for (let p = 0; p < gram.length; p++) {
      gram[p] += mass[i] * data[i * width + Math.floor(p / width)] * data[i * width + (p % width)];
    }
  }
  return Float64Array.from({ length: batch.length * width }, (_, p) => {
    const i = batch[Math.floor(p / width)];
    let pull = 0;
    for (let k = 0; k < width; k++) pull += data[i * width + k] * gram[k * width + (p % width)];
    return (-4 / size) * product[i * width + (p % width)] + (4 / size ** 3) * mass[i] * pull;
  });
}

function distance(a: Float64Array, b: Float64Array): number {
  const difference = a.map((entry, p) => entry - b[p]);
  return Math.sqrt(kernels.dot(a.length, difference, difference) / kernels.dot(b.length, b, b));
}

export const costs: GraphStatement = {
  about: 'graphs',
  label: 'section on computational cost',
  claim:
    'a step multiplies at most b² entries of W by K (local), s·b for s nonzeros a row (full, neighbor); moments take bK², nK², bK²',
  printed: null,
  expected: 'holds',
  instances: 1,
  *check(graph, seed, formulas) {
    const random = new Random(seed).fork('costs');
    // With ones for weights and ones for rows, W[B,S]·1 is the number of products that were made.
    const ones = { ...graph, weights: mapValues(graph.weights.copy('double'), () => 1) };
    const pencil = pencilOf('verify', ones, 'random-walk', true, 'double');
    const { starts } = graph.weights;
    const findings: Finding[] = [];
    const notes: Note[] = [];
    for (const size of [4, 32].filter((batch) => batch <= graph.size)) {
      const batch = random.permutation(graph.size).slice(0, size);
      let stored = 0;
      for (const row of batch) stored += starts[row + 1] - starts[row];
      const around = neighborsOf(graph.weights, batch, true).length;
      for (const scheme of schemes) {
        yield 0.5;
        const { products, flops } = counted(pencil, graph, scheme, batch, random, formulas);
        const allowed: Record<Scheme, number> = { local: size ** 2, full: stored, neighbor: stored };
        const moments: Record<Scheme, number> = { local: 2 * size, full: 2 * graph.size, neighbor: 4 * size };
        const name = `${scheme}, b = ${size}`;
        findings.push({
          what: `products with W in units of the claim, ${name}`,
          measured: products / allowed[scheme],
          bound: 1,
        });
        findings.push({
          what: `flops in units of the claim, ${name}`,
          measured: flops / (2 * allowed[scheme] * width + moments[scheme] * width ** 2),
          bound: 1,
        });
      }
      notes.push({ what: `|N(B)| over nonzeros a row, b = ${size}`, value: around / (stored / size) });
      notes.push({ what: `full over neighbor in flops, b = ${size}`, value: ratio(stored, graph.size, size) });
    }
    return { findings, notes };
  },
};

function ratio(stored: number, n: number, b: number): number {
  return (2 * stored * width + 2 * n * width ** 2) / (2 * stored * width + 4 * b * width ** 2);
}

/** Products with W that a view makes for each column, and flops that the solver's step counts. */
function counted(pencil: Pencil, graph: Graph, scheme: Scheme, batch: Int32Array, random: Random, formulas: Formulas) {
  const rows = new FreeRows(randomRows(random, graph.size, width, pencil.mass, 'double'));
  const record = zeroMoments(width);
  rows.measure(null, pencil.mass, pencil.eta, record);
  const fresh = freshMoments(width, ({ support, supportMass, supportEta }, out) =>
    rows.measure(support, supportMass, supportEta, out),
  );
  const moments = scheme === 'neighbor' ? formulas.track(record) : fresh;
  const stepper = stepperOf({ precondition: 'none', length: 1e-9 }, width, 'double');
  const descent = new Descent('verify', rows, formulas.objective, moments, stepper, rotation);
  const view = viewers[scheme](pencil)(batch);
  const seen = scheme === 'local' ? batch.length : graph.size;
  const made = new Float64Array(batch.length);
  view.multiply(1, new Float64Array(seen).fill(1), made);
  descent.step(view);
  return { products: made.reduce((sum, count) => sum + count, 0), flops: descent.flops };
}
