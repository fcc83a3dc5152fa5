/** One spec file in a process of its own: its verdict, its counts and its output. */

import { spawn, type ChildProcess } from 'node:child_process';
import { compiledPath } from './compile.ts';
import { uncoveredFiles } from './slow-files.ts';

/**
 * The variables of a process that runs a file, as they are when it starts. A CI service asks for colors by variables of its own,
 * and the specs compare what programs print.
 */
function environmentOf(file: string): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' };
  delete environment.FORCE_COLOR;
  if (uncoveredFiles.has(file)) environment.NODE_V8_COVERAGE = '';
  return environment;
}

export interface Result {
  readonly file: string;
  /** What went wrong, or null if every test passed. */
  readonly failure: string | null;
  readonly passed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Everything the process wrote, in order. */
  readonly output: string;
}

export interface RunOptions {
  /** The folder of the compiled modules. */
  readonly compiled: string;
  /** Seconds after which the process is killed and the file has failed. */
  readonly timeout: number;
  /** Called when the process has started, and again when it has ended. */
  readonly onProcess?: (child: ChildProcess, isRunning: boolean) => void;
}

/** Runs a file to its end. Resolves in every case; a file fails unless it exits with 0 and all of its tests passed. */
export function runSpecFile(file: string, { compiled, timeout, onProcess }: RunOptions): Promise<Result> {
  return new Promise((resolve) => {
    const start = performance.now();
    // A separate process group, so that processes started by the spec are killed with it.
    const child = spawn(process.execPath, ['--enable-source-maps', compiledPath(compiled, file)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      env: environmentOf(file),
    });
    onProcess?.(child, true);
    let output = '';
    let isLate = false;
    const collect = (text: string): void => void (output += text);
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    const timer = setTimeout(() => {
      isLate = true;
      killGroup(child);
    }, 1000 * timeout);
    const finish = (ending: string | null): void => {
      clearTimeout(timer);
      onProcess?.(child, false);
      const counts = readCounts(output);
      const failure = isLate ? `did not end within ${timeout} s and was killed` : (ending ?? judge(counts));
      resolve({ file, failure, ...counts, seconds: (performance.now() - start) / 1000, output });
    };
    child.on('error', ({ message }) => finish(`did not start: ${message}`));
    child.on('close', (code, signal) => finish(code === 0 ? null : describeExit(code, signal, readCounts(output))));
  });
}

/** Ends a process together with the processes it has started. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

interface Counts {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

/** From the summary that uvu prints after the last suite; zeros if there is none. */
export function readCounts(output: string): Counts {
  const read = (name: string): number => {
    // oxlint-disable-next-line no-control-regex
    const found = [...output.matchAll(new RegExp(`^(?:\\x1b\\[\\d+m)*  ${name}: +(?:\\x1b\\[\\d+m)*(\\d+)`, 'gm'))];
    return Number(found[found.length - 1]?.[1] ?? 0);
  };
  return { total: read('Total'), passed: read('Passed'), skipped: read('Skipped') };
}

function judge({ total, passed }: Counts): string | null {
  if (total === 0) return 'ran no test; a suite needs a test and a call of run()';
  return passed === total ? null : `${total - passed} of ${total} tests failed`;
}

function describeExit(code: number | null, signal: string | null, counts: Counts): string {
  const { total, passed } = counts;
  if (total > passed) return judge(counts)!;
  return signal ? `was ended by ${signal}` : `exited with code ${code}`;
}
