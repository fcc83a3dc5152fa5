/** On which pencils are statements tried? Random small ones of many kinds, each drawn from a seed; or the user's own. */

import { badKind, badValue, checkFinite } from '../../core/check.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import { symmetricOf } from '../../linalg/matrix.ts';
import { toDense } from '../../sparse/inspect.ts';
import { neighborsOf, sliceBlock } from '../../sparse/slice.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { deflated, eigenpairs, rescaled, type SmallPencil, withDegrees } from './small-pencil.ts';

/** A small pencil on which statements are tried, and how it came about. */
export interface Instance {
  readonly seed: number;
  /** In words. */
  readonly kind: string;
  readonly pencil: SmallPencil;
  /** Of a deflated pencil, what it was before. */
  readonly whole: SmallPencil | null;
  /** Is W nonnegative with D its degrees, or the deflation of such? */
  readonly ofGraph: boolean;
  /** Is it the user's own? */
  readonly given: boolean;
  /** K, the columns of Z. */
  readonly components: number;
  /** For all that a check draws. */
  readonly random: Random;
}

/** Points of a law and its density, for statements about how things grow with n. */
export interface Law {
  points(count: number, seed: Seed): Tensor;
  density(x: number, y: number): number;
}

/** A symmetric W[n×n] and the diagonal of D, positive. */
export interface GivenPencil {
  readonly weights: Tensor;
  readonly mass: ArrayLike<number>;
}

export type InstanceSource = (seed: number) => Instance;

const sizes = { least: 5, most: 11 } as const;
const mostComponents = 3;

type Family = (random: Random, size: number) => SmallPencil;

/** Nonnegative W with D its degrees, none of which is 0. */
const graphFamilies = {
  weighted: (random, size) =>
    symmetric(size, (i, j) => (nextTo(size, i, j) || random.uniform() < 0.7 ? random.uniform() : 0)),
  'weighted without loops': (random, size) =>
    symmetric(size, (i, j) =>
      i !== j && (nextTo(size, i, j) || random.uniform() < 0.7) ? random.uniform(0.01, 1) : 0,
    ),
  'simple graph': (random, size) =>
    symmetric(size, (i, j) => Number(i !== j && (nextTo(size, i, j) || random.uniform() < 0.4))),
  'simple graph with loops': (random, size) =>
    symmetric(size, (i, j) => Number(i === j || nextTo(size, i, j) || random.uniform() < 0.4)),
  'kernel graph': (random, size) => {
    const points = Float64Array.from({ length: 2 * size }, () => random.uniform());
    return kernelGraph(points, random.uniform(0.15, 0.6));
  },
} satisfies Record<string, Family>;

/** Drawn in turn, so that every kind comes equally often. */
export function randomInstances(law: Law | undefined): InstanceSource {
  const families: [kind: string, Family][] = Object.entries(graphFamilies);
  if (law) families.push(['kernel graph of moons', (random, size) => moonGraph(law, random, size)]);
  return (seed) => {
    const random = new Random(seed).fork('instance');
    const size = sizes.least + random.integer(sizes.most - sizes.least + 1);
    const components = 1 + random.integer(mostComponents);
    const common = { seed, given: false, components, random: random.fork('check') };
    const turn = seed % (2 * families.length + 1);
    if (turn === 2 * families.length) {
      return { ...common, kind: 'general symmetric', pencil: general(random, size), whole: null, ofGraph: false };
    }
    const [kind, draw] = families[Math.floor(turn / 2)];
    const factor = random.uniform() < 0.3 ? 10 ** random.uniform(-2, 2) : 1;
    const name = factor === 1 ? kind : `${kind}, rescaled`;
    const graph = rescaled(draw(random, size), factor);
    if (turn % 2 === 0) return { ...common, kind: name, pencil: graph, whole: null, ofGraph: true };
    return { ...common, kind: `${name}, deflated`, pencil: deflated(graph), whole: graph, ofGraph: true };
  };
}

/** The user's own pencil again and again, with other columns and other rows; `ofGraph` where D are the degrees of W ≥ 0. */
export function givenInstances(pencil: SmallPencil): InstanceSource {
  const degrees = withDegrees(pencil.size, pencil.weights).mass;
  const ofGraph =
    pencil.weights.every((weight) => weight >= 0) &&
    degrees.every((degree, i) => Math.abs(degree - pencil.mass[i]) <= 1e-12 * degree);
  const unit = unitOf(pencil);
  if (unit === 1) return (seed) => instanceOf(seed, 'given', pencil, ofGraph);
  const own = { ...pencil, weights: pencil.weights.map((weight) => weight / unit) };
  return (seed) => instanceOf(seed, `given, W over ${unit}`, own, ofGraph);
}

/**
 * A power of two near the largest |eigenvalue|, 1 where that is about one as of every graph. F of (cW, D) at √c·Z is c²
 * times F of (W, D) at Z, so that statements hold for both or for neither; what is rounding is told from numbers of size one.
 */
function unitOf(pencil: SmallPencil): number {
  const { values } = eigenpairs(pencil);
  const largest = Math.max(Math.abs(values[0]), Math.abs(values[values.length - 1]));
  return largest === 0 || (largest >= 1 / 8 && largest <= 8) ? 1 : 2 ** Math.round(Math.log2(largest));
}

