/** The table of all flags, with the value, the validation and the help text of each. Commands refer to it by name. */

import { badValue, checkCount } from '../../core/check.ts';
import type { Delimiter } from '../../formats/table/dialect.ts';
import type { Decimal } from '../../formats/table/notation.ts';
import { checkThreads } from '../../wasm/set-threads.ts';

/** Delimiters as they are written on the command line. */
const delimiterWords: Readonly<Record<string, Delimiter>> = {
  ',': ',',
  ';': ';',
  '|': '|',
  tab: '\t',
  space: ' ',
};

export interface Flag<T> {
  readonly short?: string;
  /** The name of the value in help. A flag without one is boolean. */
  readonly value?: string;
  readonly help: string;
  /** Parses and checks the text of the value. Errors begin with `caller`. */
  read(caller: string, text: string): T;
}

/** The help text and the values of a flag in one command, where they differ from the table. */
export interface FlagOverride {
  readonly help: string;
  /** The subset of values that the command accepts. */
  readonly choices?: readonly string[];
  /** The name of the value in help. With it, any text is accepted. */
  readonly value?: string;
}

export type FlagOverrides = { readonly [Name in FlagName]?: FlagOverride };

export const flags = {
  graph: choiceFlag(
    ['gaussian', 'knn', 'knn-gaussian', 'self-tuned', 'given'],
    'how to build a graph from points; default: knn; given for graph files',
  ),
  sigma: {
    value: 'S|auto',
    help: 'width S of exp(−‖x−y‖²/(2S²)), or chosen; for gaussian and knn-gaussian',
    read: (caller: string, text: string) =>
      text === 'auto' ? text : positiveFlag('sigma', 'S', '').read(caller, text),
  } as Flag<'auto' | number>,
  alpha: {
    value: 'A',
    help: 'density normalization D^-A·W·D^-A; default: 0; 1 removes the effect of density',
    read(caller: string, text: string) {
      const number = numberOf(text);
      if (!(number >= 0 && number <= 1)) throw badValue(caller, 'alpha from 0 to 1', `'${text}'`);
      return number;
    },
  } as Flag<number>,
  bandwidth: choiceFlag(
    ['fixed', 'variable'],
    'one width everywhere (default), or wider where points are few; for knn-gaussian',
  ),
  threshold: positiveFlag('threshold', 'T', 'smaller weights are dropped, for gaussian; default: 0.01'),
  neighbors: countFlag(
    'neighbors',
    'K',
    1,
    'nearest neighbors, for knn, knn-gaussian and self-tuned; default: 16, or all if fewer',
  ),
  label: columnFlag('column of labels; default: label, class, target or species, in upper or lower case'),
  columns: columnsFlag('columns of numbers to use; default: all but label and ids'),
  ignore: columnsFlag('columns to leave out'),
  categorical: columnsFlag('columns that become one 0-1 column for each of their values'),
  missing: choiceFlag(
    ['drop', 'mean', 'error'],
    'drop rows with missing values (default), replace the values by the mean, or refuse them',
  ),
  id: columnFlag('column that names the rows, for output files; default: ids that differ in every row'),
  delimiter: {
    value: 'C',
    help: "between fields: ',' ';' '|' tab or space; default: detected",
    read(caller: string, text: string) {
      const found = delimiterWords[text];
      if (found === undefined) throw badValue(caller, "',' ';' '|' tab or space", `'${text}'`);
      return found;
    },
  } as Flag<Delimiter>,
  decimal: {
    value: 'C',
    help: "decimal mark: '.' or ','; default: detected",
    read(caller: string, text: string) {
      if (text !== '.' && text !== ',') throw badValue(caller, "'.' or ','", `'${text}'`);
      return text;
    },
  } as Flag<Decimal>,
  header: booleanFlag('the first line names the columns; default: detected'),
  'no-header': booleanFlag('the first line is a row'),
  'exclude-self': booleanFlag('do not count a point as its own neighbor'),
  metric: choiceFlag(
    ['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'minkowski'],
    'distance between points; default: euclidean; cosine for text',
  ),
  'minkowski-power': positiveFlag('minkowski-power', 'P', 'P of (Σ|x−y|^P)^(1/P), at least 1, for --metric minkowski'),
  mutual: booleanFlag('join two points only if each is a neighbor of the other'),
  'least-weight': positiveFlag(
    'least-weight',
    'W',
    'smallest weight of a neighbor, for knn-gaussian and self-tuned; with outliers try 0.05',
  ),
  connect: choiceFlag(
    ['none', 'join'],
    'join: add the shortest edges between parts; default: join for embed and cluster',
  ),
  scale: choiceFlag(
    ['none', 'standard', 'robust', 'range', 'unit'],
    'common spread of columns, or rows of length one (unit); default: none',
  ),
  pca: countFlag('pca', 'N', 1, 'replace the columns by N principal components, after --scale; the model keeps them'),
  points: booleanFlag('a .npz or .mtx file holds sparse points, one per row; default if it is not square'),
  affinity: booleanFlag('a .npz or .mtx file holds the weights of a graph; default if it is square'),
  components: {
    ...countFlag('components', 'K', 1, 'number of nontrivial components; default: 2'),
    short: 'k',
  },
  laplacian: choiceFlag(
    ['random-walk', 'symmetric', 'unnormalized'],
    'D⁻¹W (default), eigenvalues descend from 1; I − D^-½WD^-½ or D − W, ascend from 0',
  ),
  method: choiceFlag(
    ['regression', 'ritz', 'specnet1', 'specnet2', 'eigen'],
    'default: regression; ritz: minimize f2; specnet1|2: as in the paper; eigen: no model',
  ),
  scheme: choiceFlag(
    ['local', 'full', 'neighbor'],
    'what a step evaluates; default: neighbor, the neighbors of the batch and tracked moments',
  ),
  moments: choiceFlag(
    ['tracked', 'corrected'],
    'for specnet2; default: tracked, as in the paper; corrected: without delay, and faster',
  ),
  step: {
    value: 'auto|X',
    help: 'default: auto, which needs no tuning; or a constant step size, as in the paper',
    read: (caller: string, text: string) => (text === 'auto' ? text : positiveFlag('step', 'X', '').read(caller, text)),
  } as Flag<'auto' | number>,
  hidden: {
    value: 'H1,H2,…',
    help: 'units of the hidden layers; default: landmarks for regression and ritz, 128 for others',
    read: (caller: string, text: string) =>
      text.split(',').map((units) => countFlag('units of a hidden layer', 'H', 1, '').read(caller, units)),
  } as Flag<number[]>,
  landmarks: {
    value: 'auto|M',
    help: 'landmarks; default: auto, as many as the error on held-out points asks for',
    read: (caller: string, text: string) =>
      text === 'auto' ? text : countFlag('landmarks', 'M', 2, '').read(caller, text),
  } as Flag<'auto' | number>,
  batch: countFlag('batch', 'B', 1, 'batch size; default: 64 for regression and ritz, else max(4, n/500)'),
  rate: positiveFlag(
    'rate',
    'R',
    'Adam rate; default: specnet2 1e-3, specnet1 1e-4; decaying: regression 3e-3, ritz 1e-3',
  ),
  epochs: countFlag(
    'epochs',
    'E',
    0,
    'training epochs; default: 100; for regression and ritz 20, or more to make 6,000 steps',
  ),
  'max-bytes': {
    value: 'N',
    help: 'largest decompressed size of a .csv.gz file; default: 268435456',
    read(caller: string, text: string) {
      const number = numberOf(text);
      if (!(Number.isSafeInteger(number) && number > 0)) throw badValue(caller, 'a whole number above 0', `'${text}'`);
      return number;
    },
  } as Flag<number>,
  model: fileFlag('save the model for transform, as a .specnet file'),
  checkpoint: fileFlag('save the training state after every epoch; resume from it if the file exists'),
  precision: choiceFlag(['single', 'double'], 'floating-point precision; default: double'),
  instances: countFlag('instances', 'N', 1, 'random instances per statement; default: depends on the statement'),
  replay: countFlag('replay', 'SEED', 0, 'run the one instance with this seed, as printed in the table'),
  clusters: {
    value: 'C|auto',
    help: 'number of clusters, or auto to choose it by the eigengap; required',
    read: (caller: string, text: string) =>
      text === 'auto' ? text : countFlag('clusters', 'C', 1, '').read(caller, text),
  } as Flag<'auto' | number>,
  'most-clusters': countFlag('most-clusters', 'C', 2, 'largest number that --clusters auto considers; default: 10'),
  assign: choiceFlag(
    ['k-means', 'cluster-qr', 'discretize'],
    'how coordinates become clusters: k-means (default), or a rotation towards indicators',
  ),
  quick: booleanFlag('fewer epochs, replicas and points: minutes instead of hours'),
  replicas: countFlag('replicas', 'R', 1, 'random starts per method; default: up to 10, as in the paper'),
  resume: booleanFlag('continue an earlier run from the files in the folder'),
  list: booleanFlag('list the experiments and how long each takes'),
  plot: fileFlag('draw the coordinates: an interactive page (.html) or a picture (.svg)'),
  color: {
    value: 'NAME',
    help: 'what colors the points of --plot: cluster, label, a column or psi1, psi2, …',
    read: (_caller: string, text: string) => text,
  } as Flag<string>,
  open: booleanFlag('show the file of --plot in the browser'),
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
  json: booleanFlag('print one JSON object, with numbers in full precision'),
  quiet: booleanFlag('do not show progress'),
  help: { ...booleanFlag('show this help'), short: 'h' },
} satisfies Record<string, Flag<unknown>>;

export type FlagName = keyof typeof flags;

export type Flags = { readonly [Name in FlagName]?: ReturnType<(typeof flags)[Name]['read']> };

/** Flags that determine how a graph is built from points. */
export const graphFlags = [
  'graph',
  'sigma',
  'alpha',
  'bandwidth',
  'threshold',
  'neighbors',
  'exclude-self',
  'metric',
  'minkowski-power',
  'mutual',
  'least-weight',
  'connect',
  'scale',
  'pca',
  'points',
  'affinity',
] as const;

/** Flags that tell how a table is read. */
export const readingFlags = ['label', 'id', 'missing', 'delimiter', 'decimal', 'header', 'no-header'] as const;

/** Flags that tell how a table is read, and which of its columns are coordinates. */
export const tableFlags = ['columns', 'ignore', 'categorical', ...readingFlags] as const;

/** Flags that determine the clusters. */
export const clusterFlags = ['clusters', 'most-clusters', 'assign'] as const;

/** Flags that determine how a model is learned. */
export const modelFlags = [
  'components',
  'method',
  'landmarks',
  'hidden',
  'scheme',
  'moments',
  'batch',
  'rate',
  'epochs',
  'model',
  'checkpoint',
] as const;

/** Flags that name files to write. */
export const outputFlags = ['out', 'model', 'checkpoint', 'plot'] as const;

/** Flags of commands that draw coordinates. */
export const plotFlags = ['plot', 'color', 'open'] as const;

/** Flags of every command that reads a file. */
export const commonFlags = ['out', 'seed', 'threads', 'no-simd', 'json', 'quiet', 'help'] as const;

function booleanFlag(help: string): Flag<true> {
  return { help, read: () => true };
}

function fileFlag(help: string): Flag<string> {
  return { value: 'FILE', help, read: (_caller, text) => text };
}

function columnFlag(help: string): Flag<string> {
  return { value: 'NAME', help, read: (_caller, text) => text };
}

/** Names separated by commas. A name that contains one is put in double quotes. */
function columnsFlag(help: string): Flag<readonly string[]> {
  return {
    value: 'A,B,…',
    help,
    read(caller, text) {
      const names = [...text.matchAll(/\s*(?:"([^"]*)"|([^,"]+))\s*(?:,|$)/g)].map(
        ([, quoted, plain]) => quoted ?? plain.trim(),
      );
      if (names.length === 0) throw badValue(caller, 'names of columns', `'${text}'`);
      return names;
    },
  };
}

function choiceFlag<const T extends string>(choices: readonly T[], help: string): Flag<T> {
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

/** Joins words as `a, b or c`. */
export function oneOf(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

function countFlag(name: string, value: string, least: number, help: string): Flag<number> {
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

function positiveFlag(name: string, value: string, help: string): Flag<number> {
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

/** The value of a decimal number. NaN for any other text. */
function numberOf(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}
