/** The interface of a command: its arguments, its help text and its `run` function. */

import { formatNumber } from '../../charts/table.ts';
import type { LanczosProgress } from '../../linalg/lanczos/search.ts';
import type { SpectrumOptions } from '../../spectral/spectrum/spectrum.ts';
import type { Arguments } from './arguments.ts';
import type { FlagName, FlagOverrides } from '../flags/flags.ts';
import type { ExitCode, Progress, Terminal } from './terminal.ts';

export interface Command {
  /** One line for the list of commands. Begins with a verb. */
  readonly summary: string;
  /** The names of the operands in help and error messages. */
  readonly operands: readonly string[];
  readonly flags: readonly FlagName[];
  /** Flags whose help text or values differ in this command. */
  readonly overrides?: FlagOverrides;
  /** Paragraphs after the flags: what --out writes, and the keys of the JSON report. */
  readonly details: readonly string[];
  /** Command lines with explanations. Specs run them. */
  readonly examples: readonly (readonly [line: string, explanation: string])[];
  run(call: Call): ExitCode | Promise<ExitCode>;
}

const fileOperands = new Set(['FILE', 'MODEL', 'GRAPH', 'POINTS.npy']);

/** Those of the operands that are paths of files or folders to read, by their names. No output may be one of them. */
export function inputsAmong(operands: readonly string[], names: readonly string[]): string[] {
  return operands.filter((_, i) => fileOperands.has(names[i]));
}

/** One run of a command: its arguments, its outputs and its clock. */
export interface Call extends Arguments {
  readonly terminal: Terminal;
  readonly progress: Progress;
  /** Seconds since the command started. */
  seconds(): number;
}

/** Prints the report as one JSON object if --json is set, and the text otherwise. */
export function printReport({ flags, terminal }: Call, report: object, text: () => string): void {
  terminal.print(flags.json ? `${JSON.stringify(report)}\n` : `${text()}\n`);
}

/** The exit code of a command that found eigenvectors. If they have not converged, prints so, and after how much `work`. */
export function exitCodeOf(
  { terminal }: Call,
  command: string,
  { converged, residuals }: { readonly converged: boolean; readonly residuals: Float64Array },
  work: string,
  remedy: string,
): ExitCode {
  if (converged) return 0;
  const worst = formatNumber(Math.max(...residuals));
  terminal.note(`specnet ${command}: not converged after ${work}; residuals up to ${worst}. ${remedy}\n`);
  return 1;
}

/** The seed and the solver of exact eigenvectors as the flags state them. `describe` puts the progress in words. */
export function eigensolverOptions(
  { flags, progress }: Call,
  describe: (state: LanczosProgress) => string,
): Pick<SpectrumOptions, 'seed' | 'solver' | 'onRestart'> {
  return {
    seed: flags.seed ?? 0,
    ...(flags.solver && { solver: flags.solver }),
    onRestart: (state) => progress.show(describe(state)),
  };
}
