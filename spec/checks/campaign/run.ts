/** Runs the parts of the campaign one after the other, prints their tables, and returns all figures. */

import { availableParallelism, cpus, loadavg } from 'node:os';
import { oneMoon } from '../../../datasets/index.ts';
import { formatTable } from '../../../lib/charts/table.ts';
import { saveModel, SpectralEmbedding } from '../../../lib/index.ts';
import { runFailures, runFullDisks, runPairs, type WriteReport } from './disks.ts';
import { type FitReport, runFits } from './fits.ts';
import { type KillReport, runKills } from './kills.ts';
import { kinds, type KindName } from './kinds.ts';
import { Reader } from './reader.ts';
import { failed, formatTallies, type Tally } from './tally.ts';
import { runWatched } from './watch.ts';

export interface CampaignOptions {
  readonly seed: string;
  /** Of each format; other kinds have their share. */
  readonly tries: number;
  /** The index of the first try, to repeat one. */
  readonly from: number;
  readonly kills: number;
  readonly fits: number;
  isWanted(name: string): boolean;
}

export interface CampaignReport {
  readonly seed: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly load: number };
  /** Whether NumPy and SciPy were there. */
  readonly hasReader: boolean;
  readonly kinds: Readonly<Record<string, Tally>>;
  readonly kills?: KillReport;
  readonly writes: Readonly<Record<string, WriteReport>>;
  readonly fits?: FitReport;
  readonly failures: readonly string[];
}

/** The names of the parts beside the kinds: `kills`, `full disk`, `failing writes`, `pairs` and `fits`. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { seed, tries, from, kills, fits, isWanted } = options;
  const reader = Reader.open();
  await reader?.close();
  if (!reader) console.log('NumPy and SciPy are not here: what is accepted is not compared with another reader.');
  const failures: string[] = [];
  const tallies: Record<string, Tally> = {};
  for (const name of Object.keys(kinds) as KindName[]) {
    if (!isWanted(name)) continue;
    const count = Math.max(1, Math.round(tries * kinds[name].share));
    console.error(`${name}: ${count} tries`);
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that times are those of one
    tallies[name] = await runWatched(name, seed, from, from + count);
    if (failed(tallies[name])) failures.push(...tallies[name].failures);
  }
  if (Object.keys(tallies).length > 0) console.log(formatTallies(tallies));
  const model = await smallModel();
  const killReport = isWanted('kills') ? await runKills(seed, kills, model) : undefined;
  if (killReport) {
    failures.push(...killReport.failures);
    const { failures: _failures, ...counts } = killReport;
    console.log(`\n${formatTable(Object.keys(counts), [Object.values(counts).map(String)], 0)}`);
  }
  const writes: Record<string, WriteReport> = {};
  const parts = {
    'full disk': () => runFullDisks(model),
    'failing writes': () => runFailures(seed, Math.ceil(kills / 2), model),
    pairs: () => runPairs(Math.ceil(kills / 50), model),
  };
  for (const [name, run] of Object.entries(parts)) {
    if (!isWanted(name)) continue;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    writes[name] = await run();
    failures.push(...writes[name].failures);
    if (writes[name].skipped) console.log(`left out: ${name}, because ${writes[name].skipped}`);
  }
  if (Object.keys(writes).length > 0) console.log(`\n${formatWrites(writes)}`);
  const fitReport = isWanted('fits') ? await runFits(fits) : undefined;
  if (fitReport) {
    failures.push(...fitReport.failures);
    const { fits: count, unequal, growthMegabytes } = fitReport;
    console.log(
      `\n${count} fits, ${unequal} with other bits, memory ${growthMegabytes.toFixed(2)} MB more at the end.`,
    );
  }
  for (const failure of failures) console.log(failure);
  return {
    seed,
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      node: process.version,
      load: loadavg()[0],
    },
    hasReader: reader !== null,
    kinds: tallies,
    ...(killReport && { kills: killReport }),
    writes,
    ...(fitReport && { fits: fitReport }),
    failures,
  };
}

export async function smallModel(): Promise<Uint8Array> {
  const { points } = oneMoon({ n: 40, seed: 1 });
  return saveModel((await new SpectralEmbedding({ landmarks: 12, components: 1 }).fit(points)).model);
}

function formatWrites(writes: Readonly<Record<string, WriteReport>>): string {
  const rows = Object.entries(writes).map(([name, { tries, right, raw, torn, drafts, hangs }]) =>
    [name, tries, right, raw, torn, drafts, hangs].map(String),
  );
  return formatTable(['writes', 'tries', 'right', 'raw', 'torn', 'drafts', 'hangs'], rows, 1);
}
