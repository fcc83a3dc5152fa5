/** Every verdict is right and can be replayed, and a user's own pencil gets a verdict. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon, oneMoonDensity } from '../../datasets/index.ts';
import { buildGraph, graphFrom, Random, setThreads, tensor, Tensor } from '../../lib/index.ts';
import { fromDense, fromTriplets, mapValues, toDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { type Evidence, type StatementName, statements, verify } from '../../lib/doors/theory.ts';
import { subsets } from '../../lib/theory/instances/landscape.ts';
import { closedForm } from '../../lib/theory/statements/landscape/hessian.ts';
import { sampleSets } from '../../lib/theory/statements/landscape/stationary.ts';
import { forEachInOrder } from '../for-each.ts';
import { graphOfEdges, ringGraph } from '../spectral/graphs.ts';

const test = suite('verify');

// Two spec files run at a time, and a second thread of each would only wait for a core.
setThreads(1);

const names = Object.keys(statements) as StatementName[];
const about = (kind: string): StatementName[] => names.filter((name) => statements[name].about === kind);

/** Enough instances for every kind of pencil to occur several times. */
const few: Partial<Record<StatementName, number>> = {
  convergence: 10,
  'theorem-step': 3,
  'local-rate': 20,
  'tracked-lag': 20,
};
const law = { points: (n: number, seed: number | string) => oneMoon({ n, seed }).points, density: oneMoonDensity() };

const evidenceOn = async (name: StatementName, options: object = {}): Promise<Evidence> => {
  const [evidence] = await verify([name], { law, instances: few[name] ?? 65, ...options });
  return evidence;
};

for (const name of about('pencils')) {
  test(`${name}: ${statements[name].printed ? 'corrected' : 'holds'}`, async () => {
    const evidence = await evidenceOn(name);
    assert.is(evidence.verdict, evidence.expected, JSON.stringify(evidence.quantities));
    assert.is(evidence.instances, few[name] ?? 65);
    assert.ok(evidence.quantities.every(({ measured, bound }) => measured <= bound));
    assert.is(evidence.slack, evidence.bound - evidence.measured);
    assert.is(evidence.printed?.claim, statements[name].printed);
  });

  test(`${name}: the worst instance is replayed by its seed, to the bit`, async () => {
    const evidence = await evidenceOn(name, { instances: few[name] ?? 26 });
    const [again] = await verify([name], { law, replay: evidence.worst.seed });
    assert.is(again.instances, 1);
    const { measured, bound, worst } = again;
    assert.equal(
      { measured, bound, worst },
      { measured: evidence.measured, bound: evidence.bound, worst: evidence.worst },
    );
  });
}

test('the statements about the solver hold as expected, on one moon of 400 points', async () => {
  const graph = await buildGraph(law.points(400, 3), { kind: 'gaussian', sigma: 0.2, threshold: 0.3 });
  const found = await verify(['same-gradient', 'costs'], { graph, instances: 50 });
  assert.is(found[0].instances, 1, 'one graph, however many pencils are asked for');
  assert.equal(
    found.map(({ verdict }) => verdict),
    ['holds', 'holds'],
  );
  const [{ notes }] = found;
  assert.ok(notes.find(({ what }) => what === 'error of local, b = 4')!.least > 0.1, 'local is far from the gradient');
});

test('SpecNet1 leaves the eigenvectors of one moon for a floor that grows with the step', async () => {
  const evidence = await evidenceOn('specnet1-floor', { instances: 1 });
  assert.is(evidence.verdict, 'corrected');
  const floor = (step: number): number =>
    evidence.notes.find(({ what }) => what === `floor of ψ2, step ${step}, b = 50`)!.least;
  assert.ok(floor(0.2) > 2e-4 && floor(0.2) < 6e-4, `${floor(0.2)}`);
  assert.ok(floor(0.05) < floor(0.2) && floor(0.2) < floor(0.5));
});

test('losses keep their size as points become many, and errors fall as n^-½', async () => {
  const evidence = await evidenceOn('scaling', { instances: 1 });
  assert.is(evidence.instances, 12, 'slopes take their own number of draws, however few pencils are asked for');
  assert.is(evidence.verdict, 'holds', JSON.stringify(evidence.notes));
  const limits = evidence.notes
    .filter(({ what }) => what.startsWith('continuous'))
    .map(({ least }) => least.toFixed(4));
  assert.equal(limits.slice(0, 4), ['1.0000', '0.9767', '0.9114', '0.8159']);
});

