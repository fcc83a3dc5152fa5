/** Runs a command line in this process for specs, with captured streams and its own files. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enableSimd, setThreads, simdStatus } from '../../lib/index.ts';
import { runCommand } from '../../lib/cli/commands.ts';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `step`: milliseconds that every reading of the clock takes. */
export async function run(args: readonly string[], interactive = false, step = 40, colored = false): Promise<Outcome> {
  let [out, err, time] = ['', '', 0];
  const before = simdStatus();
  try {
    const code = await runCommand(args, {
      print: (text) => void (out += text),
      note: (text) => void (err += text),
      now: () => (time += step),
      interactive,
      colored,
    });
    return { code, out, err };
  } finally {
    enableSimd();
    if (before.enabled) setThreads(before.threads);
  }
}

/** A temporary folder that is deleted after the callback. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'specnet-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function put(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Runs a program in its own process and sends SIGINT, as Ctrl-C does, once it has printed a line that ends in `now`. */
export async function interruptProgram(
  code: string,
): Promise<{ out: string; err: string; signal: NodeJS.Signals | null }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_V8_COVERAGE: '' },
  });
  let [out, err] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (text.includes('now\n')) child.kill('SIGINT');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (_status, signal) => resolve({ out, err, signal }));
  });
}
