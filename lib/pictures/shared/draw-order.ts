/** The order in which points are drawn. */

/**
 * All rows, in steps of about 0.618 n. Files are often sorted by class, and points that are drawn late cover earlier ones.
 * In this order every class is spread evenly over the whole drawing, so that none covers the others.
 */
export function drawOrder(rows: number): Int32Array {
  const order = new Int32Array(rows);
  let step = Math.max(1, Math.round(rows * 0.6180339887));
  while (commonDivisor(step, rows) !== 1) step++;
  for (let i = 0, row = 0; i < rows; i++, row = (row + step) % rows) order[i] = row;
  return order;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
