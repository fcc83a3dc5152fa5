/** The grid of a sweep: options of a command with the values that they take, and all combinations of them. */

import { type FlagName, flags, outputFlags, plotFlags } from '../../../flags/flags.ts';
import { columnsFlag } from '../../../flags/kinds.ts';
import { type Arguments, parseArguments, UsageError } from '../../../shared/arguments.ts';
import type { Command } from '../../../shared/command.ts';

/** An option and its values, as they are written on the command line. */
export interface GridAxis {
  readonly name: string;
  readonly values: readonly string[];
}

/** One value for every option, in the order of the grid. */
export type GridPoint = Readonly<Record<string, string>>;

const refused: readonly FlagName[] = [...outputFlags, ...plotFlags, 'json', 'quiet', 'help', 'threads', 'no-simd'];

/**
 * Reads `neighbors=8,16; seed=0..3; mutual=no,yes`: options apart by semicolons, values by commas, a range of whole numbers
 * with two dots, yes and no for flags without a value. A value with a comma is put in double quotes.
 */
export function readGrid(text: string, command: string, known: readonly FlagName[]): GridAxis[] {
  const parts = text.split(';').map((part) => part.trim());
  const axes = parts.filter((part) => part !== '').map((part) => readAxis(part, command, known));
  if (axes.length === 0) throw new UsageError(`expected --grid 'OPTION=VALUE,…; …', got '${text}'.`);
  const twice = axes.find(({ name }, i) => axes.findIndex((other) => other.name === name) < i);
  if (twice) throw new UsageError(`expected each option once in --grid, got ${twice.name} twice.`);
  return axes;
}

function readAxis(part: string, command: string, known: readonly FlagName[]): GridAxis {
  const [, name, list] = /^([\w-]+)\s*=(.*)$/s.exec(part) ?? [];
  if (name === undefined) throw new UsageError(`expected OPTION=VALUE,… in --grid, got '${part}'.`);
  if (!(known as readonly string[]).includes(name) || (refused as readonly string[]).includes(name)) {
    throw new UsageError(`expected an option of specnet ${command} that changes its numbers in --grid, got '${name}'.`);
  }
  const values = columnsFlag('', 'values').read(`--grid ${name}`, list).flatMap(expandRange);
  const isBoolean = (flags[name as FlagName] as { value?: string }).value === undefined;
  const wrong = isBoolean ? values.find((value) => value !== 'yes' && value !== 'no') : undefined;
  if (wrong !== undefined) throw new UsageError(`expected yes or no for ${name} in --grid, got '${wrong}'.`);
  return { name, values };
}

/** The largest number of values in a range. */
const longestRange = 10_000;

function expandRange(value: string): string[] {
  const [, first, last] = /^(\d+)\.\.(\d+)$/.exec(value) ?? [];
  if (first === undefined) return [value];
  const length = Number(last) - Number(first) + 1;
  if (!(length >= 1 && length <= longestRange)) throw new UsageError(`expected a range such as 0..9, got '${value}'.`);
  return Array.from({ length }, (_, i) => String(Number(first) + i));
}

/** All combinations, the last option changing fastest. */
export function pointsOf(axes: readonly GridAxis[]): GridPoint[] {
  return axes.reduce<GridPoint[]>(
    (points, { name, values }) => points.flatMap((point) => values.map((value) => ({ ...point, [name]: value }))),
    [{}],
  );
}

/** The arguments of the command at a point of the grid. Refuses values that the flags do not take. */
export function argumentsAt(point: GridPoint, operands: readonly string[], command: Command): Arguments {
  const words = Object.entries(point).flatMap(([name, value]) => {
    if ((flags[name as FlagName] as { value?: string }).value !== undefined) return [`--${name}=${value}`];
    return value === 'yes' ? [`--${name}`] : [];
  });
  return parseArguments([...operands, ...words, '--json', '--quiet'], command);
}
