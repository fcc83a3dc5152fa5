/**
 * `node --import tsx bench/sparse-model.ts [MATRIX…] [--record]`: where the time of A·X goes. valgrind's cachegrind counts instructions, branches that are
 * mispredicted and cache misses of one product by the loop in C of the same access pattern, in Float32. A model with a cost for each is fitted to the times of compressed rows on one
 * thread in docs/sparse-kernels/benchmark.json, and compared with them. `--record` keeps the counts in docs/sparse-kernels/counts.json; without it, recorded ones are used.
 * Default: all matrices of the record.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../lib/core/random.ts';
import { generateMatrix, type MatrixName } from '../lib/matrices/catalog.ts';
import { zeros } from '../lib/tensor/tensor.ts';
import { type Counts, type CountRow, describeModel, fitModel, modelRows } from './report/sparse-model.ts';
import { recordedBenchmark } from './sparse-kernels.ts';

const peersFolder = fileURLToPath(new URL('./peers/', import.meta.url));
const recordFile = fileURLToPath(new URL('../docs/sparse-kernels/counts.json', import.meta.url));
const working = mkdtempSync(join(tmpdir(), 'specnet-model-'));
process.on('exit', () => rmSync(working, { recursive: true, force: true }));

/** Bytes, ways and line of the second and the last level of the caches of the machine of the record. */
const caches = { second: '1048576,8,64', last: '33554432,16,64' };

function compiled(source: string, ...flags: string[]): string {
  const program = join(working, `program-${flags.join('').replaceAll(/\W/g, '')}`);
  const { status, stderr } = spawnSync('gcc', [...flags, '-o', program, peersFolder + source], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`bench/sparse-model: gcc failed: ${stderr}`);
  return program;
}

/** What cachegrind counts in a run of this many calls, by the name of the event. */
function eventsOf(program: string, words: readonly string[], calls: number): Record<string, number> {
  const out = join(working, 'counts');
  const flags = ['--tool=cachegrind', '--branch-sim=yes', '--cache-sim=yes', `--D1=${caches.second}`, `--LL=${caches.last}`, `--cachegrind-out-file=${out}`]; // oxfmt-ignore
  const { status, stderr } = spawnSync('valgrind', [...flags, program, ...words, `${-calls}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`bench/sparse-model: valgrind failed: ${stderr}`);
  const lines = readFileSync(out, 'utf8').split('\n');
  const numbers = (start: string): string[] => lines.find((line) => line.startsWith(start))!.slice(start.length).trim().split(' '); // oxfmt-ignore
  const counts = numbers('summary:').map(Number);
  return Object.fromEntries(numbers('events:').map((event, k) => [event, counts[k]]));
}

/** The counts of one call with warm caches: those of two calls without those of one. */
function countsOf(program: string, words: readonly string[]): Counts {
  const [one, two] = [1, 2].map((calls) => eventsOf(program, words, calls));
  const sum = (...events: string[]): number => events.reduce((total, event) => total + two[event] - one[event], 0);
  return {
    instructions: sum('Ir'),
    mispredicted: sum('Bcm', 'Bim'),
    secondLevelMisses: sum('D1mr', 'D1mw'),
    lastLevelMisses: sum('DLmr', 'DLmw'),
  };
}

const words = process.argv.slice(2);
const isRecording = words.includes('--record');
const report = recordedBenchmark();
const named = words.filter((word) => !word.startsWith('--'));
const names = named.length > 0 ? named : report.matrices.map(({ name }) => name);
const earlier: CountRow[] = existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, 'utf8')) as { rows: CountRow[] }).rows : []; // oxfmt-ignore
const rows = [...earlier];
if (isRecording) {
  const program = compiled('csr-set.c', '-O3', '-msse4.2', '-DVECTORS', '-DREAL=float');
  for (const name of names) {
    const matrix = await generateMatrix(name as MatrixName); // oxlint-disable-line no-await-in-loop -- one after another
    for (const columns of [1, 8]) {
      const x = zeros([matrix.cols, columns]).data;
      new Random(0).fillUniform(x, -1, 1);
      const { starts, columns: indices, values } = matrix;
      for (const [file, array] of Object.entries({ starts, columns: indices, values, x })) writeFileSync(join(working, file), Buffer.from(array.slice().buffer)); // oxfmt-ignore
      const counts = countsOf(program, [working, `${matrix.rows}`, `${columns}`]);
      const at = rows.findIndex((row) => row.matrix === name && row.columns === columns);
      rows.splice(at < 0 ? rows.length : at, at < 0 ? 0 : 1, { matrix: name, columns, counts });
      console.log(name, columns, JSON.stringify(counts));
    }
  }
  const version = spawnSync('valgrind', ['--version'], { encoding: 'utf8' }).stdout.trim();
  writeFileSync(recordFile, `${JSON.stringify({ version, caches, rows })}\n`);
}
console.log(describeModel(fitModel(modelRows(report, rows))));
