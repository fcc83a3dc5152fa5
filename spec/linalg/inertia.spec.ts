/** The proof of completeness where rounding is large: a pivot near 0 makes a factorization lose all digits that count. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { zeros } from '../../lib/doors/tensor.ts';
import { Random } from '../../lib/index.ts';
import { runSync } from '../../lib/core/task.ts';
import type { Analysis } from '../../lib/linalg/factorization/analysis.ts';
import type { Factor } from '../../lib/linalg/factorization/factor.ts';
import { censusSteps } from '../../lib/linalg/factorization/inertia.ts';
import {
  analyzeGraphSteps,
  type LaplacianPencil,
  laplacianPencil,
  shiftedFactorSteps,
} from '../../lib/linalg/factorization/laplacian-pencil.ts';
import { denseValues, type Edge, graphOfEdges, path } from './graphs.ts';

const test = suite('inertia');

const size = 41;
/** The first pivot relative to its diagonal entry. A smaller one would be refused. */
const firstPivot = 4e-14;
/** Where a first count has found too many, a census counts again this close to the last value, relative to the degree. */
const beyond = 1e-12;

interface Trap {
  readonly pencil: LaplacianPencil;
  readonly analysis: Analysis;
  /** All eigenvalues of the pencil, ascending, and the place of the last one that is given to a census. */
  readonly values: Float64Array;
  readonly last: number;
  /** Where the first pivot is small. */
  readonly shift: number;
}

/**
 * A ring whose nodes have mass 1, but for the node of the first pivot. Its eigenvectors that vanish there have eigenvalues d(1 − cos 2πk/n)
 * for degrees d, whatever the mass of that node. So its mass can make the first pivot vanish where a census counts up to such a value,
 * and nothing is left of the digits that tell these eigenvectors from others.
 */
function trapOf(wave: number, weight: number): Trap {
  const ring = Array.from({ length: size }, (_, i): Edge => [i, (i + 1) % size, weight]);
  const graph = graphOfEdges(size, ring);
  const analysis = runSync(analyzeGraphSteps(graph))!;
  const mass = new Float64Array(size).fill(1);
  const [node] = analysis.tree.order;
  const degree = graph.degrees[node];
  const value = degree * (1 - Math.cos((2 * Math.PI * wave) / size));
  mass[node] = (degree * (1 - firstPivot)) / (value + beyond * degree);
  const values = denseValues(graph, mass);
  const last = values.findIndex((each) => Math.abs(each - value) < 1e-12);
  return { pencil: laplacianPencil(graph, mass), analysis, values, last, shift: value + beyond * degree };
}

const random = new Random(1);
const traps = Array.from({ length: 20 }, (_, i) => trapOf(1 + (i % 5), random.uniform(0.5, 1)));

test('a count that rounding made wrong is within the bound of rounding', () => {
  let wrong = 0;
  for (const { pencil, analysis, values, shift } of traps) {
    const factor = runSync(shiftedFactorSteps(pencil, analysis, shift));
    if ('pivot' in factor) continue;
    const miscounted = factor.negative - values.filter((value) => value < shift).length;
    const moved = Math.min(...values.map((value) => Math.abs(value - shift)));
    const rounding = factor.rounding(pencil.mass);
    factor.close();
    if (miscounted === 0) continue;
    wrong++;
    assert.ok(rounding > moved, `${rounding} ${moved}`);
  }
  assert.ok(wrong >= 3, `${wrong} wrong counts: the test tests nothing`);
});

test('no rounding makes a proof of a set that lacks a pair', () => {
  const residuals = new Float64Array(size);
  let proofs = 0;
  for (const { pencil, analysis, values, last } of traps) {
    const whole = values.slice(0, last + 1);
    const census = (found: Float64Array) =>
      runSync(censusSteps(pencil, analysis, found, residuals.subarray(0, found.length)));
    if (census(whole).verdict === 'complete') proofs++;
    assert.is.not(census(whole.filter((_, k) => k !== 1)).verdict, 'complete', `${last}`);
  }
  assert.ok(proofs > traps.length / 2, `${proofs} proofs`);
});

/** The bound 2γ of `Factor.rounding` by its formula: the largest row sum of M⁻¹|L||D||L|ᵀ, from dense matrices. */
function denseBound(factor: Factor, { tree: { order } }: Analysis, mass: Float64Array): number {
  const lower = zeros([size, size], 'double');
  const pivots = new Float64Array(size);
  const terms = new Int32Array(size);
  factor.visitColumns((j, rows, values, pivot) => {
    pivots[j] = Math.abs(pivot);
    lower.data[j * size + j] = 1;
    rows.forEach((row, i) => {
      lower.data[row * size + j] = Math.abs(values[i]);
      terms[row]++;
    });
  });
  const indices = Array.from({ length: size }, (_, i) => i);
  const sum = (of: (i: number) => number): number => indices.reduce((total, i) => total + of(i), 0);
  const columnSums = indices.map((j) => sum((i) => lower.at(i, j)));
  const rowSums = indices.map((i) => sum((j) => lower.at(i, j) * pivots[j] * columnSums[j]) / mass[order[i]]);
  return 2 * (Math.max(...terms) + 8) * Number.EPSILON * Math.max(...rowSums);
}

test('the bound of rounding follows its formula, in panels as in dense matrices', () => {
  for (let seed = 0; seed < 8; seed++) {
    const chance = new Random(seed);
    const edges = Array.from({ length: 30 * (1 + seed) }, (): Edge => [
      chance.integer(size),
      chance.integer(size),
      chance.uniform(0.1, 1),
    ]);
    const graph = graphOfEdges(size, [...path(size), ...edges.filter(([i, j]) => i !== j)]);
    const mass = Float64Array.from({ length: size }, () => chance.uniform(0.5, 2));
    const analysis = runSync(analyzeGraphSteps(graph))!;
    const factor = runSync(shiftedFactorSteps(laplacianPencil(graph, mass), analysis, 0.7));
    if ('pivot' in factor) throw new Error(`A tiny pivot: ${factor.pivot}.`);
    const [bound, expected] = [factor.rounding(mass), denseBound(factor, analysis, mass)];
    assert.ok(Math.abs(bound / expected - 1) < 1e-12, `${seed}: ${bound} ${expected}`);
    factor.close();
  }
});

test.run();
