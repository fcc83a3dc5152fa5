/**
 * A process that trains on a million points and prints its memory after each phase, as a line of JSON. It runs alone
 * because a peak cannot be reset.
 */

import { swissRoll } from '../datasets/index.ts';
import { buildGraph } from '../lib/graph/build-graph.ts';
import { SpectralEmbedding } from '../lib/embedding/spectral-embedding.ts';

/** The totals of the process at the end of a phase. */
export interface Phase {
  readonly phase: string;
  /** Processor time in seconds. */
  readonly seconds: number;
  /** Bytes resident now, and the most that were ever resident. */
  readonly resident: number;
  readonly peak: number;
  /** Shows that the work was done. */
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
    // Reads the state, as a checkpoint does.
    onEpoch: ({ epoch, steps, state }) => report(`epoch ${epoch}`, steps + state().parameters[0].data[0]),
  },
});
const { eigenvalues } = await estimator.fit(points, { graph });
report('Ritz problem and embedding', eigenvalues[0]);
