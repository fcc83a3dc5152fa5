/** Times of dense products, in the shapes that occur in training. */

import { Matrix } from 'ml-matrix';
import { bothTwins, normals, zeros } from '../loads/data.ts';
import { sequentially } from '../sequentially.ts';
import { type Competitor, local } from '../measure.ts';
import { type TfBackend, tfjsCompetitor } from '../competitors/peers.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';

type Size = readonly [m: number, k: number, n: number];

/**
 * Written m×k·n: the first and second layer for MNIST, a square product, the two layers for one moon, and a batch of
 * two.
 */
const sizes: readonly Size[] = [
  [45, 784, 256],
  [45, 256, 256],
  [512, 512, 512],
  [620, 2, 128],
  [620, 128, 2],
  [2, 256, 256],
];

const products = [
  { kernel: 'A·B', routine: 'matmul', transposeA: false, transposeB: false },
  { kernel: 'Aᵀ·B', routine: 'matmulTransposeA', transposeA: true, transposeB: false },
  { kernel: 'A·Bᵀ', routine: 'matmulTransposeB', transposeA: false, transposeB: true },
] as const;

type Product = (typeof products)[number];

export const dense: Group = async (context) => {
  const rows = await sequentially(sizes, (size) =>
    sequentially(products, (product) => measureProduct(context, product, size)),
  );
  context.note('tfjs-wasm has its fast path for A·B only; with a transposed operand it runs a plain loop.');
  return rows.flat();
};

async function measureProduct(context: Context, product: Product, [m, k, n]: Size): Promise<Row> {
  const { simd, plain } = bothTwins();
  const { kernel, routine, transposeA, transposeB } = product;
  const a = normals('a', m * k);
  const b = normals('b', k * n);
  const out = zeros(m * n);
  const tf = await context.peers.tfjs();
  const tfjs = async (backend: TfBackend): Promise<Competitor | null> => {
    if (!tf) return null;
    const shapeA = transposeA ? [k, m] : [m, k];
    const shapeB = transposeB ? [n, k] : [k, n];
    const operands = [[a.heap, shapeA] as const, [b.heap, shapeB] as const];
    return tfjsCompetitor(tf, backend, operands, (x, y) => tf.matMul(x, y, transposeA, transposeB));
  };
  const competitors = [
    local(
      'ours',
      () => simd[routine](m, n, k, a.ours, b.ours, out.ours, false),
      () => out.ours,
    ),
    local(
      'plain',
      () => plain[routine](m, n, k, a.heap, b.heap, out.heap, false),
      () => out.heap,
    ),
    context.peers.wanted && kernel === 'A·B' ? mlMatrix(m, k, n, a.heap, b.heap) : null,
    await tfjs('cpu'),
    await tfjs('wasm'),
  ];
  return measureRow(context, kernel, `${m}×${k}·${n}`, { amount: 2 * m * n * k, unit: 'flop' }, competitors, true);
}

function mlMatrix(m: number, k: number, n: number, a: Float32Array, b: Float32Array): Competitor {
  const left = Matrix.from1DArray(m, k, a);
  const right = Matrix.from1DArray(k, n, b);
  let last = left;
  return local(
    'ml-matrix',
    () => {
      last = left.mmul(right);
    },
    () => last.to1DArray(),
  );
}
