/** Options of public functions: tables of their names and kinds, by which unknown names and wrong kinds are refused. */

import { badKind, checkChoice, checkObject, excerpt } from './check.ts';

/** The kinds of single values, in words. */
const kinds = {
  number: 'a number',
  boolean: 'true or false',
  string: 'a string',
  function: 'a function',
  object: 'an object',
  array: 'an array',
  seed: 'a number or a string',
  signal: 'an AbortSignal',
  any: '',
} as const;

/** A kind, a list of choices, a table for a nested object, or a check for everything else. */
export type Rule = keyof typeof kinds | readonly string[] | RuleTable | OptionCheck;

/** Refuses a value of the option `name`. */
export type OptionCheck = (caller: string, name: string, value: never) => void;

interface RuleTable {
  readonly [name: string]: Rule;
}

/** A rule for every option. A table that lacks one does not compile. */
export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule };

/** Refuses anything but an object of these options, each of its kind. Options that are undefined count as omitted. */
export function checkOptions<Options extends object>(
  caller: string,
  options: Options,
  rules: Rules<Options>,
  name = '',
): void {
  checkObject(caller, options, name ? `${name} to be an object of options` : 'an object of options');
  const table = rules as RuleTable;
  for (const [key, value] of Object.entries(options)) {
    const path = name ? `${name}.${key}` : key;
    if (!Object.hasOwn(table, key)) throw unknownOption(caller, path, Object.keys(table), key);
    if (value !== undefined) checkRule(caller, path, value, table[key]);
  }
}

/** A table for every kind of options that have a `kind`. */
export type RulesByKind<Options extends { readonly kind: string }> = {
  readonly [Kind in Options['kind']]: Rules<Extract<Options, { readonly kind: Kind }>>;
};

/** `checkOptions` for options whose `kind` decides which others there are, beside those of `common`. */
export function checkVariant<Options extends { readonly kind: string }>(
  caller: string,
  options: Options,
  tables: RulesByKind<Options>,
  name = '',
  common: RuleTable = {},
): void {
  checkObject(caller, options, name ? `${name} to be options with a kind` : 'options with a kind');
  checkChoice(caller, name ? `${name}.kind` : 'kind', options.kind, Object.keys(tables));
  const table = tables[options.kind as Options['kind']];
  checkOptions(caller, options as object, { ...common, ...table } as Rules<object>, name);
}

/** The options without those that are undefined, so that defaults apply to them. */
export function defined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function checkRule(caller: string, name: string, value: unknown, rule: Rule): void {
  if (typeof rule === 'function') rule(caller, name, value as never);
  else if (typeof rule === 'string') checkKind(caller, name, value, rule);
  else if (isChoices(rule)) checkChoice(caller, name, value as string, rule);
  else checkOptions(caller, value as object, rule as Rules<object>, name);
}

function checkKind(caller: string, name: string, value: unknown, kind: keyof typeof kinds): void {
  const type = typeof value;
  const fits =
    kind === 'any' ||
    (kind === 'seed' && (type === 'number' || type === 'string')) ||
    (kind === 'array' && Array.isArray(value)) ||
    (kind === 'signal' && typeof (value as AbortSignal | null)?.throwIfAborted === 'function') ||
    (type === kind && value !== null && !Array.isArray(value));
  if (!fits) throw badKind(caller, `${name} to be ${kinds[kind]}`, value);
}

function isChoices(rule: readonly string[] | RuleTable): rule is readonly string[] {
  return Array.isArray(rule);
}

function unknownOption(caller: string, path: string, known: readonly string[], key: string): TypeError {
  const near = nearestName(key, known);
  const parent = path.slice(0, path.length - key.length);
  const way = near
    ? `did you mean '${parent}${near}'?`
    : `known ${known.length > 1 ? 'are' : 'is'} ${known.join(', ')}.`;
  return new TypeError(`${caller}: unknown option '${excerpt(path)}'; ${way}`);
}

/** The known name that differs least; undefined if none differs by a third of the letters or fewer, but at least two. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 40) return undefined;
  const distances = known.map((other) => editDistance(name.toLowerCase(), other.toLowerCase()));
  const least = Math.min(...distances);
  return least <= Math.max(2, name.length / 3) && least < name.length ? known[distances.indexOf(least)] : undefined;
}

/** The least number of letters to insert, delete or replace (Levenshtein). */
function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const letter of a) {
    let diagonal = row[0]++;
    for (let j = 1; j <= b.length; j++) {
      const replaced = diagonal + Number(letter !== b[j - 1]);
      diagonal = row[j];
      row[j] = Math.min(replaced, row[j] + 1, row[j - 1] + 1);
    }
  }
  return row[b.length];
}
