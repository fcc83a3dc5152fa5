/** A worker that measures products with a matrix by `specnet/benchmark`: the user's file, or a generated one. */

import packageFile from '../../package.json' with { type: 'json' };
import {
  benchMatrix,
  benchWebGpu,
  type Benchmark,
  generateMatrix,
  type Machine,
  type MatrixBenchmark,
  measureMachine,
  plotBenchmark,
} from '../../lib/doors/benchmark.ts';
import {
  describeFindings,
  describeStructure,
  nameMachine,
  tableOfLimits,
  tableOfRows,
} from '../../lib/benchmark/report/describe.ts';
import { readMatrixMarket } from '../../lib/formats/matrix-market/matrix-market.ts';
import { readNpz } from '../../lib/formats/numpy/npz.ts';
import type { CsrMatrix } from '../../lib/sparse/csr.ts';
import { enableSimd } from '../../lib/wasm/simd.ts';
import { answerCalls, type CallContext, inOrder, plainClasses } from '../../lib/worker/calls.ts';
import { portToOwner } from '../../lib/worker/ports.ts';
import type { MatrixCalls, MatrixProgress, MatrixReport } from './matrix-calls.ts';
import { shortName, type UserFile } from './user-file.ts';

const now = (): number => performance.now();

/** Unless a page is isolated, the clock of a browser has a resolution of 0.1 to 1 ms: samples of 5 ms are accurate to 2 to 20 %. */
const pace = { budget: 25, sample: 5 };
const columns = [1, 8, 32];
/** The largest working set of the limits. */
const largest = 2 ** 26;
/** A header may claim this many rows: empty ones take memory as well. */
const maxDimension = 10_000_000;

/** The fractions of the work after which its parts end. */
const parts = { limits: 0.2, processor: 0.85, card: 1 };

async function measure(
  input: MatrixCalls['measure']['input'],
  { notify, signal }: CallContext<MatrixProgress>,
): Promise<MatrixReport> {
  signal.throwIfAborted();
  enableSimd();
  const name = typeof input === 'string' ? input : shortName(input.name);
  notify({ doing: `${typeof input === 'string' ? 'Generating' : 'Reading'} ${name}`, fraction: 0 });
  const matrix = typeof input === 'string' ? await generateMatrix(input, { signal }) : await read(input);
  const stage = (doing: string, from: number, to: number) => (fraction: number) =>
    notify({ doing, fraction: from + (to - from) * fraction });
  const limits = await measureMachine(now, {
    ...pace,
    largest,
    signal,
    progress: stage('Measuring the limits of this browser', 0, parts.limits),
  });
  const { threads } = limits;
  const onProcessor = await benchMatrix(matrix, now, {
    ...pace,
    name,
    limits,
    columns,
    threads,
    signal,
    progress: stage(`Multiplying by ${name}`, parts.limits, parts.processor),
  });
  const webgpu = await benchWebGpu(matrix, now, {
    ...pace,
    columns,
    signal,
    progress: stage('Multiplying by WebGPU', parts.processor, parts.card),
  });
  return reportOf({
    format: 'specnet-benchmark',
    version: 1,
    specnet: packageFile.version,
    machine: machineHere(),
    limits,
    matrices: [{ ...onProcessor, webgpu }],
  });
}

async function read({ name, bytes }: UserFile): Promise<CsrMatrix> {
  try {
    if (/\.npz$/i.test(name)) return await readNpz(bytes, { precision: 'double' });
    return await readMatrixMarket(bytes, { precision: 'double', maxDimension });
  } catch (error) {
    throw new RangeError(`${shortName(name)}: ${(error as Error).message}`);
  }
}

function reportOf(benchmark: Benchmark): MatrixReport {
  const { limits, machine } = benchmark;
  const matrix = benchmark.matrices[0] as MatrixBenchmark & Required<Pick<MatrixBenchmark, 'webgpu'>>;
  const failed = [...matrix.failed, ...matrix.webgpu!.failed];
  return {
    title: matrix.name,
    machine: nameMachine(machine, limits),
    limits: tableOfLimits(limits),
    structure: describeStructure(matrix).split('\n'),
    products: tableOfRows(matrix, limits.threads),
    findings: describeFindings(matrix, limits.threads),
    agrees: failed.every(({ isWrong }) => !isWrong),
    timed: [matrix.rows.length, matrix.webgpu!.rows.length],
    charts: { light: plotBenchmark(benchmark, 'svg', 'light'), dark: plotBenchmark(benchmark, 'svg', 'dark') },
    json: JSON.stringify(benchmark),
  };
}

/** What a browser tells about itself. It does not name the processor. */
function machineHere(): Machine {
  const { hardwareConcurrency, platform, userAgent } = navigator;
  // Edge names Chrome as well, and Chrome names Safari.
  const names = ['Firefox', 'Edg', 'Chrome', 'Version'].map((name) => new RegExp(`${name}/\\d+`).exec(userAgent)?.[0]);
  const engine = names.find((found) => found !== undefined)?.replace('/', ' ') ?? 'a browser';
  return {
    processor: 'this browser',
    processors: hardwareConcurrency,
    system: platform,
    engine: engine.replace('Version', 'Safari').replace('Edg ', 'Edge '),
  };
}

const enqueue = inOrder();

answerCalls<MatrixCalls>(portToOwner(), plainClasses, {
  measure: (input, context) => enqueue(() => measure(input, context)),
});
