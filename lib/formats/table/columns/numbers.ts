/** The numbers in a column of text cells, if all cells have one notation and one unit. */

import { isNumber } from '../../csv/fields.ts';
import { additions, type Decimal, isMissingNumber, parseNumber } from './notation.ts';

/** The numbers of a column in one notation with one unit; null if a cell is not a number. */
export function numbersIn(
  cells: readonly string[],
  decimal: Decimal,
): { values: Float64Array; notation: string } | null {
  const values = new Float64Array(cells.length);
  const found = { unit: null as string | null, hasGroups: false, numbers: 0 };
  for (const [row, text] of cells.entries()) {
    if (decimal === '.' && isNumber(text)) {
      // A number without the unit of the others is zero or belongs to another quantity.
      values[row] = Number(text);
      if (!Number.isFinite(values[row])) values[row] = NaN;
      if (found.unit && values[row] !== 0) return null;
      if (values[row] !== 0) found.unit = '';
      found.numbers++;
      continue;
    }
    if (isMissingNumber(text)) {
      values[row] = NaN;
      continue;
    }
    const number = parseNumber(text, decimal);
    if (!number) return null;
    if (found.unit !== null && found.unit !== number.unit && number.value !== 0) return null;
    if (number.value !== 0) found.unit = number.unit;
    values[row] = number.value;
    found.numbers++;
    found.hasGroups ||= (decimal === ',' ? /\d[.'’ \u00a0\u202f]\d{3}/ : /\d[,'’ \u00a0\u202f]\d{3}/).test(text);
  }
  if (found.numbers === 0) return null;
  const hasComma = decimal === ',' && cells.some((text) => text.includes(','));
  const groups = found.hasGroups ? 'separators of thousands' : '';
  const without = additions.filter(({ form }) => cells.some((text) => form.test(text))).map(({ name }) => name);
  const parts = [hasComma ? 'decimal comma' : '', groups, without.length > 0 ? `without ${without.join(' and ')}` : ''];
  return { values, notation: [...parts, found.unit ? `in ${found.unit}` : ''].filter(Boolean).join(', ') };
}
