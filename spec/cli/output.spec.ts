/** Files are written completely or not at all: after failures, kills and Ctrl-C, under any name, through links and pipes. */

import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { draftPath } from '../../lib/files/drafts.ts';
import { type Moment, moments } from '../../lib/files/moments.ts';
import type { Disk, Steps } from '../../lib/files/disk.ts';
import { append, openOutput, replace, replaceFileSync, writeOutput } from '../../lib/files/write.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { inFolder, interruptProgram, put } from './run.ts';

const test = suite('output of commands');

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Writes `new` to a file by the built package in a process that stops at a moment. Returns the signal that ended it. */
function writeAndStop(path: string, moment: Moment, by: string, blocking: boolean): NodeJS.Signals | null {
  const write = blocking
    ? `replaceFileSync('--out', ${JSON.stringify(path)}, content);`
    : `await writeOutput(openOutput('--out', ${JSON.stringify(path)}), content);`;
  const code = `import { openOutput, replaceFileSync, writeOutput } from './dist/lib/files/write.js';
    const content = new TextEncoder().encode('new');
    ${write}`;
  const env = { ...process.env, NODE_V8_COVERAGE: '', SPECNET_TEST_STOP_AT: moment, SPECNET_TEST_STOP_BY: by };
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { env }).signal;
}

test('a file is replaced as a whole, keeps its permissions, and has nothing beside it', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.csv', 'old');
    chmodSync(path, 0o640);
    const output = openOutput('--out', path);
    assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'old'], 'after the check');
    await writeOutput(output, bytes('new'));
    assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'new']);
    assert.is(statSync(path).mode & 0o777, 0o640);
    assert.is(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM'), 0);
    replaceFileSync('--out', path, bytes('newer'));
    assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'newer']);
  }));

test('a write that fails at any moment before the rename leaves the old file, and names flag, file and reason', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.csv', 'old');
    await forEachInOrder(['before-draft', 'half-written', 'before-sync', 'before-rename'], async (moment) => {
      process.env.SPECNET_TEST_STOP_AT = moment;
      process.env.SPECNET_TEST_STOP_BY = 'ENOSPC';
      const rule = `writeOutput: expected --out ${path} to be a file that can be written, got ENOSPC: planted by a test. Free space there, or choose another disk.`;
      try {
        process.env.SPECNET_TEST_STOP_COUNT = '1';
        assert.is(await refusalOf(writeOutput(openOutput('--out', path), bytes('new'))), rule, moment);
        process.env.SPECNET_TEST_STOP_COUNT = '1';
        assert.throws(() => replaceFileSync('--out', path, bytes('new')), rule);
      } finally {
        for (const end of ['AT', 'BY', 'COUNT']) delete process.env[`SPECNET_TEST_STOP_${end}`];
      }
      assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'old'], moment);
    });
    assert.is(process.listenerCount('SIGINT'), 0);
  }));

test('the bytes are on the disk before the file has its name, and the name before the write is reported', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.csv');
    const done: string[] = [];
    const shown = (name: string): string => ({ [draftPath(path)]: 'draft', [path]: 'file', [folder]: 'folder' })[name]!;
    let opened = '';
    const record = (text: string, result = 0): number => {
      done.push(text);
      return result;
    };
    const disk: Disk<number> = {
      open: (name) => record(`open ${(opened = shown(name))}`, 7),
      write: (_file, part) => record(`write ${part.length}`, part.length),
      permit: () => record('permit'),
      sync: () => record(`sync ${opened}`),
      close: () => record(`close ${opened}`),
      rename: (from, to) => record(`rename ${shown(from)} to ${shown(to)}`),
      remove: (name) => record(`remove ${shown(name)}`),
    };
    const runSteps = (steps: Steps): void => {
      for (let next = steps.next(0); !next.done; next = steps.next(next.value(disk) as number));
    };
    runSteps(replace(path, bytes('newer')));
    const draft = ['open draft', 'write 2', 'write 3', 'sync draft', 'close draft', 'rename draft to file'];
    assert.equal(done.splice(0), [...draft, 'open folder', 'sync folder', 'close folder']);
    runSteps(append(path, bytes('line')));
    assert.equal(done, ['open file', 'write 4', 'sync file', 'close file'], 'a line that is added to a list');
  }));

