/** Recognizes dates and times in text. */

const month = '(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const time = '\\d{1,2}:\\d{2}(:\\d{2}([.,]\\d+)?)?\\s?([ap]m)?';
const zone = '\\s?(z|(utc|gmt)?[+-]\\d{1,2}(:?\\d{2})?|utc|gmt)?';
const weekday = '((mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?';
const day = '\\d{1,2}(st|nd|rd|th|\\.)?';
const days = [
  '\\d{4}[-/.]\\d{1,2}([-/.]\\d{1,2})?', // 2012-01-31, 2012-01
  '\\d{1,2}([-/.])\\d{1,2}\\1(\\d{4}|\\d{2})', // 31.12.2000, 12/31/00
  `${weekday}${day}[ -]${month}[-, ]+\\d{2,4}`, // 31 Dec 2000
  `${weekday}${month}[ -]${day},? \\d{4}`, // Dec 31, 2000
  `${month}[ -]'?(\\d{4}|\\d{2})`, // Dec 2000
  '\\d{4}[ -]?q[1-4]|q[1-4][ -]\\d{4}', // 2000-Q1
  '\\d{4}-?w\\d{2}(-\\d)?', // 2000-W52
];
const dates = days.map((form) => new RegExp(`^(?:${form})([t ]+${time}${zone})?$`, 'i'));
const times = new RegExp(`^${time}${zone}$`, 'i');

export function isDate(text: string): boolean {
  return text.length >= 4 && text.length < 40 && (dates.some((form) => form.test(text)) || times.test(text));
}

/** Whether a text is a time of day or a duration, such as 12:30. */
export function isTime(text: string): boolean {
  return times.test(text);
}

const dateName = /date|datum|timestamp|epoch|unix|(^|[_ .])(at|ts|time)$/i;

/** Fewer whole numbers that look like 20120131 may be anything. */
const fewestDays = 5;

/**
 * Whether a column of whole numbers holds dates: 20120131; or, if its name says so, seconds or milliseconds since 1970. A
 * column with another name needs several different days of the years 1900 to 2100, or milliseconds that rise.
 */
export function isNumericDate(name: string, values: Float64Array): boolean {
  const known = values.filter((value) => !Number.isNaN(value));
  if (dateName.test(name)) {
    return known.length > 0 && known.every((value) => Number.isInteger(value) && (isDayNumber(value) || value > 1e8));
  }
  if (known.length >= fewestDays && areMoments(known)) return true;
  const areDays = known.every((value) => value > 1900_01_00 && value < 2101_00_00 && isDayNumber(value));
  return areDays && known.length >= fewestDays && known.some((value) => value !== known[0]);
}

/** The years 2001 to 2035 in milliseconds since 1970. */
const [firstMoment, lastMoment] = [1e12, 2.05e12];

/** Whether these are milliseconds since 1970 that rise from row to row, as in the log of a sensor. */
function areMoments(values: Float64Array): boolean {
  return values.every(
    (value, k) =>
      Number.isInteger(value) && value >= firstMoment && value < lastMoment && (k === 0 || value > values[k - 1]),
  );
}

function isDayNumber(value: number): boolean {
  if (!Number.isInteger(value)) return false;
  const [rest, dayOfMonth] = [Math.floor(value / 100), value % 100];
  return rest > 100_000 && rest < 300_000 && rest % 100 >= 1 && rest % 100 <= 12 && dayOfMonth >= 1 && dayOfMonth <= 31;
}
