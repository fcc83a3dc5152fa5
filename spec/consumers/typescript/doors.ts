/** Every public module, imported once. No export and no result of an exported function may have the type any. */

import * as root from 'specnet';
import * as autodiff from 'specnet/autodiff';
import * as benchmark from 'specnet/benchmark';
import * as datasets from 'specnet/datasets';
import * as embedding from 'specnet/embedding';
import * as formats from 'specnet/formats';
import * as graph from 'specnet/graph';
import * as kernels from 'specnet/kernels';
import * as linalg from 'specnet/linalg';
import * as network from 'specnet/network';
import * as solver from 'specnet/solver';
import * as sparse from 'specnet/sparse';
import * as storage from 'specnet/storage';
import * as tensor from 'specnet/tensor';
import * as theory from 'specnet/theory';
import * as worker from 'specnet/worker';

export const modules = {
  root,
  autodiff,
  benchmark,
  datasets,
  embedding,
  formats,
  graph,
  kernels,
  linalg,
  network,
  solver,
  sparse,
  storage,
  tensor,
  theory,
  worker,
};

type IsAny<T> = 0 extends 1 & T ? true : false;

/** True for any, for a function that returns any, and for one that returns a promise of any. */
type Untyped<T> = true extends
  | IsAny<T>
  | (T extends (...words: never) => infer Result ? IsAny<Result> | IsAny<Awaited<Result>> : never)
  ? true
  : false;

type UntypedNames<M> = { [K in keyof M]: Untyped<M[K]> extends true ? K : never }[keyof M];

type Modules = typeof modules;
type Found = { [M in keyof Modules]: UntypedNames<Modules[M]> }[keyof Modules];

// Does not compile if a name is found; the error lists it.
declare const found: Found;
export const none: never = found;

// The search finds what it looks for.
// oxlint-disable-next-line no-explicit-any -- planted
export const planted: UntypedNames<{ a: number; b: any; c: () => any; d: () => Promise<any> }>[] = ['b', 'c', 'd'];
