/** What is a command? What it reads and takes, how help tells of it, and what it does. */

import type { Arguments } from './arguments.ts';
import type { FlagName, Meaning } from './flags.ts';
import type { ExitCode, Progress, Terminal } from './terminal.ts';

export interface Command {
  /** For the list of commands: begins with a verb. */
  readonly summary: string;
  /** Files and names it takes, as help calls them. */
  readonly operands: readonly string[];
  readonly flags: readonly FlagName[];
  /** Of flags that mean something else here than elsewhere. */
  readonly meanings?: Meanings;
  /** Paragraphs after the flags: what --out writes, and the keys of its JSON. */
  readonly details: readonly string[];
  /** A command line, and what it does. Specs run them. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  run(call: Call): ExitCode | Promise<ExitCode>;
}

export type Meanings = { readonly [Name in FlagName]?: Meaning };

/** A command line that is under way. */
export interface Call extends Arguments {
  readonly terminal: Terminal;
  readonly progress: Progress;
  /** Since the command began. */
  seconds(): number;
}

/** Standard output gets the report as one JSON object, or the text for people. */
export function present({ flags, terminal }: Call, report: object, text: () => string): void {
  terminal.print(flags.json ? `${JSON.stringify(report)}\n` : `${text()}\n`);
}
