/**
 * `node --import tsx bench/sparse-roofline.ts [MATRIX…] [--record]`: A·X with large regular matrices against the bandwidth of the memory, in turns, because the
 * bandwidth of a shared machine changes within seconds: a loop that only reads; a loop that only multiplies and adds in registers; a loop that reads and writes as many bytes as the product,
 * in the same streams, and computes nothing; and our formats. The roofline is the larger of two times: of reading the bytes of a format, and of its arithmetic. `--record` puts the rows into docs/sparse-kernels/regular.json. Default: stencils, bands and blocks.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { limitKernels, resultLength } from '../lib/benchmark/machine/limit-kernels.ts';
import { peakConstants } from '../lib/benchmark/machine/programs.ts';
import { startThreads } from '../lib/benchmark/machine/threads.ts';
import { quantile } from '../lib/benchmark/timing.ts';
import { formatNumber } from '../lib/charts/table.ts';
import { generateMatrix, type MatrixName } from '../lib/matrices/catalog.ts';
import type { CsrMatrix } from '../lib/sparse/csr.ts';
import { toBlocked } from '../lib/sparse/formats/blocked.ts';
import { toSliced } from '../lib/sparse/formats/sliced.ts';
import { matrixStructure } from '../lib/sparse/structure.ts';
import { type Precision, precisions } from '../lib/tensor/tensor.ts';
import type { Assembler } from '../lib/wasm/assembler/assembler.ts';
import * as v128 from '../lib/wasm/assembler/instructions/v128.ts';
import { repeat, taking, variables, whileAtLeast } from '../lib/wasm/assembler/statements.ts';
import { Loans } from '../lib/wasm/loans.ts';
import { held } from '../lib/wasm/memory/marshal.ts';
import { productKernels } from '../lib/wasm/products-family.ts';
import { kernelFamily } from '../lib/wasm/simd.ts';

const recordFile = fileURLToPath(new URL('../docs/sparse-kernels/regular.json', import.meta.url));
const rounds = 9;
const readLength = 2 ** 26;
const line = 64;
const now = (): number => performance.now();

export interface RegularRow {
  readonly matrix: string;
  readonly precision: Precision;
  readonly columns: number;
  readonly threads: number;
  /** GB/s of the loop that reads, and of that of the same streams. */
  readonly read: number;
  readonly streams: number;
  /** GFLOP/s of the loop that multiplies and adds. */
  readonly peak: number;
  /** Operations of the product, without padding. */
  readonly flops: number;
  /** Milliseconds, and bytes by the model, by format. */
  readonly formats: Readonly<Record<string, { readonly milliseconds: number; readonly bytes: number }>>;
}

/** The share of the roofline that a format reaches, and which limit that is. */
export function roofOf(
  { read, peak, flops }: RegularRow,
  { milliseconds, bytes }: { readonly milliseconds: number; readonly bytes: number },
): { share: number; bound: 'memory' | 'arithmetic' } {
  // oxfmt-ignore
  const [reading, computing] = [bytes / read / 1e6, flops / peak / 1e6];
  return { share: Math.max(reading, computing) / milliseconds, bound: reading >= computing ? 'memory' : 'arithmetic' };
}

/** The format that takes the least time. */
export function fastestOf({ formats }: RegularRow): string {
  return Object.keys(formats).reduce((a, b) => (formats[b].milliseconds < formats[a].milliseconds ? b : a));
}

/** Reads `perA` lines of a, `perB` of b and `perX` of x, and writes `perX` lines of out, for each of `groups` groups of 16 rows. */
type Streams = (groups: number, perA: number, perB: number, perX: number, ...arrays: Float32Array[]) => void;

const plainStreams: { streams: Streams } = { streams: () => undefined };

