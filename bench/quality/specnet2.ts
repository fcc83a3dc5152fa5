/** SpecNet2 with tracked moments, corrected moments and sampled edges: their errors after the same processor time, on six data sets. */

import { loadMnist, oneMoon, swissRoll, texts, twoMoons } from '../../datasets/index.ts';
import { laplacianEigenmap } from '../../lib/embedding/eigenmaps/eigenmap.ts';
import { guardsOf } from '../../lib/embedding/fit-network.ts';
import { dividePoints, scaleOf } from '../../lib/embedding/model/point-scale.ts';
import { buildGraph, type GraphRecipe } from '../../lib/graph/build-graph.ts';
import type { Graph } from '../../lib/graph/graph.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { type Points, takerOf, toKernelFormat } from '../../lib/network/layers/inputs.ts';
import type { RateSchedule } from '../../lib/network/optimizer/schedule.ts';
import type { Seed } from '../../lib/core/random.ts';
import { inclusionIn } from '../../lib/spectral/descent/inclusion.ts';
import { rayleighRitz } from '../../lib/spectral/ritz/rayleigh-ritz.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';
import { correctedSettings } from '../../lib/spectral/train/corrected.ts';
import type { TrainOptions } from '../../lib/spectral/train/options.ts';
import { trainSteps } from '../../lib/spectral/train/train.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { sequentially } from '../sequentially.ts';
import { fashion } from '../tables/sets.ts';
import { distance, gapOf } from './mnist.ts';
import { median, processorTime, type QualityOptions, type Section, show } from './section.ts';

interface Data {
  readonly points: Points;
  readonly recipe: GraphRecipe;
  readonly hidden: readonly number[];
  readonly components: number;
  /** The processor seconds of a training. */
  readonly seconds: number;
}

const nearest = { kind: 'knn', neighbors: 16 } as const;
const moon = { kind: 'gaussian', sigma: 0.2, threshold: 0.6 } as const;
const moons = { kind: 'gaussian', sigma: 0.15, threshold: 0.08 } as const;
const images = { recipe: nearest, hidden: [256, 256], components: 6, seconds: 4 } as const;

function drawn(points: Points, recipe: GraphRecipe, hidden: readonly number[], components: number): Data {
  return { points, recipe, hidden, components, seconds: 2.5 };
}

/** Each data set by its name. A draw that cannot be loaded is left out. */
export const sources: Record<string, (seed: Seed) => Data | Promise<Data>> = {
  'one moon': (seed) => drawn(oneMoon({ seed }).points, moon, [128], 2),
  'two moons': (seed) => drawn(twoMoons({ seed }).points, moons, [128], 1),
  'Swiss roll': (seed) => drawn(swissRoll({ n: 5000, seed }).points, nearest, [64, 64], 3),
  texts: (seed) => drawn(texts({ n: 3000, seed }).points, { ...nearest, metric: 'cosine' }, [64], 9),
  MNIST: async (seed) => ({ ...images, points: (await loadMnist({ train: 5000, test: 1, seed })).train.points }),
  'Fashion-MNIST': () => ({ ...images, points: fashion().points }),
};

type Ends = Pick<RateSchedule, 'from' | 'to'>;
/** Constant, falling between given ends, or falling between those that are the defaults of corrected moments for these points. */
type Rate = 'constant' | 'usual' | Ends;

export interface Variant {
  readonly name: string;
  readonly options: TrainOptions;
  readonly rate: Rate;
  /** Whether guard columns are trained beyond the components, as `SpectralEmbedding` does. Default: false. */
  readonly guarded?: boolean;
}

const falling = (from: number): Rate => ({ from, to: 1e-5 });

/** All with the calibrated scale and the default batch. The first one is otherwise the paper's rule, the last two have the default rates. */
export const variants: readonly Variant[] = [
  { name: 'tracked, constant rate', options: { moments: 'tracked' }, rate: 'constant' },
  { name: 'tracked, falling rate', options: { moments: 'tracked' }, rate: falling(4e-3) },
  { name: 'corrected', options: { moments: 'corrected' }, rate: 'usual', guarded: true },
  { name: 'edges', options: { scheme: 'edges' }, rate: falling(2e-3) },
];

interface Outcome {
  readonly steps: number;
  readonly seconds: number;
  readonly gap: number;
  readonly error: number;
}

