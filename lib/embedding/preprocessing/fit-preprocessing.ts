/** Fits the preprocessing of a model to points: scales of columns, principal components, and warnings about them. */

import { badValue, checkCount } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import { subtask, type Task } from '../../core/task.ts';
import { type ColumnStatistics, columnStatisticsSteps, quartilesOf } from './column-statistics.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import { type Preprocessing, preprocess, type Scale, scaleColumns, scales } from '../model/preprocess.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { principalAxesSteps } from './principal-axes.ts';

/** The preprocessing of points before their distances are measured. A model keeps it, so that `transform` takes raw points. */
export interface PreprocessingOptions {
  /**
   * The common scale of the columns, or of the rows for 'unit'. Default: 'none', with a warning if columns differ in spread
   * by more than a factor of ten. Sparse points can have 'unit'.
   */
  readonly scale?: Scale | undefined;
  /** The number of principal components by which the points are replaced, after scaling. Default: all columns are kept. */
  readonly pca?: number | undefined;
}

export const preprocessingRules = { scale: scales, pca: 'number' } as const satisfies Rules<PreprocessingOptions>;

export interface FittedPreprocessing {
  /** Undefined if the points stay as they are. */
  readonly preprocessing: Preprocessing | undefined;
  /** The points after preprocessing. */
  readonly points: Points;
  /** Sentences for the user, with options as a library call has them. */
  readonly warnings: readonly string[];
}

/** Refuses what no points can have. */
export function checkPreprocessing(caller: string, { pca }: PreprocessingOptions): void {
  if (pca !== undefined) checkCount(caller, 'pca', pca, 1);
}

/** The preprocessing that options and points determine, applied to the points. `names`: those of the columns, if known. */
export function* fitPreprocessingSteps(
  caller: string,
  points: Points,
  { scale, pca }: PreprocessingOptions,
  names?: readonly string[],
): Task<FittedPreprocessing> {
  const nameOf = (column: number): string => (names ? `'${names[column]}'` : `column ${column}`);
  if (isSparse(points)) checkSparse(caller, scale, pca);
  const unit: Preprocessing = { scale: 'unit', columns: null, axes: null };
  const rows = scale === 'unit' ? preprocess(caller, unit, points) : points;
  if (isSparse(rows) || (pca === undefined && (scale === 'none' || scale === 'unit'))) {
    return { preprocessing: scale === 'unit' ? unit : undefined, points: rows, warnings: [] };
  }
  const statistics = yield* subtask(columnStatisticsSteps(rows), 0, pca === undefined ? 1 : 0.2);
  const warnings = scale === undefined ? warnOfSpreads(statistics, rows.rows, nameOf) : [];
  if (pca === undefined && scale === undefined) return { preprocessing: undefined, points, warnings };
  const { columns, notes } = fitColumns(caller, rows, scale ?? 'none', statistics, nameOf);
  if (pca === undefined) {
    const preprocessing: Preprocessing = { scale: scale ?? 'none', columns, axes: null };
    return { preprocessing, points: scaleColumns(rows, columns), warnings: [...warnings, ...notes] };
  }
  // Principal components do not depend on what was subtracted from a column before its mean is.
  const centered = { ...columns, shift: statistics.mean };
  const axes = yield* subtask(principalAxesSteps(caller, scaleColumns(rows, centered), pca), 0.2, 1);
  const preprocessing: Preprocessing = { scale: scale ?? 'none', columns: centered, axes };
  return { preprocessing, points: preprocess(caller, preprocessing, points), warnings: [...warnings, ...notes] };
}

function checkSparse(caller: string, scale: Scale | undefined, pca: number | undefined): void {
  const reason = 'Subtracting a number from each column would make sparse points dense.';
  const remedy = `${reason} Take scale 'unit', which divides rows by their length, or pass toDense(points).`;
  if (scale !== undefined && scale !== 'none' && scale !== 'unit') {
    throw badValue(caller, "scale 'unit' or 'none' for sparse points", `'${scale}'`, remedy);
  }
  if (pca === undefined) return;
  throw badValue(caller, 'dense points for pca', 'sparse points', `${reason} Omit pca, or pass toDense(points).`);
}

