/** `npm run bench`: times every kernel and method against its plain twin and against other libraries, in one run. */

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { ceiling } from './groups/ceiling.ts';
import { columns } from './groups/columns.ts';
import { dense } from './groups/dense.ts';
import { eigen } from './groups/eigen.ts';
import { elementwise } from './groups/elementwise.ts';
import { growth } from './groups/growth.ts';
import { neighborSearch as neighbors } from './groups/neighbors.ts';
import { memory } from './groups/memory.ts';
import { storage } from './groups/storage.ts';
import { million } from './groups/million.ts';
import { optimizer } from './groups/optimizer.ts';
import { profile } from './groups/profile.ts';
import { reduce } from './groups/reduce.ts';
import { solver } from './groups/solver.ts';
import { sparse } from './groups/sparse.ts';
import { steady } from './groups/steady.ts';
import { train } from './groups/train.ts';
import { measureInProcesses, theMachine } from './processes.ts';
import type { Pace } from './measure.ts';
import { Peers } from './competitors/peers.ts';
import { Python } from './competitors/python.ts';
import { quality, timeParts } from './quality.ts';
import { asText, type Report } from './report/report.ts';
import { type Group, type GroupName, groupNames } from './report/row.ts';
import { writeStory } from './report/story.ts';
import { judge } from './report/targets.ts';

const groups: Record<GroupName, Group> = {
  ceiling,
  dense,
  sparse,
  optimizer,
  elementwise,
  reduce,
  neighbors,
  eigen,
  million,
  solver,
  columns,
  train,
  profile,
  growth,
  steady,
  memory,
  storage,
};
const paces: Record<'full' | 'quick', Pace> = {
  full: { rounds: 9, milliseconds: 40 },
  quick: { rounds: 3, milliseconds: 15 },
};
const usingPython: ReadonlySet<GroupName> = new Set(['sparse', 'reduce', 'neighbors', 'eigen', 'solver'] as const);

const help = `npm run bench -- [groups] [options], or npm run bench -- quality: how good is what is learned?

groups      ${groupNames.join(', ')};
            all or none: the whole story, with how good each method is after how long
--json      one JSON object on standard output, and nothing else there
--out DIR   story.json and charts as SVG in this folder
--quick     fewer and shorter rounds
--only TEXT graphs whose name contains this, in the group eigen
--no-peers  only our own kernels: without ml-matrix, tfjs, ml-sparse-matrix, mathjs, scipy, numpy, scikit-learn and C
--help      this text

"vs X 3×" says that X takes 3 times as long as ours. A time is the median of single calls in the quietest of several
rounds, in which all competitors run alternately. A competitor with another result is reported and not timed. Where there are
several groups, each has a process of its own.`;

interface Choices {
  readonly chosen: readonly GroupName[];
  /** Runs all groups and the time-to-quality sections. */
  readonly whole: boolean;
  readonly json: boolean;
  readonly out: string | undefined;
  readonly quick: boolean;
  readonly only: string;
  readonly withPeers: boolean;
  readonly help: boolean;
}

function readArguments(): Choices {
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    json: flag,
    quick: flag,
    'no-peers': flag,
    help: flag,
    out: { type: 'string' },
    only: { type: 'string', default: '' },
  } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const whole = positionals.length === 0 || positionals.includes('all');
  const unknown = positionals.find((name) => name !== 'all' && !groupNames.some((group) => group === name));
  if (unknown !== undefined) throw new RangeError(`expected groups among ${groupNames.join(', ')}, got ${unknown}.`);
  const chosen = groupNames.filter((name) => whole || positionals.includes(name));
  return { ...values, out: values.out, chosen, whole, withPeers: !values['no-peers'] };
}

/** Measures one group in this process. */
async function measure(name: GroupName, { quick, only, withPeers }: Choices): Promise<Report> {
  const pace = quick ? paces.quick : paces.full;
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const load = loadavg();
  const start = performance.now();
  const peers = new Peers(withPeers, note);
  const python = withPeers && usingPython.has(name) ? await Python.start(note) : null;
  const below: string[] = [];
  const say = (text: string): void => console.error(`${name}: ${text}`);
  try {
    const rows = await groups[name]({ pace, quick, only, peers, python, say, note: (text) => void below.push(text) });
    const seconds = (performance.now() - start) / 1000;
    return {
      machine: theMachine(load, python?.versions ?? null),
      quick,
      pace,
      groups: { [name]: { rows, notes: below, seconds } },
      quality: [],
      targets: judge({ [name]: rows }),
      notes,
      checksum: rows.reduce((sum, row) => sum + row.checksum, 0),
    };
  } finally {
    python?.stop();
  }
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
  const { chosen, whole, quick, withPeers, out, json } = choices;
  const words = [...(quick ? ['--quick'] : []), ...(withPeers ? [] : ['--no-peers'])];
  const report =
    chosen.length === 1
      ? await measure(chosen[0], choices)
      : await measureInProcesses(chosen, words, whole ? timeParts(quick) : []);
  console.log(json ? JSON.stringify(report, null, 2) : asText(report));
  if (out !== undefined) for (const file of writeStory(out, report)) console.error(`Written: ${file}`);
}

await main();
