/** Errors of each method against the eigenvectors of one moon's graph, over processor time. */

import { oneMoon } from '../../datasets/index.ts';
import { SpectralEmbedding } from '../../lib/embedding/spectral-embedding.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { relativeErrors } from '../../lib/linalg/subspace.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { columns, exactSpectrum } from '../../lib/spectral/spectrum/spectrum.ts';
import { train } from '../../lib/spectral/train/train.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { sequentially } from '../sequentially.ts';
import { oneRecipe, paper, quick, rotatedOutputs } from './moons.ts';
import { mean, processorTime, type QualityOptions, type Section, show, timed, type TimeFigures } from './section.ts';

const seed = 1;
const epochs = [1, 2, 5, 10, 20, 50, 100];

export async function oneMoonTime({ say }: QualityOptions): Promise<Section> {
  const { points } = oneMoon({ seed });
  const graph = await buildGraph(points, oneRecipe);
  const solve = async (): Promise<Tensor> =>
    columns((await exactSpectrum('quality', graph, { count: 3 })).vectors, 1, 3);
  const truth = await solve();
  const gapOf = (rows: Tensor): number => mean([...relativeErrors(rows, truth)]);
  const lines = await sequentially(quick, async ([name, options]) => {
    say(`one moon: ${name}`);
    const estimator = new SpectralEmbedding({ components: 2, seed, ...options });
    const { result, seconds } = await timed(() => estimator.fit(points, { graph }));
    return { name, seconds, gap: gapOf(result.embedding) };
  });
  const direct = await timed(solve);
  say('one moon: plain SpecNet2');
  const network = new Mlp([2, 128, 2], { seed });
  const trace: { epoch: number; seconds: number; gap: number }[] = [];
  let seconds = 0;
  let start = processorTime();
  const onEpoch = ({ epoch }: { epoch: number }): void => {
    if (!epochs.includes(epoch)) return;
    seconds += processorTime() - start;
    const [rows] = rotatedOutputs(graph, network, points, points);
    trace.push({ epoch, seconds, gap: gapOf(rows) });
    start = processorTime();
  };
  await train(graph, network, points, { ...paper, epochs: Math.max(...epochs), seed, onEpoch });
  const figures: TimeFigures = {
    lines: [...lines, { name: 'direct eigensolver', seconds: direct.seconds, gap: 0 }],
    trace,
  };
  return {
    title: 'One moon, 2,000 points: error of the first two nontrivial eigenvectors, mean, after how long',
    settings:
      'gaussian 0.2 above 0.6; SpecNet2: 2-128-2, batch 4, Adam 1e-3; one draw; processor time without the graph',
    header: ['method', 'error', 'seconds'],
    rows: [
      ...figures.lines.map(({ name, gap, seconds: time }) => [name, show(gap, 4), show(time, 3)]),
      ...trace.map(({ epoch, gap, seconds: time }) => [
        `SpecNet2 neighbor, epoch ${epoch}`,
        show(gap, 4),
        show(time, 3),
      ]),
    ],
    notes: [
      'Errors are τ of the paper against the eigenvectors of the graph itself, outputs after Rayleigh-Ritz.',
      'The first method pays for warming up the engine.',
    ],
    figures,
  };
}
