/** Trainings make few arrays: memory for kernels would run out in a process that trains again and again. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon } from '../../datasets/index.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { train } from '../../lib/doors/solver.ts';
import { allocator } from '../../lib/kernels/table.ts';
import { moonGraph } from './graphs.ts';

const test = suite('memory of trainings');

test('an epoch makes fewer numbers than the hidden layer has for its points', async () => {
  const [n, hidden, epochs] = [200, 64, 10];
  const graph = await moonGraph(1, n);
  const numbersOf = async (count: number): Promise<number> => {
    const { float32 } = allocator;
    let made = 0;
    allocator.float32 = (length) => {
      made += length;
      return float32(length);
    };
    try {
      await train(graph, new Mlp([2, hidden, 2], { seed: 1 }), oneMoon({ seed: 1, n }).points, {
        batch: 8,
        epochs: count,
        seed: 1,
      });
    } finally {
      allocator.float32 = float32;
    }
    return made;
  };
  const perEpoch = ((await numbersOf(1 + epochs)) - (await numbersOf(1))) / epochs;
  assert.ok(perEpoch < (n * hidden) / 4, `${perEpoch}`);
});

test.run();
