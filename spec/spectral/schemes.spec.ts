/** The six schemes, step by step against dense transcriptions of the paper's formulas. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { graphFrom, Random, tensor, type Tensor } from '../../lib/index.ts';
import { solve, type SolveOptions } from '../../lib/doors/solver.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { batchesOf } from '../../lib/spectral/descent/batches.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { Run } from '../../lib/spectral/solve/run.ts';
import { resolveOptions } from '../../lib/spectral/solve/settings.ts';
import { preconditioners } from '../../lib/spectral/descent/step-rule.ts';
import { graphOfEdges, ringGraph } from './graphs.ts';
import {
  type Dense,
  diagonal,
  paperF2,
  type PaperStep,
  paperStep,
  pencil,
  plus,
  randomGraph,
  times,
  transposed,
} from './paper.ts';

const test = suite('the six schemes');

function randomRows(seed: string, n: number, width: number): Dense {
  const random = new Random(seed);
  return Array.from({ length: n }, () => Array.from({ length: width }, () => random.normal()));
}

/** The batches that `solve` takes with this seed, epoch by epoch. */
function batches(n: number, size: number, seed: string, epochs: number): number[][] {
  const random = new Random(seed).fork('batches');
  return Array.from({ length: epochs }, () =>
    [...batchesOf(n, size, 'shuffled', random)].map((batch) => Array.from(batch)),
  ).flat();
}

/** The largest difference, relative to the largest entry. */
function difference(a: ArrayLike<number>, b: Dense): number {
  const flat = b.flat();
  const largest = Math.max(...flat.map(Math.abs));
  return Math.max(...flat.map((x, p) => Math.abs(x - a[p]))) / largest;
}

const n = 24;
const width = 3;
const { graph, w } = randomGraph('schemes', n);

for (const method of ['specnet1', 'specnet2'] as const) {
  for (const scheme of ['local', 'full', 'neighbor'] as const) {
    test(`${method} ${scheme} takes the paper's steps`, async () => {
      const variants: Partial<SolveOptions & PaperStep>[] = [
        {},
        { deflate: false },
        { pencil: 'symmetric' },
        ...(method === 'specnet1' ? ([{ rotate: 'before' }, { orthogonalize: 'support' }] as const) : []),
      ];
      for (const variant of variants) {
        for (const batch of [7, 8, n]) {
          const options = { method, scheme, step: 0.15, deflate: true, ...variant } as const;
          let expected = randomRows('y', n, width);
          const start = tensor(expected, 'double');
          for (const rows of batches(n, batch, 'one', 3)) {
            expected = paperStep(w, expected, rows, { ...options, kind: variant.pencil ?? 'random-walk' });
          }
          const { state } = await solve(graph, {
            components: width,
            ...options,
            batch,
            start,
            seed: 'one',
            epochs: 3,
            tolerance: 0,
          });
          const found = difference(state.rows.data, expected);
          assert.ok(found < 1e-12, `${JSON.stringify(variant)} batch ${batch}: ${found}`);
        }
      }
    });
  }
}

test('full and neighbor are the same to 1e-13 at batches of 1, 4, 50 and all', async () => {
  const large = randomGraph('large', 120).graph;
  for (const method of ['specnet1', 'specnet2'] as const) {
    for (const batch of [1, 4, 50, 120]) {
      const options = { components: 2, method, batch, step: 0.2, epochs: 4, tolerance: 0 } as const;
      const [full, neighbor] = await Promise.all(
        (['full', 'neighbor'] as const).map((scheme) => solve(large, { ...options, scheme })),
      );
      const size = Math.max(...full.state.rows.data.map(Math.abs));
      const worst = Math.max(...full.state.rows.data.map((x, p) => Math.abs(x - neighbor.state.rows.data[p])));
      assert.ok(worst <= 1e-13 * size, `${method} ${batch}: ${worst / size}`);
    }
  }
});

