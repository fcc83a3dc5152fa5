/**
 * `node --import tsx bench/sparse-model.ts [MATRIX…] [--measure] [--count]`: where the time of A·X and Aᵀ·X from compressed rows goes, on one thread, in both precisions, with 1 and 8 columns. A model with a cost for each
 * cause is fitted to measured times; what each product needs is counted by a simulation of caches and branch prediction. `--measure` records times in docs/sparse-kernels/model.json, on a quiet machine,
 * `--count` counts; without them, recorded ones are used. Default: all matrices of the set.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { quantile } from '../lib/benchmark/timing.ts';
import { generateMatrix, type MatrixName, matrixNames } from '../lib/matrices/catalog.ts';
import type { CsrMatrix } from '../lib/sparse/csr.ts';
import { precisions, zeros } from '../lib/tensor/tensor.ts';
import { Loans } from '../lib/wasm/loans.ts';
import { productKernels } from '../lib/wasm/products-family.ts';
import { setThreads } from '../lib/wasm/set-threads.ts';
import { type Counts, countsOf, type ModelProduct } from './model/counts.ts';
import { describeModel, fitModel, type ModelRow } from './report/sparse-model.ts';

export const modelPath = fileURLToPath(new URL('../docs/sparse-kernels/model.json', import.meta.url));
const products: readonly ModelProduct[] = ['A·X', 'Aᵀ·X'];
const widths = [1, 8];
const milliseconds = 60;
const leastSamples = 5;
/** A sample has at least this many multiplications. */
const sampleWork = 2e6;

/** A recorded product; times and counts are recorded at different times. */
type Recorded = Omit<ModelRow, 'milliseconds' | 'counts'> & { milliseconds?: number; counts?: Counts };

/** The rows of the record that have both. */
export function recordedRows(): ModelRow[] {
  return readRecord().filter((row): row is ModelRow => row.milliseconds !== undefined && row.counts !== undefined);
}

function readRecord(): Recorded[] {
  return existsSync(modelPath) ? (JSON.parse(readFileSync(modelPath, 'utf8')) as Recorded[]) : [];
}

/** The median of the milliseconds of a call, by product, on one thread; arrays are in the memory of the kernels. */
function timesOf(matrix: CsrMatrix, width: number): Record<ModelProduct, number> {
  const loans = new Loans();
  try {
    const { rows, cols, nonzeros, precision } = matrix;
    const numbers = (length: number) => (precision === 'single' ? loans.float32(length) : loans.float64(length)).fill(0.5); // oxfmt-ignore
    const [starts, columns, values] = [loans.int32(rows + 1), loans.int32(nonzeros), numbers(nonzeros)];
    starts.set(matrix.starts);
    columns.set(matrix.columns);
    values.set(matrix.values);
    const [byColumn, byRow] = [numbers(cols * width), numbers(rows * width)];
    const { csrProduct, csrTransposeProduct } = productKernels();
    const ways: Record<ModelProduct, () => void> = {
      A·X: () => csrProduct(rows, width, starts, columns, values, byColumn, byRow),
      Aᵀ·X: () => csrTransposeProduct(rows, cols, width, starts, columns, values, byRow, byColumn),
    };
    const calls = Math.max(1, Math.ceil(sampleWork / (nonzeros * width)));
    const median = (run: () => void): number => {
      const samples: number[] = [];
      run();
      for (const end = performance.now() + milliseconds; samples.length < leastSamples || performance.now() < end;) {
        const start = performance.now();
        for (let call = 0; call < calls; call++) run();
        samples.push((performance.now() - start) / calls);
      }
      return quantile(samples.toSorted((a, b) => a - b), 0.5); // oxfmt-ignore
    };
    return { A·X: median(ways['A·X']), Aᵀ·X: median(ways['Aᵀ·X']) };
  } finally {
    loans.giveBackAll();
  }
}

async function extendRecord(names: readonly MatrixName[], isMeasuring: boolean, isCounting: boolean): Promise<void> {
  setThreads(1);
  zeros([1]);
  for (const name of names) {
    const single = await generateMatrix(name); // oxlint-disable-line no-await-in-loop -- one after another
    const found: Recorded[] = [];
    for (const precision of precisions) {
      const matrix = precision === 'single' ? single : single.copy('double');
      for (const columns of widths) {
        const times = isMeasuring ? timesOf(matrix, columns) : null;
        for (const product of products) {
          const key = { matrix: name, product, precision, columns, rows: matrix.rows, entries: matrix.nonzeros };
          const counts = isCounting ? { counts: countsOf(matrix, product, columns) } : {};
          found.push({ ...key, ...(times && { milliseconds: times[product] }), ...counts });
        }
      }
    }
    writeFileSync(modelPath, `${JSON.stringify(joined(readRecord(), found))}\n`);
    console.log(`${name}: recorded`);
  }
}

/** The record with what is new of each product. */
function joined(record: readonly Recorded[], found: readonly Recorded[]): Recorded[] {
  const keyOf = ({ matrix, product, precision, columns }: Recorded): string => `${matrix} ${product} ${precision} ${columns}`; // oxfmt-ignore
  const rows = new Map(record.map((row) => [keyOf(row), row]));
  for (const row of found) rows.set(keyOf(row), { ...rows.get(keyOf(row)), ...row });
  return [...rows.values()];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const named = words.filter((word) => !word.startsWith('--')) as MatrixName[];
  const [isMeasuring, isCounting] = ['--measure', '--count'].map((word) => words.includes(word));
  if (isMeasuring || isCounting) await extendRecord(named.length > 0 ? named : matrixNames(), isMeasuring, isCounting);
  console.log(describeModel(fitModel(recordedRows())));
}
