/** `specnet reproduce` runs experiments, writes a report, and resumes where it stopped. */

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FileList } from '../../lib/cli/commands/reproduce/file-list.ts';
import { ResultsFolder } from '../../lib/cli/commands/reproduce/results-folder.ts';
import { runJobs } from '../../lib/cli/commands/reproduce/run.ts';
import { draftPath } from '../../lib/files/drafts.ts';
import { rejects } from '../rejects.ts';
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
      'corrected',
      'classical',
      'scaling',
    ],
  );
});

test('results, figures and report are in the folder; a resumed run computes nothing twice', () =>
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
    const foreign = await run(['reproduce', 'data', '--quick', '--resume', '--out', out]);
    assert.match(foreign.err, /scaling\.json is not in specnet-results\.txt; it is omitted from the report\.\n$/);
    appendFileSync(join(out, 'specnet-results.txt'), 'scaling.json\n');
    const other = await run(['reproduce', 'data', '--quick', '--resume', '--out', out]);
    assert.match(other.err, /scaling\.json is damaged or from another version; it is omitted from the report\.\n$/);
    assert.is(readFileSync(join(out, 'report.html'), 'utf8'), page);
    assert.match(again.out, /^data: The data sets.*\n {2}differs: On one moon/);
  }));

test('damaged files and files of another version are named and not used', () =>
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
    const { checksum: _checksum, ...rest } = JSON.parse(whole);
    for (const text of ['null', '7', JSON.stringify({ ...rest, numbers: null }), whole.replace(/\d\./, '8.')]) {
      writeFileSync(job, text);
      const { code, err } = await run(args);
      assert.is(code, 1, text.slice(0, 50));
      assert.match(err, /^specnet reproduce: expected .*data\.moons\.json to be undamaged, got .*\. Delete the file /);
    }
    writeFileSync(job, whole.replace('"format":3', '"format":2'));
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
    appendFileSync(join(out, 'specnet-results.txt'), 'scaling.json\n');
    const raw = JSON.parse(readFileSync(join(out, 'data.json'), 'utf8'));
    const changes = [{ choices: {} }, { choices: { ...raw.choices, replicas: 1e9 } }, { replicas: [null] }];
    for (const text of ['{"choices":', 'null', ...changes.map((change) => JSON.stringify({ ...raw, ...change }))]) {
      put(out, 'scaling.json', text);
      const { code, err } = await run(args);
      assert.is(code, 0);
      assert.match(err, /scaling\.json is damaged or from another version; it is omitted from the report\.\n$/);
    }
  }));

test('a new run deletes the jobs of earlier ones, and no file that its list does not name', () =>
  inFolder(async (folder) => {
    const args = ['reproduce', 'data', '--quick', '--out', folder];
    put(folder, 'specnet-results.txt', 'specnet results, version 1\n');
    for (const name of ['jobs', 'shared']) mkdirSync(join(folder, name));
    put(join(folder, 'jobs'), 'network.specnet1-full-0.kept', 'of a run that was killed');
    put(join(folder, 'shared'), 'one-moon-functions-0', 'shared by its jobs');
    appendFileSync(
      join(folder, 'specnet-results.txt'),
      'jobs/network.specnet1-full-0.kept\nshared/one-moon-functions-0\n',
    );
    const mine = [
      put(join(folder, 'jobs'), 'network.specnet2-full-0.json', 'mine'),
      put(join(folder, 'shared'), 'mnist-20000-16-0-graph', 'mine'),
      put(join(folder, 'jobs'), '.data.moons.json.4711.2.draft', 'mine'),
      put(folder, 'thesis.json', 'mine'),
    ];
    assert.is((await run(args)).code, 0);
    for (const path of mine) assert.is(readFileSync(path, 'utf8'), 'mine');
    assert.not(existsSync(join(folder, 'jobs', 'network.specnet1-full-0.kept')));
    assert.not(existsSync(join(folder, 'shared', 'one-moon-functions-0')));
  }));

