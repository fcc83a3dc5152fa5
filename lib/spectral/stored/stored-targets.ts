/** Eigenvectors of a stored graph as the targets of a regression: found in memory if the graph is small, else by Lanczos with products block by block. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task, type WaitingTask } from '../../core/task.ts';
import { affinityOperator, type WeightedProduct } from '../../graph/laplacian.ts';
import { defaultBasis, lanczosSteps } from '../../linalg/lanczos/lanczos.ts';
import { borrowCsr } from '../../sparse/borrow-csr.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { StoredGraph } from '../../storage/graph/stored-graph.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { borrow } from '../../wasm/borrow.ts';
import { vectorKernels } from '../../wasm/families.ts';
import { eigenvectorTargetsSteps, type Targets, targetsOf, targetTolerance } from '../regression/targets.ts';

/** The solvers of a graph in memory take up to this many times its bytes. */
const solverFactor = 8;
/** Rows of the graph that are read at a time. */
const blockRows = 1 << 13;

/**
 * `components` eigenvectors. Vectors and the blocks that are kept take at most `memory` bytes, which are the fraction `share` of the
 * memory that was asked for. A graph that is small compared to that is read as a whole and solved as in memory, with the same bits;
 * for others Lanczos finds them.
 */
export function* storedTargetsSteps(
  caller: string,
  graph: StoredGraph,
  components: number,
  memory: number,
  share: number,
): WaitingTask<Targets> {
  const vectors = 8 * graph.size * vectorCount(components);
  if (solverFactor * graph.bytes + vectors <= memory) {
    return yield* eigenvectorTargetsSteps(graph.toGraph(), components);
  }
  if (vectors > memory) {
    const rule = `at least ${Math.ceil(mebibytes(vectors / share))} MiB of memory for ${vectorCount(components)} vectors of ${graph.size} numbers`;
    const remedy = "Raise memory (--memory), or use method 'ritz', which needs no eigenvectors.";
    throw badValue(caller, rule, `${Math.floor(mebibytes(memory / share))} MiB`, remedy);
  }
  return yield* streamedTargetsSteps(graph, components, memory - vectors);
}

/** The largest number of components whose vectors fit in `memory` bytes; 0 if there is none. */
export function mostTargets(graph: StoredGraph, memory: number): number {
  let most = 0;
  while (8 * graph.size * vectorCount(most + 1) <= memory && most < graph.size) most++;
  return most;
}

/** The vectors of n numbers that Lanczos takes for this many components: its basis, its results and the operator. */
function vectorCount(components: number): number {
  return defaultBasis(components + 1) + 5 * (components + 1) + 4;
}

function mebibytes(bytes: number): number {
  return bytes / 2 ** 20;
}

/** By Lanczos, whose products read the graph block by block. The first blocks are kept, up to `memory` bytes. */
export function* streamedTargetsSteps(graph: StoredGraph, components: number, memory: number): Task<Targets> {
  const { size, volume } = graph;
  const parts = yield* subtask(countPartsSteps(graph), 0, 0.1);
  const degrees = graph.degrees(0, size);
  const blocks = new GraphBlocks(graph, memory);
  const room = borrow(2 * size);
  try {
    const operator = affinityOperator(degrees, blocks.product, room.array);
    const settings = { count: components + 1, tolerance: targetTolerance, which: operator.smooth };
    const { vectors, ...found } = yield* subtask(lanczosSteps(operator, settings), 0.1, 1);
    const restored = operator.restore(vectors as Tensor);
    const factor = Math.sqrt(volume);
    for (let at = 0; at < restored.size; at++) restored.data[at] *= factor;
    return targetsOf({ degrees, volume, components: { count: parts } }, { ...found, vectors: restored });
  } finally {
    room.giveBack();
    blocks.close();
  }
}

/** The rows of a graph, block by block. The first blocks stay in memory. */
class GraphBlocks {
  readonly #graph: StoredGraph;
  readonly #kept: { readonly matrix: CsrMatrix; giveBack(): void }[] = [];
  #room: number;

  constructor(graph: StoredGraph, memory: number) {
    this.#graph = graph;
    this.#room = memory;
  }

  /** Every row has the bits of a product in memory. */
  readonly product: WeightedProduct = (factors, x, y) => {
    for (let from = 0, block = 0; from < x.length; from += blockRows, block++) {
      const to = Math.min(x.length, from + blockRows);
      const { starts, columns, values } = this.#kept[block]?.matrix ?? this.#read(block, from, to);
      const [own, out] = [factors.subarray(from, to), y.subarray(from, to)];
      vectorKernels().csrTimesVector(to - from, starts, columns, values, own, x, out);
    }
  };

  close(): void {
    for (const loan of this.#kept) loan.giveBack();
  }

  #read(block: number, from: number, to: number): CsrMatrix {
    const matrix = this.#graph.rowRange(from, to);
    const { starts, columns, values } = matrix;
    const bytes = starts.byteLength + columns.byteLength + values.byteLength;
    if (this.#kept.length === block && bytes <= this.#room) {
      this.#room -= bytes;
      this.#kept.push(borrowCsr(matrix));
    }
    return matrix;
  }
}

/** The number of connected parts, by disjoint sets (Tarjan 1975). */
export function* countPartsSteps(graph: StoredGraph): Task<number> {
  const parents = Int32Array.from({ length: graph.size }, (_, i) => i);
  const rootOf = (node: number): number => {
    let at = node;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at]];
      at = parents[at];
    }
    return at;
  };
  let count = graph.size;
  for (let from = 0; from < graph.size; from += blockRows) {
    const { rows, starts, columns } = graph.rowRange(from, Math.min(graph.size, from + blockRows));
    for (let i = 0; i < rows; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const [one, other] = [rootOf(from + i), rootOf(columns[e])];
        if (one === other) continue;
        parents[Math.max(one, other)] = Math.min(one, other);
        count--;
      }
    }
    yield from / graph.size;
  }
  return count;
}
