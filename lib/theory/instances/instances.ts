/** The pencils on which statements are checked: small random ones of many kinds, drawn from a seed, or the user's own. */

import { badKind, badValue, checkFinite } from '../../core/check.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import { weightScale } from '../../graph/weight-scale.ts';
import { largestMagnitude, symmetricOf } from '../../linalg/matrix.ts';
import { toDense } from '../../sparse/inspect.ts';
import { neighborsOf, sliceBlock } from '../../sparse/slices/slice.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { deflated, eigenpairs, rescaled, type SmallPencil, withDegrees } from './small-pencil.ts';

/** A small pencil on which statements are checked, and its origin. */
export interface Instance {
  readonly seed: number;
  /** A description for people. */
  readonly kind: string;
  readonly pencil: SmallPencil;
  /** The pencil before deflation; null if `pencil` is not deflated. */
  readonly whole: SmallPencil | null;
  /** Whether W is nonnegative and D its degrees, or the pencil is the deflation of such a one. */
  readonly ofGraph: boolean;
  /** Whether the user passed the pencil or its graph. */
  readonly given: boolean;
  /** K, the number of columns of Z. */
  readonly components: number;
  /** The random numbers of the check. */
  readonly random: Random;
}

/** Points drawn from a law and its density, for statements about growing n. */
export interface Law {
  points(count: number, seed: Seed): Tensor;
  density(x: number, y: number): number;
}

/** A symmetric W[n×n] and the positive diagonal of D. */
export interface GivenPencil {
  readonly weights: Tensor;
  readonly mass: ArrayLike<number>;
}

export type InstanceSource = (seed: number) => Instance;

const sizes = { least: 5, most: 11 } as const;
const mostComponents = 3;

type Family = (random: Random, size: number) => SmallPencil;

/** Families with nonnegative W and D its degrees, all positive. */
const graphFamilies = {
  weighted: (random, size) =>
    symmetricPencil(size, (i, j) => (isRingEdge(size, i, j) || random.uniform() < 0.7 ? random.uniform() : 0)),
  'weighted without loops': (random, size) =>
    symmetricPencil(size, (i, j) =>
      i !== j && (isRingEdge(size, i, j) || random.uniform() < 0.7) ? random.uniform(0.01, 1) : 0,
    ),
  'simple graph': (random, size) =>
    symmetricPencil(size, (i, j) => Number(i !== j && (isRingEdge(size, i, j) || random.uniform() < 0.4))),
  'simple graph with loops': (random, size) =>
    symmetricPencil(size, (i, j) => Number(i === j || isRingEdge(size, i, j) || random.uniform() < 0.4)),
  'kernel graph': (random, size) => {
    const points = Float64Array.from({ length: 2 * size }, () => random.uniform());
    return kernelGraph(points, random.uniform(0.15, 0.6));
  },
} satisfies Record<string, Family>;

/** Random pencils. The seed chooses the kind, so that all kinds occur equally often. */
export function randomInstances(law: Law | undefined): InstanceSource {
  const families: [kind: string, Family][] = Object.entries(graphFamilies);
  if (law) families.push(['kernel graph of moons', (random, size) => moonGraph(law, random, size)]);
  return (seed) => {
    const random = new Random(seed).fork('instance');
    const size = sizes.least + random.integer(sizes.most - sizes.least + 1);
    const components = 1 + random.integer(mostComponents);
    const common = { seed, given: false, components, random: random.fork('check') };
    const choice = seed % (2 * families.length + 1);
    if (choice === 2 * families.length) {
      return { ...common, kind: 'general symmetric', pencil: generalPencil(random, size), whole: null, ofGraph: false };
    }
    const [kind, draw] = families[Math.floor(choice / 2)];
    const factor = random.uniform() < 0.3 ? 10 ** random.uniform(-2, 2) : 1;
    const name = factor === 1 ? kind : `${kind}, rescaled`;
    const graph = rescaled(draw(random, size), factor);
    if (choice % 2 === 0) return { ...common, kind: name, pencil: graph, whole: null, ofGraph: true };
    return { ...common, kind: `${name}, deflated`, pencil: deflated(graph), whole: graph, ofGraph: true };
  };
}

/** The user's pencil for every seed, with other components and points. `ofGraph` is true if W ≥ 0 and D are its degrees. */
export function givenInstances(pencil: SmallPencil): InstanceSource {
  const degrees = withDegrees(pencil.size, pencil.weights).mass;
  const ofGraph =
    pencil.weights.every((weight) => weight >= 0) &&
    degrees.every((degree, i) => Math.abs(degree - pencil.mass[i]) <= 1e-12 * degree);
  const scale = scaleOf(pencil);
  if (scale === 1) return (seed) => instanceOf(seed, 'given', pencil, ofGraph);
  const own = { ...pencil, weights: pencil.weights.map((weight) => weight / scale) };
  return (seed) => instanceOf(seed, `given, W over ${scale}`, own, ofGraph);
}

/**
 * A power of two near the largest |eigenvalue|, or 1 if that is of order one, as for every graph. F of (cW, D) at √c·Z is
 * c² times F of (W, D) at Z, so that statements hold for both or for neither. Tolerances assume numbers of order one.
 */
