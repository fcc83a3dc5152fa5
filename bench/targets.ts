/** What was promised, and was it met in this run? */

import type { GroupName, Row } from './row.ts';

/** A row is found by its kernel and by how its size begins. */
interface Target {
  readonly group: GroupName;
  readonly kernel: string;
  readonly size: string;
  readonly rival: string;
  readonly atLeast: number;
}

export interface Verdict extends Target {
  readonly measured: number | null;
  readonly verdict: 'met' | 'missed' | 'not measured';
}

const sparseSizes = ['2000², 180/row · 2', '20000², 22/row · 6', '100000², 20/row · 8', '1000000², 16/row · 8'];

const targets: readonly Target[] = [
  ...['45×784·256', '512×512·512'].flatMap((size) => [
    { group: 'dense', kernel: 'A·B', size, rival: 'plain', atLeast: 8 } as const,
    { group: 'dense', kernel: 'A·B', size, rival: 'tfjs-wasm', atLeast: 1 } as const,
  ]),
  ...['620×2·128', '620×128·2'].map(
    (size) => ({ group: 'dense', kernel: 'A·B', size, rival: 'tfjs-wasm', atLeast: 2 }) as const,
  ),
  ...sparseSizes.map((size) => ({ group: 'sparse', kernel: 'S·X', size, rival: 'scipy', atLeast: 2.5 }) as const),
  { group: 'solver', kernel: 'epoch, neighbor', size: '2000', rival: 'numpy', atLeast: 20 },
  { group: 'neighbors', kernel: 'all pairs', size: 'MNIST 20000', rival: 'numpy', atLeast: 3 },
  { group: 'neighbors', kernel: 'k-d tree', size: '1000000×3', rival: 'scipy cKDTree', atLeast: 1 },
  { group: 'neighbors', kernel: 'NN-descent', size: 'MNIST 60000', rival: 'all pairs', atLeast: 1 },
  ...['269000, all alive', '269000, half dead'].map(
    (size) => ({ group: 'optimiser', kernel: 'Adam', size, rival: 'plain', atLeast: 8 }) as const,
  ),
  { group: 'eigen', kernel: 'eigenpairs', size: 'MNIST 20000', rival: 'eigsh', atLeast: 1 },
  { group: 'eigen', kernel: 'embedding', size: 'two moons 20000', rival: 'sklearn', atLeast: 10 },
];

/** The targets of the groups that were run. */
export function judge(results: Partial<Record<GroupName, readonly Row[]>>): Verdict[] {
  return targets.flatMap((target) => {
    const rows = results[target.group];
    if (!rows) return [];
    const measured = ratioOf(target, rows);
    const verdict = measured === null ? 'not measured' : measured >= target.atLeast ? 'met' : 'missed';
    return Object.assign({ measured, verdict } as const, target);
  });
}

function ratioOf({ kernel, size, rival }: Target, rows: readonly Row[]): number | null {
  const found = rows.find((row) => row.kernel === kernel && row.size.startsWith(size))?.others[rival];
  return found && 'ratio' in found ? found.ratio : null;
}
