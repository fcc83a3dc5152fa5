/** Reads JSON and NDJSON: text to values, in which the table is then found. */

import { badValue, excerpt } from '../../../core/check.ts';
import type { Wording } from '../wording.ts';
import { tableIn } from './find-table.ts';
import { isNested, type RecordColumns } from './records.ts';

/** The table in a JSON or NDJSON text: records, rows, or columns by name. */
export function readJson(wording: Wording, text: string): RecordColumns {
  const body = text.replace(/^\ufeff/, '').trim();
  if (body === '') throw badValue(wording.caller, 'a table with at least one row', 'an empty file');
  const whole = parse(body);
  const value = 'value' in whole ? whole.value : readLines(wording, body, whole.problem);
  if (isDeeper(value, mostLevels)) {
    throw badValue(wording.caller, `lists and objects of at most ${mostLevels} levels`, 'deeper ones');
  }
  return tableIn(wording, value);
}

/** Deeper values are refused: functions that call themselves could not walk through them. */
const mostLevels = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (!isNested(value)) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

type Parsed = { readonly value: unknown } | { readonly problem: string };

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function readLines(wording: Wording, body: string, problem: string): unknown[] {
  const lines = body.split('\n');
  // A single broken JSON value is not a list of lines.
  if (lines.length < 2 || !('value' in parse(lines[0]))) {
    throw badValue(wording.caller, 'valid JSON, or one JSON record on each line', excerpt(problem));
  }
  return lines.flatMap((line, k) => {
    if (line.trim() === '') return [];
    const parsed = parse(line);
    if ('value' in parsed) return [parsed.value];
    throw badValue(wording.caller, `a JSON record on line ${k + 1}`, `'${excerpt(line)}'`, excerpt(parsed.problem));
  });
}
