/** A planted error makes exactly the affected statements fail. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { oneMoon, oneMoonDensity } from '../../datasets/index.ts';
import { buildGraph, setThreads } from '../../lib/index.ts';
import { type Evidence, type Formulas, type StatementName, verify } from '../../lib/doors/theory.ts';
import { trackedMoments } from '../../lib/spectral/descent/moments.ts';
import { objectives } from '../../lib/spectral/descent/objective.ts';
import { formulas } from '../../lib/theory/instances/formulas.ts';
import { forEachInOrder } from '../for-each.ts';

const test = suite('planted errors');

// Two spec files run at a time, and a second thread of each would only wait for a core.
setThreads(1);

const graph = await buildGraph(oneMoon({ n: 300, seed: 1 }).points, { kind: 'gaussian', sigma: 0.2, threshold: 0.3 });

/** Statements that take long get few instances, above all diverging iterations. */
const slow: Partial<Record<StatementName, number>> = {
  convergence: 1,
  'local-rate': 2,
  'tracked-lag': 10,
  'ordered-columns': 20,
};

/** The statements that fail with these formulas replaced. */
async function red(names: readonly StatementName[], planted: Partial<Formulas>): Promise<string[]> {
  const found: Evidence[] = [];
  await forEachInOrder(names, async (name) => {
    const about = name === 'same-gradient' ? { graph } : { instances: slow[name] ?? 60 };
    found.push(...(await verify([name], { ...about, formulas: planted })));
  });
  return found.filter(({ verdict }) => verdict === 'fails').map(({ statement }) => statement);
}

const { gradient } = objectives.specnet2;

/** −(4/n)·WY + factor·(4/n³)·DY·YᵀDY. */
const quarticTimes = (factor: number): Partial<Formulas> => ({
  objective: {
    constrained: false,
    gradient: (view, { gram, mean }, map) => gradient(view, { gram: gram.map((entry) => factor * entry), mean }, map),
  },
});

const ofGradient: StatementName[] = [
  'gradient',
  'minimizers',
  'stationary-points',
  'hessian-form',
  'hessian-spectrum',
  'saddles',
  'minimizer-curvature',
  'deflation',
  'same-gradient',
];

test('without a planted error, no statement fails', async () => {
  assert.equal(await red([...ofGradient, 'lipschitz', 'descent-inequality', 'convergence'], {}), []);
});

test('a wrong factor in the gradient: all statements on derivatives and stationary points', async () => {
  assert.equal(await red(ofGradient, quarticTimes(1.001)), ofGradient);
  assert.equal(await red(['lipschitz', 'optimal-values'], quarticTimes(1.001)), [], 'which do not use it');
});

test('a wrong factor in the gradient: iterations end elsewhere', async () => {
  assert.equal(await red(['convergence'], quarticTimes(1.001)), ['convergence']);
});

test('a gradient that is wrong in the units of n alone', async () => {
  const objective: Formulas['objective'] = {
    constrained: false,
    gradient: (view, moments, map) => {
      gradient(view, moments, map);
      map.scale(view.population);
    },
  };
  assert.equal(await red(['gradient', 'hessian-form', 'hessian-spectrum', 'same-gradient'], { objective }), [
    'gradient',
    'hessian-form',
    'same-gradient',
  ]);
});

test('a gradient that does not keep its size as n grows', async () => {
  const law = { points: (n: number, seed: number | string) => oneMoon({ n, seed }).points, density: oneMoonDensity() };
  const objective: Formulas['objective'] = {
    constrained: false,
    gradient: (view, moments, map) => {
      gradient(view, moments, map);
      map.scale(Math.sqrt(view.population));
    },
  };
  const [{ verdict, quantities }] = await verify(['scaling'], { law, formulas: { objective } });
  assert.is(verdict, 'fails');
  const beyond = quantities.filter(({ measured, bound }) => measured > bound).map(({ what }) => what);
  assert.equal(
    beyond.map((what) => what.split(',')[1]),
    [' gradient at 2Y', ' gradient at Y'],
  );
});

test('L with n + 1 in the place of n + 2', async () => {
  const entryBound: Formulas['entryBound'] = (pencil, radius) =>
    formulas.entryBound(pencil, radius) - 4 * radius ** 2 * Math.max(...pencil.mass);
  assert.equal(await red(['lipschitz', 'descent-inequality'], { entryBound }), ['lipschitz']);
});

test('L_S of half the required size', async () => {
  const blockBound: Formulas['blockBound'] = (pencil, rows, radius) => formulas.blockBound(pencil, rows, radius) / 2;
  const names: StatementName[] = ['lipschitz', 'descent-inequality', 'gradient-to-zero'];
  assert.equal(await red(names, { blockBound }), ['descent-inequality', 'gradient-to-zero']);
});

/** Tracked moments YᵀDY and ηᵀY whose updates are `factor` times the true ones. */
const changesTimes = (factor: number): Partial<Formulas> => ({
  follow: (count, width, mass, ...rest) =>
    formulas.follow(
      count,
      width,
      mass.map((entry) => factor * entry),
      ...rest,
    ),
});

