/** Points at the edges of what a number can be: huge, tiny, repeated, constant, single, on a line, or not finite. */

import { type Random, Tensor } from '../../../../lib/index.ts';
import { pick } from '../kind.ts';

type Column = (i: number) => number;

/** A table of up to 40 points of up to seven columns. */
export function hostilePoints(random: Random): Tensor {
  const rows = pick(random, [1, 2, 3, 5, 9, 17, 40, 40, 40]);
  const cols = pick(random, [1, 2, 2, 3, 7]);
  const isSingle = random.integer(2) === 0;
  const isMixed = random.integer(3) === 0;
  const common = anyColumn(random, rows);
  const columns = Array.from({ length: cols }, () => (isMixed ? anyColumn(random, rows) : shifted(random, common)));
  const numbers = Float64Array.from({ length: rows * cols }, (_, at) => columns[at % cols](Math.floor(at / cols)));
  const data = isSingle ? Float32Array.from(numbers) : numbers;
  if (random.integer(4) === 0) repeatRows(random, data, rows, cols);
  if (random.integer(25) === 0) data[random.integer(data.length)] = pick(random, [NaN, Infinity, -Infinity]);
  return new Tensor(data, [rows, cols]);
}

function anyColumn(random: Random, rows: number): Column {
  const draws = Array.from({ length: rows }, () => random.normal());
  const scale = 10 ** (random.integer(601) - 300);
  if (random.integer(2) === 0) return (i) => draws[i];
  const columns: Column[] = [
    (i) => draws[i],
    (i) => draws[i],
    (i) => scale * draws[i],
    (i) => 1e30 * draws[i],
    (i) => 5e-324 * Math.round(10 * draws[i]),
    (i) => 1e-40 * draws[i],
    (i) => (i % 2 === 0 ? 0 : -0),
    () => scale,
    () => 0,
    (i) => i,
    (i) => Math.sign(draws[i]) * 1e8 + draws[i],
    (i) => 10 ** ((600 * i) / rows - 300),
    (i) => (i === 0 ? 1e300 : draws[i]),
    (i) => Math.round(draws[i]),
    (i) => 1 + 1e-8 * draws[i],
    (i) => 1.7e308 * Math.sign(draws[i]),
  ];
  return pick(random, columns);
}

function shifted(random: Random, column: Column): Column {
  const [factor, by] = [random.normal(), pick(random, [0, 0, 0, 1e6, -3])];
  return (i) => factor * column(i) + by;
}

function repeatRows(random: Random, data: Float32Array | Float64Array, rows: number, cols: number): void {
  const kept = 1 + random.integer(Math.min(rows, 5));
  for (let i = kept; i < rows; i++) data.copyWithin(i * cols, (i % kept) * cols, (i % kept) * cols + cols);
}