export async function specnet2Quality({ seeds, say }: QualityOptions): Promise<Section> {
  const figures = await sequentially(Object.entries(sources), async ([name, load]) => {
    const draws = await sequentially(
      Array.from({ length: seeds }, (_, i) => i + 1),
      async (seed) => {
        say(`${name}, seed ${seed}`);
        try {
          return await compare(load, seed);
        } catch (error) {
          say(`${name} is left out: ${(error as Error).message}`);
          return null;
        }
      },
    );
    return { name, draws: draws.filter((draw) => draw !== null) };
  });
  const measured = figures.filter(({ draws }) => draws.length > 0);
  const cell = (all: readonly (Outcome | null)[]): string => {
    const outcomes = all.filter((outcome) => outcome !== null);
    if (outcomes.length === 0) return 'collapsed';
    const medians = [median(outcomes.map(({ error }) => error)), median(outcomes.map(({ gap }) => gap))];
    const rest = outcomes.length < all.length ? `, ${all.length - outcomes.length} collapsed` : '';
    return `${show(medians[0])} (${show(medians[1], 4)})${rest}`;
  };
  return {
    title: `SpecNet2 after the same processor time, ${seeds} draws: error (gap f2 − f2*), medians`,
    settings:
      'calibrated scale, default batches; rates: constant 1e-3, or falling to 1e-5, from 4e-3 (tracked), the default for the points (corrected, with guards) or 2e-3 (edges); one thread',
    header: ['data', 's', ...variants.map(({ name }) => name)],
    rows: measured.map(({ name, draws }) => [
      name,
      show(
        median(draws.flatMap(({ outcomes }) => outcomes.flatMap((outcome) => (outcome ? [outcome.seconds] : [])))),
        1,
      ),
      ...variants.map((_, v) => cell(draws.map(({ outcomes }) => outcomes[v]))),
    ]),
    notes: ['Error: rms of the sines between the span of the outputs and that of the eigenvectors of the graph.'],
    figures: measured,
  };
}

/** Trains by each variant from the same start. */
export async function compare(
  load: (seed: Seed) => Data | Promise<Data>,
  seed: Seed,
  trained = variants,
): Promise<{ seed: Seed; outcomes: (Outcome | null)[] }> {
  const data = await load(seed);
  const graph = await buildGraph(data.points, data.recipe);
  const exact = await laplacianEigenmap(graph, { components: data.components });
  // As `SpectralEmbedding` does it: points of order one.
  const input = toKernelFormat(dividePoints(data.points, scaleOf(data.points)));
  const outcomes = trained.map((variant) => orCollapsed(() => outcomeOf(variant)));
  return { seed, outcomes };

  function outcomeOf(variant: Variant): Outcome {
    const steps = stepsWithin(data.seconds, (limit) => run(graph, input, data, variant, seed, Infinity, limit));
    const { done, seconds, rows } = run(graph, input, data, variant, seed, steps, Infinity);
    return {
      steps: done,
      seconds,
      gap: gapOf(graph, exact.eigenvalues, rows),
      error: distance(exact.embedding, columns(rayleighRitz(graph, rows).eigenvectors, 0, data.components)),
    };
  }
}

/** What errors of collapsed trainings say. */
const collapses = ['a rate small enough', 'Drop dependent columns'];

/** Null if the outputs became constant or grew without bound, which `train` reports as a rate that is too large, or dependent. */
function orCollapsed<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && collapses.some((words) => error.message.includes(words))) return null;
    throw error;
  }
}

/** The steps that fit into a number of seconds. Measured in a tenth of them, after another tenth in which the code warms up. */
function stepsWithin(seconds: number, training: (limit: number) => { done: number; seconds: number }): number {
  training(0.1 * seconds);
  const sample = training(0.1 * seconds);
  return Math.max(1, Math.round((sample.done * seconds) / sample.seconds));
}

/** Trains for a number of steps, or until a number of seconds has passed. */
function run(
  graph: Graph,
  input: Points,
  { hidden, components }: Data,
  { options, rate, guarded }: Variant,
  seed: Seed,
  steps: number,
  limit: number,
): { done: number; seconds: number; rows: Tensor } {
  const guards = guarded ? guardsOf(graph, hidden[hidden.length - 1], components) : 0;
  const network = new Mlp([input.cols, ...hidden, components + guards], { seed });
  const falls = { steps: Math.min(steps, 1e9) };
  const schedule = rate === 'constant' ? 1e-3 : { ...(rate === 'usual' ? usualEnds(graph, input) : rate), ...falls };
  const start = processorTime();
  let done = 0;
  for (const fraction of trainSteps(graph, network, input, {
    ...options,
    method: 'specnet2',
    scale: 'calibrated',
    rate: schedule,
    epochs: 1_000_000,
    seed,
  })) {
    void fraction;
    if (++done >= steps || processorTime() - start >= limit) break;
  }
  return { done, seconds: processorTime() - start, rows: network.evaluate(input) };
}

/** The ends of the rate that corrected moments have by default on these points. */
function usualEnds(graph: Graph, points: Points): Ends {
  const source = { inclusion: () => inclusionIn(graph.weights), take: takerOf(points) };
  return correctedSettings(source, graph, {}).rate;
}