test('a folder of other files is refused and stays as it is, and so does a file in the way of a result', () =>
  inFolder(async (folder) => {
    const args = ['reproduce', 'data', '--quick', '--out', folder];
    mkdirSync(join(folder, 'jobs'));
    const mine = put(join(folder, 'jobs'), 'data.moons.json', 'mine');
    const report = put(folder, 'report.html', 'mine');
    for (const flags of [[], ['--resume']]) {
      const { code, err } = await run([...args, ...flags]);
      assert.is(code, 1);
      assert.is(
        err,
        `specnet reproduce: expected an empty folder, or one with specnet-results.txt, got ${folder}. Choose another folder.\n`,
      );
    }
    put(folder, 'specnet-results.txt', 'specnet results, version 1\n');
    assert.match(
      (await run(args)).err,
      /: expected no file that is not in specnet-results\.txt, got .*report\.html\. /,
    );
    put(folder, 'specnet-results.txt', 'specnet results, version 1\nreport.html\n');
    assert.match((await run(args)).err, /: expected no file that is not in specnet-results\.txt, got .*moons\.json\. /);
    assert.equal([readFileSync(mine, 'utf8'), readFileSync(report, 'utf8')], ['mine', 'mine']);
    for (const list of ['specnet results, version 2\n', '', 'specnet results, version 1\n../thesis.tex\n']) {
      put(folder, 'specnet-results.txt', list);
      const { code, err } = await run(args);
      assert.is(code, 1);
      assert.match(err, /^specnet reproduce: expected .*specnet-results\.txt/);
    }
    assert.equal(readdirSync(join(folder, 'jobs')), ['data.moons.json']);
    const newer = join(folder, 'newer');
    mkdirSync(newer);
    put(newer, 'specnet-results.txt', 'specnet results, version 2\n');
    assert.match(
      (await run(['reproduce', 'data', '--quick', '--out', newer])).err,
      /: expected .*results\.txt to begin with 'specnet results, version 1', got 'specnet results, version 2'\. Choose another folder\.\n$/,
    );
    assert.equal(readdirSync(newer), ['specnet-results.txt']);
  }));

test('a folder whose first run was killed before it had a list is used, and the draft is swept', () =>
  inFolder(async (folder) => {
    const draft = draftPath(join(folder, 'specnet-results.txt')).replace(/-\d+-(\d+\.draft)$/, '-1-$1');
    writeFileSync(draft, 'specnet res');
    const list = new FileList(folder);
    list.openFolder();
    list.prepare(['jobs', 'shared']);
    list.claim(['report.html']);
    list.sweep('killed');
    assert.equal(readdirSync(folder).toSorted(), ['jobs', 'shared', 'specnet-results.txt']);
    assert.equal([...list.names()], ['report.html']);
    appendFileSync(join(folder, 'specnet-results.txt'), 'report.m');
    assert.equal([...list.names()], ['report.html'], 'a name that was cut by a loss of power');
    list.claim(['report.md']);
    assert.ok(list.names().has('report.md'));
  }));

test('names in the list that no system allows, or that lead elsewhere, are refused', () =>
  inFolder(async (folder) => {
    for (const name of ['../thesis.tex', 'jobs/a\0.kept', 'jobs/a\tb', 'x'.repeat(300), '.hidden', 'jobs/a/b']) {
      put(folder, 'specnet-results.txt', `specnet results, version 1\n${name}\n`);
      const list = new FileList(folder);
      assert.throws(
        () => list.delete(() => true),
        /^reproduce: expected names of files in .*specnet-results\.txt, got '/,
      );
    }
  }));

