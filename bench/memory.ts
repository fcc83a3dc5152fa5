/** What does training on a million points hold in memory? A process of its own, since a peak cannot be taken back: a line of JSON for each phase. */

import { swissRoll } from '../datasets/index.ts';
import { buildGraph } from '../lib/graph/build-graph.ts';
import { SpectralEmbedding } from '../lib/embedding/spectral-embedding.ts';

/** What the process had come to when a phase ended. */
export interface Phase {
  readonly phase: string;
  /** Of the processor, in seconds. */
  readonly seconds: number;
  /** Bytes that are resident now, and the most that ever were. */
  readonly resident: number;
  readonly peak: number;
  /** Says that the work was done. */
  readonly checksum: number;
}

const [size, epochs, batch] = process.argv.slice(2).map(Number);

let before = 0;

function report(phase: string, checksum: number): void {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const now = (userCPUTime + systemCPUTime) / 1e6;
  const line: Phase = {
    phase,
    seconds: now - before,
    resident: process.memoryUsage.rss(),
    peak: 1024 * maxRSS,
    checksum,
  };
  before = now;
  console.log(JSON.stringify(line));
}

const { points } = swissRoll({ n: size });
report('points', points.data[0]);
const graph = await buildGraph(points, { kind: 'knn', neighbors: 16 });
report('graph', graph.volume);
const estimator = new SpectralEmbedding({
  components: 2,
  method: 'specnet2',
  hidden: [64],
  training: {
    batch,
    epochs,
    // As for a checkpoint.
    onEpoch: ({ epoch, steps, state }) => report(`epoch ${epoch}`, steps + state().parameters[0].data[0]),
  },
});
const { eigenvalues } = await estimator.fit(points, { graph });
report('Ritz problem and embedding', eigenvalues[0]);
