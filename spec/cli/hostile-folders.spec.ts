/** Folders and files that others prepared: drafts that cannot be swept, lists that cannot be read, pipes, redirected output. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identityOf } from '../../lib/files/destination.ts';
import { draftPath } from '../../lib/files/drafts.ts';
import { openOutput, writeOutput } from '../../lib/files/write.ts';
import { FileList } from '../../lib/cli/commands/reproduce/file-list.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('hostile folders');

const points = Array.from({ length: 40 }, (_, i) => `${Math.cos(i / 7)},${Math.sin(i / 7)}\n`).join('');
const flags = ['--neighbors', '5', '-k', '1'];
const list = 'specnet-results.txt';

/** The draft of a process that has ended. */
const abandoned = (path: string): string => draftPath(path).replace(/-\d+-(\d+\.draft)$/, '-1-$1');

test('a draft that cannot be swept does not keep a file from being written', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.csv');
    mkdirSync(abandoned(path));
    await writeOutput(openOutput('--out', path), new TextEncoder().encode('new'));
    assert.is(readFileSync(path, 'utf8'), 'new');
    assert.ok(existsSync(abandoned(path)), 'a folder is no draft');
  }));

test('a checkpoint that is there and cannot be read is not taken for a new one', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'points.csv', points);
    const below = join(folder, 'ENOENT');
    mkdirSync(below);
    const checkpoint = put(below, 'training.specnet', 'mine');
    const { code, err } = await run(['embed', path, ...flags, '--method', 'specnet2', '--checkpoint', checkpoint]);
    assert.is(code, 1);
    assert.match(err, /training\.specnet: expected a file that begins with specnet, got 'mine'/);
    assert.is(readFileSync(checkpoint, 'utf8'), 'mine');
  }));

test('standard output that was redirected to the input is the input', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'points.csv', points);
    const program = `import { identityOf } from './dist/lib/files/destination.js';
      console.error(identityOf('/dev/stdout') === identityOf(${JSON.stringify(path)}));`;
    const env = { ...process.env, NODE_V8_COVERAGE: '' };
    const redirect = (shell: string): string =>
      spawnSync('bash', ['-c', `'${process.execPath}' --input-type=module -e "$1" ${shell}`, '-', program], {
        env,
      }).stderr.toString();
    assert.is(redirect(`>> '${path}'`), 'true\n');
    assert.is(redirect('| cat'), 'false\n');
    assert.is(readFileSync(path, 'utf8'), points);
    assert.is.not(identityOf('/dev/null'), identityOf(path));
  }));

test('a reader that stops early is no failure, by a pipe with a name as well', () =>
  inFolder(async (folder) => {
    const pipe = join(folder, 'pipe.csv');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('head', ['-c', '1', pipe], { stdio: 'ignore' });
    const gone = new Promise((resolve) => reader.once('close', resolve));
    // More than a pipe holds, so that the write lasts until the reader has left.
    await writeOutput(openOutput('--out', pipe), new Uint8Array(4_000_000));
    await gone;
  }));

test('a table is read from a pipe', () =>
  inFolder(async (folder) => {
    const pipe = join(folder, 'pipe.csv');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('bash', ['-c', `cat > '${pipe}'`], { stdio: ['pipe', 'ignore', 'ignore'] });
    writer.stdin.end(points);
    // A second writer lets a reader that opens the pipe again end, and fail, instead of waiting forever.
    const second = spawn('bash', ['-c', `sleep 20; : > '${pipe}'`], { stdio: 'ignore' });
    const { code, out } = await run(['eigen', pipe, ...flags, '--json']);
    second.kill();
    assert.is(code, 0);
    assert.is((JSON.parse(out) as { n: number }).n, 40);
  }));

test('a list of a results folder that cannot be read is refused in words', () =>
  inFolder(async (folder) => {
    const path = put(folder, list, 'specnet results, version 1\n');
    truncateSync(path, 2 ** 30);
    assert.throws(
      () => new FileList(folder).names(),
      /^reproduce: expected .*results\.txt of at most 16777216 bytes, got/,
    );
    const missing = new FileList(join(folder, 'missing'));
    assert.throws(() => missing.names(), /^reproduce: expected access to .*results\.txt, got ENOENT: no such file/);
    symlinkSync('loop', join(folder, 'loop'));
    const loop = new FileList(join(folder, 'loop', 'below'));
    assert.throws(() => loop.names(), /^reproduce: expected access to .*results\.txt, got ELOOP: too many symbolic/);
  }));

test('a name that a loss of power has cut is not in the list afterwards, so that no file of that name is deleted', () =>
  inFolder(async (folder) => {
    const path = put(folder, list, 'specnet results, version 1\nreport.html\n');
    appendFileSync(path, 'jobs/thesis');
    const files = new FileList(folder);
    files.prepare(['jobs', 'shared']);
    files.claim(['report.md']);
    assert.equal([...files.names()], ['report.html', 'report.md']);
    const mine = put(join(folder, 'jobs'), 'thesis', 'mine');
    files.delete((name) => name.includes('/'));
    assert.is(readFileSync(mine, 'utf8'), 'mine');
    assert.equal(readdirSync(folder).toSorted(), ['jobs', 'shared', list]);
    writeFileSync(path, 'specnet results, version 1');
    files.prepare([]);
    assert.is(readFileSync(path, 'utf8'), 'specnet results, version 1', 'a first line alone is left as it is');
  }));

test.run();
