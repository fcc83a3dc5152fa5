/** What does a step of each scheme cost? Counted while the solver's own makes one, on a graph of any size. */

import { Random } from '../../core/random.ts';
import { type Graph, graphFrom } from '../../graph/graph.ts';
import { mapValues } from '../../sparse/combine.ts';
import { neighborsOf } from '../../sparse/slice.ts';
import { Descent } from '../../spectral/descent/descent.ts';
import { FreeRows, randomRows } from '../../spectral/descent/iterate.ts';
import { freshMoments, type MomentSource, zeroMoments } from '../../spectral/descent/moments.ts';
import { type Pencil, pencilOf } from '../../spectral/pencil/pencil.ts';
import { stepperOf } from '../../spectral/descent/step-rule.ts';
import { type BatchView, type Scheme, schemes, viewers } from '../../spectral/descent/view.ts';
import type { Formulas } from '../instances/formulas.ts';
import type { Finding, GraphStatement, Note } from '../instances/statement.ts';

const width = 2;
const rotation = { orthogonalise: 'gram', rotate: 'after' } as const;

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
  const rows = new FreeRows(randomRows(random, graph.size, width, pencil.mass, 'double'));
  const record = zeroMoments(width);
  rows.measure(null, pencil.mass, pencil.eta, record);
  let moments = 0;
  const fresh = freshMoments(width, ({ support, supportMass, supportEta }, out) => {
    moments += (support ?? pencil.mass).length * width ** 2;
    rows.measure(support, supportMass, supportEta, out);
  });
  const tracked = watched(formulas.track(record), (read) => (moments += 2 * read));
  const stepper = stepperOf({ precondition: 'none', length: 1e-9 }, width, 'double');
  const source = scheme === 'neighbor' ? tracked : fresh;
  const descent = new Descent('verify', rows, formulas.objective, source, stepper, rotation);
  const view = viewers[scheme](pencil)(batch);
  const seen = scheme === 'local' ? batch.length : graph.size;
  const made = new Float64Array(batch.length);
  view.multiply(1, new Float64Array(seen).fill(1), made);
  descent.step(view);
  return { products: made.reduce((sum, count) => sum + count, 0), moments, flops: descent.flops };
}

/** The same, and how often a degree was read for a change of the record: once for a product with the new rows and one with the old. */
function watched(source: MomentSource, told: (read: number) => void): MomentSource {
  return {
    ...source,
    commit(view, before, after) {
      let read = 0;
      const mass = new Proxy(view.mass, {
        get(target, key) {
          if (typeof key === 'string' && /^\d+$/.test(key)) read++;
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      source.commit(withMass(view, mass), before, after);
      told(read);
    },
  };
}

/** The view, but for its degrees; all else is asked of the view itself. */
function withMass(view: BatchView, mass: Float64Array): BatchView {
  return new Proxy(view, { get: (target, key) => (key === 'mass' ? mass : Reflect.get(target, key)) });
}
