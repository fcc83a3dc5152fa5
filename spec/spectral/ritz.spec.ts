/** Rayleigh-Ritz on the span of the last epochs. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, spectrum, Tensor } from '../../lib/index.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { extrapolate, ritzPairs } from '../../lib/spectral/ritz/ritz.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';
import { randomGraph } from './paper.ts';

const test = suite('Rayleigh-Ritz on what the epochs leave');

test('a direction that differs from the sweep by a hundred-thousandth is not lost', async () => {
  const { graph } = randomGraph('extrapolate', 60);
  const pencil = pencilOf('spec', graph, 'random-walk', true, 'double');
  const wanted = columns((await spectrum(graph, { count: 2 })).vectors, 1, 2);
  const random = new Random('others');
  const [a, b] = [0, 1].map(() => wanted.data.map(() => 0.1 * random.normal()));
  const mixed = (...parts: [factor: number, part: Float64Array][]): Tensor =>
    new Tensor(
      wanted.data.map((_, i) => parts.reduce((sum, [factor, part]) => sum + factor * part[i], 0)),
      [60, 1],
    );
  // The eigenvector is in the span of all three, and far from the span of any two.
  const pairs = ritzPairs('spec', pencil, mixed([1, wanted.data], [1, a], [1, b]));
  const direction = ritzPairs('spec', pencil, mixed([1, a], [1e-5, b]));
  const [found] = extrapolate(pencil, mixed([1, a]), { pairs, direction });
  // Gram matrices square the ratio of scales: ε·(10⁵)² is 2e-6.
  assert.ok(pairs.residuals[0] > 0.1 && found.residuals[0] < 2e-6, `${found.residuals[0]}`);
});

test.run();
