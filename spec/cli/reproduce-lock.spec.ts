/** Two runs of `reproduce` never work in one folder: the second is refused, and the lock of a killed run is ignored. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isLock } from '../../lib/files/lock.ts';
import { self } from '../../lib/files/owner.ts';
import { inFolder, run } from './run.ts';

const test = suite('locks of results folders');

const held = new Set<ChildProcess>();
const locksIn = (folder: string): string[] => readdirSync(folder).filter(isLock);

/** A process that tries to take the folder, prints what came of it, and keeps it until its input ends. */
function hold(folder: string): ChildProcess {
  const code = `
    import { ResultsFolder } from ${JSON.stringify(pathToFileURL('dist/lib/cli/commands/reproduce/results-folder.js').href)};
    try {
      const results = ResultsFolder.prepare(${JSON.stringify(folder)});
      results.files.claim([\`\${process.pid}.json\`]);
      console.log('taken');
      process.stdin.resume().on('end', () => results.close());
    } catch (error) {
      console.log(error.message);
    }`;
  const env = { ...process.env, NODE_V8_COVERAGE: '' };
  const words = ['--input-type=module', '-e', code];
  const child = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  held.add(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [bytes] = (await once(child.stdout!, 'data')) as [Buffer];
  return bytes.toString().trimEnd();
}

test('a run is refused while another one is at work, and not after that was killed', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'results');
    const other = hold(out);
    assert.is(await firstLine(other), 'taken');
    const args = ['reproduce', 'data', '--quick', '--out', out];
    const refused = await run(args);
    assert.is(refused.code, 1);
    const remedy = 'Wait until it has ended, or choose another folder.';
    assert.is(
      refused.err,
      `specnet reproduce: expected a folder in which no other process works, got ${out}, which process ${other.pid} uses. ${remedy}\n`,
    );
    assert.not(existsSync(join(out, 'report.html')));
    assert.is(locksIn(out).length, 1, 'that of the other');
    other.kill('SIGKILL');
    await once(other, 'close');
    assert.is(locksIn(out).length, 1, 'left by the kill');
    assert.is((await run(args)).code, 0);
    assert.equal(locksIn(out), []);
  }));

test('of processes that start at the same time one gets the folder, and its list is whole', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'results');
    const processes = Array.from({ length: 4 }, () => hold(out));
    const answers = await Promise.all(processes.map(firstLine));
    const refusal =
      /^--out: expected a folder in which no other process works, got .*results, which process \d+ uses\./;
    assert.is(answers.filter((answer) => answer === 'taken').length, 1, answers.join('\n'));
    assert.is(answers.filter((answer) => refusal.test(answer)).length, 3, answers.join('\n'));
    for (const one of processes) one.stdin!.end();
    await Promise.all(processes.map((one) => one.exitCode ?? once(one, 'close')));
    assert.equal(locksIn(out), []);
    const next = hold(out);
    assert.is(await firstLine(next), 'taken');
    next.stdin!.end();
    await once(next, 'close');
  }));

test('the lock of another machine is named, and stays', () =>
  inFolder(async (folder) => {
    const name = `.specnet-${self.machine === '00000000' ? '1' : '0'}0000000-7-9.lock`;
    writeFileSync(join(folder, name), '');
    const { code, err } = await run(['reproduce', 'data', '--quick', '--out', folder]);
    assert.is(code, 1);
    assert.match(
      err,
      /which process 7 of another machine or container uses\. If it has ended, delete .*-7-9\.lock\.\n$/,
    );
    assert.equal(readdirSync(folder), [name]);
  }));

test.after.each(() => held.forEach((child) => child.kill('SIGKILL')));

test.run();