test('a wrong factor in the update of the moments', async () => {
  const names: StatementName[] = ['gradient', 'hessian-spectrum', 'convergence', 'same-gradient'];
  assert.equal(await red(names, changesTimes(1.01)), ['convergence', 'same-gradient']);
});

test('moments that take more flops than they report, or than is claimed', async () => {
  const { moments, follow } = formulas;
  const silent: Partial<Formulas> = { moments: (record) => ({ ...moments(record), flops: () => 0 }) };
  const twice: Partial<Formulas> = {
    moments: (record) => ({ ...moments(record), flops: (view) => 2 * moments(record).flops(view) }),
    follow(count, width, mass, eta, before, after, gram, mean) {
      follow(count, width, mass, eta, before, after, gram, mean);
      follow(count, width, mass, eta, after, after, gram, mean);
    },
  };
  await forEachInOrder([silent, twice], async (planted) => {
    const [{ verdict, quantities }] = await verify(['costs'], { graph, formulas: planted });
    assert.is(verdict, 'fails');
    const beyond = quantities.filter(({ measured, bound }) => measured > bound).map(({ what }) => what);
    assert.ok(beyond.length > 0 && beyond.every((what) => what.includes('neighbor')), beyond.join('; '));
  });
});

test('moments that are not updated at all', async () => {
  const names: StatementName[] = ['gradient', 'convergence', 'local-rate', 'same-gradient'];
  assert.equal(await red(names, changesTimes(0)), ['convergence', 'local-rate', 'same-gradient']);
});

test('an iteration that breaks down leads to a verdict, not to an exception', async () => {
  const [{ verdict, quantities }] = await verify(['convergence'], { instances: 2, formulas: quarticTimes(-1) });
  assert.is(verdict, 'fails');
  assert.equal(
    quantities.map(({ what }) => what),
    ['iterations that broke down'],
  );
});

test('a search for a counterexample that breaks down does not throw', async () => {
  const objective: Formulas['objective'] = {
    constrained: false,
    gradient: (view, moments, map) => {
      gradient(view, moments, map);
      map.scale(-1e6);
    },
  };
  const [{ verdict, printed }] = await verify(['gradient-to-zero'], { instances: 2, formulas: { objective } });
  assert.is(verdict, 'fails');
  assert.equal(printed!.counterexamples, []);
});

test('moments without their correction, or with another probability: the statement on corrected moments', async () => {
  const name = 'corrected-moments';
  assert.equal(await red([name], {}), []);
  assert.equal(await red([name], { corrected: trackedMoments }), [name]);
  const smallerBatch: Formulas['corrected'] = (record, table, pencil) => {
    const source = formulas.corrected(record, table, pencil);
    return { ...source, update: (view, seen) => source.update({ ...view, batch: view.batch.slice(0, -1) }, seen) };
  };
  assert.equal(await red([name], { corrected: smallerBatch }), [name]);
});

test('moments that do not lag behind, or lag more: the statement on tracked moments', async () => {
  const name = 'tracked-lag';
  assert.equal(await red([name], {}), []);
  assert.equal(await red([name], { tracked: formulas.corrected }), [name]);
  const halfTheRows: Formulas['tracked'] = (record, table, pencil) => {
    const source = formulas.tracked(record, table, pencil);
    return {
      ...source,
      update: (view, { data, factor }) =>
        source.update({ ...view, support: view.support!.slice(0, 1) }, { count: 1, data, factor }),
    };
  };
  assert.equal(await red([name], { tracked: halfTheRows }), [name]);
});

test('edges that count their ends as pairs: the statement on the gradient on edges', async () => {
  const name = 'edge-gradient';
  assert.equal(await red([name], {}), []);
  const { edges } = formulas;
  /** Adds the pair of each end with itself, or with its partner. */
  const counting = (offset: 0 | 1): Partial<Formulas> => ({
    edges(count, width, deflate, rows, out) {
      edges(count, width, deflate, rows, out);
      for (let p = 0; p < count; p++) {
        const other = p ^ offset;
        let product = 0;
        for (let k = 0; k < width; k++) product += rows[p * width + k] * rows[other * width + k];
        for (let k = 0; k < width; k++) {
          out[p * width + k] += (4 / (count * (count - 2))) * product * rows[other * width + k];
        }
      }
    },
  });
  assert.equal(await red([name], counting(0)), [name]);
  assert.equal(await red([name], counting(1)), [name]);
});

test('columns that meet later ones, or none: the statement on ordered columns', async () => {
  const name = 'ordered-columns';
  assert.equal(await red([name], {}), []);
  assert.equal(await red([name], { ordered: objectives.specnet2 }), [name]);
  const alone: Formulas['ordered'] = {
    constrained: false,
    gradient(view, moments, update) {
      objectives.triofm.gradient(view, moments, update);
      const { own, width } = update;
      for (let p = 0; p < own.length; p++) if (p % (width + 1) !== 0) own[p] = 0;
    },
  };
  assert.equal(await red([name], { ordered: alone }), [name]);
});

test.run();
