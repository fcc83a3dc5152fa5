/** How are numbers written? With the fewest digits that read back as the same bits. */

/** By the precision the number has at rest. */
export const shortestDigits: Record<'single' | 'double', (value: number) => string> = {
  double: shortestDouble,
  single: shortestSingle,
};

function shortestDouble(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Six digits tell normal singles apart where that is possible at all, nine always do; subnormals need fewer. */
function shortestSingle(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return shortestDouble(value);
  for (let digits = Math.abs(value) < 2 ** -126 ? 1 : 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}
