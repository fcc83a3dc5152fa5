/** Which commands are there, and what does each print? */

import { parseArgs } from 'node:util';
import { disableSimd, enableSimd } from '../wasm/simd.ts';
import { type CheckReport, checkKernels } from './check.ts';
import { formatMilliseconds, formatNumber, formatRatio, formatTable } from './table.ts';

/** What a command may do to the world. */
export interface Terminal {
  /** Standard output: the result and nothing else. */
  print(text: string): void;
  /** Standard error: progress, and what went wrong. */
  note(text: string): void;
  /** Milliseconds from some moment on. */
  now(): number;
  readonly interactive: boolean;
}

/** Done; failed, or not as it should be; wrong usage. */
export type ExitCode = 0 | 1 | 2;

const usage = `specnet: spectral embedding that learns a function

Usage
  specnet check [--json] [--no-simd] [--quiet]   try the kernels on this machine and show what they reach
  specnet --help                                 this text

Flags
  --json       one JSON object on standard output, numbers in full
  --no-simd    plain TypeScript kernels only
  --quiet      no progress
  -h, --help   this text

Exit codes: 0 done, 1 failed, 2 wrong usage.
`;

const flags = {
  json: { type: 'boolean' },
  'no-simd': { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Flags {
  readonly json: boolean;
  readonly quiet: boolean;
}

const commands: Record<string, (flags: Flags, terminal: Terminal) => ExitCode> = { check };

/** Runs the command line that the arguments spell out. */
export function runCommand(args: readonly string[], terminal: Terminal): ExitCode {
  const parsed = parse(args);
  if (typeof parsed === 'string') {
    terminal.note(`specnet: ${parsed} Try specnet --help.\n`);
    return 2;
  }
  const { values, positionals } = parsed;
  const [name, ...rest] = positionals;
  if (values.help || name === undefined) {
    terminal.print(usage);
    return values.help ? 0 : 2;
  }
  if (!Object.hasOwn(commands, name)) {
    terminal.note(
      `specnet: there is no command '${name}'; there is ${Object.keys(commands).join(', ')}. Try specnet --help.\n`,
    );
    return 2;
  }
  if (rest.length > 0) {
    terminal.note(`specnet ${name}: takes no arguments, got '${rest.join(' ')}'. Try specnet --help.\n`);
    return 2;
  }
  if (values['no-simd']) disableSimd();
  else enableSimd();
  return commands[name]({ json: values.json ?? false, quiet: values.quiet ?? false }, terminal);
}

function check({ json, quiet }: Flags, terminal: Terminal): ExitCode {
  const visible = terminal.interactive && !quiet;
  const report = checkKernels(terminal.now, undefined, (done) => {
    if (visible) terminal.note(`\rchecking the kernels … ${Math.round(100 * done)} %`);
  });
  if (visible) terminal.note('\r\u001b[K');
  terminal.print(json ? `${JSON.stringify(report)}\n` : describe(report));
  return report.agree ? 0 : 1;
}

function describe({ simd, kernels, agree }: CheckReport): string {
  const status = simd.enabled
    ? `SIMD kernels on, ${simd.bytes / 2 ** 30} GiB of ${simd.shared ? 'shared ' : ''}addresses`
    : `SIMD kernels off: ${simd.reason}`;
  const rows = kernels.map((report) => [
    report.kernel,
    report.size,
    formatMilliseconds(report.plain),
    formatMilliseconds(report.simd),
    formatRatio(report.plain / report.simd),
    `${formatNumber(report.reaches)} ${report.unit}`,
    formatNumber(report.difference),
  ]);
  const header = ['kernel', 'size', 'plain', simd.enabled ? 'SIMD' : 'in use', 'faster', 'reaches', 'differs by'];
  const verdict = agree
    ? `All ${kernels.length} agree with their plain twins.`
    : 'Some differ from their plain twins by more than rounding: please report this machine.';
  return `${status}\n\n${formatTable(header, rows)}\n\n${verdict}\n`;
}

/** The flags and arguments, or what is wrong with them. */
function parse(args: readonly string[]): ReturnType<typeof parseStrictly> | string {
  try {
    return parseStrictly(args);
  } catch (error) {
    return `${(error as Error).message.split('. ')[0].replace(/\.?$/, '.')}`;
  }
}

function parseStrictly(args: readonly string[]) {
  return parseArgs({ args: [...args], options: flags, allowPositionals: true, strict: true });
}
