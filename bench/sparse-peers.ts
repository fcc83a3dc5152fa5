/**
 * `node --import tsx bench/sparse-peers.ts [MATRIX…] [--record]`: A·X on the named set, by our kernels on one thread and by scipy, Eigen, GraphBLAS,
 * loops in C, and the JavaScript libraries tfjs, mathjs and ml-sparse-matrix, in one run. A peer that is not installed is left out, with a note. Results are compared before times are printed. Ratios above 1: ours is faster.
 * `--record` puts the rows of these matrices into docs/sparse-kernels/peers.json. Default: all small and medium matrices.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differenceOf, largestSums, roundingBound } from '../lib/benchmark/measure/agreement.ts';
import { paceOf, timeCallsSteps } from '../lib/benchmark/timing.ts';
import { geometricMean } from '../lib/benchmark/report/compare.ts';
import { Random } from '../lib/core/random.ts';
import { runSync } from '../lib/core/task.ts';
import type { Floats } from '../lib/kernels/types.ts';
import { generateMatrix, type MatrixName, matrixNames } from '../lib/matrices/catalog.ts';
import type { CsrMatrix } from '../lib/sparse/csr.ts';
import { toBlocked } from '../lib/sparse/formats/blocked.ts';
import { toHalf } from '../lib/sparse/formats/half.ts';
import { multiplyTo, type SparseMatrix } from '../lib/sparse/formats/multiply.ts';
import { sliceFill, toSliced } from '../lib/sparse/formats/sliced.ts';
import { matrixStructure } from '../lib/sparse/structure.ts';
import { type Precision, precisions, zeros } from '../lib/tensor/tensor.ts';
import { setThreads } from '../lib/wasm/set-threads.ts';
import { Peers } from './competitors/peers.ts';
import { findPython, oneThread } from './competitors/python.ts';
import { sparseLibraries, type SparseLibrary } from './competitors/sparse-libraries.ts';

const peersFolder = fileURLToPath(new URL('./peers/', import.meta.url));
const recordFile = fileURLToPath(new URL('../docs/sparse-kernels/peers.json', import.meta.url));
const milliseconds = 60;
const pace = paceOf('sparse-peers', () => performance.now(), { budget: milliseconds });
const widths = [1, 8];

/** A program that times A·X with the arrays in a folder, and writes its result there. */
interface Peer {
  readonly name: string;
  readonly version: string;
  command(folder: string, matrix: CsrMatrix, width: number): string[];
}

export interface PeerRow {
  readonly matrix: string;
  readonly precision: Precision;
  readonly columns: number;
  /** Milliseconds of a call, by name: compressed rows, the fastest of our formats, and peers. */
  readonly times: Readonly<Record<string, number>>;
  readonly fastest: string;
}

const working = mkdtempSync(join(tmpdir(), 'specnet-peers-'));
process.on('exit', () => rmSync(working, { recursive: true, force: true }));

const reals: Readonly<Record<Precision, string>> = { single: 'float', double: 'double' };

/** A program in C or C++, compiled for both precisions. Null, with a note, if that fails. */
function compiled(
  name: string,
  compiler: string,
  source: string,
  flags: readonly string[],
  words: Peer['command'],
  libraries: readonly string[] = [],
): Peer | null {
  const version = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0] ?? '';
  const program = (precision: Precision): string => join(working, `${name.replaceAll(/\W/g, '-')}-${precision}`);
  for (const precision of precisions) {
    const all = [...flags, `-DREAL=${reals[precision]}`, '-o', program(precision), peersFolder + source, ...libraries];
    const { status, stderr } = spawnSync(compiler, all, { encoding: 'utf8' });
    if (status === 0) continue;
    console.log(`${name} is left out: ${compiler} failed: ${stderr?.split('\n')[0] ?? 'it is not installed'}`);
    return null;
  }
  // A program of a library tells the version of the library.
  const own = spawnSync(program('single'), ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
  return {
    name,
    version: `${own === '' ? '' : `${own}, `}${compiler} ${flags.join(' ')} (${version})`,
    command: (folder, matrix, width) => [program(matrix.precision), ...words(folder, matrix, width)],
  };
}

