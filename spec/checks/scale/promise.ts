/**
 * Whether `--memory` is kept: a process holds at most that, 128 MiB for Node and the program, and the few bytes for each point that
 * docs/scale.md states. Each command runs in a cgroup of that size, where one can be made.
 */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sequentially } from '../../../bench/sequentially.ts';
import { formatTable } from '../../../lib/charts/table.ts';
import { gridSide, writeEdges, writeRoll } from './data.ts';
import { runLimited, whyUnlimited } from './limited.ts';

/** Node and the program, with what they have compiled and the garbage of the engine's heap. */
const fixed = 128;
/** Few points, and so many that their files are several times the least memory; then four times as many. */
const sizes = [400, 50_000, 200_000] as const;
const landmarks = 128;

/** A command, and the bytes that it may take besides its memory: for each point, and at all. */
interface PromisedCommand {
  readonly name: string;
  readonly args: (at: (name: string) => string) => string;
  readonly perPoint: number;
  readonly besides?: number;
}

const embed = (at: (name: string) => string): string => `embed ${at('points.npy')} --stored ${at('graph')}`;
const network = '--method specnet2 --hidden 16 --batch 256 --epochs 1';
/** The matrices of the problem, and what its solution takes. */
const pencil = 64 * landmarks ** 2;

const commands: readonly PromisedCommand[] = [
  { name: 'store --edges', args: (at) => `store ${at('edges.npy')} --edges --out ${at('graph')}`, perPoint: 0 },
  {
    name: 'store, exact',
    args: (at) => `store ${at('points.npy')} --neighbors 12 --search exact --out ${at('built')}`,
    perPoint: 0,
  },
  {
    name: 'store, in cells',
    args: (at) => `store ${at('points.npy')} --neighbors 12 --search approximate --out ${at('cells')}`,
    perPoint: 8,
  },
  {
    name: 'embed, Ritz',
    args: (at) => `${embed(at)} --method ritz --landmarks ${landmarks} --model ${at('ritz.specnet')}`,
    perPoint: 4,
    besides: pencil,
  },
  {
    name: 'embed, regression',
    args: (at) => `${embed(at)} --method regression --landmarks ${landmarks} --model ${at('taught.specnet')}`,
    perPoint: 24,
    besides: pencil,
  },
  { name: 'embed, SpecNet2', args: (at) => `${embed(at)} ${network} --model ${at('net.specnet')}`, perPoint: 8 },
  {
    name: 'embed, SpecNet2 edges',
    args: (at) => `${embed(at)} ${network} --scheme edges --model ${at('edges.specnet')}`,
    perPoint: 8,
  },
  {
    name: 'transform, landmarks',
    args: (at) => `transform ${at('ritz.specnet')} ${at('points.npy')} --out ${at('out.npy')}`,
    perPoint: 0,
  },
  {
    name: 'transform, network',
    args: (at) => `transform ${at('net.specnet')} ${at('points.npy')} --out ${at('out.npy')}`,
    perPoint: 0,
  },
];

/** Runs the commands with each memory, in MiB, on points of three numbers. Prints what they held, and returns how many exceeded it. */
export async function checkPromise(folder: string, main: string, memories: readonly number[]): Promise<number> {
  const folders = sizes.map((points) => {
    const own = join(folder, `promise-${points}`);
    mkdirSync(own);
    writeRoll(join(own, 'points.npy'), gridSide(points));
    writeEdges(join(own, 'edges.npy'), gridSide(points));
    return own;
  });
  let failures = 0;
  const canLimit = whyUnlimited() === null;
  const cases = memories.flatMap((memory) => commands.map((command) => ({ memory, command })));
  const rows = await sequentially(cases, async ({ memory, command }) => {
    const { name, args, perPoint, besides = 0 } = command;
    const allowedFor = (points: number): number => (memory + fixed) * 2 ** 20 + perPoint * points + besides;
    const held = await sequentially(folders.entries(), async ([k, own]) => {
      const points = sizes[k];
      const words = args((file) => join(own, file)).split(' ');
      // A command that stores a graph ends with its folder.
      if (name.startsWith('store')) rmSync(words.at(-1)!, { recursive: true, force: true });
      const allowed = allowedFor(points);
      const limit = canLimit ? Math.ceil(allowed / 4096) * 4096 : null;
      try {
        const { resident } = await runLimited([main, ...words, '--memory', `${memory}MiB`, '--quiet'], limit);
        if (resident > allowed) failures++;
        return `${mebibytes(resident)}${resident > allowed ? ' EXCEEDED' : ''}`;
      } catch (error) {
        if (/expected at least \d+ MiB of memory/.test((error as Error).message)) return 'refused';
        throw error;
      }
    });
    return [String(memory), name, ...held, mebibytes(allowedFor(sizes[2]))];
  });
  for (const own of folders) rmSync(own, { recursive: true });
  const header = ['--memory, MiB', 'resident, MiB', ...sizes.map((points) => `${points} points`), 'promised'];
  console.log(`${formatTable(header, rows, 2)}\n`);
  return failures;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
