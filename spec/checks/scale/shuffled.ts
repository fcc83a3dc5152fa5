/**
 * Some steps of SpecNet2 in shuffled order on a stored graph: `shuffled.ts FOLDER STEPS MEMORY OUT`. Prints JSON with the seconds of the
 * steps and what was read, and writes the parameters to OUT. The rows of Y are computed for all points before the first step.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStoredGraph, openStoredPoints } from '../../../lib/doors/storage.ts';
import { cacheParts } from '../../../lib/embedding/fit-stored.ts';
import { Mlp } from '../../../lib/network/bodies/mlp.ts';
import { limitGarbage } from '../../../lib/wasm/set-memory.ts';
import { trainStoredSteps } from '../../../lib/spectral/stored/train-stored.ts';

const [folder, steps, memory, out] = process.argv.slice(2);
const of = (part: number): number => Number(memory) * part;
limitGarbage(of(1 / 4));
const graph = openStoredGraph(join(folder, 'graph'), { memory: of(cacheParts.graph) });
const points = openStoredPoints(join(folder, 'points.npy'), { memory: of(cacheParts.points) });
const network = new Mlp([points.cols, 32, 2], { seed: 1 });
const work = trainStoredSteps({
  caller: 'shuffled',
  graph,
  network,
  reader: () => points.rowTaker(),
  options: { method: 'specnet2', moments: 'tracked', batch: 64, epochs: 1, seed: 1 },
  rowsPath: `${out}.rows`,
  rowsMemory: of(cacheParts.rows),
  queueMemory: of(cacheParts.queue),
  checkpoints: null,
  ahead: points.table,
});
try {
  const started = performance.now();
  // What comes before the first step counts for a twentieth of the progress.
  for (let next = work.next(); !next.done && next.value <= 0.05; next = work.next());
  const begun = performance.now();
  const before = graph.statistics.bytesRead + points.statistics.bytesRead;
  for (let step = 1; step < Number(steps); step++) work.next();
  const ended = performance.now();
  const bytes = graph.statistics.bytesRead + points.statistics.bytesRead - before;
  const milliseconds = (ended - begun) / (Number(steps) - 1);
  console.log(JSON.stringify({ begin: (begun - started) / 1000, milliseconds, bytes, graph: graph.statistics }));
  writeFileSync(out, network.parameters[0].data);
} finally {
  work.return(null);
  points.close();
  graph.close();
}
