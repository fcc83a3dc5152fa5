/** Files of a data set for other processes: rows to fit and rows held out, with their labels. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../lib/core/random.ts';
import { readNpy, writeNpy } from '../../lib/formats/numpy/npy.ts';
import { readNpyTensor, writeNpyTensor } from '../../lib/formats/numpy/npy-tensor.ts';
import { readNpz, writeNpz } from '../../lib/formats/numpy/npz.ts';
import { isSparse, type Points, takePoints } from '../../lib/sparse/points.ts';
import type { LabeledPoints } from './sets.ts';

/** What the processes have to know besides the points. */
export interface SplitSettings {
  readonly clusters: number;
  readonly metric?: 'cosine';
  readonly isSparse: boolean;
  /** The label of points that count nowhere. */
  readonly outlier: number;
}

export interface Split extends SplitSettings {
  readonly train: LabeledPoints;
  readonly test: LabeledPoints;
}

const heldOut = 0.2;
const parts = ['train', 'test'] as const;

/** Writes a random fifth of the rows as held out, and the others. `draw`: which of several splits. */
export async function writeSplit(
  folder: string,
  { points, labels }: LabeledPoints,
  settings: Pick<SplitSettings, 'metric' | 'outlier'>,
  draw: number,
): Promise<SplitSettings & { readonly rows: number; readonly columns: number }> {
  const order = new Random(draw === 0 ? 'split' : `split ${draw}`).permutation(points.rows);
  const tested = Math.round(heldOut * points.rows);
  const rows = { test: order.slice(0, tested), train: order.slice(tested) };
  const write = async (part: 'train' | 'test'): Promise<void> => {
    const chosen = takePoints(points, rows[part]);
    const [ending, bytes] = isSparse(chosen) ? ['npz', await writeNpz(chosen)] : ['npy', writeNpyTensor(chosen)];
    writeFileSync(join(folder, `${part}.${ending}`), bytes);
    const own = Int32Array.from(rows[part], (row) => labels[row]);
    writeFileSync(join(folder, `${part}-labels.npy`), writeNpy(own, [own.length]));
  };
  await Promise.all(parts.map(write));
  const clusters = new Set(labels.filter((label) => label !== settings.outlier)).size;
  const whole = { ...settings, clusters, isSparse: isSparse(points) };
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(whole));
  return { ...whole, rows: rows.train.length, columns: points.cols };
}

export async function readSplit(folder: string): Promise<Split> {
  const settings = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8')) as SplitSettings;
  const read = async (part: (typeof parts)[number]): Promise<LabeledPoints> => {
    const bytes = readFileSync(join(folder, `${part}.${settings.isSparse ? 'npz' : 'npy'}`));
    const points: Points = settings.isSparse ? await readNpz(bytes) : await readNpyTensor(bytes);
    const { data } = readNpy(readFileSync(join(folder, `${part}-labels.npy`)));
    return { points, labels: Int32Array.from(data as Int32Array) };
  };
  const [train, test] = await Promise.all(parts.map(read));
  return { ...settings, train, test };
}
