/** Every public function rejects invalid arguments with its own message, never with one of the engine. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as specnet from '../lib/index.ts';
import * as files from '../lib/files.ts';

const test = suite('wrong kinds');

const { fromTriplets, Tape, tensor } = specnet;

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
const ownWords = /^[A-Za-z.]+: expected .+, got /;

const functions = Object.entries({ ...specnet, ...files }).filter(
  ([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)),
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
  test(`${name} refuses what it cannot use, or uses it`, async () => {
    for (const [first, a] of Object.entries(nonsense)) {
      for (const [second, b] of Object.entries(nonsense)) {
        // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its arguments
        assert.is(await answer(() => call(a, b)), '', `${name}(${first}, ${second})`);
      }
    }
  });
}

test.run();
