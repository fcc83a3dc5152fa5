/** The help texts, generated from the tables of commands and flags. */

import type { Command } from './shared/command.ts';
import { type FlagName, flags, type FlagOverride } from './flags/flags.ts';

const exitCodes =
  'Exit codes: 0 success; 1 failed, or exact eigenvectors not converged; 2 wrong usage. Ctrl-C leaves no partial file.';

export function generalHelp(commands: Readonly<Record<string, Command>>): string {
  const lines = Object.entries(commands).map(([name, command]) => [synopsis(name, command), command.summary]);
  const first = Object.keys(commands)[0];
  return `specnet: spectral embedding that learns a function

Usage
${columns([...lines, ['help COMMAND', `show all flags and examples of a command, for instance specnet help ${first}`], ['--version', 'print the version']], '  specnet ')}

Files
  tables  .csv .tsv .txt .json .ndjson .arff .libsvm .parquet .arrow: columns of numbers are points, others are left out and named
  points  .npy .idx, one point per row
  graphs  .mtx (Matrix Market) .npz (scipy.sparse.save_npz), symmetric and nonnegative
  Points and .mtx may be gzipped: .csv.gz, .mtx.gz

${exitCodes}
`;
}

export function commandHelp(name: string, command: Command): string {
  const { summary, flags: known, overrides = {}, details, examples } = command;
  const parts = [
    `specnet ${synopsis(name, command)}: ${summary}`,
    `Flags\n${columns(
      known.map((flag) => flagLine(flag, overrides[flag])),
      '  ',
    )}`,
    ...details,
    `Examples\n${examples.map(([line, explanation]) => `  ${line}\n      ${explanation}`).join('\n')}`,
    exitCodes,
  ];
  return `${parts.join('\n\n')}\n`;
}

function synopsis(name: string, { operands }: Command): string {
  return [name, ...operands, '[flags]'].join(' ');
}

function flagLine(name: FlagName, override: FlagOverride | undefined): string[] {
  const { short, value, help }: { short?: string; value?: string; help: string } = flags[name];
  const long = `${short ? `-${short}, ` : ''}--${name}`;
  const shown = override?.value ?? override?.choices?.join('|') ?? value;
  return [shown ? `${long} ${shown}` : long, override?.help ?? help];
}

/** If the left column is longer than this, the right column goes on the next line. */
const widestLeft = 28;

function columns(rows: readonly (readonly string[])[], indent: string): string {
  const width = Math.max(...rows.map(([left]) => (left.length > widestLeft ? 0 : left.length)));
  return rows
    .map(([left, right]) =>
      left.length > widestLeft
        ? `${indent}${left}\n${' '.repeat(indent.length + width)}  ${right}`
        : `${indent}${left.padEnd(width)}  ${right}`,
    )
    .join('\n');
}