/** A graph too large to look at whole is looked at in neighbourhoods, each as a graph of its own. */
export function graphInstances(graph: Graph): InstanceSource {
  if (graph.size <= largest)
    return givenInstances(
      pencilOfBlock(
        graph,
        Int32Array.from({ length: graph.size }, (_, i) => i),
      ),
    );
  return (seed) => {
    const random = new Random(seed).fork('neighbourhood');
    const rows = neighbourhood(graph, random);
    return instanceOf(seed, `${rows.length} nodes around ${rows[0]}`, pencilOfBlock(graph, rows.toSorted()), true);
  };
}

/** More nodes than this are not looked at whole. */
export const largest = 24;

/** Checked, in Float64. */
export function givenPencil(caller: string, given: GivenPencil): SmallPencil {
  if (typeof given !== 'object' || given === null) throw badKind(caller, 'a pencil { weights, mass }', given);
  const { data, rows } = symmetricOf(caller, 'weights', given.weights);
  if (rows < 2 || rows > largest) throw badValue(caller, `weights of 2 to ${largest} rows`, rows);
  const mass = Float64Array.from(given.mass ?? []);
  if (mass.length !== rows) throw badValue(caller, `a mass for each of ${rows} rows`, mass.length);
  checkFinite(caller, 'mass', mass);
  const bad = mass.findIndex((entry) => entry <= 0);
  if (bad >= 0) throw badValue(caller, 'mass above 0', `${mass[bad]} at index ${bad}`);
  checkUnit(caller, 'mass', mass);
  return { size: rows, weights: data, mass };
}

/** Squares of these are numbers, with room for what formulas make of them. */
const unit = { least: 1e-140, most: 1e140 };

/** Verdicts do not depend on the unit of a pencil as long as its squares neither vanish nor overflow. */
export function checkUnit(caller: string, name: string, mass: Float64Array): void {
  const bad = mass.findIndex((entry) => entry < unit.least || entry > unit.most);
  if (bad < 0) return;
  const remedy = 'W and D times one number have the same eigenvalues.';
  throw badValue(caller, `${name} from ${unit.least} to ${unit.most}`, `${mass[bad]} at index ${bad}`, remedy);
}

function instanceOf(seed: number, kind: string, whole: SmallPencil, ofGraph: boolean): Instance {
  const random = new Random(seed).fork('instance');
  const components = 1 + random.integer(Math.min(mostComponents, whole.size - 1));
  const common = { seed, given: true, components, ofGraph, random: random.fork('check') };
  if (seed % 2 === 0 || !ofGraph) return { ...common, kind, pencil: whole, whole: null };
  return { ...common, kind: `${kind}, deflated`, pencil: deflated(whole), whole };
}

/** Some node, and nodes near it in order of steps away; where its piece of the graph is tiny, some other piece too. */
function neighbourhood({ size, weights }: Graph, random: Random): Int32Array {
  const found = [random.integer(size)];
  const count = sizes.least + random.integer(sizes.most - sizes.least + 1);
  const seen = new Set(found);
  for (let at = 0; found.length < count; at++) {
    if (at === found.length) {
      // One fewer than the least, so that a node always has room for a neighbour.
      if (found.length >= sizes.least - 1) break;
      let other = random.integer(size);
      while (seen.has(other)) other = random.integer(size);
      seen.add(other);
      found.push(other);
    }
    const next = neighborsOf(weights, Int32Array.of(found[at]), true).filter((node) => !seen.has(node));
    random.shuffle(next);
    for (const node of next.slice(0, Math.min(count - found.length, 3))) {
      seen.add(node);
      found.push(node);
    }
  }
  return Int32Array.from(found);
}

function pencilOfBlock({ weights }: Graph, rows: Int32Array): SmallPencil {
  const block = toDense(sliceBlock(weights, rows, rows));
  return withDegrees(rows.length, Float64Array.from(block.data));
}

function general(random: Random, size: number): SmallPencil {
  const weights = symmetric(size, () => random.normal()).weights;
  return { size, weights, mass: Float64Array.from({ length: size }, () => random.uniform(0.2, 3)) };
}

function moonGraph(law: Law, random: Random, size: number): SmallPencil {
  return kernelGraph(Float64Array.from(law.points(size, random.integer(2 ** 30)).data), random.uniform(0.2, 0.8));
}

/** exp(−‖x−y‖²/(2σ²)) of points in the plane. */
function kernelGraph(points: Float64Array, sigma: number): SmallPencil {
  return symmetric(points.length / 2, (i, j) => {
    const square = (points[2 * i] - points[2 * j]) ** 2 + (points[2 * i + 1] - points[2 * j + 1]) ** 2;
    return Math.exp(-square / (2 * sigma ** 2));
  });
}

/** A ring keeps a graph in one piece. */
function nextTo(size: number, i: number, j: number): boolean {
  return (i + 1) % size === j || (j + 1) % size === i;
}

function symmetric(size: number, entry: (i: number, j: number) => number): SmallPencil {
  const weights = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      weights[i * size + j] = entry(i, j);
      weights[j * size + i] = weights[i * size + j];
    }
  }
  return withDegrees(size, weights);
}
