/** `specnet reproduce` runs experiments, writes a report, and resumes where it stopped. */

import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, put, run } from './run.ts';

const test = suite('reproduce');

test('the list names every experiment and how long it takes', async () => {
  const { code, out } = await run(['reproduce', '--list']);
  assert.is(code, 0);
  assert.match(out, /^name +what it shows +--quick +full\n/);
  assert.match(out, /one-moon-linear +errors of eigenvectors .* \d+ s +\d+ (s|min)\n/);
  const { experiments } = JSON.parse((await run(['reproduce', '--list', '--json'])).out);
  assert.equal(
    experiments.map(({ name }: { name: string }) => name),
    [
      'data',
      'one-moon-linear',
      'one-moon-network',
      'one-moon-cost',
      'one-moon-embedding',
      'one-moon-pencil',
      'two-moons',
      'mnist',
      'mnist-k10',
      'mnist-embedding',
      'classical',
      'scaling',
    ],
  );
});

test('results, figures and report lie in the folder; a run that goes on computes nothing again', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'results');
    const first = await run(['reproduce', 'data', '--quick', '--out', out, '--json'], true);
    assert.is(first.code, 0, first.err);
    assert.match(first.err, /1 of 1 replicas/);
    const { results, files } = JSON.parse(first.out);
    assert.equal(Object.keys(results[0]), ['experiment', 'figure', 'claim', 'measured', 'agrees', 'why', 'files']);
    assert.match(results[0].measured, /^6\d\d with σ = 0\.2, connected; 20\d with σ = 0\.1, \d components/);
    assert.is(results[0].agrees, false);
    assert.is(results[1].agrees, true);
    for (const path of files) assert.ok(existsSync(path), path);
    const page = readFileSync(join(out, 'report.html'), 'utf8');
    assert.ok(page.includes(results[0].measured));
    assert.match(readFileSync(join(out, 'data-moons.svg'), 'utf8'), /^<svg xmlns=.*<style>/);
    assert.equal(
      readdirSync(out).filter((name) => name.includes('draft')),
      [],
    );

    const job = join(out, 'jobs', 'data.moons.json');
    const before = statSync(job).mtimeMs;
    const again = await run(['reproduce', 'data', '--quick', '--resume', '--out', out]);
    assert.is(again.code, 0);
    assert.is(statSync(job).mtimeMs, before);
    assert.is(readFileSync(join(out, 'report.html'), 'utf8'), page);

    // Results of another version are not reviewed by this one.
    put(out, 'scaling.json', JSON.stringify({ choices: { quick: true, replicas: null, seed: 0 }, replicas: [] }));
    const other = await run(['reproduce', 'data', '--quick', '--resume', '--out', out]);
    assert.match(other.err, /scaling\.json is damaged or from another version; it is omitted from the report\.\n$/);
    assert.is(readFileSync(join(out, 'report.html'), 'utf8'), page);
    assert.match(again.out, /^data: The data sets.*\n {2}differs: On one moon/);
  }));

test('what was damaged or is of another version is told by name, and nothing is made of it', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'results');
    const args = ['reproduce', 'data', '--quick', '--resume', '--out', out];
    assert.is((await run(args)).code, 0);
    const job = join(out, 'jobs', 'data.moons.json');
    const whole = readFileSync(job, 'utf8');
    writeFileSync(job, whole.slice(0, 1000));
    const damaged = await run(args);
    assert.is(damaged.code, 1);
    assert.match(
      damaged.err,
      /data\.moons\.json to be undamaged, got .*\. Delete the file to recompute its replica\.\n$/,
    );
    writeFileSync(job, whole.replace('"format":2', '"format":1'));
    const older = await run(args);
    assert.is(older.code, 0);
    assert.match(
      older.err,
      /^specnet reproduce: recomputing 1 replica in .* from another version or with other settings\.\n/,
    );
    assert.is(readFileSync(job, 'utf8'), whole);

    rmSync(job);
    put(join(out, 'jobs'), 'data.moons.kept', 'abc');
    const half = await run(args);
    assert.is(half.code, 1);
    assert.match(half.err, /data\.moons\.kept to be undamaged, got /);
    rmSync(join(out, 'jobs', 'data.moons.kept'));
    put(out, 'scaling.json', '{"choices":');
    const other = await run(args);
    assert.is(other.code, 0);
    assert.match(other.err, /scaling\.json is damaged or from another version; it is omitted from the report\.\n$/);
  }));

test('a new run forgets what an earlier one has left, and deletes no file of anybody else', () =>
  inFolder(async (folder) => {
    const args = ['reproduce', 'data', '--quick', '--out', folder];
    assert.is((await run(args)).code, 0);
    put(join(folder, 'jobs'), 'network.specnet1-full-0.kept', 'of a run that was killed');
    put(join(folder, 'shared'), 'mnist-20000-16-0-graph', 'shared by its jobs');
    put(join(folder, 'shared'), 'one-moon-functions-0', 'shared by its jobs');
    put(join(folder, 'shared'), '.one-moon-functions-0.4711.2.draft', 'half of it');
    assert.is((await run(args)).code, 0);
    assert.equal([readdirSync(join(folder, 'jobs')), readdirSync(join(folder, 'shared'))], [['data.moons.json'], []]);
    for (const [own, name] of [
      ['shared', 'notes.txt'],
      ['shared', 'notes'],
      ['shared', 'thesis.draft'],
      ['jobs', 'README'],
      ['jobs', 'thesis.draft'],
    ]) {
      // prettier-ignore
      const path = put(join(folder, own), name, 'mine');
      const { code, err } = await run(args);
      assert.is(code, 1);
      assert.is(
        err,
        `specnet reproduce: expected a folder that holds only files of earlier runs, got ${path}. A new run deletes the files in this folder. Choose another folder, or use --resume.\n`,
      );
      assert.ok(readdirSync(join(folder, 'jobs')).includes('data.moons.json'));
      assert.is((await run([...args, '--resume'])).code, 0);
      assert.is(readFileSync(path, 'utf8'), 'mine');
      rmSync(path);
    }
  }));

test('a folder that cannot be made is refused', () =>
  inFolder(async (folder) => {
    for (const out of [put(folder, 'file', ''), join(folder, 'file', 'below'), '/dev/null/below']) {
      const { code, err } = await run(['reproduce', 'data', '--out', out]);
      assert.is(code, 1);
      assert.match(err, /^specnet reproduce: expected a folder that can be written to, got /);
    }
  }));

test('wrong usage is told before any work', async () => {
  const nothing = await run(['reproduce']);
  assert.is(nothing.code, 2);
  assert.match(
    nothing.err,
    /^specnet reproduce: expected NAME, got nothing\. The names are all, data, one-moon-linear,/,
  );
  const stray = await run(['reproduce', 'three-moons']);
  assert.is(stray.code, 2);
  assert.match(stray.err, /unknown experiment 'three-moons'\. The names are all, /);
  assert.is((await run(['reproduce', 'data', '--replicas', '0'])).code, 2);
  assert.match((await run(['reproduce', 'data', '--epochs', '0'])).err, /expected --epochs of at least 1, got 0\./);
});

test.run();
