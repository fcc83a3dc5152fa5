/** The counterexamples are found, with the numbers of a calculation by hand, and the printed statements fail on them. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Counterexample, type StatementName, statements, verify } from '../../lib/doors/theory.ts';
import { formulas } from '../../lib/theory/instances/formulas.ts';
import { eigenpairs } from '../../lib/theory/instances/small-pencil.ts';
import { forEachInOrder } from '../for-each.ts';

const test = suite('counterexamples');

const found = (name: StatementName): readonly Counterexample[] => statements[name].refute?.(formulas) ?? [];
const of = (name: StatementName, words: string): Counterexample =>
  found(name).find(({ what }) => what.startsWith(words)) ?? assert.unreachable(`${name}: ${words}`)!;
const near = (value: number, expected: number, digits: number): void =>
  assert.ok(Math.abs(value - expected) <= 10 ** -digits, `${value}, not ${expected}`);

const corrected = (Object.keys(statements) as StatementName[]).filter((name) => statements[name].printed);

test('every statement that needs a correction has one, beyond its bound', () => {
  assert.is(corrected.length, 8);
  for (const name of corrected) {
    assert.ok(found(name).length > 0, name);
    for (const { measured, bound } of found(name)) assert.ok(measured > bound, name);
  }
});

test('the bound on second derivatives: K₂ and K₄ for K = 1, the deflated K₃ for K = 2', () => {
  const four = of('lipschitz', 'complete graph of 4 nodes');
  // D = 3, R² = 2√(3/6): 4·3·(4 + 2)·R² against 4 + 4·(4 + 1)·R²·3.
  near(four.measured, 72 * Math.SQRT2, 6);
  near(four.bound, 4 + 60 * Math.SQRT2, 6);
  assert.ok(of('lipschitz', 'complete graph of 2 nodes'));
  assert.ok(of('lipschitz', 'complete graph of 3 nodes, deflated, K = 2'));
});

test('the inequality of descent: K₂₀ with α = 0.3/L', () => {
  const { measured, bound, pencil } = of('descent-inequality', 'complete graph of 20 nodes');
  assert.is(pencil.size, 20);
  assert.ok(measured - bound > 5);
});

test('the gradient need not vanish: diag(1, −40) with α = 0.999/L', () => {
  const { measured, pencil } = of('gradient-to-zero', 'W = diag(1, −40)');
  assert.equal([...pencil.weights], [1, 0, 0, -40]);
  assert.ok(measured > 0.01, 'f rises in a step');
});

test('deflation: the complete graph of six nodes has no positive eigenvalue left', () => {
  const { pencil } = of('deflation', 'complete graph of 6 nodes');
  const { values } = eigenpairs(pencil);
  near(values[0], 0, 12);
  for (const value of values.subarray(1)) near(value, -1 / 5, 12);
});

test('a negative eigenvalue cannot be selected: two nodes with an edge', () => {
  const { measured, pencil } = of('stationary-points', 'complete graph of 2 nodes');
  assert.equal([...pencil.weights], [0, 1, 1, 0]);
  near(measured, 8, 10);
});

test('the sign of f2*, the factors of the Hessian, the floor of SpecNet1', () => {
  near(of('optimal-values', 'complete graph of 2 nodes').measured, 2 / 9, 12);
  near(of('hessian-form', 'complete graph of 2 nodes').measured, 32, 10);
  assert.ok(of('specnet1-floor', 'path of 3 nodes').measured > 0.01);
});

test('printed statements fail on many instances too, and no graph pencil was seen to leave the ball', () =>
  forEachInOrder(['lipschitz', 'descent-inequality', 'hessian-form'] as StatementName[], async (name) => {
    const [{ printed, notes }] = await verify([name], { instances: 400 });
    assert.ok(printed!.failed > 0, name);
    for (const { what, largest } of notes) if (what === 'steps that left the ball') assert.is(largest, 0);
  }));

test.run();