test('the closed form has nK curvatures for every set of n = 6, K = 2', () => {
  const values = Float64Array.of(1, 0.6, 0.3, 0.1, 0.05, 0.01);
  const pairs = { values, orthonormal: new Float64Array(36) };
  assert.is(subsets(6, 2).length, 22);
  for (const set of subsets(6, 2)) assert.is(closedForm(pairs, set, 2).length, 12, `${set}`);
});

test('a sample of sets contains large ones as often as small ones', () => {
  const random = new Random('sets');
  const all = subsets(4, 3);
  let [large, drawn] = [0, 0];
  for (let trial = 0; trial < 200; trial++) {
    const chosen = sampleSets(random, all, 4);
    assert.is(new Set(chosen).size, 4);
    drawn += chosen.length;
    large += chosen.filter((set) => set.length === 3).length;
  }
  const fraction = all.filter((set) => set.length === 3).length / all.length;
  assert.ok(Math.abs(large / drawn - fraction) < 0.06, `${large / drawn}, not ${fraction}`);
});

test('bounds are tight: some instance comes within a hundredth', async () => {
  assert.ok((await evidenceOn('lipschitz')).measured > 0.99);
  assert.ok((await evidenceOn('ball')).measured > 0.99);
});

test('other seeds are other instances, and the same seed is the same evidence', async () => {
  const [a, b, c] = [await evidenceOn('ball'), await evidenceOn('ball'), await evidenceOn('ball', { seed: 7 })];
  assert.equal(a, b);
  assert.is.not(a.measured, c.measured);
  assert.ok(c.worst.seed >= 7_000_000 && c.worst.seed < 8_000_000);
});

test('given W and D replace random ones', async () => {
  const weights = tensor([[2, 1, 0], [1, 0, 1], [0, 1, -1]], 'double'); // oxfmt-ignore
  const [evidence] = await verify(['minimizers'], { pencil: { weights, mass: [1, 2, 3] }, instances: 6 });
  assert.is(evidence.verdict, 'holds');
  assert.match(evidence.worst.instance, /^given, n = 3, K = [12]$/);
});

test('a given graph is checked as a whole if it is small, else in neighborhoods', async () => {
  const [small] = await verify(['deflation'], { graph: ringGraph(12), instances: 4 });
  assert.match(small.worst.instance, /^given, deflated, n = 12/);
  const [large] = await verify(['deflation'], { graph: ringGraph(300), instances: 4 });
  assert.match(large.worst.instance, /^\d+ nodes around \d+, deflated, n = \d+/);
  assert.is(large.verdict, 'corrected');
});

test('disconnected graphs with components of one or two nodes have neighborhoods too', async () => {
  const loops = Array.from({ length: 30 }, (_, i) => [i, i] as const);
  const pairs = Array.from({ length: 15 }, (_, i) => [2 * i, 2 * i + 1] as const);
  await forEachInOrder([loops, pairs], async (edges) => {
    const [{ verdict, instances }] = await verify(['minimizers'], { graph: graphOfEdges(30, edges), instances: 40 });
    assert.is(verdict, 'holds');
    assert.is(instances, 40);
  });
});

test('the solver is tried on graphs as small as three nodes', async () => {
  const path = (n: number) =>
    graphOfEdges(
      n,
      Array.from({ length: n - 1 }, (_, i) => [i, i + 1] as const),
    );
  const solver: StatementName[] = ['same-gradient', 'specnet1-floor', 'costs'];
  const three = await verify(solver, { graph: path(3) });
  assert.equal(
    three.map(({ statement, verdict }) => [statement, verdict]),
    [
      ['same-gradient', 'holds'],
      ['costs', 'holds'],
    ],
    'there is no room for four pairs in three nodes',
  );
  // Here one column of the linear iteration shrinks by 2¹⁰⁰ relative to the other within a hundred sweeps.
  const [floor] = await verify(['specnet1-floor'], { graph: path(4) });
  assert.is(floor.verdict, 'corrected', JSON.stringify(floor.quantities));
});

