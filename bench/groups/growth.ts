/** Time and memory of a neighbor step as a function of graph size, edges, components and batch. */

import { jsonOf } from '../child.ts';
import type { GrowthCase, GrowthResult } from '../growth.ts';
import { sequentially } from '../sequentially.ts';
import { type Context, givenRow, type Group, rivalOf, type Row } from '../report/row.ts';

const base = { n: 20_000, perRow: 16, components: 4 };
/**
 * The default batch is small for a network, so that neighborhoods of different rows rarely overlap even in the smallest
 * graph.
 */
const usualBatch: Record<GrowthCase['kind'], number> = { solver: 64, network: 4 };
/** In a banded graph, neighbors are at most this many rows apart, and so lie near each other in memory. */
const near = 64;
const few = 1000;
/** A new process needs some time to compile its steps: rounds are this many times longer. */
const patience = 5;

/** In each course one parameter grows and the others are fixed. */
const courses = [
  { along: 'n', sign: 'n', values: [1e3, 1e4, 1e5, 1e6] },
  { along: 'perRow', sign: 'nonzeros per row', values: [4, 8, 16, 32, 64, 128] },
  { along: 'components', sign: 'K', values: [1, 2, 4, 8, 16, 32] },
  { along: 'batch', sign: 'batch', values: [1, 4, 16, 64, 256, 1024] },
] as const;
type Course = (typeof courses)[number];
const sweeps = ['n', 'perRow', 'components', 'batch'] as const;
type Along = (typeof sweeps)[number];

type Place = Pick<GrowthCase, 'kind' | 'band' | 'window'>;
const places: Record<string, Place> = {
  solver: { kind: 'solver', band: near, window: null },
  network: { kind: 'network', band: near, window: null },
};
/** Variants that show the effect of the caches: neighbors anywhere, and batches that return to the same rows. */
const morePlaces: Record<string, Place> = {
  'solver, neighbors anywhere': { kind: 'solver', band: null, window: null },
  [`solver, batches of ${few} rows`]: { kind: 'solver', band: near, window: few },
  'network, neighbors anywhere': { kind: 'network', band: null, window: null },
};

export const growth: Group = async (context) => {
  const rows = await sequentially(courses, (course) => {
    const all = course.along === 'n' ? { ...places, ...morePlaces } : places;
    return sequentially(Object.entries(all), ([name, place]) => courseOf(context, name, place, course));
  });
  context.note(
    `A step, by default: ${base.n} nodes, ${base.perRow} neighbors at most ${near} places away, K = ${base.components}, batch ${usualBatch.solver}, of the network 3-64-K ${usualBatch.network}.`,
  );
  context.note(
    'Each case runs in its own process. Memory is that of the process at the end; about 100 MiB of it are the engine and the program.',
  );
  return rows.flat(2);
};

/** Each row's ratio is the time of the first case of the course over its own time. */
async function courseOf(context: Context, name: string, place: Place, { along, sign, values }: Course): Promise<Row[]> {
  const asked = context.quick ? values.slice(0, 3) : values;
  const { rounds, milliseconds } = context.pace;
  let first = 0;
  return sequentially(asked, async (value: number) => {
    const sizes: Record<Along, number> = { ...base, batch: usualBatch[place.kind], [along]: value };
    const size = `${sign} = ${value}`;
    context.say(`${name}, ${size}`);
    const growthCase: GrowthCase = { ...sizes, ...place, pace: { rounds, milliseconds: patience * milliseconds } };
    const { ours, bytes, checksum } = await jsonOf<GrowthResult>('./growth.ts', [JSON.stringify(growthCase)]);
    first ||= ours.time;
    const others = { 'the first': rivalOf(first, ours.time) };
    return { ...givenRow(`${name}, by ${sign}`, size, ours.time, { bytes, at: value, checksum, others }), ours };
  });
}