function findPeers(): Peer[] {
  const ofLoop: Peer['command'] = (folder, { rows }, width) => [folder, `${rows}`, `${width}`, `${milliseconds}`];
  const ofEigen: Peer['command'] = (folder, { rows, cols }, width) =>
    [folder, `${rows}`, `${cols}`, `${width}`, `${milliseconds}`]; // oxfmt-ignore
  const python = findPython(console.log, 'scipy');
  const script = `${peersFolder}scipy_set.py`;
  const scipy: Peer | null = python === null ? null : {
    name: 'scipy',
    version: spawnSync(python, [script, '--version'], { encoding: 'utf8' }).stdout.trim(),
    command: (folder, matrix, width) => [python, script, ...ofEigen(folder, matrix, width), matrix.precision === 'single' ? 'f4' : 'f8'],
  }; // oxfmt-ignore
  const peers = [
    compiled('C, 128 bit', 'gcc', 'csr-set.c', ['-O3', '-msse4.2', '-DVECTORS'], ofLoop),
    compiled('C, native', 'gcc', 'csr-set.c', ['-O3', '-march=native', '-ffast-math'], ofLoop),
    compiled('Eigen', 'g++', 'eigen_set.cpp', ['-O3', '-msse4.2', '-I/usr/include/eigen3'], ofEigen),
    compiled('GraphBLAS', 'gcc', 'graphblas_set.c', ['-O3', '-I/usr/include/suitesparse'], ofEigen, ['-lgraphblas']),
    scipy,
  ];
  return peers.filter((peer) => peer !== null);
}

function timeOurs(matrix: SparseMatrix, width: number, x: Floats, out: Floats): number {
  return runSync(timeCallsSteps(() => multiplyTo(matrix, width, x, out), pace)).median;
}

/** The libraries take about 0.1 µs per multiplication: beyond this, one call takes seconds. */
const patience = 5e6;

/** Milliseconds of a call of a library in this process. Null if it is left out: too slow, of another precision, or wrong. */
async function timeLibrary(
  { name, precision, prepare }: SparseLibrary,
  matrix: CsrMatrix,
  width: number,
  x: Floats,
  isRight: (result: ArrayLike<number>) => boolean,
): Promise<number | null> {
  if (precision !== matrix.precision || matrix.nonzeros * width > patience) return null;
  const { rows, cols, starts, columns, values } = matrix;
  const product = await prepare(javascript, { rows, cols, width, starts, columns, values, x });
  if (!product) return null;
  product.run();
  if (!isRight(product.result())) {
    console.log(`${name} is left out: its result is not ours`);
    return null;
  }
  return runSync(timeCallsSteps(() => product.run(), pace)).median;
}

const javascript = new Peers(true, console.log);

