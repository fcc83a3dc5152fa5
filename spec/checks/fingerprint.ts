/**
 * Fingerprints of results, for comparing two checkouts bit for bit:
 * `fingerprint.ts [ROOT] [--out FILE.json] [--against FILE.json] [--only GROUP]`. ROOT is installed and built; it is this
 * repository by default. Exit code 1 if an entry differs or throws.
 */

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type GroupName, groups } from './fingerprint/groups.ts';
import { differences, type Entries } from './fingerprint/record.ts';

interface File {
  readonly node: string;
  readonly entries: Entries;
}

/** How many numbers of an entry the table shows. */
const shown = 2;
const repository = fileURLToPath(new URL('../..', import.meta.url));
const worker = fileURLToPath(new URL('./fingerprint/worker.ts', import.meta.url));
/** Sines and exponentials depend on the JavaScript engine. */
const node = `${process.version} ${process.arch}`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, against: { type: 'string' }, only: { type: 'string' } },
});
const names = Object.keys(groups) as GroupName[];
const chosen = flags.only === undefined ? names : names.filter((name) => name === flags.only);
if (chosen.length === 0) throw new Error(`fingerprint: expected --only ${names.join(', ')}, got '${flags.only}'.`);
const before = flags.against === undefined ? null : (JSON.parse(readFileSync(flags.against, 'utf8')) as File);

const entries = await collect(resolve(positionals[0] ?? repository));
if (flags.out !== undefined) writeFileSync(flags.out, `${JSON.stringify({ node, entries } satisfies File)}\n`);
const failed = Object.entries(entries).filter(([, { error }]) => error !== undefined);
if (before) compare(before);
else console.log(table());
for (const [name, { error }] of failed) console.log(`${name} throws: ${error}`);
console.log(`${Object.keys(entries).length} entries, ${failed.length} of them throw.`);
if (failed.length > 0) process.exitCode = 1;

/** Runs as many processes at once as there are processors. Entries are in the order of the groups. */
async function collect(root: string): Promise<Entries> {
  const tasks = chosen.flatMap((group) =>
    groups[group].environments.map((environment) => [group, environment] as const),
  );
  const found: Entries[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < tasks.length) {
      const at = next++;
      found[at] = JSON.parse(await run([root, ...tasks[at]])) as Entries;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return Object.assign({}, ...found) as Entries;
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((done, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', worker, ...args], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) done(Buffer.concat(chunks).toString());
      else reject(new Error(`fingerprint: the group ${args[1]} [${args[2]}] ended with exit code ${code}.`));
    });
  });
}

function compare(file: File): void {
  if (file.node !== node) console.log(`Made by another engine: ${file.node}, this is ${node}.`);
  const isChosen = (name: string): boolean => chosen.some((group) => name.startsWith(`${group}/`));
  const known = Object.fromEntries(Object.entries(file.entries).filter(([name]) => isChosen(name)));
  const found = differences(known, entries);
  console.log([...found, found.length === 0 ? 'All entries are equal.' : `${found.length} entries differ.`].join('\n'));
  if (found.length > 0) process.exitCode = 1;
}

function table(): string {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  const lines = Object.entries(entries).map(([name, { hash, parts }]) => {
    const sample = Object.values(parts)[0]?.sample.slice(0, shown) ?? [];
    return `${name.padEnd(width)}  ${hash}  ${sample.join(' ')}`;
  });
  return lines.join('\n');
}
