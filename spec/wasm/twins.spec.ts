/** Every SIMD kernel against its plain twin, on the same numbers and at all difficult sizes. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { heap } from '../../lib/kernels/table.ts';
import { arena, maker } from './twins/arguments.ts';
import { type AllKernels, allPlain, cases, compare, inUse } from './twins/compare.ts';
import { startSimd } from './twins/start.ts';

const test = suite('SIMD twins');
const sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 64, 65];

let shared: ReturnType<typeof arena> | null = null;

test.before(startSimd);

for (const name of Object.keys(cases) as (keyof AllKernels)[]) {
  const { dimensions, make } = cases[name];
  for (const place of ['in their memory', 'from elsewhere'] as const) {
    test(`${name} agrees with its plain twin on arrays ${place}`, () => {
      const inside = place === 'in their memory' ? (shared ??= arena()) : null;
      const made = maker(new Random(name), inside ?? heap);
      const coarse = sizes.filter((size) => place === 'in their memory' || size % 4 === 1);
      for (const m of coarse) {
        for (const n of dimensions > 1 ? coarse : [1]) {
          for (const k of dimensions > 2 ? coarse : [1]) {
            inside?.reset();
            for (const args of make(made, m, n, k)) compare(name, args);
          }
        }
      }
    });
  }
}

test('every kernel has a SIMD twin', () => {
  for (const name of Object.keys(allPlain) as (keyof AllKernels)[]) assert.is.not(inUse()[name], allPlain[name], name);
});

test.run();
