/** Times of products of a sparse and a dense matrix, and the effect of the order of rows. */

import { bothTwins, type RawCsr, normals, randomCsr, zeros } from '../loads/data.ts';
import { cFlavours, CLoops } from '../competitors/c-loop.ts';
import { byMathjs, byMlSparseMatrix, type ReadyProduct } from '../competitors/sparse-libraries.ts';
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
  const operands = { ...csr.heap, rows: n, cols: n, width, x: x.heap };
  const multiplications = csr.heap.values.length * width;
  const small = !transposed && multiplications <= patience;
  const competitors = [
    local('ours', product(simd, csr.ours, x.ours, out.ours), () => out.ours),
    local('plain', product(plain, csr.heap, x.heap, out.heap), () => out.heap),
    ...(loops ? await sequentially(cFlavours, (flavour) => loops.competitor(flavour, sizes, arrays)) : []),
    (await context.python?.competitor('scipy', { case: 'sparse', sizes, arrays })) ?? null,
    small ? await library('ml-sparse-matrix', byMlSparseMatrix(context.peers, operands)) : null,
    small ? await library('mathjs', byMathjs(context.peers, operands)) : null,
  ];
  const work = { amount: 2 * multiplications, unit: 'flop' } as const;
  return measureRow(context, transposed ? 'Sᵀ·X' : 'S·X', size, work, competitors);
}

/** A library in this process, as a competitor. */
async function library(name: string, ready: Promise<ReadyProduct | null>): Promise<Competitor | null> {
  const product = await ready;
  return product && local(name, product.run, product.result);
}