function scaleOf(pencil: SmallPencil): number {
  const { values } = eigenpairs(pencil);
  const largest = Math.max(Math.abs(values[0]), Math.abs(values[values.length - 1]));
  return largest === 0 || (largest >= 1 / 8 && largest <= 8) ? 1 : 2 ** Math.round(Math.log2(largest));
}

/** The whole graph if it is small, else neighborhoods of its nodes, each as a graph of its own. */
export function graphInstances(graph: Graph): InstanceSource {
  if (graph.size <= largestPencil)
    return givenInstances(
      pencilOfBlock(
        graph,
        Int32Array.from({ length: graph.size }, (_, i) => i),
      ),
    );
  return (seed) => {
    // The label is part of the seed: another spelling would draw other instances.
    const random = new Random(seed).fork('neighbourhood');
    const rows = drawNeighborhood(graph, random);
    return instanceOf(seed, `${rows.length} nodes around ${rows[0]}`, pencilOfBlock(graph, rows.toSorted()), true);
  };
}

/** The largest number of nodes of a pencil. */
const largestPencil = 24;

/** Checks the user's pencil and converts it to Float64. One factor of W and D, which keeps eigenvalues, is taken out. */
export function givenPencil(caller: string, given: GivenPencil): SmallPencil {
  if (typeof given !== 'object' || given === null) throw badKind(caller, 'a pencil { weights, mass }', given);
  const { data, rows } = symmetricOf(caller, 'weights', given.weights);
  if (rows < 2 || rows > largestPencil) throw badValue(caller, `weights of 2 to ${largestPencil} rows`, rows);
  const mass = Float64Array.from(given.mass ?? []);
  if (mass.length !== rows) throw badValue(caller, `a mass for each of ${rows} rows`, mass.length);
  checkFinite(caller, 'mass', mass);
  const bad = mass.findIndex((entry) => entry <= 0);
  if (bad >= 0) throw badValue(caller, 'mass above 0', `${mass[bad]} at index ${bad}`);
  const scale = weightScale(largestMagnitude(mass));
  for (let p = 0; p < data.length; p++) data[p] /= scale;
  for (let i = 0; i < rows; i++) mass[i] /= scale;
  checkMagnitude(caller, 'mass', mass);
  return { size: rows, weights: data, mass };
}

/** The squares of these neither underflow nor overflow, with a margin for the formulas. */
const magnitudes = { least: 1e-140, most: 1e140 };

/** Verdicts do not depend on a common factor of W and D, as long as squares neither underflow nor overflow. */
export function checkMagnitude(caller: string, name: string, mass: Float64Array): void {
  const bad = mass.findIndex((entry) => entry < magnitudes.least || entry > magnitudes.most);
  if (bad < 0) return;
  const rule = `${name} from ${magnitudes.least} to ${magnitudes.most}`;
  const remedy = 'Multiply W and D by one number: the eigenvalues stay the same.';
  throw badValue(caller, rule, `${mass[bad]} at index ${bad}`, remedy);
}

function instanceOf(seed: number, kind: string, whole: SmallPencil, ofGraph: boolean): Instance {
  const random = new Random(seed).fork('instance');
  const components = 1 + random.integer(Math.min(mostComponents, whole.size - 1));
  const common = { seed, given: true, components, ofGraph, random: random.fork('check') };
  if (seed % 2 === 0 || !ofGraph) return { ...common, kind, pencil: whole, whole: null };
  return { ...common, kind: `${kind}, deflated`, pencil: deflated(whole), whole };
}

/** A random node and nodes near it, in breadth-first order. If its component is tiny, nodes of other components follow. */
function drawNeighborhood({ size, weights }: Graph, random: Random): Int32Array {
  const found = [random.integer(size)];
  const count = sizes.least + random.integer(sizes.most - sizes.least + 1);
  const seen = new Set(found);
  for (let at = 0; found.length < count; at++) {
    if (at === found.length) {
      // One fewer than the least, so that a node always has room for a neighbor.
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

function generalPencil(random: Random, size: number): SmallPencil {
  const weights = symmetricPencil(size, () => random.normal()).weights;
  return { size, weights, mass: Float64Array.from({ length: size }, () => random.uniform(0.2, 3)) };
}

function moonGraph(law: Law, random: Random, size: number): SmallPencil {
  return kernelGraph(Float64Array.from(law.points(size, random.integer(2 ** 30)).data), random.uniform(0.2, 0.8));
}

/** The graph with weights exp(−‖x−y‖²/(2σ²)) of points in the plane. */
function kernelGraph(points: Float64Array, sigma: number): SmallPencil {
  return symmetricPencil(points.length / 2, (i, j) => {
    const square = (points[2 * i] - points[2 * j]) ** 2 + (points[2 * i + 1] - points[2 * j + 1]) ** 2;
    return Math.exp(-square / (2 * sigma ** 2));
  });
}

/** Whether (i, j) is an edge of the ring, which keeps a graph connected. */
function isRingEdge(size: number, i: number, j: number): boolean {
  return (i + 1) % size === j || (j + 1) % size === i;
}

function symmetricPencil(size: number, entry: (i: number, j: number) => number): SmallPencil {
  const weights = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      weights[i * size + j] = entry(i, j);
      weights[j * size + i] = weights[i * size + j];
    }
  }
  return withDegrees(size, weights);
}
