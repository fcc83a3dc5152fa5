/**
 * `npm run bench:compare -- OTHER [groups] [--rounds N] [--quick]`: compares this checkout with another one. The benches run
 * alternately in both, each time in a process of its own, and the fastest time of every row counts.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatMilliseconds, formatTable } from '../lib/charts/table.ts';
import type { Report } from './report/report.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
});
const [other, ...named] = positionals;
const rounds = Number(values.rounds);
if (!other || !existsSync(join(other, 'bench/main.ts')) || !(rounds >= 1)) {
  console.error('bench:compare: expected the folder of another checkout, and at least 1 round.');
  process.exit(2);
}
const groups = named.length > 0 ? named : ['train', 'solver', 'eigen'];
const folders = { old: resolve(other), new: process.cwd() };

/** Fastest time of each row, in milliseconds. */
const best: Record<keyof typeof folders, Map<string, number>> = { old: new Map(), new: new Map() };
for (let round = 0; round < rounds; round++) {
  for (const side of round % 2 === 0 ? (['old', 'new'] as const) : (['new', 'old'] as const)) {
    for (const [row, time] of timesOf(folders[side])) {
      best[side].set(row, Math.min(time, best[side].get(row) ?? Infinity));
    }
    console.error(`round ${round + 1} of ${rounds}: ${side} done`);
  }
}

const rows = [...best.new].flatMap(([row, time]) => {
  const before = best.old.get(row);
  if (before === undefined) return [];
  return [[row, formatMilliseconds(before), formatMilliseconds(time), (time / before).toFixed(3)]];
});
console.log(formatTable(['row', 'old', 'new', 'new/old'], rows, 1));

function timesOf(folder: string): [row: string, milliseconds: number][] {
  const options = ['--import', 'tsx', 'bench/main.ts', ...groups, '--json', '--no-peers'];
  const { stdout, status } = spawnSync('node', values.quick ? [...options, '--quick'] : options, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // A bench that misses a target prints its report and exits with 1.
  if (status !== 0 && status !== 1)
    throw new Error(`bench:compare: the benches in ${folder} ended with code ${status}.`);
  const report = JSON.parse(stdout) as Report;
  return Object.entries(report.groups).flatMap(([group, measured]) =>
    measured.rows.flatMap(({ kernel, size, ours, others }) => {
      const name = `${group}: ${kernel}, ${size}`;
      const threads = Object.entries(others).flatMap(([rival, found]) =>
        rival.endsWith('threads') && 'time' in found ? [[`${name}, ${rival}`, found.time] as [string, number]] : [],
      );
      return [[name, ours.time] as [string, number], ...threads];
    }),
  );
}
