/** Spec files that share a process: the verdict, the counts and the output of each. */

import { spawn, type ChildProcess } from 'node:child_process';
import { compiledPath } from './compile.ts';
import { type Counts, splitAtEnd } from './ends.ts';
import { uncoveredFiles } from './slow-files.ts';

export interface Result {
  readonly file: string;
  /** What went wrong, or null if every test passed. */
  readonly failure: string | null;
  readonly passed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Everything the process wrote during the file, in order. */
  readonly output: string;
}

export interface RunOptions {
  /** The folder of the compiled modules. */
  readonly compiled: string;
  /** Seconds after which a file has failed, and its process is killed. */
  readonly timeout: number;
  /** Called when a process has started, and again when it has ended. */
  readonly onProcess?: (child: ChildProcess, isRunning: boolean) => void;
  readonly onResult: (result: Result) => void;
}

/**
 * Runs files in one process, and those after a file at which it ended in another one. All of them run with coverage, or none. A file
 * fails unless all of its tests passed and its process went on, or exited with 0 after the last file.
 */
export async function runSpecFiles(files: readonly string[], options: RunOptions): Promise<void> {
  for (let started = 0; started < files.length;) started += await runProcess(files.slice(started), options);
}

/** Returns how many of the files were started. */
function runProcess(files: readonly string[], options: RunOptions): Promise<number> {
  const { compiled, timeout, onProcess, onResult } = options;
  return new Promise((resolve) => {
    // A separate process group, so that processes started by the specs are killed with it.
    const compiledFiles = ['spec/runner/run-files.ts', ...files].map((file) => compiledPath(compiled, file));
    const child = spawn(process.execPath, ['--enable-source-maps', ...compiledFiles], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      env: environmentOf(files[0]),
    });
    onProcess?.(child, true);
    let current = 0;
    let start = performance.now();
    let output = '';
    let isLate = false;
    const stopLate = (): void => {
      isLate = true;
      killGroup(child);
    };
    let timer = setTimeout(stopLate, 1000 * timeout);
    const report = (text: string, counts: Counts, failure: string | null): void => {
      const seconds = (performance.now() - start) / 1000;
      onResult({
        file: files[current],
        failure,
        passed: counts.passed,
        skipped: counts.skipped,
        seconds,
        output: text,
      });
    };
    const collect = (text: string): void => {
      output += text;
      // The last file ends with the process.
      for (let end = splitAtEnd(output); end && current < files.length - 1; end = splitAtEnd(output)) {
        report(end.before, end.counts, judge(end.counts));
        output = end.after;
        current++;
        start = performance.now();
        clearTimeout(timer);
        timer = setTimeout(stopLate, 1000 * timeout);
      }
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    const finish = (ending: string | null): void => {
      clearTimeout(timer);
      onProcess?.(child, false);
      const end = splitAtEnd(output);
      const counts = end?.counts ?? { total: 0, passed: 0, skipped: 0 };
      const tests = end ? judge(counts) : 'ended before its tests';
      const failure = isLate ? `did not end within ${timeout} s and was killed` : (ending ?? tests);
      report(end ? end.before + end.after : output, counts, failure);
      resolve(current + 1);
    };
    child.on('error', ({ message }) => finish(`did not start: ${message}`));
    child.on('close', (code, signal) => finish(describeExit(code, signal)));
  });
}

/**
 * The variables of a process, as they are when it starts. A CI service asks for colors by variables of its own, and the specs
 * compare what programs print.
 */
function environmentOf(file: string): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' };
  delete environment.FORCE_COLOR;
  if (uncoveredFiles.has(file)) environment.NODE_V8_COVERAGE = '';
  return environment;
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

function judge({ total, passed }: Counts): string | null {
  if (total === 0) return 'ran no test; a suite needs a test and a call of run()';
  return passed === total ? null : `${total - passed} of ${total} tests failed`;
}

function describeExit(code: number | null, signal: string | null): string | null {
  if (signal) return `was ended by ${signal}`;
  return code === 0 ? null : `exited with code ${code}`;
}
