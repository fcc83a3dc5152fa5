/** Cases of the command line: what `verify` and `reproduce` print as JSON, without times. */

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine } from './api.ts';
import type { Environment } from './environment.ts';
import type { Case, Parts } from './record.ts';

interface Statement {
  readonly statement: string;
  readonly verdict: string;
}

interface Replica {
  readonly kind: string;
  readonly key: string;
  readonly numbers: unknown;
}

/** Experiments that are cheap enough: the solver's schemes, and trained networks. */
const experiments = ['one-moon-linear', 'two-moons'] as const;

/** Every statement in every kernel table, and the experiments in one of them. */
export async function commandCases(root: string, environment: Environment): Promise<readonly Case[]> {
  const kernels = environment.simd ? [] : ['--no-simd'];
  const verified = JSON.parse(
    await run(root, ['verify', '--instances', '2', '--json', '--quiet', ...kernels]),
  ) as Statement[];
  const statements = verified.map((evidence): Case => [
    `verify ${evidence.statement}`,
    () => ({ numbers: numbersIn(evidence), verdict: new TextEncoder().encode(evidence.verdict) }),
  ]);
  return environment.simd ? [...statements, ...(await replicaCases(root))] : statements;
}

async function replicaCases(root: string): Promise<Case[]> {
  const folder = await mkdtemp(join(tmpdir(), 'specnet-fingerprint-'));
  try {
    const short = ['--quick', '--replicas', '1', '--epochs', '2', '--json', '--quiet', '--out', folder];
    await run(root, ['reproduce', ...experiments, ...short]);
    const files = await Promise.all(experiments.map((name) => readFile(join(folder, `${name}.json`), 'utf8')));
    return files.flatMap((text, i) =>
      (JSON.parse(text) as { replicas: Replica[] }).replicas.map(({ kind, key, numbers }): Case => [
        `reproduce ${experiments[i]} ${kind} ${key}`,
        (): Parts => ({ numbers: numbersIn(numbers) }),
      ]),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Standard output. Exit code 1 is a verdict, other ones are failures. */
function run(root: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, commandLine), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 || code === 1) resolve(Buffer.concat(chunks).toString());
      else reject(new Error(`fingerprint: specnet ${args[0]} ended with exit code ${code}.`));
    });
  });
}

/** All numbers of a JSON value, in the order of the text. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}
