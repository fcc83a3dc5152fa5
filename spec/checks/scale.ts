/**
 * `npm run check:scale`: stores a graph, learns from it and transforms its points in processes whose memory is limited by a
 * cgroup, once more without the limit, and compares the bits. Tests that processes keep to their
 * memory on few and on many points. Then kills building and learning at ten moments each. Exit code 1 if something differs.
 *
 *     -- --points 16000000    nodes of the graph; 304 bytes each. Default: 90000
 *     --limit 1024            MiB of the cgroup. Default: 1024
 *     --memory 512MiB         of the commands, in MiB. Default: 512MiB
 *     --steps 400             shuffled steps of SpecNet2, of 64 rows each
 *     --only PART             the commands whose name contains this
 *     --folder DIR            where the data is made, and kept. Default: a temporary folder
 *     --no-kills              leaves out the kills
 *     --no-promise            leaves out the test of memory
 *     --memories 16,64        MiB, of that test. Default: 16,64
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sequentially } from '../../bench/sequentially.ts';
import { formatTable } from '../../lib/charts/table.ts';
import { gridSide, writeEdges, writeRoll } from './scale/data.ts';
import { digest, killed } from './scale/kills.ts';
import { checkPromise } from './scale/promise.ts';
import { runLimited, type Usage, whyUnlimited } from './scale/limited.ts';

const main = join(process.cwd(), 'dist/lib/cli/main.js');
const { values: options } = parseArgs({
  options: {
    points: { type: 'string', default: '90000' },
    limit: { type: 'string', default: '1024' },
    memory: { type: 'string', default: '512MiB' },
    folder: { type: 'string' },
    steps: { type: 'string', default: '400' },
    only: { type: 'string', default: '' },
    'no-kills': { type: 'boolean', default: false },
    'no-promise': { type: 'boolean', default: false },
    memories: { type: 'string', default: '16,64' },
  },
});
/** The number of kills of each command. */
const kills = 10;
const killedPoints = 40_000;

const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'specnet-scale-'));
const at = (name: string): string => join(folder, name);
const common = ['--memory', options.memory, '--json', '--quiet'];
const batch = Math.min(16_384, gridSide(Number(options.points)) ** 2);
const network = `--method specnet2 --hidden 32 -k 2 --moments tracked --order cyclic --batch ${batch} --epochs 1`;

const store = (out: string): string[] => [main, 'store', at('edges.npy'), '--edges', '--out', out, ...common];
const learn =
  (how: string) =>
  (out: string): string[] =>
    [main, 'embed', at('points.npy'), '--stored', at('graph')].concat(how.split(' '), common, [
      '--model',
      `${out}.specnet`,
      '--out',
      `${out}.npy`,
    ]);

const shuffled = (out: string): string[] =>
  ['--import', 'tsx', 'spec/checks/scale/shuffled.ts', folder].concat(
    options.steps,
    String(parseInt(options.memory) * 2 ** 20),
    out,
  );

/** The parts of the check: their commands, and the output whose bits are compared. */
const parts: readonly [name: string, command: (out: string) => string[], out: string, ending: string][] = [
  ['store', store, 'graph', ''],
  ['embed --method ritz', learn('--method ritz --landmarks 512 -k 3'), 'ritz', '.npy'],
  ['embed --method specnet2', learn(network), 'specnet2', '.npy'],
  [`${options.steps} shuffled steps`, shuffled, 'shuffled', ''],
];

const why = whyUnlimited();
if (why) console.log(`No memory limit can be set here (${why}): the processes run without.`);
mkdirSync(folder, { recursive: true });
let failures = 0;
try {
  const side = gridSide(Number(options.points));
  if (!existsSync(at('points.npy'))) writeRoll(at('points.npy'), side);
  if (!existsSync(at('edges.npy'))) writeEdges(at('edges.npy'), side);
  console.log(`${side ** 2} points, edges of ${mebibytes(statSync(at('edges.npy')).size)} MiB`);
  const limit = why ? null : Number(options.limit) * 2 ** 20;
  const rows = await sequentially(
    parts.filter(([name]) => name.includes(options.only)),
    async ([name, command, out, ending]) => {
      const limited = await runLimited(command(at(out)), limit);
      const free = await runLimited(command(at(`${out}-free`)), null);
      const isSame = digest(at(`${out}${ending}`)) === digest(at(`${out}-free${ending}`));
      if (!isSame) failures++;
      return [name, ...figures(limited), free.wall.toFixed(1), isSame ? 'same' : 'DIFFERENT'];
    },
  );
  const header = ['', 'seconds', 'processor', 'resident, MiB', 'cgroup, MiB', 'disk, MiB', 'without', 'bits'];
  console.log(`${formatTable(header, rows, 1)}\n`);
  if (!options['no-promise']) {
    failures += await checkPromise(folder, main, options.memories.split(',').map(Number));
  }
  if (!options['no-kills']) await kill();
} finally {
  if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

function figures({ wall, processor, resident, held, fromDisk }: Usage): string[] {
  return [
    wall.toFixed(1),
    processor.toFixed(1),
    mebibytes(resident),
    held === null ? '–' : mebibytes(held),
    mebibytes(fromDisk),
  ];
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

/** Kills building and learning on a smaller graph. */
async function kill(): Promise<void> {
  const side = gridSide(Math.min(killedPoints, Number(options.points)));
  writeRoll(at('few.npy'), side);
  writeEdges(at('edges.npy'), side);
  const build = (out: string): string[] => [
    main,
    'store',
    at('few.npy'),
    '--neighbors',
    '12',
    '--out',
    out,
    '--memory',
    '16MiB',
  ];
  const how = '--method specnet2 --hidden 16 --epochs 2 --memory 16MiB'.split(' ');
  const train = (out: string): string[] =>
    [main, 'embed', at('few.npy'), '--stored', at('built')].concat(how, [
      '--checkpoint',
      `${out}.checkpoint`,
      '--model',
      out,
    ]);
  const cases: readonly [name: string, command: (out: string) => string[], outputs: readonly [string, string]][] = [
    ['build', build, [at('built'), at('built-killed')]],
    ['build in cells', (out) => [...build(out), '--search', 'approximate'], [at('cells'), at('cells-killed')]],
    ['learn', train, [at('model.specnet'), at('killed.specnet')]],
  ];
  await sequentially(cases, async ([name, command, outputs]) => {
    const { hits, different } = await killed(command, outputs, kills);
    failures += different;
    console.log(`${name}: killed at ${hits} of ${kills} moments and continued, ${different} with other bits`);
  });
}
