/** The named set of matrices: classes of the SuiteSparse collection as seeded generators, each in three sizes. */

import { badValue, checkChoice } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { Random, type Seed } from '../core/random.ts';
import { type ProgressOptions, progressRules, runAsync } from '../core/task.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import {
  bandedSteps,
  blockDiagonalSteps,
  femBlocksSteps,
  type MatrixGenerator,
  stencil2dSteps,
  stencil3dSteps,
} from './grids.ts';
import { bipartiteSteps, circuitSteps, knnSteps, powerLawSteps, roadSteps } from './networks.ts';

/** The classes, in the order in which they are listed. */
const generatorSteps = {
  'stencil-2d': stencil2dSteps,
  'stencil-3d': stencil3dSteps,
  'fem-blocks': femBlocksSteps,
  banded: bandedSteps,
  'power-law': powerLawSteps,
  road: roadSteps,
  circuit: circuitSteps,
  bipartite: bipartiteSteps,
  knn: knnSteps,
  'block-diagonal': blockDiagonalSteps,
} satisfies Record<string, MatrixGenerator>;

/**
 * The number of entries of each size, about. With Float32 values, 8 bytes an entry, small matrices fit into a second-level
 * cache of 1 MB, medium ones into a last-level cache of 16 MB, and large ones into none.
 */
const entries = { small: 40_000, medium: 1_000_000, large: 16_000_000 };

/** A class of matrices. */
export type MatrixClass = keyof typeof generatorSteps;

/** A size: in the second-level cache, in the last-level cache, or in none. */
export type MatrixSize = keyof typeof entries;

/** The name of a generated matrix, such as `stencil-2d-small`. */
export type MatrixName = `${MatrixClass}-${MatrixSize}`;

export const matrixSizes = Object.keys(entries) as readonly MatrixSize[];

const classes = Object.keys(generatorSteps) as readonly MatrixClass[];

/** The names of all generated matrices, or of those of one size. */
export function matrixNames(size?: MatrixSize): MatrixName[] {
  if (size !== undefined) checkChoice('matrixNames', 'size', size, matrixSizes);
  const sizes = size === undefined ? matrixSizes : [size];
  return sizes.flatMap((each) => classes.map((kind): MatrixName => `${kind}-${each}`));
}

/** How a matrix is generated. */
export interface MatrixOptions extends ProgressOptions {
  /** Default: 0. The same seed gives the same bits. */
  readonly seed?: Seed | undefined;
}

const matrixRules = { ...progressRules, seed: 'seed' } as const satisfies Rules<MatrixOptions>;

/** A matrix of the named set, in single precision. */
export async function generateMatrix(name: MatrixName, options: MatrixOptions = {}): Promise<CsrMatrix> {
  const caller = 'generateMatrix';
  const parts = partsOf(name);
  if (!parts)
    throw badValue(caller, 'the name of a generated matrix', name, `The names are ${matrixNames().join(', ')}.`);
  checkOptions(caller, options, matrixRules);
  const random = new Random(options.seed ?? 0).fork(name);
  return runAsync(generatorSteps[parts.kind](entries[parts.size], random), options);
}

/** Class and size of a name. Undefined if there is no such matrix. */
function partsOf(name: string): { kind: MatrixClass; size: MatrixSize } | undefined {
  const size = matrixSizes.find((each) => String(name).endsWith(`-${each}`));
  const kind = classes.find((each) => `${each}-${size}` === name);
  return size && kind && { kind, size };
}
