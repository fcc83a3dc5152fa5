/** Every public function rejects invalid arguments with its own message, never with one of the engine. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tensor } from '../lib/index.ts';
import { Tape } from '../lib/doors/autodiff.ts';
import { fromTriplets } from '../lib/doors/sparse.ts';
import { openSurface } from './surface.ts';

const test = suite('wrong kinds');

const nonsense: Record<string, unknown> = {
  undefined,
  null: null,
  'a number': 5,
  'a text': 'x',
  'an object': {},
  'an empty array': [],
  'nested arrays': [[1]],
  'a typed array': Float32Array.of(1, 2),
  'a tensor': tensor([[1, 2]]),
  'a matrix': fromTriplets({ rows: [0], columns: [1], values: [1] }, [2, 3]),
  'a variable': new Tape().watch(tensor([[1, 2]])),
};

/** All messages of this library begin with the name of the caller. */
const ownWords = /^[A-Za-z.]+: (expected .+, got |unknown option ')/;

/** The image sets are left out: they accept most of these as options, and then read 50 MB. */
const functions = [...new Map((await openSurface()).flatMap(({ module }) => Object.entries(module)))].filter(
  ([name, value]) => typeof value === 'function' && !/^class\b/.test(String(value)) && !name.endsWith('Mnist'),
) as [string, (...values: unknown[]) => unknown][];

async function answer(call: () => unknown): Promise<string> {
  try {
    await call();
    return '';
  } catch (error) {
    return ownWords.test((error as Error).message) ? '' : (error as Error).message;
  }
}

for (const [name, call] of functions) {
  test(`${name} refuses wrong kinds, or accepts them without a crash`, async () => {
    for (const [first, a] of Object.entries(nonsense)) {
      for (const [second, b] of Object.entries(nonsense)) {
        // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its arguments
        assert.is(await answer(() => call(a, b)), '', `${name}(${first}, ${second})`);
      }
    }
  });
}

test.run();
