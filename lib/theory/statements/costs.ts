/** What does a step of each scheme cost? Counted while the solver's own makes one, on a graph of any size. */

import { Random } from '../../core/random.ts';
import { type Graph, graphFrom } from '../../graph/graph.ts';
import { mapValues } from '../../sparse/combine.ts';
import { neighborsOf } from '../../sparse/slice.ts';
import { Descent } from '../../spectral/descent/descent.ts';
import { FreeRows, randomRows } from '../../spectral/descent/free-rows.ts';
import { measureAll, measuredMoments, zeroMoments } from '../../spectral/descent/moments.ts';
import { type Pencil, pencilOf } from '../../spectral/pencil/pencil.ts';
import { stepperOf } from '../../spectral/descent/step-rule.ts';
import { type Scheme, schemes, viewers } from '../../spectral/descent/view.ts';
import type { Formulas } from '../instances/formulas.ts';
import type { Finding, GraphStatement, Note } from '../instances/statement.ts';

const width = 2;
const rotation = { orthogonalize: 'gram', rotate: 'after' } as const;

export const costs: GraphStatement = {
  about: 'graphs',
  label: 'section on computational cost',
  claim:
    'a step multiplies at most b² entries of W by K (local), s·b for s nonzeros a row (full, neighbor); moments take bK², nK², bK²',
  printed: null,
  expected: 'holds',
  instances: 1,
  *check(graph, seed, formulas) {
    const random = new Random(seed).fork('costs');
    // With ones for weights and ones for rows, W[B,S]·1 is the number of products that were made.
    const ones = graphFrom(mapValues(graph.weights.copy('double'), () => 1));
    const pencil = pencilOf('verify', ones, 'random-walk', true, 'double');
    const { starts } = graph.weights;
    const findings: Finding[] = [];
    const notes: Note[] = [];
    for (const size of new Set([4, 32].map((batch) => Math.min(batch, graph.size)))) {
      const batch = random.permutation(graph.size).slice(0, size);
      let stored = 0;
      for (const row of batch) stored += starts[row + 1] - starts[row];
      const around = neighborsOf(graph.weights, batch, true).length;
      const spent: Partial<Record<Scheme, number>> = {};
      for (const scheme of schemes) {
        yield 0.5;
        const { products, moments, flops } = counted(pencil, graph, scheme, batch, random, formulas);
        const entries: Record<Scheme, number> = { local: size ** 2, full: stored, neighbor: stored };
        // Neighbor takes the rows as they were out of YᵀDY, and puts them in as they are.
        const rows: Record<Scheme, number> = { local: size, full: graph.size, neighbor: 2 * size };
        const units: [what: string, measured: number, bound: number][] = [
          ['products with W in units of the claim', products / entries[scheme], 1],
          ['products for YᵀDY in units of the claim', moments / (rows[scheme] * width ** 2), 1],
          ['flops that the solver tells, less those counted', Math.abs(flops - 2 * (products * width + moments)), 0],
        ];
        for (const [what, measured, bound] of units)
          findings.push({ what: `${what}, ${scheme}, b = ${size}`, measured, bound });
        spent[scheme] = flops;
      }
      notes.push({ what: `|N(B)| over nonzeros a row, b = ${size}`, value: around / (stored / size) });
      notes.push({ what: `full over neighbor in flops, b = ${size}`, value: spent.full! / spent.neighbor! });
    }
    return { findings, notes };
  },
};

/** Products with W for each column, and products for YᵀDY, that one step makes; and the flops that the solver tells of it. */
function counted(pencil: Pencil, graph: Graph, scheme: Scheme, batch: Int32Array, random: Random, formulas: Formulas) {
  const record = zeroMoments(width);
  const start = randomRows(random, graph.size, width, pencil.mass, 'double');
  measureAll(pencil, start.data, record);
  let moments = 0;
  // A degree is read for every product with the new rows, and one with the old.
  const follow: Formulas['follow'] = (count, k, mass, ...rest) => {
    const watched = readsOf(mass, () => (moments += 2));
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
    stepper: stepperOf({ precondition: 'none', length: 1e-9 }, width, 'double'),
    rotation,
  });
  const seen = scheme === 'local' ? batch.length : graph.size;
  const made = new Float64Array(batch.length);
  look(batch).multiply(1, new Float64Array(seen).fill(1), made);
  descent.step(batch);
  return { products: made.reduce((sum, count) => sum + count, 0), moments, flops: descent.flops };
}

/** The same numbers; calls `told` each time that one of them is read. */
function readsOf(numbers: Float64Array, told: () => void): Float64Array {
  return new Proxy(numbers, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) told();
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
