/** Random sparse matrices for the specs, by seed or drawn by fast-check. */

import * as fc from 'fast-check';
import type { CsrMatrix, Precision, Random } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';

/** Integers from −4 to 4 in about half of the places, some places more than once. */
export function randomMatrix(random: Random, rows: number, cols: number, precision: Precision = 'single'): CsrMatrix {
  const count = rows * cols === 0 ? 0 : random.integer(rows * cols + 1);
  const draw = (bound: number) => Array.from({ length: count }, () => random.integer(bound));
  const triplets = { rows: draw(rows), columns: draw(cols), values: draw(9).map((value) => value - 4) };
  return fromTriplets(triplets, [rows, cols], precision);
}

interface Entries {
  readonly rows: number;
  readonly cols: number;
  readonly entries: readonly (readonly [row: number, column: number, value: number])[];
}

/** Any shape from 0×0 to 7×7 with any entries in any order. The entries are integers that single precision adds exactly. */
export const anyEntries: fc.Arbitrary<Entries> = fc.tuple(fc.nat(7), fc.nat(7)).chain(([rows, cols]) =>
  fc
    .array(fc.tuple(fc.nat(Math.max(0, rows - 1)), fc.nat(Math.max(0, cols - 1)), fc.integer({ min: -9, max: 9 })), {
      maxLength: rows * cols === 0 ? 0 : 40,
    })
    .map((entries) => ({ rows, cols, entries })),
);

export const anyMatrix: fc.Arbitrary<CsrMatrix> = anyEntries.map(matrixOf);

/** Square, so that it can be added to its transpose. */
export const anySquare: fc.Arbitrary<CsrMatrix> = anyEntries.map(({ rows, cols, entries }) => {
  const side = Math.max(rows, cols);
  return matrixOf({ rows: side, cols: side, entries });
});

export function matrixOf({ rows, cols, entries }: Entries): CsrMatrix {
  const triplets = {
    rows: entries.map((e) => e[0]),
    columns: entries.map((e) => e[1]),
    values: entries.map((e) => e[2]),
  };
  return fromTriplets(triplets, [rows, cols]);
}

/** The same examples every time. */
export const runs = { seed: 20, numRuns: 300 } as const;
