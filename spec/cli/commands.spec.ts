/** Command lines are parsed, mistakes get helpful messages, and `specnet check` reports the truth. */

import { readFileSync, statSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plainKernels } from '../../lib/doors/kernels.ts';
import { commands } from '../../lib/cli/commands.ts';
import { forEachInOrder } from '../for-each.ts';
import { run } from './run.ts';

const test = suite('command line');

test('check prints a table for people', async () => {
  const { code, out, err } = await run(['check']);
  assert.is(code, 0);
  assert.match(
    out,
    /^SIMD kernels on, .* GiB of shared address space\n\nkernel +size +plain +SIMD +speedup +throughput +difference\n/,
  );
  assert.match(out, /matmul +45×784·256 .* GFLOP\/s/);
  assert.match(out, /All 10 kernels agree with their plain versions\.\n$/);
  assert.is(err, '');
});

test('check --json prints one object and nothing else; progress goes to standard error', async () => {
  const { code, out, err } = await run(['check', '--json'], true);
  const report = JSON.parse(out);
  assert.is(code, 0);
  assert.is(report.agree, true);
  assert.is(report.simd.enabled, true);
  for (const { kernel, plain, simd, reaches, difference } of report.kernels) {
    assert.ok(plain > 0 && simd > 0 && reaches > 0 && difference < 1e-4, kernel);
  }
  assert.match(err, /checking the kernels … 50 %/);
});

test('quiet means no progress', async () => {
  assert.is((await run(['check', '--json', '--quiet'], true)).err, '');
});

test('check --no-simd says that SIMD is off', async () => {
  const { code, out } = await run(['check', '--no-simd']);
  assert.is(code, 0);
  assert.match(out, /^SIMD kernels off: switched off\n/);
  assert.match(out, / in use /);
});

test('a kernel that computes something else is found: exit 1', async () => {
  const { adamStep } = plainKernels;
  plainKernels.adamStep = () => {};
  try {
    const { code, out } = await run(['check']);
    assert.is(code, 1);
    assert.match(out, /differ from their plain versions by more than rounding/);
  } finally {
    plainKernels.adamStep = adamStep;
  }
});

