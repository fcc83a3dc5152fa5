/** References for the sparse specs: dense arrays of arrays with simple, slow operations. */

import * as assert from 'uvu/assert';
import * as fc from 'fast-check';
import { CsrMatrix, type Precision, type Random } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';

export type Dense = number[][];

export function denseZeros(rows: number, cols: number): Dense {
  return Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
}

/** Reads the raw arrays, without any function of the library. */
export function denseOf(matrix: CsrMatrix): Dense {
  const dense = denseZeros(matrix.rows, matrix.cols);
  for (let i = 0; i < matrix.rows; i++) {
    for (let e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) dense[i][matrix.columns[e]] = matrix.values[e];
  }
  return dense;
}

/** The stored places, including stored zeros. */
export function placesOf(matrix: CsrMatrix): string[] {
  return Array.from({ length: matrix.rows }, (_, i) =>
    Array.from(matrix.columns.subarray(matrix.starts[i], matrix.starts[i + 1]), (j) => `${i},${j}`),
  ).flat();
}

/** Checks that a matrix is canonical, which the constructor verifies. */
export function assertCanonical(matrix: CsrMatrix): void {
  assert.instance(matrix, CsrMatrix);
  const { rows, cols, starts, columns, values } = matrix;
  assert.not.throws(() => new CsrMatrix(rows, cols, starts, columns, values));
}

/** The same places and the same bits. */
export function assertSame(a: CsrMatrix, b: CsrMatrix): void {
  assert.equal([a.rows, a.cols, a.precision], [b.rows, b.cols, b.precision]);
  assert.equal([...a.starts], [...b.starts]);
  assert.equal([...a.columns], [...b.columns]);
  assert.is(a.values.length, b.values.length);
  a.values.forEach((value, e) => assert.ok(Object.is(value, b.values[e]), `${value} and ${b.values[e]} at entry ${e}`));
}

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

/** Integers in order. */
export function ascending(numbers: Iterable<number>): number[] {
  const sorted = Int32Array.from(numbers);
  sorted.sort();
  return [...sorted];
}

/** The message of the error. Fails if there is no error, or one that the library did not create. */
export function refusalOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => assert.unreachable('was not refused') as never,
    (error: unknown) => {
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
      return error.message;
    },
  );
}

/** Runs the checks one after another. */
export async function inTurn<T>(items: Iterable<T>, check: (item: T) => Promise<void>): Promise<void> {
  let last = Promise.resolve();
  for (const item of items) last = last.then(() => check(item));
  await last;
}
