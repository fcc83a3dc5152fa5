/** Comparison of SIMD kernels with their plain twins, on the same numbers. */

import * as assert from 'uvu/assert';
import { plainBlocks, type BlockKernels } from '../../../lib/kernels/blocks.ts';
import { type GalerkinKernels, plainGalerkin } from '../../../lib/kernels/galerkin.ts';
import { plainGradient } from '../../../lib/kernels/batch/gradient.ts';
import { plainMovingRows } from '../../../lib/kernels/batch/moving-rows.ts';
import { plainPages } from '../../../lib/kernels/batch/pages.ts';
import { plainSlice } from '../../../lib/kernels/batch/slice.ts';
import { plainSparseRows } from '../../../lib/kernels/batch/sparse-rows.ts';
import { type ExtensionKernels, plainExtension } from '../../../lib/kernels/nearest/extension.ts';
import { plainReach, type ReachKernels } from '../../../lib/kernels/nearest/kd-reach.ts';
import { type JoinKernels, plainJoins } from '../../../lib/kernels/nearest/join.ts';
import { type NearestKernels, plainNearest } from '../../../lib/kernels/nearest/nearest.ts';
import { type PanelKernels, plainPanels } from '../../../lib/kernels/panels.ts';
import { plainProducts, type ProductKernels } from '../../../lib/kernels/formats/products.ts';
import { plainSymmetric, type SymmetricKernels } from '../../../lib/kernels/formats/symmetric.ts';
import { plainVectors, type VectorKernels } from '../../../lib/kernels/vectors.ts';
import { type Kernels, kernels, plainKernels } from '../../../lib/wasm/all-kernels.ts';
import { blockKernels } from '../../../lib/wasm/block-family.ts';
import { galerkinKernels } from '../../../lib/wasm/galerkin-family.ts';
import {
  gradientKernels,
  movingRowsKernels,
  joinKernels,
  nearestKernels,
  extensionKernels,
  reachKernels,
  pageKernels,
  sliceKernels,
  sparseRowsKernels,
  vectorKernels,
} from '../../../lib/wasm/families.ts';
import { panelKernels } from '../../../lib/wasm/panel-family.ts';
import { productKernels } from '../../../lib/wasm/products-family.ts';
import { symmetricKernels } from '../../../lib/wasm/symmetric-family.ts';
import type { Arg, Cases } from './arguments.ts';
import { batchCases, type BatchKernels } from './batch-cases.ts';
import { nearestCases } from './nearest-cases.ts';
import { productCases } from './product-cases.ts';
import { solverCases } from './solver-cases.ts';
import { tableCases } from './table-cases.ts';

/** The kernel table and the kernels outside it. */
export type AllKernels = Kernels &
  NearestKernels &
  JoinKernels &
  ReachKernels &
  ExtensionKernels &
  BatchKernels &
  VectorKernels &
  BlockKernels &
  GalerkinKernels &
  PanelKernels &
  SymmetricKernels &
  ProductKernels;
const plainBatch: BatchKernels = {
  ...plainSlice,
  ...plainPages,
  ...plainSparseRows,
  ...plainMovingRows,
  ...plainGradient,
};
export const allPlain: AllKernels = {
  ...plainKernels,
  ...plainNearest,
  ...plainJoins,
  ...plainReach,
  ...plainExtension,
  ...plainBatch,
  ...plainVectors,
  ...plainBlocks,
  ...plainGalerkin,
  ...plainPanels,
  ...plainSymmetric,
  ...plainProducts,
};
export const inUse = (): AllKernels => ({
  ...kernels,
  ...nearestKernels(),
  ...joinKernels(),
  ...reachKernels(),
  ...extensionKernels(),
  ...sliceKernels(),
  ...pageKernels(),
  ...sparseRowsKernels(),
  ...movingRowsKernels(),
  ...gradientKernels(),
  ...vectorKernels(),
  ...blockKernels(),
  ...galerkinKernels(),
  ...panelKernels(),
  ...symmetricKernels(),
  ...productKernels(),
});

export const cases: Cases<AllKernels> = {
  ...tableCases,
  ...batchCases,
  ...solverCases,
  ...nearestCases,
  ...productCases,
};
export const epsilon = 2 ** -23;

export const isArray = (arg: Arg): arg is Float32Array | Float64Array | Int32Array => ArrayBuffer.isView(arg);

