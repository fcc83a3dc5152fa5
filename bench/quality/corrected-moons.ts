/** SpecNet2 by the paper's rule and with corrected moments on both moons, with the network and the batch of the paper. */

import { oneMoon, trainAndTest, twoMoons } from '../../datasets/index.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { relativeErrors } from '../../lib/linalg/subspace.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { momentKinds, type MomentKind } from '../../lib/spectral/descent/moments.ts';
import { columns, exactSpectrum } from '../../lib/spectral/spectrum/spectrum.ts';
import { train } from '../../lib/spectral/train/train.ts';
import { sequentially } from '../sequentially.ts';
import { accuracyAt, oneRecipe, paper, rotatedOutputs, seedsOf, twoRecipe } from './moons.ts';
import { mean, type QualityOptions, type Section, show, timed } from './section.ts';

/** The paper's rule, and corrected moments with their default rate and scale at the paper's batch. */
const rules = { tracked: paper, corrected: { batch: paper.batch, moments: 'corrected' } } as const;

export async function correctedOneMoonQuality({ seeds, say }: QualityOptions): Promise<Section> {
  const epochs = 100;
  const draws = await sequentially(seedsOf(seeds), async (seed) => {
    const { train: seen, test: unseen } = trainAndTest(oneMoon, { seed });
    const graph = await buildGraph(seen.points, oneRecipe);
    const exact = columns((await exactSpectrum('quality', graph, { count: 3 })).vectors, 1, 3);
    const runs = await sequentially(momentKinds, async (moments) => {
      say(`one moon: ${moments}, seed ${seed}`);
      const network = new Mlp([2, 128, 2], { seed });
      const { seconds } = await timed(() => train(graph, network, seen.points, { ...rules[moments], epochs, seed }));
      const [rows] = rotatedOutputs(graph, network, seen.points, unseen.points);
      return { moments, seconds, errors: [...relativeErrors(rows, exact)] };
    });
    return { seed, runs };
  });
  const found = (moments: MomentKind, of: (run: (typeof draws)[0]['runs'][0]) => number): number[] =>
    draws.map(({ runs }) => of(runs.find((run) => run.moments === moments)!));
  return {
    title: `One moon, 2,000 points, ${seeds} draws: errors of SpecNet2 neighbor against the eigenvectors of the graph`,
    settings: `2-128-2, batch 4, ${epochs} epochs; tracked: Adam 1e-3, plain scale; corrected: default rate and scale`,
    header: ['moments', 'first, mean', 'worst', 'second, mean', 'worst', 's'],
    rows: momentKinds.map((moments) => [
      moments,
      ...[0, 1].flatMap((k) => {
        const errors = found(moments, (run) => run.errors[k]);
        return [show(mean(errors), 4), show(Math.max(...errors), 4)];
      }),
      show(mean(found(moments, ({ seconds }) => seconds)), 1),
    ]),
    notes: ['Seconds are processor time of one training, mean.'],
    figures: draws,
  };
}

export async function correctedTwoMoonsQuality({ seeds, say }: QualityOptions): Promise<Section> {
  const epochs = [50, 100, 150, 200, 250];
  const draws = await sequentially(seedsOf(seeds), async (seed) => {
    const { train: seen, test: unseen } = trainAndTest(twoMoons, { seed });
    const graph = await buildGraph(seen.points, twoRecipe);
    const runs = await sequentially(momentKinds, async (moments) => {
      say(`two moons: ${moments}, seed ${seed}`);
      return { moments, ...(await accuracyAt(epochs, graph, seen, unseen, { ...rules[moments], seed })) };
    });
    return { seed, runs };
  });
  const accuracies = (moments: MomentKind, part: 'seen' | 'unseen', at: number): number[] =>
    draws.map(({ runs }) => runs.find((run) => run.moments === moments)!.trace[at][part]);
  const row = (
    moments: MomentKind,
    part: 'seen' | 'unseen',
    name: string,
    pick: (values: number[]) => number,
  ): string[] => [
    `${moments}, ${part === 'seen' ? 'fitted' : 'new'}, ${name}`,
    ...epochs.map((_, e) => show(pick(accuracies(moments, part, e)), 4)),
  ];
  return {
    title: `Two moons, 2,000 points, ${seeds} draws: accuracy of SpecNet2 neighbor`,
    settings: '2-128-1, batch 4; tracked: Adam 1e-3, plain scale; corrected: default rate over 250 epochs, and scale',
    header: ['moments', ...epochs.map((epoch) => `epoch ${epoch}`)],
    rows: momentKinds.flatMap((moments) =>
      (['seen', 'unseen'] as const).flatMap((part) => [
        row(moments, part, 'mean', mean),
        row(moments, part, 'worst', (values) => Math.min(...values)),
      ]),
    ),
    notes: momentKinds.map((moments) => {
      const times = draws.map(({ runs }) => runs.find((run) => run.moments === moments)!.seconds);
      return `${moments}: ${show(mean(times), 1)} s of processor time for a training.`;
    }),
    figures: draws,
  };
}