test('links are not followed: not the folder, not its parts, not its files', () =>
  inFolder(async (folder) => {
    const [foreign, out] = [join(folder, 'foreign'), join(folder, 'results')];
    mkdirSync(join(foreign, 'jobs'), { recursive: true });
    const job = put(join(foreign, 'jobs'), 'data.moons.json', 'foreign');
    put(foreign, 'specnet-results.txt', 'specnet results, version 1\njobs/data.moons.json\n');
    const link = join(folder, 'link');
    symlinkSync(foreign, link);
    const first = await run(['reproduce', 'data', '--quick', '--out', link]);
    assert.is(first.code, 1);
    assert.match(
      first.err,
      /: expected a folder that is not a link, got .*link\. Pass the folder that the link leads to\.\n$/,
    );

    const args = ['reproduce', 'data', '--quick', '--out', out];
    mkdirSync(out);
    put(out, 'specnet-results.txt', 'specnet results, version 1\njobs/data.moons.json\n');
    symlinkSync(join(foreign, 'jobs'), join(out, 'jobs'));
    assert.match((await run(args)).err, /: expected a folder that is not a link, got .*jobs\. /);
    rmSync(join(out, 'jobs'));
    mkdirSync(join(out, 'jobs'));
    symlinkSync(job, join(out, 'jobs', 'data.moons.json'));
    const last = await run(args);
    assert.is(last.code, 1);
    assert.match(last.err, /: expected .*data\.moons\.json to be a file, got a link\. Move it away, or/);
    assert.is(readFileSync(job, 'utf8'), 'foreign');
  }));

test('a folder that cannot be made is refused', () =>
  inFolder(async (folder) => {
    for (const out of [put(folder, 'file', ''), join(folder, 'file', 'below'), '/dev/null/below']) {
      const { code, err } = await run(['reproduce', 'data', '--out', out]);
      assert.is(code, 1);
      assert.match(err, /^specnet reproduce: expected a folder that can be written to, got /);
    }
  }));

test('wrong usage is reported before any work', async () => {
  const nothing = await run(['reproduce']);
  assert.is(nothing.code, 2);
  assert.match(
    nothing.err,
    /^specnet reproduce: expected NAME, got nothing\. The names are: all, data, one-moon-linear,/,
  );
  const stray = await run(['reproduce', 'three-moons']);
  assert.is(stray.code, 2);
  assert.match(stray.err, /unknown experiment 'three-moons'\. The names are: all, /);
  assert.is((await run(['reproduce', 'data', '--replicas', '0'])).code, 2);
  assert.match((await run(['reproduce', 'data', '--epochs', '0'])).err, /expected --epochs of at least 1, got 0\./);
});

test('a state and shared data with a changed byte are refused by name', () =>
  inFolder(async (folder) => {
    const out = join(folder, 'results');
    const results = ResultsFolder.prepare(out);
    const job = { kind: 'demo', key: 'a', task: { seed: 1 }, weight: 1 };
    results.claimJobs([job]);
    results.saveState(job, [0.1, 0.2]);
    await results.shared('data', async () => Uint8Array.of(1, 2, 3, 4));
    assert.equal(results.savedState(job), [0.1, 0.2]);
    for (const name of ['jobs/demo.a.kept', 'shared/data']) {
      const bytes = readFileSync(join(out, name));
      bytes[bytes.length - 3] ^= 1;
      writeFileSync(join(out, name), bytes);
    }
    const refusal = /^reproduce: expected .*(kept|data) to be undamaged, got a wrong checksum\. Delete the file/;
    assert.throws(() => results.savedState(job), refusal);
    await rejects(() => results.shared('data', async () => Uint8Array.of()), refusal);
    results.close();
  }));

test('the state of a job that is finished is deleted by the next run, if a kill has left it', () =>
  inFolder(async (folder) => {
    const results = ResultsFolder.prepare(join(folder, 'results'));
    const job = { kind: 'demo', key: 'a', task: { seed: 1 }, weight: 1 };
    results.claimJobs([job]);
    results.finish(job, { numbers: [1], seconds: [] }, { version: 1 } as never);
    results.saveState(job, [1]);
    const finishedPath = join(folder, 'results', 'jobs', 'demo.a.json');
    writeFileSync(draftPath(finishedPath).replace(/-\d+-(\d+\.draft)$/, '-1-$1'), 'of a run that was killed');
    const options = { threads: 1, simd: true, module: '', now: () => 0, progress() {}, outdated() {} };
    const [finished] = await runJobs([job], { ...options, folder: results });
    results.close();
    assert.equal(finished.numbers, [1]);
    assert.equal(readdirSync(join(folder, 'results', 'jobs')), ['demo.a.json']);
  }));

test.run();
