/**
 * `npm run check:spectra`: eigenvalues of seventy kinds of graphs by every solver, compared with scipy. Prints a line for each graph and
 * solver. Exit code 1 if a pair was missed, if `complete: 'proved'` is false, or if 'auto' did not converge.
 *
 *   -- --seed N       draws other graphs; default: 1
 *   -- --only TEXT    only graphs whose name contains this
 *   -- --from TEXT    only graphs from the first one on whose name contains this
 *   -- --solvers A,B  default: auto,multilevel,direct,lanczos
 *   -- --seconds S    a solver other than 'auto' is stopped after this time; default: 20, as Lanczos takes minutes on long graphs
 *   -- --laplacian K  default: random-walk
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inFolderOf } from '../../bench/competitors/raw-files.ts';
import { findPython, oneThread } from '../../bench/competitors/python.ts';
import { sequentially } from '../../bench/sequentially.ts';
import { type Graph, Random, spectrum, type Spectrum } from '../../lib/index.ts';
import { type GraphCase, graphCases } from './spectra/graphs.ts';
import { moreGraphCases } from './spectra/more-graphs.ts';

/** Eigenvalues may differ by this much, relative to the norm of the operator. */
const tolerance = 1e-9;

type Kind = Spectrum['laplacian'];
const script = fileURLToPath(new URL('./spectra/reference.py', import.meta.url));

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '' },
    solvers: { type: 'string', default: 'auto,multilevel,direct,lanczos' },
    seconds: { type: 'string', default: '20' },
    laplacian: { type: 'string', default: 'random-walk' },
  },
});
const kind = flags.laplacian as Kind;
const python = findPython((text) => console.log(text), 'scipy');
if (python) {
  const all = [...graphCases, ...moreGraphCases];
  const first = all.findIndex(({ name }) => name.includes(flags.from));
  const chosen = all.slice(first).filter(({ name }) => name.includes(flags.only));
  const faults = (await sequentially(chosen, (each) => compare(python, each))).flat();
  console.log(faults.length === 0 ? `No fault on ${chosen.length} graphs.` : `Faults:\n${faults.join('\n')}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** Prints a line for each solver. Returns the lines of those that failed. */
async function compare(interpreter: string, { name, count, factors, build }: GraphCase): Promise<string[]> {
  const graph = await build(new Random(flags.seed).fork(name));
  const reference = await referenceOf(interpreter, graph, count);
  const norm = kind === 'unnormalized' ? graph.degrees.reduce((most, degree) => Math.max(most, degree), 0) : 1;
  const solvers = flags.solvers.split(',').filter((solver) => factors || solver !== 'direct');
  const faults: string[] = [];
  await sequentially(solvers, async (solver) => {
    const before = performance.now();
    const signal = solver === 'auto' ? undefined : AbortSignal.timeout(1000 * Number(flags.seconds));
    const found = await spectrum(graph, { count, laplacian: kind, solver: solver as 'auto', signal }).catch((error) => {
      if (signal?.aborted) return null;
      throw error;
    });
    if (!found) return console.log(`${name}, ${solver}: stopped`);
    const seconds = (performance.now() - before) / 1000;
    const ours = Float64Array.from(found.values, (value) => (kind === 'random-walk' ? 1 - value : value / graph.scale));
    const differences = ours.map((value, k) => (value - reference[k]) / norm);
    const [least, most] = [Math.min(...differences), Math.max(...differences)];
    const residual = worstResidual(graph, found, ours) / norm;
    const fault =
      most > tolerance && (found.converged || solver === 'auto')
        ? `MISSED${found.complete === 'proved' ? ', FALSE PROOF' : ''}`
        : residual > 1e-9 && found.converged
          ? `RESIDUAL ${residual.toExponential(1)}`
          : !found.converged && solver === 'auto'
            ? 'NOT CONVERGED'
            : '';
    const remark = least < -tolerance ? `scipy missed a pair (${least.toExponential(1)})` : '';
    const line = [
      `${name} (${graph.weights.nonzeros} entries), ${solver} → ${found.solver}`,
      `${found.converged ? '' : 'not converged, '}${found.complete}`,
      `${found.products} products`,
      `${seconds.toFixed(2)} s`,
      `difference ${most.toExponential(1)}`,
      remark,
      fault,
    ].filter((part) => part !== '');
    console.log(line.join('; '));
    if (fault) faults.push(line.join('; '));
  });
  return faults;
}

/** The smallest eigenvalues of the Laplacian by scipy. */
function referenceOf(interpreter: string, { size, weights, degrees }: Graph, count: number): Promise<number[]> {
  const { starts, columns, values } = weights;
  const arrays = {
    starts: starts.slice(),
    columns: columns.slice(),
    values: Float64Array.from(values),
    degrees: degrees.slice(),
  };
  return inFolderOf(arrays, async (folder) => {
    const request = JSON.stringify({ folder, rows: size, kind, count });
    const ended = spawnSync(interpreter, [script, request], {
      env: { ...process.env, ...oneThread },
      encoding: 'utf8',
    });
    if (ended.status !== 0) throw new Error(`reference.py: ${ended.stderr}`);
    return JSON.parse(ended.stdout) as number[];
  });
}

/** The largest residual of the symmetric form and departure from orthonormality, computed here from the weights. */
function worstResidual({ size, weights, degrees }: Graph, { vectors }: Spectrum, values: Float64Array): number {
  const count = vectors.cols;
  const roots = degrees.map((degree) => (kind === 'unnormalized' ? 1 : Math.sqrt(degree)));
  const { starts, columns, values: entries } = weights;
  const symmetric = Array.from({ length: count }, (_, k) => {
    const x = Float64Array.from(
      { length: size },
      (__, i) => vectors.data[i * count + k] * (kind === 'random-walk' ? roots[i] : 1),
    );
    const length = Math.sqrt(x.reduce((sum, each) => sum + each * each, 0));
    return x.map((each) => each / length);
  });
  let worst = 0;
  for (const [k, x] of symmetric.entries()) {
    let square = 0;
    for (let i = 0; i < size; i++) {
      let sum = 0;
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const j = columns[e];
        if (j !== i) sum += entries[e] * (x[i] / roots[i] - x[j] / roots[j]);
      }
      square += (sum / roots[i] - values[k] * x[i]) ** 2;
    }
    worst = Math.max(worst, Math.sqrt(square));
    for (let l = 0; l < k; l++) {
      let product = 0;
      for (let i = 0; i < size; i++) product += x[i] * symmetric[l][i];
      worst = Math.max(worst, Math.abs(product));
    }
  }
  return worst;
}
