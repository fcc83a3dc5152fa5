/** The parser of command-line arguments. It checks flags and operands before any file is opened. */

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { badValue } from '../../core/check.ts';
import { type FlagName, type Flags, flags, type FlagOverride, type FlagOverrides } from '../flags/flags.ts';
import { oneOf } from '../flags/kinds.ts';

/** An error in the command line itself, independent of the contents of files. Exit code 2. */
export class UsageError extends Error {}

/** Whether the library rejected its input. Any other error is a bug and is shown with its stack trace. */
export function isInputError(error: unknown): error is Error {
  return (error instanceof RangeError || error instanceof TypeError) && / expected .*, got /s.test(error.message);
}

/** The message of an input error without the function that begins it. A file that the arguments name stays. */
export function withoutCaller(message: string, args: readonly string[] = []): string {
  const [, caller] = /^([\w.-]+|the file): expected /.exec(message) ?? [];
  const isFile = caller?.includes('.') && args.includes(caller);
  return caller === undefined || isFile ? message : message.slice(caller.length + 2);
}

export interface Arguments {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/** The arguments of a command: its flags, the flags with a different meaning here, and the names of its operands. */
interface ArgumentRules {
  readonly flags: readonly FlagName[];
  readonly overrides?: FlagOverrides;
  /** A last operand in brackets with an ellipsis, such as [NAME…], may occur any number of times. */
  readonly operands: readonly string[];
}

/** Parses the arguments after the name of the command. */
export function parseArguments(
  args: readonly string[],
  { flags: known, overrides, operands }: ArgumentRules,
): Arguments {
  const { values, positionals } = parse(args, known);
  const read: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(values)) {
    read[name] = asUsageError(() => readFlag(name as FlagName, String(text), overrides?.[name as FlagName]));
  }
  // With --help the operands are not checked.
  if (read.help !== true) checkOperands(positionals, operands);
  return { flags: read, operands: positionals };
}

function parse(args: readonly string[], known: readonly FlagName[]) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const name of known) {
    const flag: { short?: string; value?: string } = flags[name];
    options[name] = { type: flag.value === undefined ? 'boolean' : 'string', ...(flag.short && { short: flag.short }) };
  }
  const joined = joinNegative(args.map(withoutAlias), options);
  return asUsageError(() => parseArgs({ args: joined, options, allowPositionals: true, strict: true }));
}

/** Other programs call a delimiter a separator. */
function withoutAlias(arg: string): string {
  return arg.replace(/^--separator(?==|$)/, '--delimiter');
}

/** Negative numbers as `--flag=-1`, and values that may begin with dashes: parseArgs takes them for flags. */
function joinNegative(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1) ?? '';
    const flag = last.startsWith('--') ? last.slice(2) : '';
    const takesValue = Object.hasOwn(options, flag) && options[flag].type === 'string';
    const isValue = /^-[\d.]/.test(arg) || (flags[flag as FlagName] as { dashes?: boolean } | undefined)?.dashes;
    if (takesValue && isValue) joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

function readFlag(name: FlagName, text: string, override: FlagOverride | undefined): unknown {
  const { choices, value } = override ?? {};
  if (value !== undefined) return text;
  if (choices?.includes(text)) return text;
  if (choices) throw badValue(`--${name}`, oneOf(choices), `'${text}'`);
  return flags[name].read(`--${name}`, text);
}

/** Checks the number of operands. A name that ends in an ellipsis allows any number; its command checks them. */
function checkOperands(given: readonly string[], expected: readonly string[]): void {
  if (given.length === expected.length || expected.at(-1)?.endsWith('…]')) return;
  const rule = expected.length === 0 ? 'no arguments' : expected.join(' ');
  throw new UsageError(`expected ${rule}, got ${given.length === 0 ? 'nothing' : `'${given.join(' ')}'`}.`);
}

/** Rethrows an error as a UsageError with its first sentence alone. Node adds advice on quoting that does not apply here. */
function asUsageError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\. |\n/)[0].replace(/\.?$/, '.'));
  }
}
