/** The command `store`: writes a graph to a folder from which rows can be read without holding all of them. */

import { isFolder } from '../../files/read.ts';
import { type BuildOptions, buildStoredGraph, type StoredRecipe } from '../../storage/build-stored-graph.ts';
import { storeGraph, type StoreOptions } from '../../storage/store-graph.ts';
import { openStoredPoints } from '../../storage/stored-points.ts';
import { resolveRecipe } from '../../embedding/default-recipe.ts';
import { formatMilliseconds, formatNumber, formatTable } from '../../charts/table.ts';
import {
  commonFlags,
  entryFlags,
  type FlagName,
  type Flags,
  graphFlags,
  inputFlags,
  searchFlags,
  tableFlags,
} from '../flags/flags.ts';
import { UsageError } from '../shared/arguments.ts';
import { type Command, printReport } from '../shared/command.ts';
import { checkGraphFlags, recipeOf } from '../shared/graph-recipe.ts';
import { nameFileInErrors, openGraph } from '../shared/input.ts';
import { checkTableFlags } from '../shared/table.ts';
import type { ExitCode } from '../shared/terminal.ts';

export const store: Command = {
  summary: 'write a graph of any size to a folder of arrays',
  operands: ['FILE'],
  flags: [...entryFlags, ...searchFlags, 'memory', 'precision', ...inputFlags, ...commonFlags],
  overrides: {
    out: { help: 'the folder to write, which is empty or does not exist', value: 'FOLDER' },
    precision: { help: 'precision of the weights in a .mtx file or a list of edges; default: single' },
  },
  details: [
    'FILE: a graph (.mtx, .mtx.gz), a list of edges (--edges) or points (.npy) of any size; other files, and graphs\n  with --scale, --pca, --connect join, --alpha or --sigma auto, are held in memory. A run on .npy\n  points that was killed continues, if all flags are the same',
    '--out: indptr.npy, indices.npy, data.npy, degrees.npy and checksums.npy, and the header specnet-graph.json;\n  eigen, graph, solve and embed --method eigen read the folder',
    'JSON: n, nonzeros, precision, isolated, bytes (of the arrays), recall (measured, of an approximate search), seconds',
  ],
  examples: [
    ['specnet store graph.mtx --out stored', 'a matrix of any size'],
    ['specnet store edges.csv --edges --memory 512MiB --out edges', 'a list of edges'],
    ['specnet store points.npy --neighbors 10 --out nearest', 'the graph of nearest neighbors'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, operands, progress } = call;
    const [path] = operands;
    if (flags.out === undefined) throw new UsageError('expected --out FOLDER, got none.');
    checkStoreFlags(path, flags);
    const { precision, symmetric, nodes, memory } = flags;
    const common: BuildOptions = { progress: progress.estimate('storing the graph'), ...(memory && { memory }) };
    const entries: StoreOptions = {
      ...common,
      ...(precision && { precision }),
      ...(symmetric && { symmetric }),
      ...(nodes && { size: nodes }),
    };
    const recipe = await nameFileInErrors(path, async () => blockRecipe(path, flags));
    const searchFlag = searchFlags.find((name) => flags[name] !== undefined);
    if (searchFlag && !recipe) {
      throw new UsageError(
        `expected --${searchFlag} with .npy points and a graph built block by block, got '${path}'.`,
      );
    }
    const header = readsEntries(path, flags)
      ? await nameFileInErrors(path, () => storeGraph(path, flags.out!, entries))
      : recipe
        ? await nameFileInErrors(path, () => buildStoredGraph(path, flags.out!, { ...recipe, ...common }))
        : await storeGraph((await openGraph(path, call)).graph, flags.out, common);
    progress.clear();
    const { size, nonzeros, isolated } = header;
    const bytes = 8 * (size + 1) + nonzeros * (header.precision === 'double' ? 12 : 8) + 8 * size;
    const found = header.recall === undefined ? {} : { recall: header.recall };
    const sizes = { n: size, nonzeros, precision: header.precision, isolated, bytes };
    const report = { ...sizes, ...found, seconds: call.seconds() };
    if (!flags.quiet) for (const warning of recallWarnings(header.recall)) call.terminal.note(`specnet: ${warning}\n`);
    printReport(call, report, () => describe(flags.out!, report));
    return 0;
  },
};

/** The least recall without a warning. */
const enoughRecall = 0.9;

/** The warning about an approximate search that missed many neighbors. */
export function recallWarnings(recall: number | undefined): string[] {
  if (recall === undefined || recall >= enoughRecall) return [];
  const found = `${(100 * recall).toFixed(1)} % of the nearest neighbors were found`;
  return [`only ${found}, measured on a sample. A higher --recall may find more, and --search exact finds all.`];
}

/** Whether the file is read entry by entry, and not as a whole. */
function readsEntries(path: string, flags: Flags): boolean {
  return flags.edges === true || (/\.mtx(\.gz)?$/i.test(path) && !flags.points);
}

/** The recipe of a graph that can be built block by block from the points of a .npy file; else null. */
export function blockRecipe(path: string, flags: Flags): StoredRecipe | null {
  const { graph: kind = 'knn', search, recall } = flags;
  const isWhole = flags.scale !== undefined || flags.pca !== undefined || flags.connect === 'join' || flags.alpha;
  const isTuned = flags.sigma === 'auto' || flags.bandwidth === 'variable';
  if (!/\.npy$/i.test(path) || kind === 'given' || kind === 'gaussian' || isWhole || isTuned) return null;
  checkTableFlags(path, flags);
  checkGraphFlags(kind, false, false, flags);
  const points = openStoredPoints(path);
  points.close();
  const recipe = resolveRecipe(points.size, recipeOf(kind, flags, {}));
  return {
    ...recipe,
    connect: 'none',
    ...(search && { search }),
    ...(recall !== undefined && { recall }),
  } as StoredRecipe;
}

function checkStoreFlags(path: string, flags: Flags): void {
  if (isFolder(path)) throw new UsageError(`expected a file, got the folder '${path}'.`);
  if (flags.edges && !/\.((csv|tsv|txt)(\.gz)?|npy|parquet)$/i.test(path)) {
    throw new UsageError(`expected a list of edges (.csv, .tsv, .txt, .npy, .parquet) with --edges, got '${path}'.`);
  }
  if (flags.nodes !== undefined && !flags.edges) throw new UsageError('expected --edges with --nodes, got none.');
  const isList = readsEntries(path, flags);
  const others: readonly FlagName[] = isList
    ? [...graphFlags, ...tableFlags, ...searchFlags, 'max-bytes']
    : ['symmetric', 'precision'];
  const unused = others.find((name) => flags[name] !== undefined && !(isList && name === 'affinity'));
  if (unused === undefined) return;
  const kind = isList ? 'points' : 'a .mtx file or --edges';
  throw new UsageError(`expected --${unused} with ${kind}, got '${path}'.`);
}

function describe(
  folder: string,
  report: { n: number; nonzeros: number; isolated: number; bytes: number; recall?: number; seconds: number },
): string {
  const rows = [
    ['weights', String(report.nonzeros)],
    ['isolated nodes', String(report.isolated)],
    ['arrays', `${formatNumber(report.bytes / 2 ** 20)} MiB`],
    ...(report.recall === undefined ? [] : [['neighbors found', `${(100 * report.recall).toFixed(1)} %`]]),
    ['time', formatMilliseconds(1000 * report.seconds)],
  ];
  return `${folder}: graph of ${report.n} nodes\n\n${formatTable(['', ''], rows).split('\n').slice(2).join('\n')}`;
}
