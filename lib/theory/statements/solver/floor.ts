/** The statement that SpecNet1 with a constant step and b < n does not converge to the eigenvectors, but to a floor. */

import { runSync, subtask } from '../../../core/task.ts';
import { Random } from '../../../core/random.ts';
import type { Graph } from '../../../graph/graph.ts';
import { reduceKernels } from '../../../wasm/families.ts';
import { principalAngles } from '../../../linalg/subspace.ts';
import type { BatchOrder } from '../../../spectral/descent/batches.ts';
import { objectives } from '../../../spectral/descent/objective.ts';
import { pencilOf } from '../../../spectral/pencil/pencil.ts';
import { rayleighRitz } from '../../../spectral/ritz/rayleigh-ritz.ts';
import { Run } from '../../../spectral/solve/run.ts';
import { resolveOptions } from '../../../spectral/solve/settings.ts';
import { columns, spectrumSteps } from '../../../spectral/spectrum/spectrum.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import type { Formulas } from '../../instances/formulas.ts';
import { iterate, partition } from '../../instances/iteration.ts';
import { linearSweep, type RandomWalk } from '../../instances/linear-sweep.ts';
import { allRows, eigenpairs, type SmallPencil, withDegrees } from '../../instances/small-pencil.ts';
import type { Counterexample, Finding, GraphCheck, Note } from '../../instances/statement.ts';

const components = 2;
const sweeps = 100;
/** The least gap between wanted and other eigenvalues. With less, rounding decides which eigenvectors are wanted. */
const leastGap = 1e-4;
const steps = [0.05, 0.2, 0.5] as const;

export const specnet1Floor: GraphCheck = {
  about: 'graphs',
  *checkSteps(graph, seed) {
    if (graph.size < components + 2) return null;
    const batch = Math.min(50, Math.ceil(graph.size / 4));
    const reference = yield* subtask(spectrumSteps(graph, { count: components + 2, tolerance: 1e-14, seed }), 0, 0.1);
    // Requires a connected graph, whose trivial pair is simple, and a gap below the wanted eigenvalues.
    const { values } = reference;
    if (values[0] - values[1] < leastGap || values[components] - values[components + 1] < leastGap) return null;
    const start = columns(reference.vectors, 1, components + 1);
    const factor = graph.size / Math.sqrt(graph.volume);
    for (let p = 0; p < start.size; p++) start.data[p] *= factor;
    const errorsAt = (y: Tensor) => rayleighRitz(graph, y, { reference }).errors!;
    const printed: Finding[] = [];
    const notes: Note[] = [];
    for (const [i, step] of steps.entries()) {
      yield i / 5;
      const errors = errorsAt(runFrom(graph, start, batch, step, 'shuffled', seed));
      for (const [k, error] of errors.entries()) {
        notes.push({ what: `floor of ψ${k + 2}, step ${step}, b = ${batch}`, value: error });
        printed.push({ what: `error of ψ${k + 2}, step ${step}`, measured: error, bound: 1e-8 });
      }
    }
    let largestAngle = 0;
    const walk = walkOf(graph);
    const batches = partition({ permutation: allRows }, graph.size, batch);
    // Compared after every sweep: without orthogonalization the columns become parallel within a hundred sweeps.
    const rows = runFrom(graph, start, batch, steps[1], 'cyclic', seed, (before, after) => {
      const linear = linearSweep(walk, components, before.copy('double').data, batches, steps[1]);
      const [, angle] = principalAngles(after, new Tensor(linear, before.shape), graph.degrees);
      largestAngle = Math.max(largestAngle, angle);
    });
    yield 0.8;
    const fullBatchError = Math.max(...errorsAt(runFrom(graph, start, graph.size, steps[1], 'cyclic', seed)));
    return {
      findings: [
        { what: 'error with b = n', measured: fullBatchError, bound: 1e-12 },
        { what: 'YᵀDY minus n²I, relative', measured: gramError(graph, rows), bound: 1e-10 },
        { what: 'angle to the span of the linear iteration after a sweep', measured: largestAngle, bound: 1e-12 },
      ],
      printed,
      notes,
    };
  },
  refute(formulas) {
    for (let size = 3; size <= 8; size++) {
      const found = driftCounterexample(pathWithLoops(size), formulas);
      if (found.measured > found.bound) return [found];
    }
    return [];
  },
};

/** The rows after sweeps of the solver on the deflated pencil. `onSweep` is called after every sweep. */
function runFrom(
  graph: Graph,
  start: Tensor<Float64Array>,
  batch: number,
  step: number,
  order: BatchOrder,
  seed: number,
  onSweep?: (before: Tensor, after: Tensor) => void,
): Tensor {
  const settings = resolveOptions(graph, { components, method: 'specnet1', order, batch, step, epochs: sweeps, seed });
  const pencil = pencilOf('verify', graph, settings.pencil, settings.deflate, 'double');
  const run = new Run(settings, pencil, { rows: start, random: new Random(seed).state() });
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const before = onSweep && run.rows.stored.copy();
    runSync(run.sweepSteps());
    if (before) onSweep(before, run.rows.stored);
  }
  return run.rows.stored;
}

/** D⁻¹(W − ηηᵀ)Z. */
function walkOf({ size, weights, degrees, volume }: Graph): RandomWalk {
  const { starts, columns: indices, values } = weights;
  const mean = new Float64Array(components);
  return (z) => {
    reduceKernels().weightedColumnSums(size, components, degrees, z, mean);
    return (row, column) => {
      let sum = 0;
      for (let e = starts[row]; e < starts[row + 1]; e++) sum += values[e] * z[indices[e] * components + column];
      return sum / degrees[row] - mean[column] / volume;
    };
  };
}

/** The largest entry of |YᵀDY/n² − I|. */
function gramError({ size, degrees }: Graph, rows: Tensor): number {
  const gram = new Float64Array(components * components);
  reduceKernels().gram(size, components, components, degrees, rows.data, rows.data, gram);
  return Math.max(...gram.map((entry, p) => Math.abs(entry / size ** 2 - Number(p % (components + 1) === 0))));
}

/** The path graph with a loop at every node. */
function pathWithLoops(size: number): SmallPencil {
  return withDegrees(
    size,
    Float64Array.from({ length: size * size }, (_, p) => Number(Math.abs(Math.floor(p / size) - (p % size)) <= 1)),
  );
}

/** The angle after sweeps from the two leading eigenvectors, one row at a time with step 0.2. */
function driftCounterexample(pencil: SmallPencil, formulas: Formulas): Counterexample {
  const { size, mass } = pencil;
  const { orthonormal } = eigenpairs(pencil);
  const start = Float64Array.from(
    { length: 2 * size },
    (_, p) => (size * orthonormal[Math.floor(p / 2) * size + (p % 2)]) / Math.sqrt(mass[Math.floor(p / 2)]),
  );
  const run = iterate(pencil, 2, start, { ...formulas, objective: objectives.specnet1 }, 0.2, size);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let i = 0; i < size; i++) run.step(Int32Array.of(i));
    run.measure();
  }
  const [, angle] = principalAngles(new Tensor(run.rows, [size, 2]), new Tensor(start, [size, 2]), mass);
  const what = `path of ${size} nodes with loops, b = 1, step 0.2, K = 2: angle to the eigenvectors after ${sweeps} sweeps from them`;
  return { what, measured: angle, bound: 1e-6, pencil };
}
