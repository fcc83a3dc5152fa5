/** The runner reports files that fail, stops files that do not end, and finds files by pattern. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runPool } from './pool.ts';
import { compileAll } from './compile.ts';
import { describeResult, describeRun } from './report.ts';
import { groupSpecs, selectSpecs } from './selection.ts';
import { slowFiles, uncoveredFiles } from './slow-files.ts';
import type { Result } from './spec-process.ts';

const test = suite('runner');

let folder = '';
test.before(async () => {
  // A folder where uvu resolves and no other spec reads.
  folder = mkdtempSync('node_modules/.runner-');
  await compileAll(folder, ['spec/runner']);
});
test.after(() => rmSync(folder, { recursive: true }));

const suiteOf = (body: string): string => `import { test } from 'uvu';\n${body}\n`;

/** Writes the compiled module of a spec file that has no source. */
function write(name: string, source: string): string {
  writeFileSync(`${folder}/${name}.spec.js`, source);
  return `${name}.spec.ts`;
}

async function run(name: string, source: string, timeout = 60): Promise<Result> {
  const [result] = await runPool([[write(name, source)]], { compiled: folder, jobs: 1, timeout });
  return result;
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
  const endless = ['a', 'b', 'c'].map((name) => [write(name, 'setTimeout(() => {}, 60_000);')]);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 500);
  assert.equal(await runPool(endless, { compiled: folder, jobs: 2, timeout: 60, signal: abort.signal }), []);
  const files = ['d', 'e', 'f'].map((name) => write(name, passing));
  const seen: string[] = [];
  const results = await runPool([files.slice(0, 1), files.slice(1)], {
    compiled: folder,
    jobs: 2,
    timeout: 60,
    onResult: ({ file }) => void seen.push(file),
  });
  assert.equal(results.map(({ file }) => file), seen); // oxfmt-ignore
  assert.equal(seen.toSorted(), files);
});

test('files share a process, and each is judged by its own tests and shown with its own output', async () => {
  const own = (body: string): string => `import { suite as begin } from 'uvu';\nconst test = begin('');\n${body}`;
  const say = (text: string): string => own(`test('one', () => console.log('${text}'));\ntest.run();`);
  const files = [
    write('first', say('first')),
    write('none', own("test('one', () => {});")),
    write('odd', own("test('one', () => { throw new Error('odd'); });\ntest.run();")),
    write('leaves', own("test('one', () => process.exit(0));\ntest.run();")),
    write('second', say('second')),
    write('hangs', own("test('one', () => new Promise(() => setTimeout(() => {}, 60_000)));\ntest.run();")),
    write('third', say('third')),
  ];
  const results = await runPool([files], { compiled: folder, jobs: 1, timeout: 3 });
  assert.equal(results.map(({ file }) => file), files); // oxfmt-ignore
  const failures = [
    null,
    'ran no test; a suite needs a test and a call of run()',
    '1 of 1 tests failed',
    'ended before its tests',
    null,
    'did not end within 3 s and was killed',
    null,
  ];
  assert.equal(results.map(({ failure }) => failure), failures); // oxfmt-ignore
  const words = ['first', 'second', 'third'];
  const heard = results.map(({ output }) => words.filter((word) => output.includes(word)).join());
  assert.equal(heard, ['first', '', '', '', 'second', '', 'third']);
  assert.match(results[2].output, 'odd');
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

test('files share a process if they take a few seconds, with coverage all or none', () => {
  const { files } = selectSpecs('spec', [], false);
  const groups = groupSpecs(files, 3);
  assert.equal(groups.flat().toSorted(), files.toSorted());
  for (const group of groups) {
    const slow = group.filter((file) => Object.hasOwn(slowFiles, file));
    const seconds = slow.reduce((sum, file) => sum + slowFiles[file], 0);
    assert.ok(group.length === 1 || seconds <= 10, `${seconds} s: ${group.join()}`);
    assert.is(new Set(group.map((file) => uncoveredFiles.has(file))).size, 1, group.join());
  }
  assert.ok(groups.length < files.length / 3, `${groups.length} groups`);
  assert.equal(groupSpecs(['spec/a.spec.ts', 'spec/b.spec.ts'], 3), [['spec/a.spec.ts'], ['spec/b.spec.ts']]);
});

test.run();
