/** verify reports what the library found, as text and as JSON. Its exit code says whether that was expected. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon, oneMoonDensity } from '../../datasets/index.ts';
import { writeMatrixMarket } from '../../lib/doors/formats.ts';
import { type Evidence, verify } from '../../lib/doors/theory.ts';
import { objectives } from '../../lib/spectral/descent/objective.ts';
import { forEachInOrder } from '../for-each.ts';
import { graphOfEdges, ringGraph } from '../spectral/graphs.ts';
import { inFolder, put, run } from './run.ts';

const test = suite('specnet verify');

/** The fields that have the same form in JSON. */
const pick = ({ measured, bound, slack, worst: { seed, instance }, quantities }: Evidence) => ({
  measured,
  bound,
  slack,
  seed,
  instance,
  quantities,
});

const command = (line: string) => run(['verify', ...line.split(' ')]);

test('people get a line for each statement, in the order asked for', async () => {
  const { code, out, err } = await command('lipschitz minimizers --instances 30');
  assert.is(code, 0);
  assert.is(err, '');
  const lines = out.split('\n');
  assert.match(lines[0], /^statement +verdict +in the paper +instances +measured +bound +worst seed$/);
  assert.match(lines[2], /^lipschitz +corrected +lem:Lip +30 +\S+ +1\.00 +\d+$/);
  assert.match(lines[3], /^minimizers +holds +thm:minimizers, cor:minimizers +30 +\S+ +1\.00e-10 +\d+$/);
  assert.match(out, /\nAll as expected: 1 hold, 1 hold as corrected\. .*s\.\n$/);
});

test('programs get one array with the keys, and the numbers of the library to the bit', async () => {
  const { code, out } = await command('descent-inequality --instances 20 --seed 3 --json');
  assert.is(code, 0);
  const [report] = JSON.parse(out);
  const law = { points: (n: number, seed: number | string) => oneMoon({ n, seed }).points, density: oneMoonDensity() };
  const [expected] = await verify(['descent-inequality'], { instances: 20, seed: 3, law });
  for (const key of ['statement', 'verdict', 'expected', 'instances', 'measured', 'bound'])
    assert.ok(key in report, key);
  assert.is(report.verdict, 'corrected');
  assert.is(report.instances, 20);
  assert.ok(report.worst.seed >= 3_000_000);
  const twenty = report.printed.counterexamples.at(-1);
  assert.is(twenty.pencil.weights.length, 400);
  assert.ok(twenty.measured > twenty.bound);
  assert.equal(pick(report), pick(expected));
  assert.equal(report.worst.pencil.weights, [...expected.worst.pencil!.weights]);
});

test('the seed in the table replays its instance, with what was measured and the matrices of counterexamples', async () => {
  const [report] = JSON.parse((await command('deflation --instances 20 --json')).out);
  const { code, out } = await command(`deflation --replay ${report.worst.seed}`);
  assert.is(code, 0);
  assert.ok(out.includes(`instance ${report.worst.seed}: ${report.worst.instance}`), out);
  const { size } = report.worst.pencil;
  assert.match(
    out,
    new RegExp(`, n = ${size}, K = \\d\\n((  .*){1}\\n){${size}} {2}D `),
    'the matrices of the instance',
  );
  assert.match(out, /in the paper: the minimizer of the deflated pencil always spans/);
  assert.match(
    out,
    /counterexample, complete graph of 3 nodes.*\n( +-?[\d.]+){3}\n( +-?[\d.]+){3}\n( +-?[\d.]+){3}\n {2}D 2\.00 2\.00 2\.00\n/,
  );
  const [again] = JSON.parse((await command(`deflation --replay ${report.worst.seed} --json`)).out);
  assert.is(again.measured, report.measured);
});

test('a verdict that is not the expected one is exit 1, and named', async () => {
  const { specnet2 } = objectives as { specnet2: { gradient: typeof objectives.specnet2.gradient } };
  const { gradient } = specnet2;
  specnet2.gradient = (view, moments, map) => {
    gradient(view, moments, map);
    map.scale(2);
  };
  try {
    const { code, out } = await command('gradient minimizers --instances 5');
    assert.is(code, 1);
    assert.match(out, /gradient +fails, not holds/);
    assert.match(out, /minimizers +holds /, 'where the gradient vanishes a factor changes nothing');
    assert.match(out, /\nNot as expected: gradient\. /);
  } finally {
    specnet2.gradient = gradient;
  }
});

