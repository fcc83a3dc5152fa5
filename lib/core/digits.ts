/** Numbers as text with the fewest digits that read back as the same bits. */

/** By the precision in which the number is stored. */
export const shortestDigits: Record<'single' | 'double', (value: number) => string> = {
  double: shortestDouble,
  single: shortestSingle,
};

function shortestDouble(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Normal singles preserve every decimal of six digits, and nine digits always suffice. Subnormals may need fewer. */
function shortestSingle(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return shortestDouble(value);
  for (let digits = Math.abs(value) < 2 ** -126 ? 1 : 6; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(Number(value.toPrecision(9)));
}