/** The same arguments on the heap. An array that occurs twice is copied once. */
export function onHeap(args: Arg[], change = (x: number) => x): Arg[] {
  const seen = new Map<Arg, Arg>();
  return args.map((arg) => {
    if (!isArray(arg)) return arg;
    if (!seen.has(arg)) {
      const copy = arg.slice();
      seen.set(arg, copy instanceof Int32Array ? copy : copy.map(change));
    }
    return seen.get(arg)!;
  });
}

export type AnyKernel = (...args: Arg[]) => number | void;

/** Runs both twins and compares all array arguments, outputs and inputs, and the return values. */
export function compare(name: keyof AllKernels, args: Arg[], ulps = cases[name].ulps): void {
  const expected = onHeap(args);
  // Run on magnitudes, the plain kernel gives the scale Σ|aᵢbᵢ| of the rounding errors.
  const scales = onHeap(args, Math.abs);
  // Where the kernel subtracts, one side is negated. An activation's slope is at most 1, so that its input gives the scale.
  if (name === 'subtract' || name === 'squaredDistances') negate(scales[scales.length - 2]);
  if (name === 'sgdStep' || name === 'adamStep') scales[1] = -(scales[1] as number);
  if (name === 'subtractRows' || name === 'blockResidual') negate(scales[2]);
  if (name === 'blockCenter') negate(scales[3]);
  if (name === 'blockProduct') scales[9] = 1;
  if (name === 'subtractOuter') negate(scales[5]);
  if (name === 'solveLower' || name === 'solveUpper') negate(scales[4]);
  if (name === 'dense') scales[0] = 'identity';
  if (name === 'moveRows') scales[9] = Math.abs(scales[9] as number);
  const places = name in followed ? followed[name as keyof typeof followed] : null;
  const old = places && (scales[places[3]] as Float64Array).slice();
  const value = (allPlain[name] as AnyKernel)(...expected);
  const bound = (allPlain[name] as AnyKernel)(...scales);
  if (places) setMomentScales(args, scales, old!, places);
  const result = (inUse()[name] as AnyKernel)(...args);
  const label = `${name}(${args.map((arg) => (isArray(arg) ? '…' : arg)).join(', ')})`;
  near(result ?? 0, value ?? 0, bound ?? 0, ulps, label, 0);
  for (const [i, arg] of args.entries()) {
    if (!isArray(arg) || i === cases[name].lost) continue;
    const want = expected[i] as Float32Array;
    const scale = scales[i] as Float32Array;
    const place = `${label} argument ${i}`;
    for (let j = 0; j < arg.length; j++) near(arg[j], want[j], scale[j], ulps, place, j);
  }
}

/** Kernels that update moments: the arguments that are the list of rows or null, mass, η, rows before and after, YᵀDY and ηᵀY. */
const followed = {
  replaceRows: [2, 3, 4, 6, 6, 7, 8],
  moveRows: [2, 3, 4, 11, 11, 12, 13],
  followRows: [null, 2, 3, 4, 5, 6, 7],
} as const;

/** Moments change by differences of products of rows f and o, whose rounding is that of (|f| + |o|)ᵀ(|f| + |o|). */
function setMomentScales(
  args: Arg[],
  scales: Arg[],
  old: Float64Array,
  [list, ...places]: (typeof followed)[keyof typeof followed],
): void {
  const [count, width] = scales as number[];
  const [mass, eta, , fresh, gram, mean] = places.map((place) => scales[place] as Float64Array);
  gram.set((args[places[4]] as Float64Array).map(Math.abs));
  mean.set((args[places[5]] as Float64Array).map(Math.abs));
  for (let i = 0; i < count; i++) {
    const row = list === null ? i : (scales[list] as Int32Array)[i];
    const sums = Array.from({ length: width }, (_, s) => fresh[row * width + s] + old[row * width + s]);
    for (let s = 0; s < width; s++) {
      for (let t = 0; t < width; t++) gram[s * width + t] += mass[row] * sums[s] * sums[t];
      if (eta) mean[s] += eta[row] * sums[s];
    }
  }
}

function negate(array: Arg): void {
  if (isArray(array)) for (let i = 0; i < array.length; i++) array[i] = -array[i];
}

export function near(got: number, want: number, scale: number, ulps: number, label: string, j: number): void {
  const allowed = ulps * epsilon * Math.max(Math.abs(scale), Math.abs(want));
  if (!(Math.abs(got - want) <= allowed))
    assert.unreachable(`${label}[${j}]: ${got} instead of ${want}, allowed ${allowed}`);
}
