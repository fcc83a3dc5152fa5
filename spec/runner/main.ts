/** `npm run spec`: runs spec files in parallel processes. `npm run spec -- --help` lists the options. */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compileAll } from './compile.ts';
import { runPool } from './pool.ts';
import { describeResult, describeRun } from './report.ts';
import { groupSpecs, selectSpecs } from './selection.ts';

const help = `npm run spec -- [PATTERN ...] [--quick] [--jobs N] [--timeout SECONDS]

Runs the spec files whose path matches any of the patterns, or all of them.

  --quick            leaves out the files listed in spec/runner/slow-files.ts
  --jobs N           processes at a time. Default: one more than there are cores.
  --timeout SECONDS  for one file. Default: 600.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      // One more than there are cores, since some specs wait for a browser, a disk or a registry.
      jobs: { type: 'string', default: String(availableParallelism() + 1) },
      timeout: { type: 'string', default: '600' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(help);
  const [jobs, timeout] = [readCount('--jobs', values.jobs), readCount('--timeout', values.timeout)];
  const { files, leftOut } = selectSpecs('spec', positionals, values.quick);
  if (files.length === 0) throw new Error(`no spec file matches ${positionals.join(' ')}`);

  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      abort.abort();
      console.error(`\nStopped by ${signal}.`);
      process.exit(1);
    });
  }
  const start = performance.now();
  const compiled = resolve(mkdtempSync('node_modules/.spec-'));
  process.once('exit', () => rmSync(compiled, { recursive: true }));
  await compileAll(compiled);
  const onResult = (result: Parameters<typeof describeResult>[0]): void => console.log(describeResult(result));
  const results = await runPool(groupSpecs(files, jobs), { compiled, jobs, timeout, onResult, signal: abort.signal });
  console.log(describeRun(results, (performance.now() - start) / 1000));
  if (leftOut.length > 0) console.log(`Left out as slow:\n${leftOut.map((file) => `  ${file}`).join('\n')}`);
  if (results.some(({ failure }) => failure !== null)) process.exitCode = 1;
}

function readCount(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`${name}: expected a positive integer, got ${text}`);
  return count;
}

try {
  await main();
} catch (error) {
  console.error(`spec: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