test('on a terminal with colors the verdict has one, and elsewhere none', async () => {
  const args = ['verify', 'hessian-form', 'saddles', '--instances', '2'];
  const { out } = await run(args, false, 40, true);
  assert.ok(out.includes('\u001b[33mcorrected\u001b[0m') && out.includes('\u001b[32mholds\u001b[0m'));
  assert.not.ok((await run(args)).out.includes('\u001b'));
});

test('progress names the statement', async () => {
  const { err } = await run(['verify', 'gradient', '--instances', '3'], true);
  assert.match(err, /1 of 1: gradient … 100 %/);
});

test('--graph replaces random graphs, and statements whose assumptions it does not meet are named', () =>
  inFolder(async (folder) => {
    const path = put(folder, 'ring.mtx', await writeMatrixMarket(ringGraph(14).weights));
    const own = await run(['verify', 'minimizers', 'costs', '--graph', path, '--instances', '4', '--json']);
    assert.is(own.code, 0, own.err);
    const [minimizers, costs] = JSON.parse(own.out);
    assert.match(minimizers.worst.instance, /^given.*n = 14/);
    assert.is(costs.worst.instance, 'graph of 14 nodes');
    // All eigenvalues of a complete graph but the first are equal: there is no gap after the second.
    const edges = [0, 1, 2, 3, 4, 5].flatMap((i) =>
      [0, 1, 2, 3, 4, 5].filter((j) => j < i).map((j) => [i, j] as const),
    );
    const complete = put(folder, 'complete.mtx', await writeMatrixMarket(graphOfEdges(6, edges).weights));
    const part = await run(['verify', 'specnet1-floor', 'minimizers', '--graph', complete, '--instances', '1']);
    assert.is(part.code, 1, 'one that was asked for by name was not verified');
    assert.is(part.err, 'specnet verify: no instance meets the assumptions of specnet1-floor.\n');
    assert.match(part.out, /minimizers +holds /);
    assert.match(part.out, /\nNot tested: specnet1-floor\. The others are as expected: 1 hold, 0 hold as corrected\. /);
    const every = await run(['verify', '--graph', complete, '--instances', '1']);
    assert.is(every.code, 0, 'no name was given, so unmet assumptions are no failure');
    assert.match(every.err, /no instance meets the assumptions of .*specnet1-floor/);
    const none = await run(['verify', 'specnet1-floor', '--graph', complete]);
    assert.is(none.code, 1);
    assert.match(none.out, /^No statement was tested\. /);
  }));

test('wrong usage is exit 2, before any work', () =>
  forEachInOrder(
    [
      [
        'hope',
        /^specnet verify: unknown statement 'hope'\. The statements are gradient, minimizers, .*scaling\. Try specnet help verify\./,
      ],
      ['ball --instances 0', /--instances: expected instances to be a whole number, at least 1, got 0\./],
      ['ball --replay x', /--replay: expected a whole number, got 'x'\./],
      ['ball --replay 3 --seed 5', /expected --replay alone, because it fixes the instance, got --seed 5 with it\./],
      ['ball --replay 3 --instances 5', /expected --replay alone, .*, got --instances 5 with it\./],
      ['ball scaling --graph a.mtx', /expected --graph with statements about pencils or graphs, got scaling\./],
      ['ball --graph points.csv', /expected --graph with a \.mtx, \.mtx\.gz or \.npz file, got 'points\.csv'\./],
    ] as [string, RegExp][],
    async ([line, answer]) => {
      const { code, out, err } = await command(line);
      assert.is(code, 2, line);
      assert.is(out, '');
      assert.match(err, answer);
    },
  ));

test('a file that is not there is exit 1', async () => {
  const { code, err } = await command('ball --graph nowhere.mtx');
  assert.is(code, 1);
  assert.match(err, /^specnet verify: nowhere\.mtx: expected a file that can be read/);
});

test.run();