test('every rule of constant length takes its step, whether moments are kept or measured, in both precisions', () => {
  const { d, eta } = pencil(w, 'random-walk', true);
  const length = 0.3;
  for (const precision of ['double', 'single'] as const) {
    const part = pencilOf('spec', graph, 'random-walk', true, precision);
    for (const columns of [1, 2, 3, 9]) {
      for (const scheme of ['full', 'neighbor'] as const) {
        for (const precondition of preconditioners) {
          const settings = resolveOptions(graph, { components: columns, batch: 5, scheme, step: length, precision });
          const rows = tensor(randomRows('y', n, columns), precision);
          const state = new Random('steps').state();
          const run = new Run(settings, part, { rows, random: state }, { precondition, length });
          for (const batch of batches(n, 5, 'rules', 2)) {
            const y = rowsOf(run.rows.stored);
            run.descent.step(Int32Array.from(batch));
            const moved = rowsOf(run.rows.stored);
            const gram = times(transposed(y), times(diagonal(d), y));
            const mean = times([eta], y)[0];
            const own = batch.map((i) => y[i]);
            const affinity = times(
              batch.map((i) => w[i]),
              y,
            ).map((row, k) => row.map((x, j) => x - eta[batch[k]] * mean[j]));
            const masses = batch.map((i) => d[i]);
            // Multiplies the change, divided by the length, by YᵀDY, so that no inverse is needed here.
            const expected = {
              none: times(plain(own, affinity, masses, gram), gram),
              degree: times(times(diagonal(masses.map((m) => n / m)), plain(own, affinity, masses, gram)), gram),
              gram: plus(times(own, gram), times(diagonal(masses.map((m) => n ** 2 / m)), affinity), -1),
              columns: times(
                own.map((row, k) => row.map((x, j) => x - (n ** 2 / masses[k] / gram[j][j]) * affinity[k][j])),
                gram,
              ),
            }[precondition];
            const taken = batch.map((i) => y[i].map((x, j) => (x - moved[i][j]) / length));
            const label = `${precision} ${columns} ${scheme} ${precondition}`;
            const error = difference(times(taken, gram).flat(), expected);
            assert.ok(error < (precision === 'double' ? 1e-11 : 1e-4), `${label}: ${error}`);
            y.forEach((row, i) => batch.includes(i) || assert.equal(moved[i], row, label));
          }
        }
      }
    }
  }
});

test('rows without neighbors in a local batch stay as they are by every rule of constant length', () => {
  const ring = ringGraph(40);
  for (const kind of ['random-walk', 'symmetric'] as const) {
    const part = pencilOf('spec', ring, kind, true, 'double');
    const settings = resolveOptions(ring, { components: 2, batch: 4, scheme: 'local', step: 0.3, pencil: kind });
    // The rule 'gram' requires an invertible YᵀDY.
    for (const precondition of preconditioners.filter((each) => each !== 'gram')) {
      const rows = tensor(randomRows('y', 40, 2), 'double');
      const run = new Run(settings, part, { rows, random: new Random(0).state() }, { precondition, length: 0.3 });
      run.descent.step(Int32Array.of(0, 10, 20, 30));
      assert.equal(rowsOf(run.rows.stored), rowsOf(rows), `${kind} ${precondition}`);
    }
  }
});

test('a node with tiny weights to the others works', async () => {
  const { rows, columns, values } = { rows: [0, 8], columns: [8, 0], values: [1e-310, 1e-310] };
  for (let i = 0; i < 8; i++) {
    for (let j = 0; j < 8; j++) {
      rows.push(i);
      columns.push(j);
      values.push(Math.exp(-((i - j) ** 2)));
    }
  }
  const outlier = graphFrom(fromTriplets({ rows, columns, values }, [9, 9], 'double'));
  for (const method of ['specnet1', 'specnet2'] as const) {
    assert.ok((await solve(outlier, { components: 2, method })).converged, method);
  }
});

/** −4/n·(W − ηηᵀ)Y + 4/n³·DY·YᵀDY. */
function plain(y: Dense, affinity: Dense, masses: number[], gram: Dense): Dense {
  const massPart = times(times(diagonal(masses), y), gram);
  return affinity.map((row, i) => row.map((x, j) => (-4 / n) * x + (4 / n ** 3) * massPart[i][j]));
}

function rowsOf({ rows, cols, data }: Tensor): Dense {
  return Array.from({ length: rows }, (_, i) => Array.from(data.subarray(i * cols, (i + 1) * cols)));
}

