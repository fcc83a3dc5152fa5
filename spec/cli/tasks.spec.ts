/** Work as a folder of tasks has the bits of the same work in one process, and what does not belong together is refused. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blobs } from '../../datasets/index.ts';
import { writeNpyTensor } from '../../lib/doors/formats.ts';
import { placeOfTask } from '../../lib/tasks/plan.ts';
import { RunFolder } from '../../lib/tasks/run-folder.ts';
import { forEachInOrder } from '../for-each.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('tasks');

const { points } = blobs({ n: 900, seed: 4, deviation: 2 });

/** Files with points, and a function that runs a command line in which @ stands for the folder. */
type Shell = (line: string) => Promise<string>;

async function withPoints(use: (folder: string, shell: Shell) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    put(folder, 'points.npy', writeNpyTensor(points));
    await use(folder, async (line) => {
      const { code, out, err } = await run(line.replaceAll('@', `${folder}/`).split(' '));
      return code === 0 ? out : `${code}: ${err}`;
    });
  });
}

const arrays = ['indptr.npy', 'indices.npy', 'data.npy', 'degrees.npy', 'checksums.npy', 'specnet-graph.json'];

function sameFiles(one: string, other: string, names: readonly string[]): void {
  for (const name of names) assert.ok(readFileSync(join(one, name)).equals(readFileSync(join(other, name))), name);
}

test('neighbors in tasks have the bits of store, in any order of a stage', () =>
  withPoints(async (folder, shell) => {
    await shell('store @points.npy --graph self-tuned --neighbors 12 --out @whole');
    const planned = await shell('plan neighbors @points.npy --graph self-tuned --neighbors 12 --blocks 4 --out @run');
    assert.match(
      planned,
      /run: neighbors in 5 tasks\n\nstage +tasks\n.*\nsearch +1 to 4\nmerge +5\n\nNext: specnet run /,
    );
    assert.match(await shell('work @run --task 5'), /^1: .*expected task 1 to be done before, got waiting\. Do task 1/);
    await forEachInOrder([4, 2, 1, 3], async (task) => {
      assert.match(await shell(`work @run --task ${task}`), new RegExp(`^Task ${task} \\(search\\) done in `));
    });
    assert.is(JSON.parse(await shell('work @run --task 2 --json')).worked, false);
    const { stages, complete } = JSON.parse(await shell('status @run --json'));
    assert.equal([stages[0].done, stages[1].waiting, complete], [4, 1, false]);
    assert.match(await shell('work @run --task 5'), /^Task 5 \(merge\) done/);
    sameFiles(join(folder, 'run', 'graph'), join(folder, 'whole'), arrays);
    assert.equal(readdirSync(join(folder, 'run', 'pieces')), [], 'what was passed on is deleted');
    assert.match(
      await shell('status @run'),
      /search +4 +4 +0 +0 +0\nmerge +1 +1 +0 +0 +0\n\nComplete: .*specnet-graph/,
    );
    // A process that was about to merge when another one had done so finds nothing to read, and changes nothing.
    const late = RunFolder.open('spec', join(folder, 'run'));
    assert.throws(() => late.checkEarlier(placeOfTask(late.plan, 5)), /expected the file .*, got none/);
    assert.equal(late.tasksIn('done'), [1, 2, 3, 4, 5]);
    // What a process left that was killed at the end of a task is gone after the next call.
    late.begin(1);
    assert.match(await shell('work @run --task 1'), /was done before/);
    assert.equal(
      readdirSync(join(folder, 'run', 'tasks')),
      [1, 2, 3, 4, 5].map((task) => `0000${task}.done.json`),
    );
    assert.match(await shell('work @run --task 6'), /^1: .*expected a task from 1 to 5, got 6\./);
  }));

test('coordinates in tasks have the bits of transform, for landmarks and networks, also in several processes', () =>
  withPoints(async (folder, shell) => {
    const models = ['--method ritz --landmarks 40', '--hidden 12 --epochs 1'];
    await forEachInOrder([...models.entries()], async ([i, flags]) => {
      await shell(`embed @points.npy ${flags} --model @${i}.specnet`);
      await shell(`transform @${i}.specnet @points.npy --out @${i}.npy`);
      await shell(`plan transform @${i}.specnet @points.npy --blocks 2 --out @run${i}`);
      const done = await shell(`run @run${i} --jobs ${2 - i} --json`);
      assert.ok(JSON.parse(done).complete, done);
      assert.ok(
        readFileSync(join(folder, `run${i}`, 'coordinates.npy')).equals(readFileSync(join(folder, `${i}.npy`))),
        flags,
      );
    });
  }));

