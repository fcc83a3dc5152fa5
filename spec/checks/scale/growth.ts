/** Whether `--memory` is kept: what a command holds may grow with its memory, and with the points by the few bytes that docs/scale.md states. */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sequentially } from '../../../bench/sequentially.ts';
import { formatTable } from '../../../lib/charts/table.ts';
import { gridSide, writeEdges, writeRoll } from './data.ts';
import { runLimited } from './limited.ts';

/** Few points, and so many that their files are several times the memory. */
const sizes = [400, 90_000, 360_000] as const;
const memory = 2 ** 24;
/**
 * What the program itself takes, and the garbage that the engine has not collected yet. All entries of the graph of the most points take
 * 100 MiB, and twice as many while they are sorted: what is not counted exceeds this.
 */
const allowance = 200 * 2 ** 20;

/** The commands, and the bytes for each point that they take besides their memory. */
const commands: readonly [name: string, args: (at: (name: string) => string) => string, perPoint: number][] = [
  ['store --edges', (at) => `store ${at('edges.npy')} --edges --out ${at('graph')}`, 0],
  ['store, exact', (at) => `store ${at('points.npy')} --neighbors 12 --out ${at('built')}`, 0],
  ['store, in cells', (at) => `store ${at('points.npy')} --neighbors 12 --search approximate --out ${at('cells')}`, 8],
  [
    'embed, Ritz',
    (at) =>
      `embed ${at('points.npy')} --stored ${at('graph')} --method ritz --landmarks 64 --model ${at('ritz.specnet')}`,
    4,
  ],
  [
    'embed, SpecNet2',
    (at) =>
      `embed ${at('points.npy')} --stored ${at('graph')} --method specnet2 --hidden 16 --batch 256 --epochs 1 --model ${at('net.specnet')}`,
    8,
  ],
  ['transform', (at) => `transform ${at('net.specnet')} ${at('points.npy')} --out ${at('out.npy')}`, 0],
];

/** Runs the commands on points of three numbers, prints their largest resident sets, and returns how many held too much. */
export async function checkGrowth(folder: string, main: string): Promise<number> {
  const folders = await sequentially(sizes, async (points) => {
    const own = join(folder, `growth-${points}`);
    mkdirSync(own);
    writeRoll(join(own, 'points.npy'), gridSide(points));
    writeEdges(join(own, 'edges.npy'), gridSide(points));
    return own;
  });
  let failures = 0;
  const rows = await sequentially(commands, async ([name, args, perPoint]) => {
    const resident = await sequentially(folders, async (own) => {
      const words = args((file) => join(own, file)).split(' ');
      return (await runLimited([main, ...words, '--memory', '16MiB', '--quiet'], null)).resident;
    });
    const allowed = sizes.map((points) => memory + perPoint * points + allowance);
    const isKept = resident.every((bytes, k) => bytes <= allowed[k]);
    if (!isKept) failures++;
    return [name, ...resident.map(mebibytes), mebibytes(allowed[2]), isKept ? 'kept' : 'EXCEEDED'];
  });
  for (const own of folders) rmSync(own, { recursive: true });
  const header = [
    'resident, MiB, with --memory 16MiB',
    ...sizes.map((points) => `${points} points`),
    'allowed',
    'memory',
  ];
  console.log(`${formatTable(header, rows, 1)}\n`);
  return failures;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
