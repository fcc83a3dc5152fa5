/** Outputs of commands: never an input, checked before the work, written one by one, through pipes, and on full disks. */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flags as flagTable, outputFlags, sourceFlags } from '../../lib/cli/flags/flags.ts';
import { readNpyTensor, writeNpyTensor } from '../../lib/doors/formats.ts';
import { buildStoredGraph, storeGraph, transformStored } from '../../lib/doors/storage.ts';
import { SpectralEmbedding, tensor } from '../../lib/index.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('outputs');

const points = Array.from({ length: 40 }, (_, i) => `${Math.cos(i / 7)},${Math.sin(i / 7)}\n`).join('');
const flags = ['--neighbors', '5', '-k', '1'];

/** The command as installed: the built package in a process of its own. */
function specnet(args: readonly string[], shell = ''): { status: number | null; stdout: Buffer; stderr: string } {
  const env = { ...process.env, NODE_V8_COVERAGE: '' };
  const command = [process.execPath, 'dist/lib/cli/main.js', ...args].map((word) => `'${word}'`).join(' ');
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `${command} ${shell}`], { env });
  return { status, stdout, stderr: stderr.toString() };
}

test('an output that is also an input or another output is wrong usage, by any path, and no file changes', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'points.csv', points);
    mkdirSync(join(folder, 'below'));
    symlinkSync(path, join(folder, 'link.csv'));
    symlinkSync('../points.csv', join(folder, 'below', 'link.csv'));
    symlinkSync('.', join(folder, 'again'));
    linkSync(path, join(folder, 'hard.csv'));
    symlinkSync('later.specnet', join(folder, 'dangling.specnet'));
    const names = ['points.csv', 'link.csv', 'below/link.csv', 'again/points.csv', 'below/../points.csv', 'hard.csv'];
    await forEachInOrder([...names.map((name) => join(folder, name)), relative('.', path)], async (out) => {
      const { code, err } = await run(['eigen', path, ...flags, '--out', out]);
      assert.is(code, 2, out);
      const rule = `expected --out to be another file than the input '${path}', got '${out}', which is the same.`;
      assert.is(err, `specnet eigen: ${rule} Try specnet help eigen.\n`);
    });
    const embed = ['embed', path, ...flags, '--method', 'specnet2', '--epochs', '1'];
    const model = join(folder, 'later.specnet');
    await forEachInOrder(
      ['later.specnet', 'LATER.specnet', 'dangling.specnet', 'again/later.specnet'],
      async (name) => {
        const { code, err } = await run([...embed, '--model', model, '--checkpoint', join(folder, name)]);
        assert.is(code, 2, name);
        assert.match(err, /: expected --checkpoint to be another file than --model '.*later\.specnet', got /);
      },
    );
    assert.is((await run([...embed, '--checkpoint', path])).code, 2);
    assert.is((await run(['transform', model, path, '--out', model])).code, 2);
    assert.is((await run(['transform', model, path, '--out', path])).code, 2);
    assert.is((await run(['export', path, '--out', path])).code, 2);
    assert.is(readFileSync(path, 'utf8'), points);
    assert.not(existsSync(model));
  }));

/** Writes points to a file, and their graph to the folder G. */
async function putStored(folder: string): Promise<{ path: string; graph: string }> {
  const rows = points.trim().split('\n');
  const table = tensor(rows.map((line) => line.split(',').map(Number)));
  const path = put(folder, 'points.npy', writeNpyTensor(table));
  const graph = join(folder, 'G');
  assert.is((await run(['store', path, '--neighbors', '5', '--out', graph])).code, 0);
  return { path, graph };
}

/** The names and the bytes of all files below a folder. */
function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[];
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.toSorted().map((name) => [name, readFileSync(join(folder, name), 'hex')]));
}

test('an output inside the folder of an input, or a folder around an input, is wrong usage, by any path, and no file changes', () =>
  inFolder(async (folder) => {
    const { path, graph } = await putStored(folder);
    symlinkSync('G', join(folder, 'link'));
    symlinkSync('G/data.npy', join(folder, 'data.npy'));
    mkdirSync(join(folder, 'other'));
    const before = contentsOf(folder);
    const ritz = ['embed', path, '--method', 'ritz', '--stored'];
    const inside = ['G/data.npy', 'G/new.npy', 'link/data.npy', 'data.npy', 'other/../G/data.npy', 'G/no/new.npy'];
    await forEachInOrder(inside, async (name) => {
      const out = join(folder, name);
      const got = `got '${out}', which is inside. Try specnet help`;
      const eigen = await run(['eigen', join(folder, 'link'), '--out', out]);
      assert.is(eigen.code, 2, out);
      assert.is(
        eigen.err,
        `specnet eigen: expected --out to be outside the input '${join(folder, 'link')}', ${got} eigen.\n`,
      );
      const embed = await run([...ritz, graph, '--out', out]);
      assert.is(embed.code, 2, out);
      assert.is(embed.err, `specnet embed: expected --out to be outside --stored '${graph}', ${got} embed.\n`);
    });
    const others: [args: readonly string[], message: RegExp][] = [
      [[...ritz, relative('.', graph), '--out', join(graph, 'indptr.npy')], /outside --stored/],
      [[...ritz, graph, '--model', join(graph, 'm.specnet')], /--model to be outside --stored/],
      [[...ritz, graph, '--out', path], /another file than the input/],
      [['solve', graph, '--out', join(graph, 'data.npy')], /outside the input/],
      [['graph', graph, '--out', join(graph, 'graph.npz')], /outside the input/],
      [['eigen', graph, '--out', graph], /another file than the input/],
      [['store', join(graph, 'data.npy'), '--out', graph], /a folder without the input .* which contains it/],
      [['store', path, '--out', folder], /a folder without the input .* which contains it/],
      [['plan', 'fit', graph, path, '--out', join(graph, 'run')], /outside the input/],
      [['store', path, '--scale', 'standard', '--out', folder], /a folder without the input/],
      [['store', join(graph, 'data.npy'), '--edges', '--out', join(folder, 'link')], /a folder without the input/],
    ];
    await forEachInOrder(others, async ([args, message]) => {
      const { code, err } = await run(args);
      assert.is(code, 2, args.join(' '));
      assert.match(err, message);
    });
    assert.equal(contentsOf(folder), before);
  }));

