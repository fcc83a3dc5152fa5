/** A process that fits a model to many points, or finds the eigenpairs of a large graph, and prints its figures as JSON. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { principalAngles } from '../../lib/doors/linalg.ts';
import { CsrMatrix } from '../../lib/doors/sparse.ts';
import { type FittedEmbedding, type Graph, graphFrom, SpectralEmbedding, spectrum, tensor } from '../../lib/index.ts';
import { targetsOf } from '../../lib/spectral/regression/targets.ts';
import { type Found, type Request, type Task, wanted } from './runs.ts';

/** The tolerance of a rough answer. */
const rough = 1e-5;

/** What is timed, and what is said of its result afterwards. */
interface Work<R> {
  run(): Promise<R>;
  describe(result: R): Promise<Found>;
}

const request = JSON.parse(process.argv[2]) as Request;
const works: Record<Task, () => Promise<object>> = {
  model: () => measure(modelWork(request)),
  pairs: () => measure(pairsWork(request)),
};
console.log(JSON.stringify(await works[request.task]()));

async function measure<R>({ run, describe }: Work<R>): Promise<object> {
  const seconds: number[] = [];
  const processor: number[] = [];
  let peak = 0;
  let result!: R;
  for (let round = 0; round < request.rounds; round++) {
    const start = performance.now();
    const before = process.cpuUsage();
    // oxlint-disable-next-line no-await-in-loop -- one call at a time
    result = await run();
    const { user, system } = process.cpuUsage(before);
    seconds.push((performance.now() - start) / 1000);
    processor.push((user + system) / 1e6);
    peak ||= 1024 * process.resourceUsage().maxRSS;
  }
  return { seconds, processor, peak, found: await describe(result), version: `Node ${process.version}` };
}

function modelWork({ folder, rows, cols }: Request): Work<FittedEmbedding> {
  const points = tensor({ data: read(folder, 'points', Float32Array), shape: [rows, cols] }, 'single');
  return {
    run: () => new SpectralEmbedding().fit(points),
    async describe({ graph, embedding, eigenvalues, diagnostics }) {
      const values = Array.from(eigenvalues, (quotient) => 1 - quotient);
      const learned = { values, gap: diagnostics.gap?.f2, landmarks: diagnostics.landmarks?.count };
      if (request.isTimed) return learned;
      const count = embedding.cols + 1;
      const exact = targetsOf(graph, await spectrum(graph, { count, tolerance: wanted.tolerance }));
      if (!exact.converged) throw new Error('the eigenvectors of the graph did not converge.');
      const angles = principalAngles(embedding, exact.rows, graph.degrees);
      return {
        ...learned,
        angle: (Math.max(...angles) * 180) / Math.PI,
        error: Math.max(...values.map((value, k) => value / (1 - exact.values[k]) - 1)),
      };
    },
  };
}

function pairsWork({ folder, rows, by }: Request): Work<Awaited<ReturnType<typeof spectrum>>> {
  const graph = readGraph(folder, rows);
  const solver = by === 'lanczos' ? 'lanczos' : 'auto';
  const find = (tolerance: number) => spectrum(graph, { count: wanted.pairs + 1, tolerance, solver });
  return {
    run: () => find(wanted.tolerance),
    async describe({ values, converged, products, solver: used }) {
      if (!converged) throw new Error(`${by} did not converge after ${products} products.`);
      const found = { values: Array.from(values.subarray(1), (value) => 1 - value), products, solver: used };
      return by === 'lanczos' || request.isTimed ? found : { ...found, coarseProducts: (await find(rough)).products };
    },
  };
}

function readGraph(folder: string, rows: number): Graph {
  const starts = read(folder, 'starts', Int32Array);
  const columns = read(folder, 'columns', Int32Array);
  return graphFrom(new CsrMatrix(rows, rows, starts, columns, read(folder, 'values', Float32Array)));
}

/** An array of a raw file. */
function read<A extends Float32Array | Int32Array>(
  folder: string,
  name: string,
  Kind: new (buffer: ArrayBuffer, offset: number, length: number) => A,
): A {
  const { buffer, byteOffset, byteLength } = readFileSync(join(folder, name));
  return new Kind(buffer as ArrayBuffer, byteOffset, byteLength / 4);
}
