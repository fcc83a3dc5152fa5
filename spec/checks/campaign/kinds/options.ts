/** Tries of options: values drawn by the kinds in the tables of rules, at the edges of their ranges, some of the wrong kind. */

import { oneMoon } from '../../../../datasets/index.ts';
import type { Rule } from '../../../../lib/core/options.ts';
import { Mlp } from '../../../../lib/doors/network.ts';
import { train } from '../../../../lib/doors/solver.ts';
import { readPoints } from '../../../../lib/doors/formats.ts';
import { embeddingRules } from '../../../../lib/embedding/spectral-embedding.ts';
import { pointsRules } from '../../../../lib/formats/points.ts';
import { compactRules } from '../../../../lib/graph/affinity/compact-affinity.ts';
import { neighborRules } from '../../../../lib/graph/affinity/neighbor-affinity.ts';
import {
  buildGraph,
  DiffusionMap,
  type Random,
  SpectralClustering,
  SpectralEmbedding,
  spectrum,
} from '../../../../lib/index.ts';
import { eigensolverRules } from '../../../../lib/spectral/spectrum/spectrum.ts';
import { trainRules } from '../../../../lib/spectral/train/options.ts';
import { isOwnError, type Kind, pick } from '../kind.ts';

/** Legal options may ask for hours of work. The signal of a try ends them, and they must obey. */
const patience = 1000;

type Table = Readonly<Record<string, Rule>>;
type Call = (options: never, signal: AbortSignal) => Promise<unknown>;