type Fitted = { readonly columns: NonNullable<Preprocessing['columns']>; readonly notes: readonly string[] };

/** Shift and divisor of each column. */
function fitColumns(
  caller: string,
  points: Tensor,
  scale: Scale,
  { mean, deviation, least, most, isConstant }: ColumnStatistics,
  nameOf: (column: number) => string,
): Fitted {
  const ranges = most.map((value, j) => value - least[j]);
  if (scale === 'none' || scale === 'unit') {
    return { columns: { shift: mean, divisor: new Float64Array(points.cols).fill(1) }, notes: [] };
  }
  const robust = scale === 'robust' ? quartilesOf(points) : null;
  const shift = robust ? robust.median : scale === 'range' ? least : mean;
  const spread = robust ? robust.range : scale === 'range' ? ranges : deviation;
  const flat: number[] = [];
  const divisor = spread.map((value, j) => {
    if (isConstant[j]) return 0;
    if (value > 0) return value;
    flat.push(j);
    return deviation[j];
  });
  for (const [j, value] of divisor.entries()) {
    if (isConstant[j] || (Number.isFinite(1 / value) && Number.isFinite(value))) continue;
    throw badValue(caller, `a spread of ${nameOf(j)} from 1e-300 to 1e300`, value);
  }
  const constant = [...isConstant.keys()].filter((j) => isConstant[j]);
  const notes = [
    ...note(
      constant,
      nameOf,
      (list, one) => `${list} ${one ? 'is constant and becomes' : 'are constant and become'} 0.`,
    ),
    ...note(flat, nameOf, (list, one) => {
      const them = one ? 'it' : 'each';
      return `${list} ${one ? 'has' : 'have'} interquartile range 0; the standard deviation scales ${them} instead.`;
    }),
  ];
  return { columns: { shift, divisor }, notes };
}

/** The largest number of names in a warning. */
const mostNames = 6;

function note(
  columns: readonly number[],
  nameOf: (column: number) => string,
  sentence: (list: string, isOne: boolean) => string,
): string[] {
  if (columns.length === 0) return [];
  const isOne = columns.length === 1;
  const names = columns.slice(0, mostNames).map(nameOf).join(', ');
  const list = isOne ? names : `${columns.length} columns (${names}${columns.length > mostNames ? ', …' : ''})`;
  const text = sentence(list, isOne);
  return [text[0].toUpperCase() + text.slice(1)];
}

/** Columns whose spreads differ by more than this factor are pointed out. */
const largestRatio = 10;

/**
 * A warning if the standard deviations of columns differ much. Constant columns are not compared, nor those that are 0 in
 * more than half of the rows: pixels, counts and categories share a scale whatever their deviations are.
 */
function warnOfSpreads(
  { deviation, isConstant, zeros }: ColumnStatistics,
  rows: number,
  nameOf: (column: number) => string,
): string[] {
  const compared = [...deviation.keys()]
    .filter((j) => !isConstant[j] && zeros[j] <= rows / 2)
    .toSorted((a, b) => deviation[a] - deviation[b]);
  const [narrow, wide] = [compared[0], compared[compared.length - 1]];
  if (narrow === undefined || !(deviation[wide] > largestRatio * deviation[narrow])) return [];
  const ratio = deviation[wide] / deviation[narrow];
  const times = ratio < 1e6 ? Math.round(ratio).toLocaleString('en-US') : ratio.toPrecision(3);
  const widest = `${nameOf(wide)} has standard deviation ${deviation[wide].toPrecision(3)}`;
  const found = `Columns differ in spread by a factor of ${times}: ${widest}, ${nameOf(narrow)} ${deviation[narrow].toPrecision(3)}.`;
  const remedy = "scale: 'standard' gives all columns the same spread. scale: 'none' keeps them, without this warning.";
  return [`${found} The widest columns decide which points are near. ${remedy}`];
}
