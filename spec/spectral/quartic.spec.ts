import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { cubicRoots, minimizeQuartic } from '../../lib/spectral/descent/quartic.ts';

const test = suite('quartic');

test('the roots of cubics with known roots are found', () => {
  const random = new Random('roots');
  for (let round = 0; round < 200; round++) {
    const [x, y, z] = [random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3)].toSorted((a, b) => a - b);
    if (Math.min(y - x, z - y) < 0.01) continue;
    const a = random.uniform(0.5, 2);
    const found = cubicRoots(a, -a * (x + y + z), a * (x * y + y * z + z * x), -a * x * y * z).toSorted(
      (p, q) => p - q,
    );
    assert.is(found.length, 3);
    [x, y, z].forEach((root, i) => assert.ok(Math.abs(root - found[i]) < 1e-9, `${root} ${found[i]}`));
  }
  // t³ + t = (t² + 1)·t and t³ − 8 have one real root, (t − 2)³ has a triple one
  assert.equal(cubicRoots(1, 0, 1, 0), [0]);
  assert.ok(Math.abs(cubicRoots(1, 0, 0, -8)[0] - 2) < 1e-15);
  assert.equal(cubicRoots(1, -6, 12, -8), [2]);
  assert.equal(cubicRoots(0, 1, 2, 3), []);
});

test('the minimum is no higher than on a fine grid', () => {
  const random = new Random('minimum');
  for (let round = 0; round < 300; round++) {
    const [c1, c2, c3] = [random.normal(), random.normal(), random.normal()];
    const c4 = random.uniform(0.1, 2);
    const value = (t: number): number => t * (c1 + t * (c2 + t * (c3 + t * c4)));
    const least = value(minimizeQuartic(c1, c2, c3, c4));
    for (let t = -20; t <= 20; t += 0.01) assert.ok(least <= value(t) + 1e-12, `${[c1, c2, c3, c4]} at ${t}`);
  }
});

test('of two minima the lower one is taken', () => {
  // (t − 1)²(t + 2)² tilted: minima near 1 and −2
  assert.ok(Math.abs(minimizeQuartic(-4 + 0.1, -3, 2, 1) + 2) < 0.05);
  assert.ok(Math.abs(minimizeQuartic(-4 - 0.1, -3, 2, 1) - 1) < 0.05);
});

test('a quartic that is a parabola but for rounding keeps its digits', () => {
  for (const size of [1, 1e-3, 1e-6, 1e-9, 1e-12]) {
    const t = minimizeQuartic(-2 * size ** 2, 3 * size ** 2, 0.5 * size ** 3, 0.2 * size ** 4);
    const slope = -2 + t * (6 + t * (1.5 * size + t * 0.8 * size ** 2));
    assert.ok(Math.abs(slope) < 1e-14, `${size}: ${t}`);
  }
  assert.is(minimizeQuartic(-2, 1, 0, 0), 1);
});

test('where nothing is gained it stays', () => {
  assert.is(minimizeQuartic(0, 1, 0, 1), 0);
  assert.is(minimizeQuartic(0, 0, 0, 0), 0);
});

test.run();
