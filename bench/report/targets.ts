/** The performance targets, and whether a run meets them. */

import type { Flavour } from '../competitors/c-loop.ts';
import type { GroupName, Row } from './row.ts';

/** Identifies a row by its kernel and by a prefix of its size. */
interface Place {
  readonly group: GroupName;
  readonly kernel: string;
  readonly size: string;
}

/** The rival must take at least `atLeast` times as long as ours. */
interface Ratio extends Place {
  readonly rival: string;
  readonly atLeast: number;
}

/** A limit for ours alone: milliseconds, or bytes of memory. */
interface Limit extends Place {
  readonly of: 'time' | 'bytes';
  readonly atMost: number;
}

/** At least this percentage of the machine's peak in registers, measured in the same rounds. */
interface Share extends Place {
  readonly of: 'peak';
  readonly atLeast: number;
}

type Target = Ratio | Limit | Share;

export type Verdict = Target & {
  readonly measured: number | null;
  readonly verdict: 'met' | 'missed' | 'not measured';
};

const sparseSizes = ['2000², 180/row · 2', '20000², 22/row · 6', '100000², 20/row · 8', '1000000², 16/row · 8'];
const fullSizes = ['45×784·256', '45×256·256', '512×512·512'];
const thinSizes = ['620×2·128', '620×128·2', '2×256·256'];
const adamSizes = ['269000, all alive', '269000, half dead'];
const threadSizes = ['MNIST 20000, 784-256-256-6, batch 8', 'Swiss roll 1000000'];

type WithoutSize = Omit<Ratio, 'size'> | Omit<Limit, 'size'> | Omit<Share, 'size'>;

/** The same targets for each of these sizes. */
const onEach = (sizes: readonly string[], ...targets: WithoutSize[]): Target[] =>
  sizes.flatMap((size) => targets.map((target) => Object.assign({ size }, target)));