const wrongUsage: [string, RegExp][] = [
  [
    'embroider',
    /^specnet: unknown command 'embroider'\. The commands are embed, transform, export, cluster, eigen, graph, store, solve, verify, reproduce, plan, run, work, submit, status, demo, check, bench\. Try specnet --help\.$/,
  ],
  ['toString', /^specnet: unknown command 'toString'/],
  ['--json check', /^specnet: unknown command '--json'/],
  ['help embroider', /^specnet help: unknown command 'embroider'/],
  ['check --fast', /^specnet check: Unknown option '--fast'\. Try specnet help check\.$/],
  ['check points.csv', /^specnet check: expected no arguments, got 'points\.csv'\. Try/],
  ['eigen', /^specnet eigen: expected FILE, got nothing\. Try specnet help eigen\.$/],
  ['eigen a.csv b.csv', /^specnet eigen: expected FILE, got 'a\.csv b\.csv'\./],
  ['eigen a.csv -k', /^specnet eigen: Option '-k, --components <value>' argument missing\./],
  ['eigen a.csv -k 0', /^specnet eigen: --components: expected components to be a whole number, at least 1, got 0\./],
  ['eigen a.csv -k 2.5', /whole number, at least 1, got 2\.5\./],
  ['eigen a.csv -k many', /^specnet eigen: --components: expected a whole number, got 'many'\./],
  ['eigen a.csv --seed 0x10', /^specnet eigen: --seed: expected a whole number, got '0x10'\./],
  ['eigen a.csv --threads 0', /^specnet eigen: --threads: expected threads to be a whole number, at least 1, got 0\./],
  ['eigen a.csv --threads 1000', /^specnet eigen: --threads: expected threads to be at most 256, got 1000\./],
  ['eigen a.csv --sigma wide', /^specnet eigen: --sigma: expected sigma to be a number above 0, got 'wide'\./],
  ['eigen a.csv --graph ring', /--graph: expected gaussian, knn, knn-gaussian, self-tuned or given, got 'ring'\./],
  ['eigen a.csv --laplacian l', /--laplacian: expected random-walk, symmetric or unnormalized, got 'l'\./],
  ['eigen a.csv --clusters 2', /^specnet eigen: Unknown option '--clusters'\./],
  ['eigen a.csv --graph gaussian', /^specnet eigen: expected --sigma S or auto with --graph gaussian, got none\./],
  ['eigen a.csv --sigma 2', /^specnet eigen: expected --sigma with --graph gaussian or knn-gaussian, got knn\./],
  [
    'eigen a.csv --graph self-tuned --sigma 2',
    /expected --sigma with --graph gaussian or knn-gaussian, got self-tuned\./,
  ],
  [
    'eigen a.csv --graph gaussian --sigma 2 --exclude-self',
    /expected --exclude-self with --graph knn, knn-gaussian or self-tuned, got gaussian\./,
  ],
  ['eigen a.mtx --neighbors 3', /expected --neighbors with --graph knn, knn-gaussian or self-tuned, got given\./],
  ['eigen a.mtx --graph knn', /^specnet eigen: expected --graph given for a graph file, got knn\./],
  [
    'eigen a.csv --graph given',
    /^specnet eigen: expected a \.mtx or \.npz file for --graph given, got a file of points\./,
  ],
  [
    'eigen a.doc',
    /expected points \(\.csv, \.tsv, \.txt, .*, or these with \.gz\) or a graph \(\.mtx, \.npz, or the folder of a stored one\), got 'a\.doc'\./,
  ],
  ['eigen a.csv --out a.doc', /^specnet eigen: expected --out to end in \.csv, \.csv\.gz, \.npy, got 'a\.doc'\./],
  ['eigen a.csv --out .csv', /expected --out to end in/],
  ['graph a.csv --out b.csv', /^specnet graph: expected --out to end in \.mtx, \.mtx\.gz, \.npz, got 'b\.csv'\./],
  [
    'graph a.mtx --out ./a.mtx',
    /^specnet graph: expected --out to be another file than the input 'a\.mtx', got '\.\/a\.mtx', which is the same\./,
  ],
  ['solve a.csv --method ritz', /^specnet solve: --method: expected specnet1, specnet2 or triofm, got 'ritz'\./],
  ['solve a.csv --scheme edges', /^specnet solve: --scheme: expected local, full or neighbor, got 'edges'\./],
  ['embed a.csv --method triofm', /--method: expected regression, ritz, specnet1, specnet2 or eigen, got 'triofm'\./],
  ['embed a.csv --method lanczos', /--method: expected regression, ritz, specnet1, specnet2 or eigen, got 'lanczos'\./],
  ['embed a.csv --hidden 64,x', /^specnet embed: --hidden: expected a whole number, got 'x'\./],
  ['embed a.csv --hidden 0', /--hidden: expected units of a hidden layer to be a whole number, at least 1, got 0\./],
  ['embed a.csv --rate 0', /^specnet embed: --rate: expected rate to be a number above 0, got '0'\./],
  [
    'embed a.csv --epochs 5',
    /^specnet embed: expected --epochs with --hidden, or with --method specnet1 or specnet2, got neither\./,
  ],
  ['embed a.csv --scheme full', /expected --scheme with --method specnet1 or specnet2, got regression\./],
  [
    'embed a.csv --method ritz --epochs 5',
    /expected --epochs with --hidden, or with --method specnet1 or specnet2, got neither\./,
  ],
  [
    'embed a.csv --checkpoint c',
    /expected --checkpoint with --hidden, or with --method specnet1 or specnet2, got neither\./,
  ],
  [
    'embed a.csv --method eigen --model m.specnet',
    /expected --model with --method regression, ritz, specnet1 or specnet2, got eigen\./,
  ],
  ['embed a.csv --model m.bin', /^specnet embed: expected --model to end in \.specnet, got 'm\.bin'\./],
  ['embed a.mtx --affinity', /^specnet embed: expected points, got --affinity with 'a\.mtx'\./],
  ['embed a.doc', /^specnet embed: expected points \(\.csv, .*\) or sparse points \(\.npz, \.mtx\), got 'a\.doc'\./],
  ['export m.specnet', /^specnet export: expected --out FILE, got none\. Try specnet help export\.$/],
  ['export m.specnet --out m.h5', /^specnet export: expected --out to end in \.onnx, got 'm\.h5'\./],
  ['transform m.specnet', /^specnet transform: expected MODEL FILE, got 'm\.specnet'\./],
  ['transform m.specnet a.doc', /^specnet transform: expected points .*, got 'a\.doc'\./],
  ['cluster a.npz --clusters 2 --method ritz --affinity', /^specnet cluster: expected points, got --affinity with/],
  [
    'cluster a.csv --clusters 2 -k 2',
    /expected --components with --method regression, ritz, specnet1 or specnet2, got eigen\./,
  ],
  ['cluster a.csv --clusters 3 --most-clusters 5', /expected --most-clusters with --clusters auto, got 3\./],
  ['embed a.csv --alpha 2', /^specnet embed: --alpha: expected alpha from 0 to 1, got '2'\./],
  ['cluster a.csv --clusters some', /^specnet cluster: --clusters: expected a whole number, got 'some'\./],
  [
    'cluster a.csv --clusters 2 --assign cluster-qr -k 2 --method ritz',
    /expected --components with --assign k-means, got cluster-qr\./,
  ],
  ['demo --out page.pdf', /^specnet demo: expected --out to end in \.html, got 'page\.pdf'\./],
  ['cluster a.csv', /^specnet cluster: expected --clusters C or auto, got none\. Try specnet help cluster\.$/],
];