test('the cost of a step does not depend on the magnitude of the weights', async () => {
  const { weights } = ringGraph(40);
  await forEachInOrder([1e-12, 1e12], async (size) => {
    const graph = graphFrom(mapValues(weights, () => size));
    const [{ verdict, quantities }] = await verify(['costs'], { graph });
    assert.is(verdict, 'holds', JSON.stringify(quantities));
  });
});

test('slow plain steps on a graph of uneven degrees do not count against convergence', async () => {
  const weak = 1e-2;
  const at = (i: number, j: number): number =>
    Math.abs(i - j) > 1 ? 0 : (i === j ? 2 : 1) * (Math.min(i, j) < 3 ? weak : 1);
  const weights = tensor(
    Array.from({ length: 6 }, (_, i) => Array.from({ length: 6 }, (_unused, j) => at(i, j))),
    'double',
  );
  const mass = Array.from({ length: 6 }, (_, i) => [0, 1, 2, 3, 4, 5].reduce((sum, j) => sum + at(i, j), 0));
  const found = await verify(['convergence', 'theorem-step', 'minimizers'], {
    pencil: { weights, mass },
    instances: 5,
  });
  assert.equal(
    found.map(({ statement, verdict }) => [statement, verdict]),
    [['minimizers', 'holds']],
  );
});

test('the units of a pencil, W and D times one number or W alone, change no verdict', async () => {
  const random = new Random('unit');
  const n = 6;
  const whole = zeros([n, n], 'double');
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) whole.data[i * n + j] = whole.data[j * n + i] = random.uniform(0, 1);
  }
  const scaled = (factor: number): Tensor<Float64Array> => new Tensor(whole.data.map((weight) => factor * weight), [n, n]); // oxfmt-ignore
  const verdicts = async (factor: number): Promise<string[]> => {
    const weights = scaled(factor);
    const mass = Array.from({ length: n }, (_, i) => weights.data.slice(i * n, i * n + n).reduce((sum, w) => sum + w));
    const found = await verify(about('pencils'), { pencil: { weights, mass }, instances: 2 });
    return found.map(({ statement, verdict }) => `${statement} ${verdict}`);
  };
  const expected = await verdicts(1);
  assert.is(expected.length, about('pencils').length - 1, 'all but theorem-step');
  assert.ok(!expected.some((verdict) => verdict.endsWith('fails')));
  await forEachInOrder([1e-138, 1e-20, 1e-7, 1e20, 1e138], async (factor) =>
    assert.equal(await verdicts(factor), expected),
  );

  // W alone can have eigenvalues of any size.
  const ofAny = async (factor: number): Promise<string[]> => {
    const pencil = { weights: scaled(factor), mass: Array<number>(n).fill(3) };
    const found = await verify(about('pencils'), { pencil, instances: 2 });
    return found.map(({ statement, verdict }) => `${statement} ${verdict}`);
  };
  const expectedOfAny = await ofAny(1);
  assert.ok(expectedOfAny.length > 10 && !expectedOfAny.some((verdict) => verdict.endsWith('fails')));
  await forEachInOrder([1e-120, 1e-4, 1e3, 1e8, 1e120], async (factor) =>
    assert.equal(await ofAny(factor), expectedOfAny),
  );
});

test('one edge and a triangle are too small for the statement on the theorem’s step', async () => {
  await forEachInOrder([2, 3], async (n) => {
    const edges = Array.from({ length: n }, (_, i) => [i, (i + 1) % n] as const).slice(0, n === 2 ? 1 : n);
    const graph = graphOfEdges(n, edges);
    const pencil = { weights: toDense(graph.weights), mass: [...graph.degrees] };
    const found = await verify(['theorem-step', 'minimizers'], { pencil, instances: 10 });
    assert.equal(
      found.map(({ statement, verdict }) => [statement, verdict]),
      [['minimizers', 'holds']],
    );
  });
});