export async function openOptions(): Promise<Kind> {
  const { points } = oneMoon({ n: 24, seed: 1 });
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 6 });
  const text = new TextEncoder().encode('x,y,kind\n1,2,oak\n3,4,elm\n5,6,oak\n');
  const estimator = { ...embeddingRules, time: 'number', clusters: 'number', restarts: 'number' } as const;
  const recipe = (random: Random): Table => pick(random, Object.values({ ...compactRules, ...neighborRules }));
  const kindOf = (table: Table): string =>
    Object.entries({ ...compactRules, ...neighborRules }).find(([, rules]) => rules === table)![0];
  const without = (names: readonly string[]): Table =>
    Object.fromEntries(Object.entries(estimator).filter(([name]) => !names.includes(name)));
  const calls: ((random: Random) => [options: object, call: Call])[] = [
    (random) => [
      draw(random, without(['time', 'clusters', 'restarts'])),
      (options, signal) => new SpectralEmbedding(options).fit(points, { signal }),
    ],
    (random) => [
      draw(random, without(['clusters', 'restarts'])),
      (options, signal) => new DiffusionMap(options).fit(points, { signal }),
    ],
    (random) => [
      { clusters: 2, ...draw(random, without(['time'])) },
      (options, signal) => new SpectralClustering(options).fit(points, { signal }),
    ],
    (random) => {
      const table = recipe(random);
      const options = { ...draw(random, table), kind: kindOf(table) };
      return [options, (given: object, signal) => buildGraph(points, { ...given, signal } as never)];
    },
    (random) => [
      draw(random, trainRules as Table),
      (options: object, signal) => train(graph, new Mlp([2, 4, 2]), points, { ...options, signal }),
    ],
    (random) => [
      draw(random, { ...eigensolverRules, count: 'number' }),
      (options: object, signal) => spectrum(graph, { count: 2, ...options, signal }),
    ],
    (random) => [draw(random, pointsRules as Table), (options) => readPoints(text, options)],
  ];
  return {
    async attempt(random) {
      const [options, call] = pick(random, calls)(random);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), patience);
      try {
        await call(options as never, controller.signal);
        return 'accepted';
      } catch (error) {
        if (isOwnError(error)) return 'refused';
        if (controller.signal.aborted && error === controller.signal.reason) return 'aborted';
        const isOfCaller = (error as Error).message === callbackError;
        if (isOfCaller) return 'refused';
        (error as Error).message += ` for ${show(options)}`;
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Options of a table: each present by chance, rarely one that is unknown. */
function draw(random: Random, table: Table, share = 0.35): object {
  const entries = Object.entries(table)
    .filter(([name]) => name !== 'progress' && name !== 'signal' && random.uniform() < share)
    .map(([name, rule]) => [name, valueFor(random, name, rule)] as const);
  if (random.integer(40) === 0) entries.push([pick(random, ['componentz', 'x', '', '__proto__', 'toString']), 1]);
  return Object.fromEntries(entries);
}

const counts = [0, 1, 2, 3, 5, 8, 23, 24, 25, -1, 1.5, NaN, Infinity, 1e9, 2 ** 31, 2 ** 53, -0];
const lengths = [1, 0.5, 0, -1, 1e-300, 1e300, 5e-324, NaN, Infinity, 1e-7, 100];
const callbackError = 'thrown by the callback of a try';
const wrongKinds: readonly unknown[] = [
  null,
  true,
  'nonsense',
  Symbol.iterator,
  {},
  [],
  [1],
  5,
  () => 1,
  new Map(),
  7n,
];

function valueFor(random: Random, name: string, rule: Rule): unknown {
  if (random.integer(40) === 0) return pick(random, wrongKinds);
  if (random.integer(40) === 0) return undefined;
  if (Object.hasOwn(byName, name)) return byName[name](random);
  if (rule === 'number')
    return random.integer(3) > 0 ? pick(random, counts.slice(1, 5)) : pick(random, [...counts, ...lengths]);
  if (rule === 'boolean') return random.integer(2) === 0;
  if (rule === 'seed') return pick(random, [0, 1, -1, 1.5, 'x', '', NaN, Infinity, 1e300]);
  if (rule === 'array') return Array.from({ length: random.integer(4) }, () => pick(random, counts));
  if (rule === 'function') return pick(random, [() => undefined, () => 1, () => NaN, fail]);
  if (rule === 'object' || rule === 'any') return pick<unknown>(random, [{}, { size: 3 }, { parameters: [] }]);
  if (rule === 'string') return pick(random, ['', 'x', '__proto__']);
  if (Array.isArray(rule)) return pick(random, rule as readonly string[]);
  if (typeof rule === 'object') return draw(random, rule as Table, 0.3);
  return pick(random, wrongKinds);
}

function fail(): never {
  throw new Error(callbackError);
}

/** Options with a check of their own, and lengths. */
const byName: Record<string, (random: Random) => unknown> = {
  graph: (random) => {
    const [kind, table] = pick(random, Object.entries({ ...compactRules, ...neighborRules }));
    return { ...draw(random, table, 0.6), kind: random.integer(20) === 0 ? 'other' : kind };
  },
  rate: (random) =>
    random.integer(2) === 0
      ? pick(random, [1e-3, 0, -1, 1e300, NaN, 1])
      : {
          from: pick(random, lengths),
          to: pick(random, lengths),
          steps: pick(random, counts),
          shape: pick(random, ['linear', 'cosine', 'none']),
        },
  optimizer: (random) => ({
    kind: pick(random, ['sgd', 'adam', 'adamw', 'other']),
    ...(random.integer(3) === 0 && {
      [pick(random, ['momentum', 'beta1', 'beta2', 'epsilon', 'decay'])]: pick(random, lengths),
    }),
  }),
  hidden: (random) => Array.from({ length: random.integer(3) }, () => pick(random, [1, 2, 3, 4, pick(random, counts)])),
  kernel: (random) =>
    pick(random, [(squared: number) => 1 / (1 + squared), () => NaN, () => -1, () => 0, () => 'x', fail]),
  header: (random) => pick<unknown>(random, [true, false, 'auto', 'yes']),
  separator: (random) => pick(random, [',', ';', 'auto', '', '::', '"']),
  comment: (random) => pick(random, ['#', null, '', '##', '"', '1']),
  label: (random) => pick<unknown>(random, ['kind', 'x', -1, 0, 2, 3, 1.5, 'none', '']),
  labelNames: (random) => pick<unknown>(random, [['oak', 'elm'], ['oak'], [], [1], ['oak', 'oak']]),
  ignore: (random) => pick<unknown>(random, [['kind'], [2], [-1], ['none'], [], [{}], [0, 1, 2]]),
  ...Object.fromEntries(
    ['sigma', 'radius', 'threshold', 'tolerance'].map((name) => [name, (random: Random) => pick(random, lengths)]),
  ),
};

function show(options: object): string {
  return JSON.stringify(options, (_, value: unknown) =>
    typeof value === 'function' ||
    typeof value === 'symbol' ||
    typeof value === 'bigint' ||
    (typeof value === 'number' && !Number.isFinite(value))
      ? String(value)
      : value,
  );
}
