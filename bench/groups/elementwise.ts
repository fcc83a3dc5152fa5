/** Times of activations and their derivatives, for arrays inside and outside the cache. */

import type { Activation } from '../../lib/kernels/types.ts';
import { bothTwins, normals, zeros } from '../loads/data.ts';
import { sequentially } from '../sequentially.ts';
import { type Competitor, local } from '../measure.ts';
import { tfjsCompetitor } from '../competitors/peers.ts';
import { type Context, type Group, measureRow, type Row } from '../report/row.ts';

const activations = ['relu', 'tanh', 'softplus', 'sigmoid'] as const;
const sizes = [
  { size: '45×256', n: 45 * 256 },
  { size: '1000000', n: 1e6 },
];

export const elementwise: Group = async (context) => {
  const rows = await sequentially(sizes, ({ size, n }) =>
    sequentially(activations, async (activation) => [
      await measureForward(context, activation, size, n),
      await measureBackward(context, activation, size, n),
    ]),
  );
  return rows.flat(2);
};

async function measureForward(context: Context, activation: Activation, size: string, n: number): Promise<Row> {
  const { simd, plain } = bothTwins();
  const x = normals('x', n, 2);
  const out = zeros(n);
  const competitors = [
    local(
      'ours',
      () => simd.activate(activation, n, x.ours, out.ours),
      () => out.ours,
    ),
    local(
      'plain',
      () => plain.activate(activation, n, x.heap, out.heap),
      () => out.heap,
    ),
    await tfjs(context, activation, x.heap),
  ];
  return measureRow(context, activation, size, { amount: 8 * n, unit: 'byte' }, competitors);
}

async function tfjs(context: Context, activation: Activation, x: Float32Array): Promise<Competitor | null> {
  const tf = await context.peers.tfjs();
  if (!tf || (activation !== 'relu' && activation !== 'tanh')) return null;
  return tfjsCompetitor(tf, 'wasm', [[x, [x.length]]], (tensor) => tf[activation](tensor));
}

async function measureBackward(context: Context, activation: Activation, size: string, n: number): Promise<Row> {
  const { simd, plain } = bothTwins();
  const y = normals('x', n, 2);
  for (const side of ['ours', 'heap'] as const) plain.activate(activation, n, y[side], y[side]);
  const gradient = normals('gradient', n);
  const out = zeros(n);
  const competitors = [
    local(
      'ours',
      () => simd.activateBackward(activation, n, y.ours, gradient.ours, out.ours, false),
      () => out.ours,
    ),
    local(
      'plain',
      () => plain.activateBackward(activation, n, y.heap, gradient.heap, out.heap, false),
      () => out.heap,
    ),
  ];
  return measureRow(context, `${activation} backward`, size, { amount: 12 * n, unit: 'byte' }, competitors);
}