test('the number of sweeps with the theorem’s step is checked only on random pencils', async () => {
  const [{ quantities }] = await verify(['theorem-step'], { instances: 1 });
  assert.ok(quantities.some(({ what }) => what.startsWith('decades between its sweeps')));

  // Uneven weights, for which the statement would need more than 10⁹: there is no verdict for any n.
  const random = new Random('uneven');
  const weights = zeros([60, 60], 'double');
  for (let i = 0; i < 60; i++) {
    for (let j = 0; j < i; j++) {
      if (random.uniform() < 0.3) weights.data[i * 60 + j] = weights.data[j * 60 + i] = Math.exp(2 * random.normal());
    }
  }
  const [{ verdict, instances, notes }] = await verify(['theorem-step'], { graph: graphFrom(fromDense(weights)) });
  const { largest } = notes.find(({ what }) => what.startsWith('its sweeps for a factor'))!;
  assert.equal([verdict, instances, largest > 1e9], ['holds', 20, true]);
});

test('deflation leaves the span of the eigenvectors 2 … K + 1', async () => {
  const { quantities } = await evidenceOn('deflation');
  assert.ok(quantities.some(({ what }) => what.startsWith('angle of the minimizer')));
});

test('a statement whose assumptions no instance meets is left out', async () => {
  const weights = tensor([[-1, 0], [0, -2]], 'double'); // oxfmt-ignore
  assert.equal(await verify(['saddles'], { pencil: { weights, mass: [1, 1] }, instances: 2 }), []);
});

/** A path whose last node has a negligible weight. */
const faintEdge = graphFrom(
  fromTriplets({ rows: [0, 1, 1, 2], columns: [1, 0, 2, 1], values: [1, 1, 1e-200, 1e-200] }, [3, 3], 'double'),
);

test('unusable input is refused', () =>
  forEachInOrder(
    [
      [['hope'], {}, /^verify: expected each name to be 'gradient' or .*, got hope\.$/],
      [['costs'], {}, /^verify: expected a graph or a law of points for 'costs', got none\. Pass a law, .* oneMoon/],
      [['scaling'], { graph: ringGraph(30) }, /^verify: expected a law of points for 'scaling', got none\./],
      [['ball'], { instances: 0 }, /^verify: expected instances to be a whole number, at least 1, got 0\.$/],
      [['ball'], { replay: 3, seed: 5 }, /^verify: expected replay without seed and instances, got seed 5\. replay is/],
      [['ball'], { replay: 3, instances: 5 }, /^verify: expected replay without seed and instances, got instances 5\./],
      [['ball'], { instances: 1e7 }, /^verify: expected at most 1000000 instances, got 10000000\.$/],
      [['ball'], { pencil: { weights: tensor([[1, 2], [3, 4]]), mass: [1, 1] } }, /^verify: expected weights to be symmetric/], // oxfmt-ignore
      [['ball'], { pencil: { weights: tensor([[1, 0], [0, 1]]), mass: [1] } }, /^verify: expected a mass for each of 2 rows, got 1\.$/], // oxfmt-ignore
      [['ball'], { pencil: { weights: tensor([[1, 0], [0, 1]]), mass: [1, 0] } }, /^verify: expected mass above 0, got 0 at index 1\.$/], // oxfmt-ignore
      [['ball'], { pencil: { weights: tensor([[1, 0], [0, 1]]), mass: [1, 1e-200] } }, /^verify: expected mass from 1e-140 to 1e\+140, got 1e-200 at index 1\. Multiply W and D by one number/], // oxfmt-ignore
      [
        ['ball'],
        { graph: faintEdge },
        /^verify: expected degrees from 1e-140 to 1e\+140, got 1e-200 at index 2\. Multiply/,
      ],
    ] as [StatementName[], object, RegExp][],
    async ([wanted, options, answer]) => {
      try {
        await verify(wanted, options);
      } catch (error) {
        assert.match((error as Error).message, answer);
        return;
      }
      assert.unreachable(`${wanted} ${answer}`);
    },
  ));

test('verify reports progress and can be aborted', async () => {
  const fractions: number[] = [];
  await verify(['hessian-spectrum'], { instances: 80, progress: (fraction) => fractions.push(fraction) });
  assert.is(fractions.at(-1), 1);
  assert.ok(fractions.every((fraction, i) => i === 0 || fraction >= fractions[i - 1]));
  try {
    await verify(['ball'], { signal: AbortSignal.abort(new Error('enough')) });
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'enough');
  }
  const stop = new AbortController();
  try {
    await verify(['scaling'], { law, signal: stop.signal, progress: () => stop.abort(new Error('enough of draws')) });
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'enough of draws');
  }
});

test.run();