/** Runs code on files of the built package in a process of its own. Returns what it does on the disk, in order. Drafts are `draft`. */
function operationsOf(folder: string, code: string): string[] {
  const program = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const names = new Map();
    const { fsyncSync, mkdirSync, openSync, renameSync, writeSync } = fs;
    fs.openSync = (name, ...rest) => { const file = openSync(name, ...rest); names.set(file, name); return file; };
    fs.writeSync = (file, ...rest) => { console.log('write ' + names.get(file)); return writeSync(file, ...rest); };
    fs.fsyncSync = (file) => { fsyncSync(file); console.log('sync ' + names.get(file)); };
    fs.mkdirSync = (name, ...rest) => { mkdirSync(name, ...rest); console.log('make ' + name); };
    fs.renameSync = (from, to) => { renameSync(from, to); console.log('rename ' + from + ' to ' + to); };
    syncBuiltinESMExports();
    ${code}
    console.log('done');`;
  const env = { ...process.env, NODE_V8_COVERAGE: '' };
  const options = { env, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], options);
  assert.is(stderr, '');
  const lines = stdout.replaceAll(folder, '#').replaceAll(/[^ /]*\.draft/g, 'draft');
  return lines.trim().split('\n');
}

test('a folder that is made is on the disk, as an entry of the one above', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a', 'b');
    const code = `const { makeFolder } = await import('./dist/lib/files/write.js');
      makeFolder('--out', ${JSON.stringify(path)});`;
    assert.equal(operationsOf(folder, code), ['make #/a', 'sync #', 'make #/a/b', 'sync #/a', 'done']);
    assert.ok(statSync(path).isDirectory());
  }));

test('a file that is written in pieces is on the disk before it has its name, and the name before it is finished', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.npy');
    const code = `const { GrowingFile } = await import('./dist/lib/files/pieces/growing-file.js');
      const file = new GrowingFile('--out', ${JSON.stringify(path)});
      file.append(new Uint8Array(5));
      file.append(new Uint8Array(3));
      file.overwrite(new Uint8Array(2), 0);
      file.finish();`;
    const writes = Array.from({ length: 3 }, () => 'write #/draft');
    const finish = ['sync #/draft', 'rename #/draft to #/a.npy', 'sync #', 'done'];
    assert.equal(operationsOf(folder, code), [...writes, ...finish]);
    assert.is(statSync(path).size, 8);
  }));

test('a folder that was filled under another name has its own name on the disk before it is finished', () =>
  inFolder(async (folder) => {
    const [pieces, path] = [join(folder, 'pieces'), join(folder, 'graph')];
    mkdirSync(join(pieces, 'a.draft'), { recursive: true });
    put(join(pieces, 'a.draft'), 'data.npy', '');
    const code = `const { finishFolder } = await import('./dist/lib/files/folder-draft.js');
      finishFolder('--out', ${JSON.stringify(join(pieces, 'a.draft'))}, ${JSON.stringify(path)});`;
    assert.equal(operationsOf(folder, code), ['rename #/pieces/draft to #/graph', 'sync #', 'done']);
    assert.equal([readdirSync(path), readdirSync(pieces)], [['data.npy'], []]);
  }));

test('two processes that write the same file again and again disturb neither each other nor the file', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a.csv');
    const code = (letter: string): string => `
      import { openOutput, writeOutput } from './dist/lib/files/write.js';
      const content = new TextEncoder().encode('${letter}'.repeat(100_000));
      for (let i = 0; i < 60; i++) await writeOutput(openOutput('--out', ${JSON.stringify(path)}), content);`;
    const start = (letter: string): Promise<string> =>
      new Promise((resolve) => {
        const env = { ...process.env, NODE_V8_COVERAGE: '' };
        execFile(process.execPath, ['--input-type=module', '-e', code(letter)], { env }, (_error, _out, err) =>
          resolve(err),
        );
      });
    assert.equal(await Promise.all([start('a'), start('b')]), ['', '']);
    assert.equal(readdirSync(folder), ['a.csv']);
    assert.match(readFileSync(path, 'utf8'), /^(a{100000}|b{100000})$/);
  }));

test('a process that is killed at any moment leaves the old file or the new one, and the next run sweeps its draft', () =>
  inFolder(async (folder) => {
    const killed = moments.filter((moment) => !moment.endsWith('append'));
    for (const [i, moment] of killed.entries()) {
      const path = put(folder, `${moment}.csv`, 'old');
      assert.is(writeAndStop(path, moment, 'SIGKILL', i % 2 === 0), 'SIGKILL', moment);
      assert.is(readFileSync(path, 'utf8'), moment.startsWith('after') ? 'new' : 'old', moment);
      const drafts = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.draft'));
      const expected = moment.startsWith('after') || moment === 'before-draft' ? 0 : 1;
      assert.is(drafts().length, expected, moment);
      openOutput('--out', join(folder, 'other.csv'));
      assert.is(drafts().length, expected, 'another file leaves it alone');
      openOutput('--out', path);
      assert.is(drafts().length, 0, 'swept');
    }
  }));

test('interrupted while it writes, a process ends by the signal and leaves no draft', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'a.csv', 'old');
    assert.is(writeAndStop(path, 'half-written', 'SIGINT', false), 'SIGINT');
    assert.equal([readdirSync(folder), readFileSync(path, 'utf8')], [['a.csv'], 'old']);
  }));

test('drafts of living processes stay, and those of other machines for a day', () =>
  inFolder(async (folder) => {
    if (!existsSync('/proc/self/stat')) {
      console.log('left out: the test of drafts of living processes, because there is no /proc here');
      return;
    }
    const path = join(folder, 'a.csv');
    const own = draftPath(path);
    const [prefix, pid, start] = /^(.*)-(\d+)-(\d+)-\d+\.draft$/.exec(own)!.slice(1);
    const name = (machine: string, owner: number, began: string): string =>
      `${prefix.slice(0, -8)}${machine}-${owner}-${began}-0.draft`;
    const machine = prefix.slice(-8);
    const parent = readFileSync(`/proc/${process.ppid}/stat`, 'utf8');
    const parentStart = parent.slice(parent.lastIndexOf(')') + 2).split(' ')[19];
    const alive = name(machine, process.ppid, parentStart);
    const reused = name(machine, process.ppid, '1');
    const earlier = name(machine, Number(pid), String(Number(start) - 1));
    const [fresh, stale] = [name('00000000', 1, '1'), name('00000000', 2, '1')];
    for (const draft of [alive, reused, earlier, fresh, stale]) writeFileSync(draft, '');
    utimesSync(stale, 1, 1);
    openOutput('--out', path);
    assert.equal(
      readdirSync(folder).toSorted(),
      [alive, fresh].map((draft) => draft.slice(folder.length + 1)).toSorted(),
    );
  }));

test('names as long as the system allows are written, and longer ones refused before the work', () =>
  inFolder(async (folder) => {
    for (const name of [`${'x'.repeat(251)}.csv`, `${'ü'.repeat(125)}.csv`, `${'😀'.repeat(62)}.csv`]) {
      const path = join(folder, name);
      await writeOutput(openOutput('--out', path), bytes('new'));
      assert.is(readFileSync(path, 'utf8'), 'new');
    }
    assert.throws(
      () => openOutput('--out', join(folder, `${'x'.repeat(252)}.csv`)),
      /got ENAMETOOLONG: name too long\.$/,
    );
  }));

test('outputs that cannot be written are refused before the work: folders, missing folders, cyclic links', () =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, 'folder.csv'));
    symlinkSync('loop.csv', join(folder, 'loop.csv'));
    put(folder, 'file', '');
    const refusal = (name: string): string => {
      try {
        openOutput('--model', join(folder, name));
        return 'none';
      } catch (error) {
        return (error as Error).message.replace(folder, '#');
      }
    };
    const rule = (name: string): string =>
      `writeOutput: expected --model #/${name} to be a file that can be written, got `;
    assert.is(refusal('folder.csv'), `${rule('folder.csv')}EISDIR: it is a folder.`);
    // The folder is there, and nobody may create a file in it.
    if (existsSync('/proc/self')) {
      assert.throws(
        () => openOutput('--out', '/proc/a.csv'),
        /--out \/proc\/a\.csv to be a file that can be written, got E/,
      );
    }
    assert.is(refusal('no/a.csv'), `${rule('no/a.csv')}ENOENT: no such file or directory. Create its folder first.`);
    assert.is(refusal('loop.csv'), `${rule('loop.csv')}ELOOP: more than 40 links.`);
    assert.is(refusal('file/a.csv'), `${rule('file/a.csv')}ENOTDIR: not a directory.`);
  }));

