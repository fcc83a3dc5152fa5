/** Programs of Node that use the built package: they end when nothing is under way, as they are and bundled. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('worker of Node');

// Inside the project, so that 'specnet' resolves as it does for a user.
const folder = mkdtempSync('spec/example-');
test.after(() => rmSync(folder, { recursive: true }));

const points = 'Array.from({ length: 60 }, (_, i) => [i / 60, Math.sin(i)])';

function run(file: string): string {
  const { stdout, stderr, status, signal } = spawnSync(process.execPath, [`${folder}/${file}`], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  assert.equal([status, signal], [0, null], stderr);
  return stdout.trim();
}

const program = `
import { startWorker } from 'specnet/worker';
const worker = startWorker({ threads: 2 });
worker.fit(${points}).then(({ embedding }) => console.log(embedding.shape.join('×')), ({ message }) => console.log(message));
`;

test('a process waits for a call under way, and ends although the worker was not closed', () => {
  writeFileSync(`${folder}/open.js`, program);
  assert.is(run('open.js'), '60×2');
});

test('a process with an idle worker ends', () => {
  writeFileSync(
    `${folder}/idle.js`,
    "import { startWorker } from 'specnet/worker'; startWorker(); console.log('idle');",
  );
  assert.is(run('idle.js'), 'idle');
});

test('a closed worker leaves nothing behind', () => {
  const code = `
    import { startWorker } from 'specnet/worker';
    const worker = startWorker();
    await worker.fit(${points});
    await worker.close();
    console.log(process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length);`;
  writeFileSync(`${folder}/closed.js`, code);
  assert.is(run('closed.js'), '0');
});

test('a bundle needs the script beside it, and says so without', async () => {
  const shared = { bundle: true, format: 'esm', platform: 'node', outdir: folder, logLevel: 'silent' } as const;
  await build({ ...shared, stdin: { contents: program, resolveDir: '.' }, entryNames: 'bundled' });
  assert.match(run('bundled.js'), /^EmbeddingWorker: expected a worker that runs specnet\/worker-script, got Cannot find module .*worker-script\.js.* pass \{ worker: new Worker/); // oxfmt-ignore
  await build({ ...shared, entryPoints: [{ in: 'specnet/worker-script', out: 'worker-script' }] });
  assert.is(run('bundled.js'), '60×2');
});

test.run();
