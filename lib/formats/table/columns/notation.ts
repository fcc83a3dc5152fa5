/** Text cells as numbers: decimal comma, separators of thousands, percent, currencies, units and uncertainties. */

import { isNumber, spreadsheetErrors } from '../../csv/fields.ts';

/** The decimal mark. */
export type Decimal = '.' | ',';

/** Words for a missing value in any column. */
const missing = /^(|na|n\/a|nan|null|\?|<na>|\(null\)|\\n)$/i;

/** The length of the longest of these words. */
const longestMissing = 6;

/** Further words for a missing number. In a column of text they may be names. */
const missingNumber = new RegExp(
  `^([+\\-−]?(inf(inity)?|∞)|none|nil|missing|unknown|n\\.a\\.|n\\.d\\.|k\\. ?a\\.|-+|–|—|\\.+|…|#(${spreadsheetErrors}))$`,
  'i',
);

export function isMissing(text: string): boolean {
  return text.length <= longestMissing && missing.test(text);
}

export function isMissingNumber(text: string): boolean {
  return isMissing(text) || missingNumber.test(text);
}

/** A text or a number that stands for a missing value, as the user states it: 'tbd', -999. */
export type MissingValue = string | number;

/** Whether a cell is one of these values; numbers may be written in any way. Null if there are no such values. */
export function missingTest(values: readonly MissingValue[]): ((cell: unknown) => boolean) | null {
  if (values.length === 0) return null;
  const texts = new Set(values.map((value) => String(value).trim().toLowerCase()));
  const numbers = new Set([...texts].filter(isNumber).map(Number));
  return (cell) => {
    if (typeof cell === 'number') return numbers.has(cell);
    if (typeof cell !== 'string') return false;
    const text = cell.trim();
    return texts.has(text.toLowerCase()) || (isNumber(text) && numbers.has(Number(text)));
  };
}

/** A number as written: its sign, its digits with separators, and what surrounds them. */
interface Written {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: string;
  /** A currency before the digits, or a unit behind them. */
  readonly unit: string;
}

const currency = '[$€£¥₹]|USD|EUR|GBP|CHF|JPY';
const written = new RegExp(
  `^(\\()?([+\\-−–]?)\\s?(${currency})?\\s?([+\\-−–]?)([\\d.,][\\d.,'’ \\u00a0\\u202f]*?)(e[+\\-]?\\d+|d[+\\-]\\d+)?(-?)\\s?` +
    `([%‰°]|°\\s?[nsew]|${currency}|°?[a-zµμΩ][a-zµμΩ²³/·^*-]{0,9})?(\\))?$`,
  'i',
);

/** What may stand around the digits and is not part of the value. */
export const additions: readonly { readonly name: string; readonly form: RegExp; readonly value?: string }[] = [
  { name: 'single quotes', form: /^'([^']+)'$/, value: '$1' }, // databases: '4.5'
  { name: 'marks such as *', form: /(?<=\d) ?([*†‡]{1,3}|\[[a-z\d]{1,3}\])$/ }, // footnotes and significance: 0.31*, 4.5†, 12 [a]
  { name: 'uncertainties such as ± 0.1', form: /(?<=\d)\s?(±|\+\/?-)\s?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?/i }, // 3.0±0.1 kg
  { name: 'uncertainties such as (4)', form: /(?<=\d[.,]\d+)\(\d{1,4}\)/ }, // 1.0078(4), in units of the last digits
];

/** A unit of latitudes and longitudes: °N, ° W. */
const compass = /^°\s?[nsew]$/i;

function dissect(text: string): Written | null {
  const match = written.exec(additions.reduce((rest, { form, value = '' }) => rest.replace(form, value), text));
  if (!match) return null;
  const [, open, before, money = '', sign, digits, exponent = '', behind, unit = '', close] = match;
  const signs = before + sign + behind;
  if ((open === undefined) !== (close === undefined) || (money && unit) || signs.length > 1) return null;
  const negative = open !== undefined || /[-−–]/.test(signs);
  // South and west are negative.
  if (compass.test(unit)) return { negative: negative !== /[sw]$/i.test(unit), digits, exponent, unit: '°' };
  return { negative, digits, exponent, unit: money || unit };
}

/** Thousands have three digits; in India, the groups before them have two: 1,00,000. */
const patterns: Record<Decimal, RegExp> = {
  '.': /^(\d+\.?\d*|\.\d+|[1-9]\d{0,2}([,'’ \u00a0\u202f])\d{3}(\2\d{3})*(\.\d*)?|[1-9]\d?(,\d\d)+,\d{3}(\.\d*)?)$/,
  ',': /^(\d+(,\d+)?|,\d+|[1-9]\d{0,2}([.'’ \u00a0\u202f])\d{3}(\3\d{3})*(,\d+)?)$/,
};

/** The value and the unit of a cell; null if it is no number. */
export function parseNumber(text: string, decimal: Decimal): { value: number; unit: string } | null {
  const parts = dissect(text);
  if (!parts || !patterns[decimal].test(parts.digits)) return null;
  const plain = decimal === '.' ? parts.digits : parts.digits.replaceAll('.', '').replace(',', '.');
  // Fortran writes the exponent of a double as D.
  const value = Number(plain.replace(/[^\d.]/g, '') + parts.exponent.replace(/d/i, 'e'));
  return { value: parts.negative ? -value : value, unit: parts.unit };
}

/** Whether a cell is a number in either notation. */
export function looksNumeric(text: string): boolean {
  return isNumber(text) || parseNumber(text, '.') !== null || parseNumber(text, ',') !== null;
}

/**
 * What a cell says about the decimal mark of its table: '.' or ',' if only one reading is possible, 'either' if the mark
 * could separate thousands, and null without a mark.
 */
export function decimalEvidence(text: string): Decimal | 'either' | null {
  const digits = dissect(text)?.digits;
  if (digits === undefined || !/[.,]/.test(digits)) return null;
  const readings = (['.', ','] as const).filter((decimal) => patterns[decimal].test(digits));
  if (readings.length !== 1) return readings.length === 2 ? 'either' : null;
  return readings[0];
}

/** Whether a whole number is written with leading zeros, as codes are. */
export function isCode(text: string): boolean {
  return /^0\d+$/.test(text);
}

/** A cell without the single quotes around all of it. */
export function unquoted(text: string): string {
  return /^'[^']+'$/.test(text) ? text.slice(1, -1) : text;
}