async function measure(name: string, matrix: CsrMatrix, width: number, peers: readonly Peer[]): Promise<PeerRow> {
  const { precision, rows, cols, starts, columns, values } = matrix;
  const [x, out] = [zeros([cols, width], precision).data, zeros([rows, width], precision).data];
  new Random(0).fillUniform(x, -1, 1);
  const { blockFill, symmetry } = matrixStructure(matrix);
  const ways: [string, () => SparseMatrix][] = [['rows', () => matrix]];
  if (sliceFill(matrix) > 0.4) ways.push(['slices', () => toSliced(matrix)]);
  if (blockFill[1].fill > 0.4) ways.push(['blocks', () => toBlocked(matrix)]);
  if (symmetry === 'symmetric') ways.push(['half', () => toHalf(matrix)]);
  const times: Record<string, number> = {};
  for (const [way, make] of ways) times[way] = timeOurs(make(), width, x, out);
  const fastest = ways.map(([way]) => way).reduce((a, b) => (times[b] < times[a] ? b : a));
  multiplyTo(matrix, width, x, out);
  for (const [file, array] of Object.entries({ starts, columns, values, x })) writeFileSync(join(working, file), Buffer.from(array.slice().buffer)); // oxfmt-ignore
  const { sum, count } = largestSums(matrix).row;
  for (const peer of peers) {
    const [program, ...words] = peer.command(working, matrix, width);
    const { stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', env: { ...process.env, ...oneThread } });
    const bytes = new Uint8Array(readFileSync(join(working, 'result'))).buffer;
    const result = precision === 'single' ? new Float32Array(bytes) : new Float64Array(bytes);
    const difference = result.length === out.length ? differenceOf(result, out, sum) : Infinity;
    if (stdout.trim() === '' || !(difference <= roundingBound(count, precision === 'single'))) {
      console.log(`${name}, ${precision}, ${width}: ${peer.name} is left out: differs by ${difference} ${stderr}`);
    } else times[peer.name] = Number(stdout);
    rmSync(join(working, 'result'));
  }
  const isRight = (result: ArrayLike<number>): boolean =>
    result.length === out.length && differenceOf(Float64Array.from(result), out, sum) <= roundingBound(count, precision === 'single'); // oxfmt-ignore
  for (const library of libraries) {
    // oxlint-disable-next-line no-await-in-loop -- one after another, since they would disturb each other
    const time = await timeLibrary(library, matrix, width, x, isRight);
    if (time !== null) times[library.name] = time;
  }
  return { matrix: name, precision, columns: width, times, fastest };
}

const words = process.argv.slice(2);
const given = words.filter((word) => !word.startsWith('--')) as MatrixName[];
const names = given.length > 0 ? given : [...matrixNames('small'), ...matrixNames('medium')];
setThreads(1);
const peers = findPeers();
// Installs the libraries. Without them, the others take part alone.
const libraries = (await javascript.mathjs()) ? sparseLibraries() : [];
const everyone = [...peers, ...libraries];
for (const { name, version } of everyone) console.log(`${name}: ${version}`);
const rows: PeerRow[] = [];
for (const name of names) {
  const single = await generateMatrix(name);
  for (const precision of precisions) {
    const matrix = precision === 'single' ? single : single.copy('double');
    for (const width of widths) {
      const row = await measure(name, matrix, width, peers);
      rows.push(row);
      const cells = Object.entries(row.times).map(([way, time]) => `${way} ${time.toPrecision(3)}`);
      console.log(`${name}, ${precision}, K = ${width}: ${cells.join(', ')} ms`);
    }
  }
}
for (const precision of precisions) {
  for (const width of widths) {
    const group = rows.filter((row) => row.precision === precision && row.columns === width);
    const taking = everyone.filter(({ name }) => group.some(({ times }) => name in times));
    const ratios = taking.map(({ name, version }) => {
      const timed = group.filter(({ times }) => name in times);
      const mean = (way: (row: PeerRow) => string) => geometricMean(timed.map((row) => row.times[name] / row.times[way(row)])).toFixed(2); // oxfmt-ignore
      return `${name} (${version}) ${mean(() => 'rows')} by rows, ${mean(({ fastest }) => fastest)} by the fastest format`;
    });
    console.log(`${precision}, K = ${width}, ours over ${ratios.join('; ')}`);
  }
}
if (words.includes('--record')) {
  const versions = everyone.map(({ name, version }) => ({ name, version }));
  const earlier = existsSync(recordFile)
    ? (JSON.parse(readFileSync(recordFile, 'utf8')) as { rows: PeerRow[] }).rows
    : [];
  const kept = earlier.filter(({ matrix }) => !rows.some((row) => row.matrix === matrix));
  const record = { engine: `Node ${process.version}`, peers: versions, rows: [...kept, ...rows] };
  writeFileSync(recordFile, `${JSON.stringify(record)}\n`);
}
