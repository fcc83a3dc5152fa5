/** `npm run bench`: how fast is each kernel, compared with its plain twin and with other libraries, in one run? */

import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { ceiling } from './groups/ceiling.ts';
import { dense } from './groups/dense.ts';
import { eigen } from './groups/eigen.ts';
import { elementwise } from './groups/elementwise.ts';
import { growth } from './groups/growth.ts';
import { neighborSearch as neighbors } from './groups/neighbors.ts';
import { memory } from './groups/memory.ts';
import { million } from './groups/million.ts';
import { optimiser } from './groups/optimiser.ts';
import { profile } from './groups/profile.ts';
import { reduce } from './groups/reduce.ts';
import { solver } from './groups/solver.ts';
import { sparse } from './groups/sparse.ts';
import { steady } from './groups/steady.ts';
import { train } from './groups/train.ts';
import { inTurn } from './in-turn.ts';
import type { Pace } from './measure.ts';
import { Peers } from './peers.ts';
import { Python } from './python.ts';
import { quality } from './quality.ts';
import { asText, type GroupReport, type Report } from './report.ts';
import { type Group, type GroupName, groupNames } from './row.ts';
import { judge } from './targets.ts';

const groups: Record<GroupName, Group> = {
  ceiling,
  dense,
  sparse,
  optimiser,
  elementwise,
  reduce,
  neighbors,
  eigen,
  million,
  solver,
  train,
  profile,
  growth,
  steady,
  memory,
};
const paces: Record<'full' | 'quick', Pace> = {
  full: { rounds: 9, milliseconds: 40 },
  quick: { rounds: 3, milliseconds: 15 },
};

/** This process itself makes a load of about 1. */
const busyFrom = 1.5;

const help = `npm run bench -- [groups] [options], or npm run bench -- quality: how good is what is learned?

groups      ${groupNames.join(', ')}; all of them if none is named
--json      one JSON object on standard output, and nothing else there
--quick     fewer and shorter rounds
--no-peers  only our own kernels: without ml-matrix, tfjs, ml-sparse-matrix, mathjs, scipy, numpy and scikit-learn
--help      this text

"vs X 3×" says that X takes 3 times as long as ours. A time is the median of single calls in the quietest of several
rounds in which everyone takes turns. Who computes something else than ours is reported and not timed.`;

interface Choices {
  readonly chosen: readonly GroupName[];
  readonly json: boolean;
  readonly quick: boolean;
  readonly withPeers: boolean;
  readonly help: boolean;
}

function readArguments(): Choices {
  const flag = { type: 'boolean', default: false } as const;
  const options = { json: flag, quick: flag, 'no-peers': flag, help: flag };
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const unknown = positionals.find((name) => !groupNames.some((group) => group === name));
  if (unknown !== undefined) throw new RangeError(`expected groups among ${groupNames.join(', ')}, got ${unknown}.`);
  const chosen = groupNames.filter((name) => positionals.length === 0 || positionals.includes(name));
  return { ...values, chosen, withPeers: !values['no-peers'] };
}

async function measure({ chosen, quick, withPeers }: Choices): Promise<Report> {
  const pace = quick ? paces.quick : paces.full;
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const load = loadavg();
  const peers = new Peers(withPeers, note);
  const needsPython =
    withPeers && chosen.some((name) => ['sparse', 'reduce', 'neighbors', 'eigen', 'solver'].includes(name));
  const python = needsPython ? await Python.start(note) : null;
  const results: Partial<Record<GroupName, GroupReport>> = {};
  try {
    await inTurn(chosen, async (name) => {
      const below: string[] = [];
      const say = (text: string): void => console.error(`${name}: ${text}`);
      const rows = await groups[name]({ pace, quick, peers, python, say, note: (text) => void below.push(text) });
      results[name] = { rows, notes: below };
    });
  } finally {
    python?.stop();
  }
  const [busy] = loadavg();
  if (busy > busyFrom)
    note(`The machine was busy with other work (load ${busy.toFixed(1)} at the end): mind the noise.`);
  const processors = cpus();
  const machine = {
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    node: process.version,
    scipy: python?.versions ?? null,
    load,
  };
  const rowsOf = Object.fromEntries(Object.entries(results).map(([name, { rows }]) => [name, rows]));
  const checksum = Object.values(rowsOf)
    .flat()
    .reduce((sum, row) => sum + row.checksum, 0);
  return { machine, pace, groups: results, targets: judge(rowsOf), notes, checksum };
}

async function main(): Promise<void> {
  if (process.argv[2] === 'quality') return quality(process.argv.slice(3));
  let choices: Choices;
  try {
    choices = readArguments();
  } catch (error) {
    console.error(`bench: ${(error as Error).message} Try npm run bench -- --help.`);
    process.exitCode = 2;
    return;
  }
  if (choices.help) return console.log(help);
  const report = await measure(choices);
  console.log(choices.json ? JSON.stringify(report, null, 2) : asText(report));
}

await main();