function defineStreams(module: Assembler) {
  return module.define(taking(8), ([groups, perA, perB, perX, a, b, x, out], declare) => {
    const left = declare('i32');
    const joined = variables(declare, 'v128', 4);
    const read = (from: typeof a, count: typeof perA) =>
      repeat(left, count, [
        joined.map((bits, k) => bits.set(v128.and(bits, v128.load(from, 16 * k)))),
        from.step(line),
      ]);
    return [
      joined.map((bits) => bits.set(v128.load(a))),
      whileAtLeast(groups, 1, [
        read(a, perA),
        read(b, perB),
        read(x, perX),
        repeat(left, perX, [joined.map((bits, k) => v128.store(out, bits, 16 * k)), out.step(line)]),
      ]),
    ];
  });
}

const streamKernels = kernelFamily(
  plainStreams,
  (module: Assembler) => ({ run: defineStreams(module) }),
  ({ run }, host) => {
    // oxfmt-ignore
    const share = (groups: number, perA: number, perB: number, perX: number, a: number, b: number, x: number, out: number): void => {
      const executor = host.chooseExecutor(Infinity);
      const deferred = executor.defer(run);
      const step = executor.count === 1 ? groups : Math.ceil(groups / (8 * executor.count));
      for (let i = 0; i < groups; i += step) {
        const [atA, atB, atX] = [perA, perB, perX].map((lines) => line * lines * i);
        deferred(Math.min(step, groups - i), perA, perB, perX, a + atA, b + atB, x + atX, out + atX);
      }
      executor.finish();
    };
    return { streams: host.kernel(plainStreams.streams as never, held, share as never) as Streams };
  },
);

/** One way to move or to multiply, with its bytes by the model. */
interface Way {
  readonly name: string;
  readonly bytes: number;
  run(): void;
}

const peakIterations = 2 ** 17;

function waysOf(matrix: CsrMatrix, width: number, loans: Loans): Way[] {
  const { rows, cols, nonzeros, precision, starts, columns, values } = matrix;
  const size = precision === 'single' ? 4 : 8;
  const numbers = (length: number) => (size === 4 ? loans.float32(length) : loans.float64(length)).fill(0.5);
  const place = <T extends Int32Array | Float32Array | Float64Array>(array: T): T => {
    const copy = array instanceof Int32Array ? loans.int32(array.length) : numbers(array.length);
    copy.set(array);
    return copy as T;
  };
  const [x, out] = [numbers(cols * width), numbers(rows * width)];
  const dense = size * width * (rows + cols);
  const entries = nonzeros * (4 + size);
  const kernels = productKernels();
  const csr = [place(starts), place(columns), place(values)] as const;
  const ways: Way[] = [
    {
      name: 'rows',
      bytes: 4 * (rows + 1) + entries + dense,
      run: () => kernels.csrProduct(rows, width, ...csr, x, out),
    },
  ];
  {
    const sliced = toSliced(matrix);
    const arrays = [place(sliced.starts), place(sliced.order), place(sliced.columns), place(sliced.values)] as const;
    ways.push({ name: 'slices', bytes: rows / 2 + entries + dense, run: () => kernels.slicedProduct(rows, width, sliced.isOrdered, ...arrays, x, out) }); // oxfmt-ignore
  }
  if (matrixStructure(matrix).blockFill[1].fill > 0.4) {
    const blocked = toBlocked(matrix);
    const arrays = [place(blocked.starts), place(blocked.firsts), place(blocked.values)] as const;
    ways.push({ name: 'blocks', bytes: rows + blocked.firsts.length * (4 + 16 * size) + dense, run: () => kernels.blockedProduct(rows, cols, width, ...arrays, x, out) }); // oxfmt-ignore
  }
  const perRow = Math.max(1, Math.round(nonzeros / rows));
  const lines = [perRow, (perRow * size) / 4, (width * size) / 4] as const;
  const groups = Math.floor(rows / 16);
  const arrays = [...lines, lines[2]].map((count) => loans.float32((line / 4) * count * groups).fill(1));
  const moved = line * groups * (lines[0] + lines[1] + 2 * lines[2]);
  ways.push({ name: 'streams', bytes: moved, run: () => streamKernels().streams(groups, ...lines, ...arrays) });
  return ways;
}

