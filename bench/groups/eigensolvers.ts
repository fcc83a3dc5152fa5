/** The eigensolvers of `spectrum` on graphs of many kinds, and scipy's shift-invert call that scikit-learn makes. */

import { buildGraph, graphFrom, type Graph, Random, spectrum, type Spectrum, tensor } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import type { Points } from '../../lib/network/layers/inputs.ts';
import { loadMnist, swissRoll, twoMoons } from '../../datasets/index.ts';
import { once, slow } from '../measure.ts';
import { Python, type PythonCase } from '../python.ts';
import { type Context, measureRow, mebibytes, type Row } from '../row.ts';

/** The wanted pairs, the trivial one included, and their residuals. */
const wanted = { count: 5, tolerance: 1e-8 };
/** Shift-invert takes minutes and gigabytes beyond. */
const mostForPython = 250_000;
/** Up to this size there are several rounds, so that our code is compiled, and all of the other solvers. */
const small = { size: 25_000, rounds: 3 };

/** Graphs whose factor has hundreds of entries in each column: the direct solver takes minutes. */
const fillsIn = /^(cube|MNIST)/;

interface Case {
  readonly name: string;
  readonly graph: () => Promise<Graph>;
}

/** The same graphs in all runs. A quick run has smaller ones. */
function cases(quick: boolean): Case[] {
  const size = (n: number): number => (quick ? Math.ceil(n / 10) : n);
  const ofPoints = (name: string, n: number, draw: (n: number) => Points | Promise<Points>): Case => ({
    name: `${name} ${size(n)}, 16 neighbors, 4 pairs`,
    graph: async () => buildGraph(await draw(size(n)), { kind: 'knn', neighbors: 16 }),
  });
  const cube = (n: number, dimension: number): Points => {
    const data = new Float32Array(n * dimension);
    new Random(1).fillUniform(data);
    return tensor({ data, shape: [n, dimension] }, 'single');
  };
  return [
    ofPoints('Swiss roll', 100_000, (n) => swissRoll({ n }).points),
    ofPoints('two moons', 20_000, (n) => twoMoons({ n }).points),
    ofPoints('two moons', 200_000, (n) => twoMoons({ n }).points),
    ofPoints('cube 3-D', 100_000, (n) => cube(n, 3)),
    ofPoints('cube 5-D', 50_000, (n) => cube(n, 5)),
    ofPoints('MNIST', 20_000, async (n) => (await loadMnist({ train: n, test: 1 })).train.points),
    { name: `star ${size(100_000)}, 4 pairs`, graph: async () => tree(size(100_000), () => 0) },
    { name: `path ${size(100_000)}, 4 pairs`, graph: async () => tree(size(100_000), (i) => i - 1) },
  ];
}

/** The tree in which node i > 0 hangs on node parent(i). */
function tree(nodes: number, parent: (i: number) => number): Graph {
  const children = Array.from({ length: nodes - 1 }, (_, i) => i + 1);
  const parents = children.map(parent);
  const triplets = { rows: [...children, ...parents], columns: [...parents, ...children] };
  return graphFrom(fromTriplets({ ...triplets, values: triplets.rows.map(() => 1) }, [nodes, nodes]));
}

/** A row for each graph: 'auto' is ours. Every solver runs once. A solver whose eigenvalues differ is reported. */
export async function eigensolverRows(context: Context): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, graph: build } of cases(context.quick)) {
    context.say(`the graph of ${name}`);
    const graph = await build();
    const isSmall = graph.size <= small.size;
    const results = new Map<string, Spectrum>();
    const by = (label: string, solver: 'auto' | 'lanczos' | 'multilevel' | 'direct') => {
      const run = async () => {
        const found = await spectrum(graph, { ...wanted, solver });
        results.set(label, found);
        return found.values;
      };
      return isSmall ? slow(label, run) : once(label, async () => ({ answer: await run() }));
    };
    const ours = [by('ours', 'auto'), by('multilevel', 'multilevel'), by('lanczos', 'lanczos')];
    if (!fillsIn.test(name)) ours.push(by('direct', 'direct'));
    const { starts, columns, values } = graph.weights;
    const arrays = { starts: starts.slice(), columns: columns.slice(), values: values.slice() };
    const sizes = { rows: graph.size, ...wanted };
    const others: PythonCase['case'][] = isSmall ? ['shift-invert', 'eigsh', 'lobpcg', 'slepc'] : ['shift-invert'];
    const rivals =
      context.python && graph.size <= mostForPython
        ? await Promise.all(
            others.map((other) => {
              const needed = other === 'slepc' ? 'slepc' : 'scipy';
              return Python.alone(context.note, other, { case: other, sizes, arrays }, needed);
            }),
          )
        : [];
    const work = { amount: 4 * columns.length, unit: 'byte' } as const;
    const patient = { ...context, pace: { rounds: isSmall ? small.rounds : 1, milliseconds: 1 } };
    rows.push(await measureRow(patient, 'smooth pairs', name, work, [...ours, ...rivals]));
    const told = [...results].map(([label, found]) => `${label} ${describe(found)}`);
    const peak = mebibytes(1024 * process.resourceUsage().maxRSS);
    context.note(`${name}: ${told.join('; ')}. Peak resident memory up to here: ${peak}.`);
  }
  if (context.python) {
    const calls =
      "shift-invert is eigsh(L, sigma=-1e-5, which='LM'), eigsh the call on D^-½WD^-½, slepc Krylov-Schur, each on one core";
    context.note(`${calls}: ${context.python.versions}.`);
  }
  return rows;
}

function describe({ solver, products, levels, fill, converged, complete, reason }: Spectrum): string {
  const hierarchy = levels.length > 1 ? `, ${levels.length} levels, fill ${fill.toFixed(2)}` : '';
  const end = converged ? complete : 'NOT converged';
  return `(${solver}): ${products} products${hierarchy}, ${end} – ${reason.replace(/\.$/, '')}`;
}
