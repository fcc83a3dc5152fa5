/** The statement on the cost of a step of each scheme. Operations are counted during a step of the solver. */

import { Random } from '../../../core/random.ts';
import { type Graph, graphFrom } from '../../../graph/graph.ts';
import { mapValues } from '../../../sparse/combine.ts';
import { neighborsOf } from '../../../sparse/slices/slice.ts';
import { Descent } from '../../../spectral/descent/descent.ts';
import { FreeRows, randomRows } from '../../../spectral/descent/rows/free-rows.ts';
import { measureAll, measuredMoments, zeroMoments } from '../../../spectral/descent/moments.ts';
import { type Pencil, pencilOf } from '../../../spectral/pencil/pencil.ts';
import { stepperOf } from '../../../spectral/descent/step-rule.ts';
import { type Scheme, schemes, viewers } from '../../../spectral/descent/view.ts';
import type { Formulas } from '../../instances/formulas.ts';
import type { Finding, GraphCheck, Note } from '../../instances/statement.ts';

const width = 2;
const rotation = { orthogonalize: 'gram', rotate: 'after' } as const;

export const costs: GraphCheck = {
  about: 'graphs',
  *checkSteps(graph, seed, formulas) {
    const random = new Random(seed).fork('costs');
    // If all weights and rows are 1, W[B,S]·1 is the number of products.
    const ones = graphFrom(mapValues(graph.weights.copy('double'), () => 1));
    const pencil = pencilOf('verify', ones, 'random-walk', true, 'double');
    const { starts } = graph.weights;
    const findings: Finding[] = [];
    const notes: Note[] = [];
    for (const size of new Set([4, 32].map((batch) => Math.min(batch, graph.size)))) {
      const batch = random.permutation(graph.size).slice(0, size);
      let stored = 0;
      for (const row of batch) stored += starts[row + 1] - starts[row];
      const neighbors = neighborsOf(graph.weights, batch, true).length;
      const flopsOf: Partial<Record<Scheme, number>> = {};
      for (const scheme of schemes) {
        yield 0.5;
        const { products, moments, flops } = countStep(pencil, graph, scheme, batch, random, formulas);
        const entries: Record<Scheme, number> = { local: size ** 2, full: stored, neighbor: stored };
        // The neighbor scheme subtracts the old rows from YᵀDY and adds the new ones.
        const rows: Record<Scheme, number> = { local: size, full: graph.size, neighbor: 2 * size };
        const quantities: [what: string, measured: number, bound: number][] = [
          ['products with W in units of the claim', products / entries[scheme], 1],
          ['products for YᵀDY in units of the claim', moments / (rows[scheme] * width ** 2), 1],
          ['flops that the solver reports minus those counted', Math.abs(flops - 2 * (products * width + moments)), 0],
        ];
        for (const [what, measured, bound] of quantities)
          findings.push({ what: `${what}, ${scheme}, b = ${size}`, measured, bound });
        flopsOf[scheme] = flops;
      }
      notes.push({ what: `|N(B)| over nonzeros per row, b = ${size}`, value: neighbors / (stored / size) });
      notes.push({ what: `full over neighbor in flops, b = ${size}`, value: flopsOf.full! / flopsOf.neighbor! });
    }
    return { findings, notes };
  },
};

/** The products of one step with W, per column, its products for YᵀDY, and the flops that the solver reports. */
function countStep(
  pencil: Pencil,
  graph: Graph,
  scheme: Scheme,
  batch: Int32Array,
  random: Random,
  formulas: Formulas,
) {
  const record = zeroMoments(width);
  const start = randomRows(random, graph.size, width, pencil.mass, 'double');
  measureAll(pencil, start.data, record);
  let moments = 0;
  // Each read of a degree stands for one product with the new rows and one with the old rows.
  const follow: Formulas['follow'] = (count, k, mass, ...rest) => {
    const watched = watchReads(mass, () => (moments += 2));
    formulas.follow(count, k, watched, ...rest);
  };
  const isTracked = scheme === 'neighbor';
  const source = isTracked ? formulas.moments(record) : measuredMoments(width);
  const look = viewers[scheme](pencil);
  const descent = new Descent({
    caller: 'verify',
    look,
    rows: new FreeRows(start, isTracked ? record : null, follow),
    moments: {
      ...source,
      update(view, seen) {
        if (!isTracked) moments += seen.count * width ** 2;
        return source.update(view, seen);
      },
    },
    objective: formulas.objective,
    stepper: stepperOf('verify', { precondition: 'none', length: 1e-9 }, width, 'double'),
    rotation,
  });
  const supportSize = scheme === 'local' ? batch.length : graph.size;
  const productCounts = new Float64Array(batch.length);
  look(batch).multiply(1, new Float64Array(supportSize).fill(1), productCounts);
  descent.step(batch);
  return { products: productCounts.reduce((sum, count) => sum + count, 0), moments, flops: descent.counters.flops };
}

/** A proxy of the numbers that calls `onRead` whenever one of them is read. */
function watchReads(numbers: Float64Array, onRead: () => void): Float64Array {
  return new Proxy(numbers, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) onRead();
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