test('the functions on files refuse to write where they read', () =>
  inFolder(async (folder) => {
    const { path } = await putStored(folder);
    const below = join(folder, 'below');
    mkdirSync(below);
    const data = join(below, 'data.npy');
    copyFileSync(path, data);
    const edges = put(below, 'degrees.npy', writeNpyTensor(tensor([[0, 1]])));
    const link = join(folder, 'link');
    symlinkSync('below', link);
    const { model } = await new SpectralEmbedding({ method: 'ritz' }).fit(await readNpyTensor(readFileSync(path)));
    const before = contentsOf(folder);
    const recipe = { kind: 'knn', neighbors: 5 } as const;
    const same = (out: string): string =>
      `transformStored: expected out to be another file than the input '${path}', got '${out}', which is the same.`;
    assert.is(await refusalOf(transformStored(model, path, path)), same(path));
    assert.is(await refusalOf(transformStored(model, path, relative('.', path))), same(relative('.', path)));
    const around = `to be a folder without the input '${data}', got '${link}', which contains it.`;
    assert.is(await refusalOf(buildStoredGraph(data, link, recipe)), `buildStoredGraph: expected folder ${around}`);
    const nodes = around.replace(data, edges);
    assert.is(await refusalOf(storeGraph(edges, link)), `storeGraph: expected folder ${nodes}`);
    assert.equal(contentsOf(folder), before);
  }));

test('every flag that names a file or a folder is known as one to write or one to read', () => {
  const paths = Object.entries<{ value?: string }>(flagTable).filter(([, { value }]) =>
    /^(FILE|FOLDER)$/.test(value ?? ''),
  );
  assert.equal(paths.map(([name]) => name).toSorted(), [...outputFlags, ...sourceFlags].toSorted());
});

test('all outputs are checked before the input is read', () =>
  inFolder(async (folder) => {
    const missing = join(folder, 'missing.csv');
    const embed = ['embed', missing, '--method', 'specnet2'];
    await forEachInOrder(['--out no/a.csv', '--model no/a.specnet', '--checkpoint no/a.specnet'], async (words) => {
      const [flag, name] = words.split(' ');
      const { code, err } = await run([...embed, flag, join(folder, name)]);
      assert.is(code, 1);
      const rule = `expected ${flag} ${join(folder, name)} to be a file that can be written`;
      assert.is(err, `specnet embed: ${rule}, got ENOENT: no such file or directory. Create its folder first.\n`);
    });
  }));

test('a model is written even if the table fails, and the message says so', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'points.csv', points);
    const [table, model] = [join(folder, 'table.csv'), join(folder, 'model.specnet')];
    await forEachInOrder([['embed'], ['cluster', '--clusters', '2']], async ([name, ...more]) => {
      const args = [name, path, ...more, ...flags, '--out', table, '--model', model];
      const stop = { AT: 'half-written', FILE: 'table.csv', BY: 'ENOSPC', COUNT: '1' };
      for (const [end, value] of Object.entries(stop)) process.env[`SPECNET_TEST_STOP_${end}`] = value;
      try {
        const { code, out, err } = await run(args);
        assert.equal([code, out], [1, '']);
        const rule = `expected --out ${table} to be a file that can be written, got ENOSPC: planted by a test. Free space there, or choose another disk.`;
        assert.is(err, `specnet ${name}: ${rule} ${model} was written.\n`);
      } finally {
        for (const end of Object.keys(stop)) delete process.env[`SPECNET_TEST_STOP_${end}`];
      }
      assert.equal(readdirSync(folder).toSorted(), ['model.specnet', 'points.csv']);
      assert.is((await run(['transform', model, path, '--json'])).code, 0);
      unlinkSync(model);
    });
  }));