const targets: readonly Target[] = [
  ...onEach(fullSizes, { group: 'dense', kernel: 'A·B', of: 'peak', atLeast: 90 }),
  ...onEach(thinSizes, { group: 'dense', kernel: 'A·B', of: 'peak', atLeast: 75 }),
  ...onEach(
    ['45×784·256', '512×512·512'],
    { group: 'dense', kernel: 'A·B', rival: 'plain', atLeast: 8 },
    { group: 'dense', kernel: 'A·B', rival: 'tfjs-wasm', atLeast: 1 },
  ),
  ...onEach(['620×2·128', '620×128·2'], { group: 'dense', kernel: 'A·B', rival: 'tfjs-wasm', atLeast: 2 }),
  ...onEach(sparseSizes, { group: 'sparse', kernel: 'S·X', rival: 'scipy', atLeast: 2.5 }),
  ...onEach(sparseSizes, { group: 'sparse', kernel: 'S·X', rival: 'C, 128 bit' satisfies Flavour, atLeast: 0.8 }),
  { group: 'solver', kernel: 'epoch, neighbor', size: '2000', rival: 'numpy', atLeast: 20 },
  { group: 'neighbors', kernel: 'all pairs', size: 'MNIST 20000', rival: 'numpy', atLeast: 3 },
  { group: 'neighbors', kernel: 'k-d tree', size: '1000000×3', rival: 'scipy cKDTree', atLeast: 1 },
  { group: 'neighbors', kernel: 'fit', size: 'text 5000', of: 'time', atMost: 5000 },
  { group: 'neighbors', kernel: 'NN-descent', size: 'MNIST 60000', rival: 'all pairs', atLeast: 1 },
  ...onEach(adamSizes, { group: 'optimizer', kernel: 'Adam', rival: 'plain', atLeast: 8 }),
  { group: 'eigen', kernel: 'eigenpairs', size: 'MNIST 20000', rival: 'eigsh', atLeast: 1 },
  { group: 'eigen', kernel: 'embedding', size: 'two moons 20000', rival: 'shift-invert', atLeast: 1 },
  { group: 'eigen', kernel: 'smooth pairs', size: 'two moons 20000,', rival: 'shift-invert', atLeast: 2 },
  { group: 'eigen', kernel: 'smooth pairs', size: 'Swiss roll 100000,', rival: 'shift-invert', atLeast: 3 },
  { group: 'eigen', kernel: 'smooth pairs', size: 'Swiss roll 100000,', of: 'time', atMost: 1500 },
  { group: 'million', kernel: 'eigenpairs, all solvers', size: 'Swiss roll 1000000', rival: 'lanczos', atLeast: 20 },
  { group: 'million', kernel: 'points to model', size: 'Swiss roll 1000000', of: 'time', atMost: 60_000 },
  { group: 'train', kernel: 'epoch', size: 'one moon', of: 'time', atMost: 25 },
  { group: 'train', kernel: 'step', size: 'MNIST 20000, 784-256-256-6, batch 2', of: 'time', atMost: 0.6 },
  { group: 'train', kernel: 'step, 2 threads', size: 'MNIST 20000, 784-256-256-6, batch 2', of: 'time', atMost: 0.4 },
  { group: 'train', kernel: 'step', size: 'one moon', rival: 'tfjs-wasm', atLeast: 5 },
  { group: 'train', kernel: 'step', size: 'MNIST', rival: 'tfjs-wasm', atLeast: 10 },
  { group: 'train', kernel: 'step, specnet1 full', size: 'one moon', of: 'time', atMost: 0.24 },
  { group: 'train', kernel: 'step, specnet1 local', size: 'MNIST 20000', of: 'time', atMost: 0.95 },
  ...['solver, neighbor, single', 'training, tracked', 'training, corrected'].flatMap((kernel) =>
    [9, 10, 12, 16, 32, 64].map(
      (width) => ({ group: 'columns', kernel, size: `K = ${width}`, rival: '8 columns', atLeast: 1 / 1.3 }) as const,
    ),
  ),
  ...onEach(threadSizes, { group: 'train', kernel: 'step, 2 threads', rival: '1 thread', atLeast: 1.6 }),
  ...['solver, batches of 1000 rows, by n', 'network, by n'].map(
    (kernel) => ({ group: 'growth', kernel, size: 'n = 1000000', rival: 'the first', atLeast: 0.8 }) as const,
  ),
  ...onEach(
    ['one moon', 'MNIST'],
    { group: 'steady', kernel: 'last fifth', rival: 'first fifth', atLeast: 0.95 },
    { group: 'steady', kernel: 'last fifth', of: 'bytes', atMost: 2 ** 20 },
  ),
  { group: 'memory', kernel: 'peak', size: 'Swiss roll 1000000', of: 'bytes', atMost: 2 ** 31 },
  { group: 'memory', kernel: 'growth', size: 'Swiss roll', of: 'bytes', atMost: 2 ** 25 },
  ...['3-64-4', '50-128-128-6', '784-256-6'].flatMap(
    (size) =>
      [
        { group: 'storage', kernel: 'step, all pages cached', size, rival: 'memory', atLeast: 1 / 1.5 },
        { group: 'storage', kernel: 'step, a tenth cached', size, rival: 'memory', atLeast: 1 / 3 },
      ] as const,
  ),
];

/** The verdicts on the targets of the groups that were run. */
export function judge(results: Partial<Record<GroupName, readonly Row[]>>): Verdict[] {
  return targets.flatMap((target) => {
    const rows = results[target.group];
    if (!rows) return [];
    const { kernel, size } = target;
    const measured = measuredFor(
      target,
      rows.find((row) => row.kernel === kernel && row.size.startsWith(size)),
    );
    const verdict = measured === null ? 'not measured' : isMet(target, measured) ? 'met' : 'missed';
    return Object.assign({ measured, verdict } as const, target);
  });
}

function isMet(target: Target, measured: number): boolean {
  return 'atLeast' in target ? measured >= target.atLeast : measured <= target.atMost;
}

function measuredFor(target: Target, row: Row | undefined): number | null {
  if (!row) return null;
  if ('of' in target) return figures[target.of](row) ?? null;
  const found = row.others[target.rival];
  return found && 'ratio' in found ? found.ratio : null;
}

const figures: Record<(Limit | Share)['of'], (row: Row) => number | null | undefined> = {
  time: ({ ours }) => ours.time,
  bytes: ({ bytes }) => bytes,
  peak: ({ percentOfPeak }) => percentOfPeak,
};
