/** The plan of a benchmark: which rows are measured, and about how long that takes. */

import type { MatrixStructure } from '../../sparse/structure.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { worthwhileFlops } from '../../wasm/threads/threads.ts';
import { type Format, type Mode, modes, type Operation, operationRules, operations } from './operations.ts';

/** The order of rows and columns: as given, or after reverse Cuthill-McKee. */
export type Order = 'given' | 'reordered';

/** What a row of a benchmark measures. */
export interface Measured {
  readonly operation: Operation;
  /** The columns of X; 0 for a slice, which has no X. */
  readonly columns: number;
  readonly precision: Precision;
  readonly format: Format;
  readonly order: Order;
  readonly mode: Mode;
}

/** What is wanted. */
export interface Wanted {
  readonly columns: readonly number[];
  readonly precisions: readonly Precision[];
  readonly orders: readonly Order[];
  readonly threads: number;
  /** Whether SIMD is on. */
  readonly simd: boolean;
}

/** All rows: those of one thread first, so that threads start once. The reordered matrix is multiplied only, and not by half. */
export function planRows(structure: MatrixStructure, wanted: Wanted): Measured[] {
  const rows: Measured[] = [];
  for (const precision of wanted.precisions) {
    for (const order of wanted.orders) {
      for (const operation of operations) {
        const { format, product, columns: columnsOf, suits } = operationRules[operation];
        if (order === 'reordered' && (product !== 'A·X' || format === 'half')) continue;
        if (!suits(structure)) continue;
        for (const columns of columnsOf(wanted.columns)) {
          for (const mode of modesOf(operation, precision, columns, structure.nonzeros, wanted)) {
            rows.push({ operation, columns, precision, format, order, mode });
          }
        }
      }
    }
  }
  return [...rows.filter(({ mode }) => mode !== 'threads'), ...rows.filter(({ mode }) => mode === 'threads')];
}

/** The modes that differ: a call that threads would not share is not measured with threads. */
function modesOf(
  operation: Operation,
  precision: Precision,
  columns: number,
  nonzeros: number,
  { threads, simd }: Wanted,
): readonly Mode[] {
  const rules = operationRules[operation];
  const hasTwin = simd && rules.simd[precision] !== null;
  const work = rules.shared[precision]?.(nonzeros, columns) ?? 0;
  const isShared = threads > 1 && work >= worthwhileFlops;
  // Other formats exist for their twins alone.
  const hasPlain = rules.format === 'csr' || !hasTwin;
  return modes.filter((mode) => (mode === 'plain' ? hasPlain : hasTwin && (mode === 'simd' || isShared)));
}

/** What a mode reaches at least on most matrices, in flops per millisecond. */
const expectedRates: Readonly<Record<Mode, number>> = { plain: 3e5, simd: 1e6, threads: 1.5e6 };

/** The seconds that the rows take, about. `budget` in milliseconds. */
export function estimateSeconds(structure: MatrixStructure, rows: readonly Measured[], budget: number): number {
  const milliseconds = rows.map(({ operation, columns, mode }) => {
    const call = operationRules[operation].flops(structure, columns) / expectedRates[mode];
    // The result is compared first, and one call is not counted.
    return 2 * call + Math.max(budget, call);
  });
  return milliseconds.reduce((sum, time) => sum + time, 0) / 1000;
}
