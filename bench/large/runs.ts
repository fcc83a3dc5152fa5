/** Measurements of many points: what is measured, by whom, and the figures of one run. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { swissRoll, twoMoons } from '../../datasets/index.ts';
import { jsonOf } from '../child.ts';
import { findPython } from '../competitors/python.ts';

/** From points to a model, or from a graph to eigenpairs. */
export const tasks = ['model', 'pairs'] as const;
export type Task = (typeof tasks)[number];

/** 'scikit-learn' is its estimator, or for pairs the call that it makes, `eigsh(L, sigma=-1e-5, which='LM')`. */
export const solvers = ['specnet', 'scikit-learn', 'lanczos'] as const;
export type Solver = (typeof solvers)[number];

export const sources = {
  'Swiss roll': (n: number) => swissRoll({ n }).points,
  'two moons': (n: number) => twoMoons({ n }).points,
};
export type Source = keyof typeof sources;

export interface Case {
  readonly task: Task;
  readonly data: Source;
  readonly n: number;
  readonly by: Solver;
}

/** The results of a run, for comparison. Those of a learned function are compared with eigenvectors of residual 1e-8. */
export interface Found {
  /** 1 − λ of the nontrivial eigenvalues, or of the quotients of the coordinates, ascending. */
  readonly values: readonly number[];
  readonly products?: number | undefined;
  /** Products to a residual of 1e-5. */
  readonly coarseProducts?: number | undefined;
  readonly solver?: string | undefined;
  readonly landmarks?: number | undefined;
  /** The excess of f2 over its minimum. */
  readonly gap?: number | undefined;
  /** The largest principal angle between coordinates and eigenvectors, in degrees. */
  readonly angle?: number | undefined;
  /** The largest relative error of 1 − λ. */
  readonly error?: number | undefined;
}

export interface Run extends Case {
  /** The time of every call. The first one compiles our code. */
  readonly seconds: readonly number[];
  /** Processor time of all threads. */
  readonly processor: readonly number[];
  /** Peak resident memory of the process after the first call, in bytes. */
  readonly peak: number;
  readonly found: Found;
  readonly version: string;
}

/** The arguments of a process that measures one case. */
export interface Request {
  readonly task: Task;
  readonly folder: string;
  readonly rows: number;
  readonly cols: number;
  readonly by: Solver;
  readonly rounds: number;
  /** Whether only times and memory are wanted. */
  readonly isTimed: boolean;
}

/** Pairs beyond the trivial one, and their residual. Models have the default number of components. */
export const wanted = { pairs: 4, tolerance: 1e-8, neighbors: 16, components: 2 };

/** Up to this many points a case is repeated in its process, and the fastest call counts. Both engines need calls to warm up. */
const repeated = [
  { size: 30_000, rounds: 20 },
  { size: 100_000, rounds: 5 },
];

const script = fileURLToPath(new URL('../peers/large_peer.py', import.meta.url));

/** Measures a case in a process of its own. The folder has the arrays of its points and of its graph. */
export async function measureCase(
  one: Case,
  { folder, cols, isTimed }: Pick<Request, 'folder' | 'cols' | 'isTimed'>,
): Promise<Run> {
  const { task, n: rows, by } = one;
  const rounds = (by !== 'lanczos' && repeated.find(({ size }) => rows <= size)?.rounds) || 1;
  const common = { task, folder, rows, rounds };
  if (by !== 'scikit-learn') {
    const request: Request = { ...common, cols, by, isTimed };
    return { ...one, ...(await jsonOf<Omit<Run, keyof Case>>('./large/ours.ts', [JSON.stringify(request)])) };
  }
  const python = findPython(console.error, 'sklearn');
  if (python === null) throw new Error('bench:large: expected scikit-learn, found none.');
  const { neighbors, tolerance } = wanted;
  const more =
    task === 'model' ? { cols, neighbors, components: wanted.components } : { tolerance, components: wanted.pairs };
  const { stdout } = await promisify(execFile)(python, [script, JSON.stringify({ ...common, ...more })]);
  return { ...one, ...(JSON.parse(stdout) as Omit<Run, keyof Case>) };
}
