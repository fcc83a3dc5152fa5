import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';

const test = suite('random');

function draw(seed: number | string): number[] {
  const random = new Random(seed);
  return Array.from({ length: 5 }, () => random.normal());
}

test('the same seed gives the same bits, another seed others', () => {
  assert.equal(draw(7), draw(7));
  assert.equal(draw(7), draw('7'));
  assert.not.equal(draw(7), draw(8));
});

test('a few draws are fixed, so that a changed generator fails', () => {
  const random = new Random(1);
  assert.equal(
    [random.uniform(), random.uniform(), random.integer(1000)],
    [0.5260470956849501, 0.47771977624423734, 165],
  );
});

test('a fork depends on seed and name alone, not on what was drawn before', () => {
  const a = new Random(3);
  const b = new Random(3);
  b.normal();
  assert.is(a.fork('batches').uniform(), b.fork('batches').uniform());
  assert.is.not(a.fork('batches').uniform(), a.fork('weights').uniform());
  assert.is.not(a.fork('x').fork('y').uniform(), a.fork('y').fork('x').uniform());
  assert.is.not(a.fork('x/y').uniform(), a.fork('x').fork('y').uniform());
});

test('a restored generator continues with the same bits, also in the middle of a pair of normal numbers', () => {
  const random = new Random('resume');
  random.normal();
  const restored = new Random(JSON.parse(JSON.stringify(random.state())));
  for (let i = 0; i < 5; i++) assert.is(restored.normal(), random.normal());
});

test('normals have mean 0, deviation 1 and the right tails', () => {
  const draws = new Float64Array(100_000);
  new Random(5).fillNormal(draws);
  const mean = draws.reduce((s, x) => s + x, 0) / draws.length;
  const variance = draws.reduce((s, x) => s + (x - mean) ** 2, 0) / draws.length;
  const beyondTwo = draws.filter((x) => Math.abs(x) > 2).length / draws.length;
  assert.ok(Math.abs(mean) < 4 / Math.sqrt(draws.length), `mean ${mean}`);
  assert.ok(Math.abs(variance - 1) < 4 * Math.sqrt(2 / draws.length), `variance ${variance}`);
  assert.ok(Math.abs(beyondTwo - 0.0455) < 4 * Math.sqrt(0.0455 / draws.length), `tails ${beyondTwo}`);
});

test('uniform draws stay in their interval and fill it evenly', () => {
  const draws = new Float32Array(10_000);
  new Random(6).fillUniform(draws, -2, 3);
  assert.ok(draws.every((x) => x >= -2 && x <= 3));
  const counts = [0, 0, 0, 0, 0];
  for (const x of draws) counts[Math.min(4, Math.floor(x + 2))]++;
  for (const count of counts) assert.ok(Math.abs(count - 2000) < 4 * Math.sqrt(1600), `${counts}`);
});

test('a permutation holds every index once, and every order of three occurs', () => {
  assert.equal(
    new Random(1).permutation(50).toSorted(),
    Int32Array.from({ length: 50 }, (_, i) => i),
  );
  const seen = new Set(Array.from({ length: 200 }, (_, seed) => new Random(seed).permutation(3).join('')));
  assert.is(seen.size, 6);
  assert.is(new Random(1).permutation(0).length, 0);
});

test('bad seeds and counts are refused', () => {
  assert.throws(() => new Random(NaN), /Random: expected a finite number or a string as seed, got NaN/);
  assert.throws(
    () => new Random(1).integer(0),
    /Random\.integer: expected count to be a whole number, at least 1, got 0/,
  );
  assert.throws(() => new Random(1).permutation(-1), /Random\.permutation: .* got -1/);
});

test.run();
