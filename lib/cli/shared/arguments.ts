/** How do the words of a command line become flags and files? What is wrong with them is wrong usage, before any work. */

import { parseArgs, type ParseArgsConfig } from 'node:util';
import { badValue } from '../../core/check.ts';
import { type FlagName, type Flags, flags, type Meaning, oneOf } from './flags.ts';

/** The command line itself is wrong, whatever the files hold: exit 2. */
export class UsageError extends Error {}

export interface Arguments {
  readonly flags: Flags;
  readonly operands: readonly string[];
}

/** What a command says of its arguments: the flags it takes, what some mean to it alone, and what it calls its files. */
interface Grammar {
  readonly flags: readonly FlagName[];
  readonly meanings?: { readonly [Name in FlagName]?: Meaning };
  /** One in brackets that ends in an ellipsis may be there any number of times. */
  readonly operands: readonly string[];
}

/** Words after the command's name. */
export function parseArguments(args: readonly string[], { flags: known, meanings, operands }: Grammar): Arguments {
  const { values, positionals } = parse(args, known);
  const read: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(values)) {
    read[name] = asUsage(() => readFlag(name as FlagName, String(text), meanings?.[name as FlagName]));
  }
  // Who asks for help need not have the rest right.
  if (read.help !== true) checkOperands(positionals, operands);
  return { flags: read, operands: positionals };
}

function parse(args: readonly string[], known: readonly FlagName[]) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const name of known) {
    const flag: { short?: string; value?: string } = flags[name];
    options[name] = { type: flag.value === undefined ? 'boolean' : 'string', ...(flag.short && { short: flag.short }) };
  }
  return asUsage(() => parseArgs({ args: [...args], options, allowPositionals: true, strict: true }));
}

function readFlag(name: FlagName, text: string, meaning: Meaning | undefined): unknown {
  const { choices, value } = meaning ?? {};
  if (value !== undefined) return text;
  if (choices && !choices.includes(text)) throw badValue(`--${name}`, oneOf(choices), `'${text}'`);
  return flags[name].read(`--${name}`, text);
}

/** One whose name ends in an ellipsis stands for any number; the command says what it makes of them. */
function checkOperands(given: readonly string[], wanted: readonly string[]): void {
  if (given.length === wanted.length || wanted.at(-1)?.endsWith('…]')) return;
  const rule = wanted.length === 0 ? 'no arguments' : wanted.join(' ');
  throw new UsageError(`expected ${rule}, got ${given.length === 0 ? 'nothing' : `'${given.join(' ')}'`}.`);
}

/** Node ends its first sentence with advice on quoting that nobody needs here. */
function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\. |\n/)[0].replace(/\.?$/, '.'));
  }
}