test('wrong usage is reported in one line, before a file is opened: exit 2', () =>
  forEachInOrder(wrongUsage, async ([line, answer]) => {
    const { code, out, err } = await run(line.split(' '));
    assert.is(code, 2, line);
    assert.is(out, '', line);
    assert.match(err, /^[^\n]*\n$/);
    assert.match(err.trimEnd(), answer, line);
  }));

test('the version is that of the package, in the changelog as well', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.equal(await run(['--version']), { code: 0, out: `${version}\n`, err: '' });
  assert.match(readFileSync('CHANGELOG.md', 'utf8'), new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm'));
});

test('the built command can be run as a program', () => {
  assert.is(statSync('dist/lib/cli/main.js').mode & 0o111, 0o111);
});

test('help is printed on request, and without arguments', async () => {
  const asked = await run(['--help']);
  assert.is(asked.code, 0);
  assert.match(asked.out, /Usage\n {2}specnet embed FILE/);
  assert.equal(await run(['-h']), asked);
  assert.equal(await run(['help']), asked);
  assert.equal(await run([]), { ...asked, code: 2 });
});

test('every command is in the general help, and has help of its own with flags, keys and examples', async () => {
  const general = (await run(['help'])).out;
  // A description on a line of its own does not look like a command.
  assert.not.match(general, /^ {2}specnet {2}/m);
  await forEachInOrder(Object.entries(commands), async ([name, { flags, examples }]) => {
    const { code, out } = await run(['help', name]);
    assert.is(code, 0);
    assert.ok(general.includes(`specnet ${name} `));
    assert.match(out, new RegExp(`^specnet ${name} `));
    for (const flag of flags) assert.ok(out.includes(`--${flag} `), `${name} --${flag}`);
    assert.match(out, /\nJSON: /);
    assert.ok(examples.length > 1);
    for (const [line] of examples) assert.ok(out.includes(line) && line.startsWith(`specnet ${name}`));
    assert.is((await run([name, '--help'])).out, out);
    assert.is((await run([name, 'a', 'b', '-h'])).out, out, 'with any operands');
    for (const line of out.split('\n')) assert.ok(line.length <= 120, line);
  });
});

test.run();