function measure(name: string, matrix: CsrMatrix, width: number): RegularRow[] {
  const loans = new Loans();
  try {
    const [array, result] = [loans.float32(readLength).fill(1), loans.float32(resultLength)];
    const read: Way = { name: 'read', bytes: 4 * readLength, run: () => limitKernels().readMemory(1, readLength, array, result) }; // oxfmt-ignore
    const constants = matrix.precision === 'single' ? loans.float32(peakConstants.length) : loans.float64(peakConstants.length); // oxfmt-ignore
    constants.set(peakConstants);
    let arithmetic = 0;
    const peak: Way = { name: 'peak', bytes: 0, run: () => (arithmetic = limitKernels().computePeak(peakIterations, constants, result)) }; // oxfmt-ignore
    const ways = [read, peak, ...waysOf(matrix, width, loans)];
    return [1, 2].map((threads) => {
      startThreads(threads, now);
      const times = ways.map((): number[] => []);
      for (let round = 0; round <= rounds; round++) {
        for (const [k, way] of ways.entries()) {
          const start = now();
          way.run();
          if (round > 0) times[k].push(now() - start);
        }
      }
      const medians = times.map((each) => quantile(each.toSorted((a, b) => a - b), 0.5)); // oxfmt-ignore
      const found = new Map(ways.map(({ name: way, bytes }, k) => [way, { milliseconds: medians[k], bytes }]));
      const rateOf = (way: string): number => found.get(way)!.bytes / found.get(way)!.milliseconds / 1e6;
      const [reading, streams] = [rateOf('read'), rateOf('streams')];
      const peakRate = arithmetic / found.get('peak')!.milliseconds / 1e6;
      for (const limit of ['read', 'streams', 'peak']) found.delete(limit);
      return { matrix: name, precision: matrix.precision, columns: width, threads, read: reading, streams, peak: peakRate, flops: 2 * matrix.nonzeros * width, formats: Object.fromEntries(found) }; // oxfmt-ignore
    });
  } finally {
    loans.giveBackAll();
  }
}

async function main(words: readonly string[]): Promise<void> {
  const given = words.filter((word) => !word.startsWith('--')) as MatrixName[];
  const regular: MatrixName[] = ['stencil-2d-large', 'stencil-3d-large', 'fem-blocks-large', 'banded-large'];
  const rows: RegularRow[] = [];
  for (const name of given.length > 0 ? given : regular) {
    const single = await generateMatrix(name);
    for (const precision of precisions) {
      const matrix = precision === 'single' ? single : single.copy('double');
      for (const width of [1, 8]) {
        for (const row of measure(name, matrix, width)) {
          rows.push(row);
          const cells = Object.entries(row.formats).map(([way, time]) => `${way} ${formatNumber(time.milliseconds)} ms (${Math.round(100 * roofOf(row, time).share)} %, ${roofOf(row, time).bound})`); // oxfmt-ignore
          console.log(`${name}, ${precision}, K = ${width}, ${row.threads} threads: read ${formatNumber(row.read)}, streams ${formatNumber(row.streams)} GB/s, peak ${formatNumber(row.peak)} GFLOP/s; ${cells.join(', ')}`); // oxfmt-ignore
        }
      }
    }
  }
  if (words.includes('--record')) {
    const earlier = existsSync(recordFile) ? (JSON.parse(readFileSync(recordFile, 'utf8')) as RegularRow[]) : [];
    const kept = earlier.filter(({ matrix }) => !rows.some((row) => row.matrix === matrix));
    writeFileSync(recordFile, `${JSON.stringify([...kept, ...rows])}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2));
  process.exit(0);
}