test('the tracked moments are those of the rows after ten thousand steps, in both precisions', () => {
  for (const precision of ['single', 'double'] as const) {
    const settings = resolveOptions(graph, { components: 2, batch: 1, step: 0.05, precision });
    const part = pencilOf('spec', graph, 'random-walk', true, precision);
    const random = new Random('steps');
    const rows = tensor(randomRows('y', n, 2), precision);
    // Counts in steps, because the moments are measured again at the end of an epoch.
    const run = new Run(settings, part, { rows, random: random.state() });
    for (let step = 0; step < 10_000; step++) run.descent.step(Int32Array.of(random.integer(n)));
    const tracked = { gram: run.record!.gram.slice(), mean: run.record!.mean.slice() };
    run.measure();
    const fresh = run.record!;
    tracked.gram.forEach((value, p) => {
      assert.ok(Math.abs(value - fresh.gram[p]) <= 1e-12 * n * n, `${precision}: ${value}`);
    });
    tracked.mean.forEach((value, p) =>
      assert.ok(Math.abs(value - fresh.mean[p]) <= 1e-12 * n, `${precision}: ${value}`),
    );
  }
});

test('a row without neighbors in its batch stays where it is, in the local scheme', async () => {
  // A ring without loops: three consecutive nodes are neighbors, a single one has none.
  const ring = ringGraph(40);
  const options = { components: 1, scheme: 'local', order: 'cyclic', epochs: 1, tolerance: 0 } as const;
  for (const kind of ['random-walk', 'symmetric'] as const) {
    const start = await solve(ring, { ...options, pencil: kind, epochs: 0, step: 0.1 });
    const alone = await solve(ring, { ...options, pencil: kind, batch: 1, step: 0.1 });
    assert.equal(alone.state.rows.data, start.state.rows.data);
    const joined = await solve(ring, { ...options, pencil: kind, batch: 3, step: 0.1 });
    assert.not.equal(joined.state.rows.data.slice(0, 3), start.state.rows.data.slice(0, 3));
  }
});

test('so does it in SpecNet1, but for the scaling of all rows', async () => {
  // Of the batch 0, 1, 2 only 0 and 1 are connected. 3, 4, 5 form a path.
  const edges = [
    [0, 1],
    [0, 3],
    [2, 3],
    [3, 4],
    [4, 5],
  ] as const;
  const disconnected = graphOfEdges(6, edges);
  const options = { components: 1, method: 'specnet1', scheme: 'local', order: 'cyclic', batch: 3, step: 0.1 } as const;
  const start = await solve(disconnected, { ...options, epochs: 0 });
  const { state } = await solve(disconnected, { ...options, epochs: 1, tolerance: 0 });
  const change = Array.from(state.rows.data, (x, i) => x / start.state.rows.data[i]);
  assert.ok(change.every(Number.isFinite), `${change}`);
  // Scaled twice, once for each batch. The rows of the second batch have moved as well.
  assert.ok(change[2] !== change[0] && change[2] !== change[4], `${change}`);
});

test('f2 in the trace is the dense formula, in both pencils', async () => {
  for (const kind of ['random-walk', 'symmetric'] as const) {
    for (const deflate of [true, false]) {
      const { trace, state } = await solve(graph, {
        components: width,
        pencil: kind,
        deflate,
        step: 0.1,
        batch: 5,
        epochs: 3,
        tolerance: 0,
      });
      const y = Array.from({ length: n }, (_, i) => [...state.rows.data.subarray(i * width, (i + 1) * width)]);
      const expected = paperF2(pencil(w, kind, deflate), y);
      assert.ok(Math.abs(trace[2].f2 - expected) <= 1e-12 * Math.abs(expected), `${trace[2].f2} ${expected}`);
    }
  }
});

test('the norm of the gradient in the trace is that of the derivative by differences', async () => {
  const { trace, state } = await solve(graph, { components: 1, step: 0.1, batch: 5, epochs: 2, tolerance: 0 });
  const part = pencil(w, 'random-walk', true);
  const y = [...state.rows.data].map((x) => [x]);
  let square = 0;
  for (let i = 0; i < n; i++) {
    const at = (shift: number): number =>
      paperF2(
        part,
        y.map(([x], k) => [k === i ? x + shift : x]),
      );
    square += ((at(1e-5) - at(-1e-5)) / 2e-5) ** 2;
  }
  const expected = n * Math.sqrt(square); // the paper's gradient is n times the derivative
  assert.ok(Math.abs(trace[1].gradientNorm - expected) < 1e-6 * expected, `${trace[1].gradientNorm} ${expected}`);
});

test.run();
