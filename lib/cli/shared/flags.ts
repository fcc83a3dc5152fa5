/** Which flags are there? Each stands here once, for every command that takes it: its value, its rule, its help. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkThreads } from '../../wasm/set-threads.ts';

export interface Flag<T> {
  readonly short?: string;
  /** How help calls the value; a flag without one is there or not. */
  readonly value?: string;
  readonly help: string;
  /** From what was written. Errors are in the name of `caller`. */
  read(caller: string, text: string): T;
}

/** What a flag means in one command, where that differs. */
export interface Meaning {
  readonly help: string;
  /** The words it may be, of those there are. */
  readonly choices?: readonly string[];
  /** What help calls a value of another kind, which is any text. */
  readonly value?: string;
}

export const flags = {
  graph: choice(
    ['gaussian', 'knn', 'knn-gaussian', 'self-tuned', 'given'],
    'how points become a graph: knn unless said; given for graphs',
  ),
  sigma: positive('sigma', 'S', 'width of exp(−‖x−y‖²/(2S²)), for gaussian and knn-gaussian'),
  threshold: positive('threshold', 'T', 'gaussian: weights above it are kept; 0.01 unless said'),
  neighbors: count('neighbors', 'K', 1, 'knn and its kin: nearest neighbours; 16, or all, unless said'),
  'exclude-self': present('a point is not one of its own neighbours'),
  components: {
    ...count('components', 'K', 1, 'nontrivial components wanted; 2 unless said'),
    short: 'k',
  },
  laplacian: choice(
    ['random-walk', 'symmetric', 'unnormalized'],
    'D⁻¹W unless said, from 1 down; else I − D^-½WD^-½ or D − W, from 0 up',
  ),
  method: choice(
    ['regression', 'ritz', 'specnet1', 'specnet2', 'eigen'],
    'regression unless said; ritz: least f2; specnet1|2: as in the paper; eigen: no model',
  ),
  scheme: choice(['local', 'full', 'neighbor'], 'what a batch sees: its neighbours and tracked moments unless said'),
  step: {
    value: 'auto|X',
    help: 'auto unless said, which needs no tuning; or the constant step of the paper',
    read: (caller: string, text: string) => (text === 'auto' ? text : positive('step', 'X', '').read(caller, text)),
  } as Flag<'auto' | number>,
  hidden: {
    value: 'H1,H2,…',
    help: "units of a network's hidden layers; regression, ritz: landmarks unless said; else 128",
    read: (caller: string, text: string) =>
      text.split(',').map((units) => count('units of a hidden layer', 'H', 1, '').read(caller, units)),
  } as Flag<number[]>,
  batch: count(
    'batch',
    'B',
    1,
    'rows in a batch; 4, or for 500 steps an epoch, unless said; 64 for regression and ritz',
  ),
  rate: positive('rate', 'R', "Adam's; specnet2 1e-3, specnet1 1e-4, falling regression 3e-3, ritz 1e-3 unless said"),
  epochs: count(
    'epochs',
    'E',
    0,
    'epochs of training; 100 unless said, regression and ritz 20 and at least 6,000 steps',
  ),
  model: file('keep the model, for transform: a name in .specnet'),
  checkpoint: file('keep the state of training after every epoch, and go on from it where there is one'),
  precision: choice(['single', 'double'], 'of the rows; double unless said'),
  instances: count('instances', 'N', 1, 'pencils that each statement is tried on; its own number unless said'),
  replay: count('replay', 'SEED', 0, 'look at one instance alone: the seed is in the table'),
  clusters: count('clusters', 'C', 1, 'how many clusters'),
  quick: present('fewer epochs, replicas and points: minutes instead of hours'),
  replicas: count('replicas', 'R', 1, 'starts of each method; up to 10, as in the paper, unless said'),
  resume: present('go on with what an earlier run has left in the folder'),
  list: present('what there is, and how long it takes'),
  out: file('write the result to a file'),
  seed: count('seed', 'N', 0, 'same seed, same bits; 0 unless said'),
  threads: {
    value: 'N',
    help: 'threads at most; one a processor unless said; no result depends on it',
    read(caller: string, text: string) {
      const number = count('threads', 'N', 1, '').read(caller, text);
      checkThreads(caller, 'threads', number);
      return number;
    },
  } as Flag<number>,
  'no-simd': present('plain TypeScript kernels only'),
  json: present('one JSON object on standard output, numbers in full'),
  quiet: present('no progress'),
  help: { ...present('this text'), short: 'h' },
} satisfies Record<string, Flag<unknown>>;

export type FlagName = keyof typeof flags;

export type Flags = { readonly [Name in FlagName]?: ReturnType<(typeof flags)[Name]['read']> };

/** How points become a graph. */
export const graphFlags = ['graph', 'sigma', 'threshold', 'neighbors', 'exclude-self'] as const;

/** How a model is learned. */
export const modelFlags = [
  'components',
  'method',
  'hidden',
  'scheme',
  'batch',
  'rate',
  'epochs',
  'model',
  'checkpoint',
] as const;

/** Every command that reads a file takes these. */
export const commonFlags = ['out', 'seed', 'threads', 'no-simd', 'json', 'quiet', 'help'] as const;

function present(help: string): Flag<true> {
  return { help, read: () => true };
}

function file(help: string): Flag<string> {
  return { value: 'FILE', help, read: (_caller, text) => text };
}

function choice<const T extends string>(choices: readonly T[], help: string): Flag<T> {
  return {
    value: choices.join('|'),
    help,
    read(caller, text) {
      const found = choices.find((word) => word === text);
      if (found === undefined) throw badValue(caller, oneOf(choices), `'${text}'`);
      return found;
    },
  };
}

/** `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

function count(name: string, value: string, least: number, help: string): Flag<number> {
  return {
    value,
    help,
    read(caller, text) {
      const number = numberOf(text);
      if (!Number.isFinite(number)) throw badValue(caller, 'a whole number', `'${text}'`);
      checkCount(caller, name, number, least);
      return number;
    },
  };
}

function positive(name: string, value: string, help: string): Flag<number> {
  return {
    value,
    help,
    read(caller, text) {
      const number = numberOf(text);
      if (!(number > 0 && number < Infinity)) throw badValue(caller, `${name} to be a number above 0`, `'${text}'`);
      return number;
    },
  };
}

/** NaN for what is no decimal number. */
function numberOf(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}
