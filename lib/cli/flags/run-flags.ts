/** Flags of a run: files to write, seed, threads and output. */

import { checkThreads } from '../../wasm/set-threads.ts';
import { booleanFlag, countFlag, fileFlag, type Flag, type FlagTable } from './kinds.ts';

/** Pictures of coordinates. */
export const plotTable = {
  plot: fileFlag('draw the coordinates: an interactive page (.html) or a picture (.svg)'),
  color: {
    value: 'NAME',
    help: 'what colors the points of --plot: cluster, label, a column or psi1, psi2, …',
    read: (_caller: string, text: string) => text,
  } as Flag<string>,
  open: booleanFlag('show the file of --plot in the browser'),
} satisfies FlagTable;

/** Flags of every command that reads a file. */
export const commonTable = {
  out: fileFlag('write the result to a file'),
  seed: countFlag('seed', 'N', 0, 'random seed; the same seed gives the same bits; default: 0'),
  threads: {
    value: 'N',
    help: 'maximum number of threads; default: one per processor; results do not depend on it',
    read(caller: string, text: string) {
      const number = countFlag('threads', 'N', 1, '').read(caller, text);
      checkThreads(caller, 'threads', number);
      return number;
    },
  } as Flag<number>,
  'no-simd': booleanFlag('plain TypeScript kernels only'),
  json: booleanFlag('print JSON instead of text, with numbers in full precision'),
  quiet: booleanFlag('do not show progress'),
  help: { ...booleanFlag('show this help'), short: 'h' },
} satisfies FlagTable;

/** The instances of `verify`, and the jobs of `reproduce`. */
export const runTable = {
  instances: countFlag('instances', 'N', 1, 'random instances per statement; default: depends on the statement'),
  replay: countFlag('replay', 'SEED', 0, 'run the one instance with this seed, as printed in the table'),
  quick: booleanFlag('fewer epochs, replicas and points: minutes instead of hours'),
  replicas: countFlag('replicas', 'R', 1, 'random starts per method; default: up to 10, as in the paper'),
  resume: booleanFlag('continue an earlier run from the files in the folder'),
  list: booleanFlag('list the experiments and how long each takes'),
} satisfies FlagTable;