test('a link is written through, also one to a file that is not there yet', () =>
  inFolder(async (folder) => {
    mkdirSync(join(folder, 'below'));
    const link = join(folder, 'link.csv');
    symlinkSync('below/a.csv', link);
    for (const text of ['first', 'second']) {
      // oxlint-disable-next-line no-await-in-loop -- the second replaces the first
      await writeOutput(openOutput('--out', link), bytes(text));
      assert.is(readFileSync(join(folder, 'below', 'a.csv'), 'utf8'), text);
    }
    assert.is(readlinkSync(link), 'below/a.csv');
    assert.equal([readdirSync(folder), readdirSync(join(folder, 'below'))], [['below', 'link.csv'], ['a.csv']]);
  }));

test('interrupted while it works, a command ends at once, and nothing is written', () =>
  inFolder(async (folder) => {
    const path = `${folder}/points.csv`;
    writeFileSync(path, Array.from({ length: 30_000 }, (_, i) => `${i},${(i * i) % 9973}\n`).join(''));
    const { out, err, signal } = await interruptProgram(`
      setTimeout(() => console.log('now'), 100);
      process.argv.push('specnet', 'eigen', ${JSON.stringify(path)}, '-k', '50', '--json', '--out', ${JSON.stringify(`${folder}/v.npy`)});
      await import('./dist/lib/cli/main.js');
    `);
    assert.is(signal, 'SIGINT');
    assert.equal([out, err], ['now\n', '']);
    assert.equal(readdirSync(folder), ['points.csv']);
  }));

test.run();