test('a lost or damaged output of an earlier stage is refused by name, and its task done again', () =>
  withPoints(async (folder, shell) => {
    await shell('plan neighbors @points.npy --neighbors 6 --blocks 2 --out @run');
    for (const task of [1, 2]) await shell(`work @run --task ${task}`);
    const piece = join(folder, 'run', 'pieces', 'neighbors-00001.part');
    const bytes = readFileSync(piece);
    bytes[1000] ^= 1;
    writeFileSync(piece, bytes);
    const refused = await shell('work @run --task 3');
    assert.match(
      refused,
      /^1: .*neighbors-00001\.part as it was recorded, got a wrong checksum\. Do task 2 again: specnet/,
    );
    assert.is(JSON.parse(await shell('status @run --json')).stages[0].waiting, 1);
    assert.match(await shell('run @run'), /\nmerge +1 +1 +0/);
    await shell('store @points.npy --neighbors 6 --out @whole');
    sameFiles(join(folder, 'run', 'graph'), join(folder, 'whole'), arrays);
  }));

test('a full disk fails a task in words, a kill leaves it waiting, and both are made good', () =>
  withPoints(async (folder, shell) => {
    await shell('plan neighbors @points.npy --neighbors 6 --blocks 2 --out @run');
    const stop = { AT: 'half-written', BY: 'ENOSPC', FILE: 'neighbors-00000.part' };
    for (const [name, value] of Object.entries(stop)) process.env[`SPECNET_TEST_STOP_${name}`] = value;
    const full = await shell('run @run');
    for (const name of [...Object.keys(stop), 'COUNT']) delete process.env[`SPECNET_TEST_STOP_${name}`];
    assert.match(full, /^1: specnet run: task 1 failed: .*neighbors-00000\.part .*, got ENOSPC: /);
    const killed = spawnSync(process.execPath, ['dist/lib/cli/main.js', 'work', join(folder, 'run'), '--task', '1'], {
      env: {
        ...process.env,
        NODE_V8_COVERAGE: '',
        SPECNET_TEST_STOP_AT: 'before-rename',
        SPECNET_TEST_STOP_FILE: 'neighbors-00000.part',
      },
    });
    assert.is(killed.signal, 'SIGKILL');
    const { stages, failures } = JSON.parse(await shell('status @run --json'));
    assert.equal([stages[0].done, stages[0].failed, failures[0].task], [1, 1, 1], 'it has failed before it was killed');
    assert.match(await shell('run @run'), /\nmerge +1 +1 +0/);
    await shell('store @points.npy --neighbors 6 --out @whole');
    sameFiles(join(folder, 'run', 'graph'), join(folder, 'whole'), arrays);
  }));

test('another plan, another version, other points and a folder of something else are refused, and nothing is lost', () =>
  withPoints(async (folder, shell) => {
    const line = 'plan neighbors @points.npy --neighbors 6 --blocks 2 --out @run';
    await shell(line);
    await shell('work @run --task 1');
    assert.match(await shell(line), /neighbors in 3 tasks/, 'the same plan again');
    assert.is(JSON.parse(await shell('status @run --json')).stages[0].done, 1, 'keeps what was done');
    assert.match(
      await shell(line.replace('6', '7')),
      /^1: .*a folder without a plan, or with the same one, got .*another plan/,
    );
    assert.match(await shell(line.replace('@run', '@')), /^1: .*a folder without other files, got .* with points\.npy/);
    assert.match(await shell('status @'), /^1: .*expected a folder with specnet-run\.json, got/);
    const planFile = join(folder, 'run', 'specnet-run.json');
    const text = readFileSync(planFile, 'utf8');
    writeFileSync(planFile, text.replace('"version": 1', '"version": 2'));
    assert.match(await shell('work @run --task 2'), /^1: .*version 1 of specnet-run in .*, got 2\. Use the version/);
    writeFileSync(planFile, text.replace('"neighbors": 6', '"neighbors": 5'));
    assert.match(await shell('work @run --task 2'), /^1: .*an undamaged .*specnet-run\.json, got a wrong checksum/);
    writeFileSync(planFile, text);
    await shell('plan neighbors @points.npy --neighbors 7 --blocks 2 --out @other');
    const record = join('tasks', '00001.done.json');
    writeFileSync(join(folder, 'other', record), readFileSync(join(folder, 'run', record)));
    assert.match(await shell('status @other'), /^1: .*the record of task 1 in .*, got that of task 1 of another plan/);
    const changed = readFileSync(join(folder, 'points.npy'));
    changed[changed.length - 1] ^= 1;
    writeFileSync(join(folder, 'points.npy'), changed);
    assert.match(
      await shell('work @run --task 2'),
      /^1: .*points\.npy as it was recorded, got a wrong checksum\. Restore/,
    );
    assert.ok(existsSync(join(folder, 'run', 'tasks', '00001.done.json')));
  }));

test.run();
