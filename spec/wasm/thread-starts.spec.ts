/** Threads start with the first work that needs them, and end with the process. */

import { spawnSync } from 'node:child_process';
import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { processors } from '../../lib/wasm/threads/worker.ts';

const test = suite('starts of threads');

/** Computes a shared product and checks it. */
const program = `
  const a = specnet.zeros([300, 300]);
  a.data.fill(1);
  specnet.setThreads(2);
  const product = specnet.matmul(a, a);
  for (let k = 0; k < 50; k++) specnet.matmul(a, a);
  JSON.stringify({ threads: specnet.simdStatus().threads, right: product.data.every((value) => value === 300) });
`;

async function bundleOf(): Promise<string> {
  const options = { bundle: true, write: false, format: 'iife', globalName: 'specnet', logLevel: 'silent' } as const;
  const doors = ['index', 'doors/autodiff', 'doors/graph', 'doors/network', 'doors/sparse', 'doors/tensor'];
  const contents = doors.map((door) => `export * from './lib/${door}.ts';`).join('');
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: process.cwd() } });
  return outputFiles[0].text;
}

const bundled = bundleOf();

/** The output of a program in its own process, which must end by itself. */
function runAlone(bundle: string, text: string): unknown {
  const { stdout, status, signal } = spawnSync(process.execPath, ['-'], {
    input: `${bundle}; console.log(eval(${JSON.stringify(text)}))`,
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal([status, signal], [0, null], 'the process ended by itself');
  return JSON.parse(stdout);
}

const bringers = {
  'a search among points': 'void specnet.nearestNeighbors(points, { neighbors: 2 })',
  'a search for others': 'void specnet.nearestAmong(points, points, { neighbors: 2 })',
  'a search within a radius': 'void specnet.radiusNeighbors(points, 1)',
  'a graph': 'specnet.graphFrom(specnet.identity(3))',
  'a network': 'new specnet.Mlp([2, 1])',
};

for (const [name, statement] of Object.entries(bringers)) {
  test(`threads start with ${name}, in the number set before, and not with a tensor`, async () => {
    const counts = (first: string): string => `
      ${first}
      const points = specnet.tensor([[1, 2], [3, 4], [5, 6]]);
      const counts = [specnet.simdStatus().threads];
      ${statement};
      counts.push(specnet.simdStatus().threads);
      JSON.stringify(counts);`;
    const bundle = await bundled;
    assert.equal(runAlone(bundle, counts('')), [1, Math.min(processors(), 8)]);
    assert.equal(runAlone(bundle, counts('specnet.setThreads(3);')), [3, 3]);
  });
}

test('sleeping workers do not keep a process alive, and where none can be had there is one thread', async () => {
  const bundle = await bundled;
  assert.equal(runAlone(bundle, program), { threads: 2, right: true });
  const bare = new Script(`${bundle};${program}`).runInContext(createContext({}));
  assert.equal(JSON.parse(bare), { threads: 1, right: true });
});

test.run();
