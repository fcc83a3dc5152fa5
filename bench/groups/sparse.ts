/** Times of products of a sparse and a dense matrix, and the effect of the order of rows. */

import { bothTwins, type RawCsr, normals, randomCsr, zeros } from '../loads/data.ts';
import { cFlavours, CLoops } from '../competitors/c-loop.ts';
import { sequentially } from '../sequentially.ts';
import { type Competitor, local } from '../measure.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';

/** One moon, an MNIST subset, and two sizes that exceed the caches, the last also with neighbors near each other. */
const cases = [
  { n: 2000, perRow: 180, width: 2 },
  { n: 20000, perRow: 22, width: 6 },
  { n: 100000, perRow: 20, width: 8 },
  { n: 1000000, perRow: 16, width: 8 },
  { n: 1000000, perRow: 16, width: 8, band: 1000 },
];

/** The pure JavaScript libraries take about 0.1 µs per multiplication. */
const patience = 5e6;

export const sparse: Group = async (context) => {
  const loops = context.peers.wanted ? CLoops.start(context.note) : null;
  const rows = await sequentially(context.quick ? cases.slice(0, 3) : cases, ({ n, perRow, width, band }) => {
    const size = `${n}², ${perRow}/row · ${width}${band ? `, band ±${band}` : ''}`;
    context.say(`drawing ${size}`);
    const csr = randomCsr('sparse', n, perRow, band);
    return sequentially([false, true], (transposed) => measureProduct(context, loops, size, csr, n, width, transposed));
  });
  context.note(
    `ml-sparse-matrix and mathjs take part up to ${patience} multiplications: beyond that one call takes seconds.`,
  );
  return rows.flat();
};

type Csr = ReturnType<typeof randomCsr>;

async function measureProduct(
  context: Context,
  loops: CLoops | null,
  size: string,
  csr: Csr,
  n: number,
  width: number,
  transposed: boolean,
): Promise<Row> {
  const { simd, plain } = bothTwins();
  const x = normals('x', n * width);
  const out = zeros(n * width);
  const product = (kernels: typeof simd, { starts, columns, values }: RawCsr, from: Float32Array, to: Float32Array) =>
    transposed
      ? () => kernels.csrTransposeMatmul(n, n, width, starts, columns, values, from, to, false)
      : () => kernels.csrMatmul(n, width, starts, columns, values, from, to, false);
  const arrays = { ...csr.heap, x: x.heap };
  const sizes = { rows: n, width, transposed };
  const multiplications = csr.heap.values.length * width;
  const small = !transposed && multiplications <= patience;
  const competitors = [
    local('ours', product(simd, csr.ours, x.ours, out.ours), () => out.ours),
    local('plain', product(plain, csr.heap, x.heap, out.heap), () => out.heap),
    ...(loops ? await sequentially(cFlavours, (flavour) => loops.competitor(flavour, sizes, arrays)) : []),
    (await context.python?.competitor('scipy', { case: 'sparse', sizes, arrays })) ?? null,
    small ? await mlSparseMatrix(context, { csr: csr.heap, x: x.heap, n, width }) : null,
    small ? await mathjs(context, { csr: csr.heap, x: x.heap, n, width }) : null,
  ];
  const work = { amount: 2 * multiplications, unit: 'flop' } as const;
  return measureRow(context, transposed ? 'Sᵀ·X' : 'S·X', size, work, competitors);
}

/** S[n×n]·x[n×width]. */
interface Product {
  readonly csr: RawCsr;
  readonly x: Float32Array;
  readonly n: number;
  readonly width: number;
}

async function mlSparseMatrix(context: Context, { csr, x, n, width }: Product): Promise<Competitor | null> {
  const { starts, columns, values } = csr;
  const SparseMatrix = await context.peers.mlSparseMatrix();
  if (!SparseMatrix) return null;
  const left = new SparseMatrix(n, n, { initialCapacity: 2 * values.length });
  for (let i = 0; i < n; i++) for (let e = starts[i]; e < starts[i + 1]; e++) left.set(i, columns[e], values[e]);
  const right = new SparseMatrix(n, width, { initialCapacity: 2 * x.length });
  for (let i = 0; i < x.length; i++) right.set(Math.floor(i / width), i % width, x[i]);
  let last = right;
  return local(
    'ml-sparse-matrix',
    () => {
      last = left.mmul(right);
    },
    () => Array.from({ length: n * width }, (_, i) => last.get(Math.floor(i / width), i % width)),
  );
}

/** mathjs stores columns, so it receives the transposed arrays. The right-hand side is one of its dense matrices. */
async function mathjs(context: Context, { csr, x, n, width }: Product): Promise<Competitor | null> {
  const { starts, columns, values } = csr;
  const math = await context.peers.mathjs();
  if (!math) return null;
  const byColumn = Array.from({ length: n }, () => [] as [row: number, value: number][]);
  for (let i = 0; i < n; i++) for (let e = starts[i]; e < starts[i + 1]; e++) byColumn[columns[e]].push([i, values[e]]);
  const ptr = [0];
  for (const column of byColumn) ptr.push(ptr[ptr.length - 1] + column.length);
  const entries = byColumn.flat();
  const left = new math.SparseMatrix({
    values: entries.map(([, value]) => value),
    index: entries.map(([row]) => row),
    ptr,
    size: [n, n],
  });
  const right = math.matrix(Array.from({ length: n }, (_, i) => [...x.subarray(i * width, (i + 1) * width)]));
  let last = right;
  return local(
    'mathjs',
    () => {
      last = math.multiply(left, right);
    },
    () => last.toArray().flat(),
  );
}
