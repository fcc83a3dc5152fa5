/** `RowUpdate`: the deflation of its affinity, by a loop for few columns and by a kernel for many. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/index.ts';
import { RowUpdate } from '../../lib/spectral/descent/row-update.ts';

const test = suite('row update');

for (const width of [1, 23, 24, 65]) {
  test(`the shift is −(ηᵀY)·affinity, also the second time, with ${width} columns`, () => {
    const update = new RowUpdate(width);
    const mean = new Float64Array(width);
    for (const seed of [1, 2]) {
      const random = new Random(seed);
      random.fillNormal(update.affinity);
      random.fillNormal(mean);
      const shift = update.shift(mean);
      assert.is(shift.length, width);
      for (let j = 0; j < width; j++) {
        const expected = mean.reduce((sum, value, k) => sum - value * update.affinity[k * width + j], 0);
        assert.ok(Math.abs(shift[j] - expected) < 1e-13 * width, `${j}: ${shift[j]} ${expected}`);
      }
    }
  });
}

test.run();
