/** Runs the parts of the campaign one after the other, prints their tables, and returns all figures. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { oneMoon } from '../../../datasets/index.ts';
import { saveModel, SpectralEmbedding } from '../../../lib/index.ts';
import { installRuntime } from '../onnx-runtime.ts';
import { runFailures, runFullDisks, runPairs, type WriteReport } from './disks.ts';
import { type FitReport, runFitsApart } from './fits.ts';
import { type KillReport, runKills } from './kills.ts';
import { kinds, type KindName } from './kinds.ts';
import { formatReport } from './tables.ts';
import type { Tally } from './tally.ts';
import { runWatched } from './watch.ts';

export interface CampaignOptions {
  readonly seed: string;
  /** Of each format; other kinds have their share. */
  readonly tries: number;
  /** The index of the first try, to repeat one. */
  readonly from: number;
  /** Default: all that there are. */
  readonly kills: number | undefined;
  readonly fits: number;
  isWanted(name: string): boolean;
  /** Whether a command takes part in the kills. */
  isWriterWanted(name: string): boolean;
  /** Receives all figures after each part. */
  record(report: CampaignReport): void;
}

export interface CampaignReport {
  readonly seed: string;
  readonly machine: { readonly cpu: string; readonly cores: number };
  /** Names and versions of the programs that take part. */
  readonly programs: readonly string[];
  readonly kinds: Readonly<Record<string, Tally>>;
  readonly kills?: KillReport;
  readonly writes: Readonly<Record<string, WriteReport>>;
  readonly fits?: FitReport;
}

/** The names of the parts beside the kinds: `kills`, `full disk`, `failing writes`, `pairs` and `fits`. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { seed, tries, from, kills, fits, isWanted, isWriterWanted, record } = options;
  let report: CampaignReport = {
    seed,
    machine: machine(),
    programs: programs(isWanted('models')),
    kinds: {},
    writes: {},
  };
  const begin = (name: string, what: string): void => console.error(`${name}: ${what}`);
  const end = (part: Partial<CampaignReport>): void => {
    report = { ...report, ...part };
    record(report);
  };
  // oxlint-disable no-await-in-loop -- one part after the other, so that times are those of one
  for (const name of Object.keys(kinds) as KindName[]) {
    if (!isWanted(name)) continue;
    const count = Math.max(1, Math.round(tries * kinds[name].share));
    begin(name, `${count} tries`);
    end({ kinds: { ...report.kinds, [name]: await runWatched(name, seed, from, from + count) } });
  }
  const model = await smallModel();
  if (isWanted('kills')) {
    begin('kills', `${kills ?? 'all'} moments`);
    end({ kills: await runKills(seed, kills, model, ({ name }) => isWriterWanted(name)) });
  }
  const parts = {
    'full disk': () => runFullDisks(model),
    'failing writes': () => runFailures(seed, kills && Math.ceil(kills / 2), model),
    pairs: () => runPairs(kills === undefined ? 4 : 1, model),
  };
  for (const [name, run] of Object.entries(parts)) {
    if (!isWanted(name)) continue;
    begin(name, 'all writers');
    end({ writes: { ...report.writes, [name]: await run() } });
  }
  // oxlint-enable no-await-in-loop
  if (isWanted('fits')) {
    begin('fits', String(fits));
    end({ fits: await runFitsApart(fits, seed) });
  }
  console.log(formatReport(report));
  return report;
}

/** All failures of a report, each in a line. */
export function failuresOf({ kinds: tallies, kills, writes, fits }: CampaignReport): string[] {
  const parts = [tallies, kills ?? {}, writes].flatMap((each) =>
    Object.values<{ readonly failures: readonly string[] }>(each),
  );
  return [...parts, ...(fits ? [fits] : [])].flatMap(({ failures }) => failures);
}

export async function smallModel(): Promise<Uint8Array> {
  const { points } = oneMoon({ n: 40, seed: 1 });
  return saveModel((await new SpectralEmbedding({ landmarks: 12, components: 1 }).fit(points)).model);
}

function machine(): CampaignReport['machine'] {
  return { cpu: cpus()[0]?.model ?? 'unknown', cores: availableParallelism() };
}

/** Says what is missing and therefore left out. */
function programs(hasModels: boolean): string[] {
  const code = 'import sys, numpy, scipy; print(sys.version.split()[0], numpy.__version__, scipy.__version__)';
  const { status, stdout } = spawnSync('python3', ['-c', code], { encoding: 'utf8' });
  if (status !== 0) console.log('NumPy and SciPy are not here: what is accepted is not compared with another reader.');
  const versions = status === 0 ? stdout.trim().split(' ') : [];
  const runtime = hasModels ? installRuntime() : 'not needed';
  if (hasModels && typeof runtime === 'string') console.log(`Models do not run in onnxruntime: ${runtime}`);
  return [
    `Node ${process.version.slice(1)}`,
    ...versions.map((version, i) => `${['Python', 'NumPy', 'SciPy'][i]} ${version}`),
    ...(typeof runtime === 'string' ? [] : [`onnxruntime ${runtimeVersion()}`]),
  ];
}

function runtimeVersion(): string {
  const file = new URL('../packages/onnx/node_modules/onnxruntime-node/package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
