/** Coarse pencils of the multilevel solver: products with them are those with PᵀAP and PᵀBP, on any number of threads. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, setThreads, simdStatus } from '../../lib/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { finestLevel } from '../../lib/linalg/multilevel/hierarchy/finest.ts';
import { galerkinSteps } from '../../lib/linalg/multilevel/hierarchy/galerkin.ts';
import { type Level, massSteps, stiffnessSteps } from '../../lib/linalg/multilevel/hierarchy/level.ts';
import { type Prolongation, prolongationSteps } from '../../lib/linalg/multilevel/hierarchy/prolongation.ts';
import { Loans } from '../../lib/wasm/loans.ts';
import { graphOfEdges, grid } from './graphs.ts';

const test = suite('galerkin');

/** A level and the next one, in which three nodes after each other are one. */
interface Coarsened {
  readonly level: Level;
  readonly prolongation: Prolongation;
  readonly next: Level | null;
}

function coarsen(level: Level, limit: number, loans: Loans): Coarsened {
  const coarse = Math.ceil(level.size / 3);
  const of = Int32Array.from({ length: level.size }, (_, i) => Math.floor(i / 3));
  const prolongation = runSync(prolongationSteps(level, of, coarse, 2, loans));
  const components = { count: 1, labels: new Int32Array(coarse) };
  return { level, prolongation, next: runSync(galerkinSteps(level, prolongation, components, limit, loans)) };
}

/** More entries than any level here has. */
const plenty = 1e6;

/** The finest level of a grid whose nodes have different masses. */
function finestOf(side: number, loans: Loans): Level {
  const graph = graphOfEdges(side * side, grid(side, side));
  return finestLevel(
    graph,
    graph.degrees.map((degree, i) => degree + (i % 5)),
    loans,
  ).level;
}

/** out[rows] = S·x for rows in CSR. */
function multiply({ starts, columns, values }: Prolongation['transposed'], x: Float64Array): Float64Array {
  return Float64Array.from({ length: starts.length - 1 }, (_, i) => {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) sum += values[e] * x[columns[e]];
    return sum;
  });
}

type Product = (level: Level, x: Float64Array) => Float64Array;

const products: Record<string, Product> = {
  stiffness: (level, x) => {
    const out = new Float64Array(level.size);
    runSync(stiffnessSteps(level, { width: 1, data: x }, { width: 1, data: out }));
    return out;
  },
  mass: (level, x) => {
    if (!level.massMatrix) return x.map((value, i) => value * level.mass[i]);
    const out = new Float64Array(level.size);
    runSync(massSteps(level, { width: 1, data: x }, { width: 1, data: out }));
    return out;
  },
};

for (const side of [10, 110]) {
  test(`products with two coarse levels are those with PᵀAP and PᵀBP, for ${side ** 2} nodes`, () => {
    const loans = new Loans();
    let level = finestOf(side, loans);
    for (let k = 0; k < 2; k++) {
      const { prolongation, next } = coarsen(level, plenty, loans);
      const x = new Float64Array(prolongation.coarse);
      new Random(k).fillNormal(x);
      for (const [name, product] of Object.entries(products)) {
        const got = product(next!, x);
        const want = multiply(prolongation.transposed, product(level, multiply(prolongation, x)));
        // Entries are rounded to Float32, and row sums are small differences of them.
        for (let i = 0; i < x.length; i++) assert.ok(Math.abs(got[i] - want[i]) < 2e-5, `${name} ${k}, ${i}: ${got[i]} ${want[i]}`); // oxfmt-ignore
      }
      level = next!;
    }
    loans.giveBackAll();
  });
}

test('a level has the same bits on one, two and three threads', () => {
  const before = simdStatus();
  const levels = [1, 2, 3].map((threads) => {
    setThreads(threads);
    const loans = new Loans();
    const { columns, weights, massMatrix } = coarsen(finestOf(200, loans), plenty, loans).next!;
    const bits = [columns.slice(), weights.slice(), massMatrix!.weights.slice(), massMatrix!.diagonal.slice()];
    loans.giveBackAll();
    return bits;
  });
  setThreads(before.enabled ? before.threads : 1);
  assert.equal(levels[1], levels[0]);
  assert.equal(levels[2], levels[0]);
});

test('a level with more entries than the limit is not computed', () => {
  const loans = new Loans();
  const level = finestOf(20, loans);
  const entries = coarsen(level, plenty, loans).next!.weights.length;
  assert.is(coarsen(level, entries, loans).next!.weights.length, entries);
  assert.is(coarsen(level, entries - 1, loans).next, null);
  loans.giveBackAll();
});

test.run();
