/** The runner reports files that fail, stops files that do not end, and finds files by pattern. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runPool } from './pool.ts';
import { describeResult, describeRun } from './report.ts';
import { selectSpecs } from './selection.ts';
import { slowFiles, uncoveredFiles } from './slow-files.ts';
import { type Result, runSpecFile } from './spec-file.ts';

const test = suite('runner');

let folder = '';
test.before(() => {
  // A folder where uvu resolves and no other spec reads.
  folder = mkdtempSync('node_modules/.runner-');
});
test.after(() => rmSync(folder, { recursive: true }));

const suiteOf = (body: string): string => `import { test } from 'uvu';\n${body}\n`;

/** Writes the compiled module of a spec file that has no source. */
function write(name: string, source: string): string {
  writeFileSync(`${folder}/${name}.spec.js`, source);
  return `${folder}/${name}.spec.ts`;
}

function run(name: string, source: string, timeout = 60): Promise<Result> {
  return runSpecFile(write(name, source), { compiled: '.', timeout });
}

const passing = suiteOf(
  "test('one', () => {});\ntest('two', () => console.log('a note'));\ntest.skip('three');\ntest.run();",
);

test('a file whose tests pass is counted, and what it prints is shown', async () => {
  const result = await run('passing', passing);
  assert.equal([result.failure, result.passed, result.skipped], [null, 2, 1], result.output);
  assert.match(describeResult(result), /ok .*passing\.spec\.ts {2}\(2\)\n {4}a note$/);
});

test('a test that throws fails its file, and the whole output is shown', async () => {
  const source = suiteOf("test('one', () => {});\ntest('two', () => { throw new Error('odd'); });\ntest.run();");
  const result = await run('throwing', source);
  assert.equal([result.failure, result.passed], ['1 of 2 tests failed', 1]);
  assert.match(describeResult(result), /FAILED[\s\S]*odd/);
  assert.match(describeRun([result], 1), /FAILED .*throwing\.spec\.ts: 1 of 2 tests failed$/);
});

test('a file sees the variables that were set before it started', async () => {
  process.env.SPEC_RUNNER_SAYS = 'now';
  try {
    const { output } = await run(
      'variables',
      suiteOf("test('one', () => console.log(process.env.SPEC_RUNNER_SAYS));\ntest.run();"),
    );
    assert.match(output, 'now');
  } finally {
    delete process.env.SPEC_RUNNER_SAYS;
  }
});

test('a file that runs no test fails', async () => {
  for (const [name, source] of [
    ['empty', ''],
    ['not-started', suiteOf("test('one', () => {});")],
    ['without-tests', suiteOf('test.run();')],
  ]) {
    const { failure } = await run(name, source);
    assert.match(failure ?? '', /^ran no test/, name);
  }
});

test('a file that crashes or leaves early fails', async () => {
  const crash = await run('crash', "throw new Error('broken');");
  assert.is(crash.failure, 'exited with code 1');
  assert.match(crash.output, 'broken');
  const early = await run('early', suiteOf("test('one', () => process.exit(0));\ntest.run();"));
  assert.is.not(early.failure, null);
  const killed = await run('killed', "process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 60_000);");
  assert.is.not(killed.failure, null);
});

test('a file that does not end is killed, with everything it has started', async () => {
  const source = `import { spawn } from 'node:child_process';
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { stdio: 'inherit' });`;
  // The output ends only when no process can write to it any more.
  const { failure, seconds } = await run('endless', source, 3);
  assert.is(failure, 'did not end within 3 s and was killed');
  assert.ok(seconds < 300, `${seconds}`);
});

test('some files run at a time, and an abort ends them', async () => {
  const endless = ['a', 'b', 'c'].map((name) => write(name, 'setTimeout(() => {}, 60_000);'));
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 500);
  assert.equal(await runPool(endless, { compiled: '.', jobs: 2, timeout: 60, signal: abort.signal }), []);
  const files = ['d', 'e', 'f'].map((name) => write(name, passing));
  const seen: string[] = [];
  const results = await runPool(files, {
    compiled: '.',
    jobs: 2,
    timeout: 60,
    onResult: ({ file }) => void seen.push(file),
  });
  assert.equal(results.map(({ file }) => file), seen); // oxfmt-ignore
  assert.equal(seen.toSorted(), files);
});

test('patterns match paths in either case, and any of them suffices', () => {
  const all = selectSpecs('spec', [], false).files;
  assert.ok(all.length > 50 && all.every((file) => file.endsWith('.spec.ts')));
  const some = selectSpecs('spec', ['WASM/', 'layers'], false).files;
  assert.ok(some.includes('spec/layers.spec.ts') && some.length > 1);
  assert.ok(some.every((file) => /wasm\/|layers/.test(file)));
});

test('slow files exist, start first in a full run, and are left out of a quick one', () => {
  const names = Object.keys(slowFiles);
  for (const name of [...names, ...uncoveredFiles]) assert.ok(existsSync(name), name);
  const whole = selectSpecs('spec', [], false);
  assert.equal(whole.files.slice(0, names.length).toSorted(), names.toSorted());
  assert.equal(whole.leftOut, []);
  const quick = selectSpecs('spec', [], true);
  assert.equal(quick.leftOut, names.toSorted());
  assert.equal([...quick.files, ...quick.leftOut].toSorted(), whole.files.toSorted());
});

test.run();