test('of a stored graph, the model is written if the coordinates fail, and the coordinates if the model fails', () =>
  inFolder(async (folder) => {
    const { path, graph } = await putStored(folder);
    const files = { '--out': join(folder, 'table.npy'), '--model': join(folder, 'model.specnet') };
    const args = ['embed', path, '--method', 'ritz', '--stored', graph, ...Object.entries(files).flat()];
    await forEachInOrder(Object.entries(files), async ([flag, file]) => {
      const other = Object.values(files).find((each) => each !== file)!;
      const stop = { AT: 'before-sync', FILE: basename(file), BY: 'ENOSPC', COUNT: '1' };
      for (const [end, value] of Object.entries(stop)) process.env[`SPECNET_TEST_STOP_${end}`] = value;
      try {
        const { code, out, err } = await run(args);
        assert.equal([code, out], [1, '']);
        const rule = `expected ${flag} ${file} to be a file that can be written, got ENOSPC: planted by a test. Free space there, or choose another disk.`;
        assert.is(err, `specnet embed: ${rule} ${other} was written.\n`);
      } finally {
        for (const end of Object.keys(stop)) delete process.env[`SPECNET_TEST_STOP_${end}`];
      }
      assert.equal(readdirSync(folder).toSorted(), ['G', basename(other), 'points.npy'].toSorted());
      unlinkSync(other);
    });
  }));

test('standard output and pipes are written through, and the report makes room', () =>
  inFolder(async (folder) => {
    const args = ['eigen', put(folder, 'points.csv', points), ...flags, '--out'];
    const file = join(folder, 'vectors.csv');
    assert.is(specnet([...args, file]).status, 0);
    const expected = readFileSync(file, 'utf8');
    const piped = specnet([...args, '/dev/stdout']);
    assert.equal([piped.status, piped.stdout.toString()], [0, expected]);
    assert.match(piped.stderr, /λ of D⁻¹W/);
    const redirected = join(folder, 'redirected.csv');
    assert.is(specnet([...args, '/dev/stdout'], `> '${redirected}'`).status, 0);
    assert.is(readFileSync(redirected, 'utf8'), expected);
    assert.is(specnet([...args, '/dev/null']).status, 0);

    const pipe = join(folder, 'pipe.csv');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('cat', [pipe]);
    let read = '';
    reader.stdout.setEncoding('utf8').on('data', (text: string) => void (read += text));
    const done = new Promise((resolve) => reader.once('close', resolve));
    assert.is((await run([...args, pipe])).code, 0);
    await done;
    assert.is(read, expected);
    assert.equal(readdirSync(folder).toSorted(), ['pipe.csv', 'points.csv', 'redirected.csv', 'vectors.csv']);
  }));

test('a full standard output is a message and exit 1, and a reader that leaves early is neither', () =>
  inFolder(async (folder) => {
    if (!existsSync('/dev/full')) {
      console.log('left out: the test of a full standard output, because there is no /dev/full here');
      return;
    }
    const args = ['eigen', put(folder, 'points.csv', points), ...flags];
    const full = specnet(args, '> /dev/full');
    assert.is(full.status, 1);
    assert.is(
      full.stderr,
      'specnet: expected standard output to accept the report, got ENOSPC: no space left on device, write.\n',
    );
    const closed = specnet(args, '| true; exit ${PIPESTATUS[0]}');
    assert.equal([closed.status, closed.stderr], [0, '']);
    const device = specnet([...args, '--out', '/dev/full']);
    assert.is(device.status, 1);
    assert.is(
      device.stderr,
      'specnet eigen: expected --out /dev/full to be a file that can be written, got ENOSPC: no space left on device. Free space there, or choose another disk.\n',
    );
  }));

/** Mounts a disk of 64 KiB in memory, which needs the rights of an administrator. */
function mountSmallDisk(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status === 0;
}

test('on a full disk the message names flag and file, the old file stays, and no draft is left', () =>
  inFolder(async (folder) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    if (!mountSmallDisk(disk)) {
      console.log('left out: the test on a full disk, because no disk can be mounted here');
      return;
    }
    try {
      const many = put(folder, 'points.csv', points.repeat(40));
      const old = put(disk, 'vectors.csv', 'old');
      const { code, err } = await run(['eigen', many, '--neighbors', '50', '-k', '3', '--out', old]);
      assert.is(code, 1);
      const rule = `expected --out ${old} to be a file that can be written`;
      assert.is(
        err,
        `specnet eigen: ${rule}, got ENOSPC: no space left on device. Free space there, or choose another disk.\n`,
      );
      assert.equal([readdirSync(disk), readFileSync(old, 'utf8')], [['vectors.csv'], 'old']);
      const model = join(disk, 'model.specnet');
      const path = put(folder, 'few.csv', points);
      put(disk, 'fill', new Uint8Array(59_000));
      const embed = ['embed', path, ...flags, '--model', model, '--out', join(folder, 'table.csv')];
      const second = await run(embed);
      assert.is(second.code, 1);
      assert.match(
        second.err,
        /^specnet embed: expected --model .*model\.specnet to be .*table\.csv was written\.\n$/s,
      );
    } finally {
      execFileSync('umount', [disk]);
    }
  }));

test.run();
