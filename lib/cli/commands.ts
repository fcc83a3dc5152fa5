/** The table of commands, and the function that runs one from command-line arguments. */

import { setThreads } from '../wasm/set-threads.ts';
import { disableSimd, enableSimd } from '../wasm/simd.ts';
import { isInputError, parseArguments, UsageError, withoutCaller } from './shared/arguments.ts';
import { bench } from './commands/bench/bench.ts';
import { check } from './commands/check.ts';
import { cluster } from './commands/cluster.ts';
import { type Command, inputsAmong } from './shared/command.ts';
import { demo } from './commands/demo/demo.ts';
import { eigen } from './commands/eigen.ts';
import { embed } from './commands/embed.ts';
import { exportModel } from './commands/export.ts';
import { graph } from './commands/graph.ts';
import { commandHelp, generalHelp } from './help.ts';
import { plan } from './commands/tasks/plan.ts';
import { reproduce } from './commands/reproduce/reproduce.ts';
import { run } from './commands/tasks/run.ts';
import { solve } from './commands/solve.ts';
import { status } from './commands/tasks/status.ts';
import { submit } from './commands/tasks/submit.ts';
import { store } from './commands/store.ts';
import { checkOutputs, usesStandardOutput } from './shared/output.ts';
import { type ExitCode, Progress, type Terminal } from './shared/terminal.ts';
import { transform } from './commands/transform.ts';
import { verify } from './commands/verify.ts';
import { work } from './commands/tasks/work.ts';
import { packageVersion } from './shared/version.ts';

export const commands: Readonly<Record<string, Command>> = {
  embed,
  transform,
  export: exportModel,
  cluster,
  eigen,
  graph,
  store,
  solve,
  verify,
  reproduce,
  plan,
  run,
  work,
  submit,
  status,
  demo,
  check,
  bench,
};

/** Runs the command that the arguments name, and returns its exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [first, ...rest] = args;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help')
    return help(rest, first, terminal);
  if (first === '--version') {
    terminal.print(`${packageVersion()}\n`);
    return 0;
  }
  const command = findCommand(first);
  if (!command) return reportUsageError(terminal, 'specnet', unknownCommand(first), 'specnet --help');
  const start = terminal.now();
  try {
    const { flags, operands } = parseArguments(rest, command);
    if (flags.help) {
      terminal.print(commandHelp(first, command));
      return 0;
    }
    checkOutputs(inputsAmong(operands, command.operands), flags, command.overrides?.out?.value === 'FOLDER');
    if (flags.threads !== undefined) setThreads(flags.threads);
    if (flags['no-simd']) disableSimd();
    else enableSimd();
    const progress = new Progress(terminal, flags.quiet ?? false);
    try {
      const seconds = (): number => (terminal.now() - start) / 1000;
      const streams = usesStandardOutput(flags) ? { ...terminal, print: terminal.note } : terminal;
      return await command.run({ flags, operands, terminal: streams, progress, seconds });
    } catch (error) {
      progress.clear();
      throw error;
    }
  } catch (error) {
    if (error instanceof UsageError)
      return reportUsageError(terminal, `specnet ${first}`, error.message, `specnet help ${first}`);
    if (!isInputError(error)) throw error;
    terminal.note(`specnet ${first}: ${withoutCaller(error.message, rest)}\n`);
    return 1;
  }
}

function help(topics: readonly string[], word: string | undefined, terminal: Terminal): ExitCode {
  const [topic] = topics;
  if (topic === undefined) {
    terminal.print(generalHelp(commands));
    return word === undefined ? 2 : 0;
  }
  const command = findCommand(topic);
  if (!command) return reportUsageError(terminal, 'specnet help', unknownCommand(topic), 'specnet --help');
  terminal.print(commandHelp(topic, command));
  return 0;
}

function findCommand(name: string): Command | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

function unknownCommand(name: string): string {
  return `unknown command '${name}'. The commands are ${Object.keys(commands).join(', ')}.`;
}

function reportUsageError(terminal: Terminal, caller: string, problem: string, remedy: string): ExitCode {
  terminal.note(`${caller}: ${problem} Try ${remedy}.\n`);
  return 2;
}
