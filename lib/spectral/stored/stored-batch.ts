/** What a batch sees of a graph in a folder, and the moments of rows in a file: the neighbor scheme beyond memory. */

import type { Floats } from '../../kernels/types.ts';
import { badValue } from '../../core/check.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { allocateIndices, everyIndex } from '../../sparse/indices.ts';
import type { StoredGraph } from '../../storage/graph/stored-graph.ts';
import type { FileRows, RowFile } from '../../storage/fit/row-file.ts';
import type { RowQueue } from '../../storage/fit/row-queue.ts';
import { VisitedRows } from '../../storage/fit/visited-rows.ts';
import { allocate } from '../../tensor/tensor.ts';
import { sparseRowsKernels } from '../../wasm/families.ts';
import type { Inclusion } from '../descent/inclusion.ts';
import {
  measureGroups,
  type Moments,
  momentsCorrectedBy,
  type MomentSource,
  trackedMoments,
} from '../descent/moments.ts';
import type { BatchView, Viewer } from '../descent/view.ts';
import { etaOf, type PencilKind } from '../pencil/pencil.ts';

/** The eigenproblem of a stored graph, whose weights are multiplied by `factor`. */
export interface StoredPencil {
  readonly caller: string;
  readonly graph: StoredGraph;
  readonly kind: PencilKind;
  readonly deflate: boolean;
  readonly factor: number;
}

/** The rows of the last batch and their neighbors, out of the file of all rows. */
export class StoredBatch {
  readonly #pencil: StoredPencil;
  readonly #file: RowFile;
  readonly #take: (rows: Int32Array) => CsrMatrix;
  readonly #visits = new VisitedRows();
  #every = allocateIndices(0);
  #columns = allocateIndices(0);
  #mass = allocate(0, 'double');
  #eta = allocate(0, 'double');
  /** N(B) with its D, η and rows as they were last evaluated. */
  #support: Int32Array = this.#every;
  readonly #window: { data: Floats; readonly precision: 'single' } = { data: new Float32Array(0), precision: 'single' };
  readonly #local: { mass: Float64Array; eta: Float64Array | null } = { mass: new Float64Array(0), eta: null };

  constructor(pencil: StoredPencil, file: RowFile, queue: RowQueue) {
    this.#pencil = pencil;
    this.#take = (rows) => queue.take(rows);
    this.#file = file;
  }

  /** W[B,S], where S is N(B) of eq:def-B-nbh and the batch comes first. Rows have the bits of the graph in memory. */
  readonly look: Viewer = (batch) => {
    const { graph, caller } = this.#pencil;
    const weights = this.#take(batch);
    const { rows: support, places } = this.#visits.of(batch, weights);
    const known = this.#file.read(support);
    const { mass, eta } = this.#weightsOf(known.degrees);
    this.#support = support;
    this.#window.data = known.data;
    [this.#local.mass, this.#local.eta] = [mass, eta];
    const count = batch.length;
    const every = this.#everyIndex(support.length);
    const place = every.subarray(0, count);
    if (this.#columns.length < places.length) this.#columns = allocateIndices(2 * places.length);
    this.#columns.set(places);
    const { starts } = weights;
    const values = this.#valuesOf(caller, weights.values, starts, places, known.degrees);
    const columns = this.#columns;
    const view: BatchView = {
      batch,
      support,
      supportMass: mass,
      supportEta: eta,
      place,
      mass: mass.subarray(0, count),
      eta: eta && eta.subarray(0, count),
      population: graph.size,
      listed: null,
      neighborhood: () => ({ support, supportMass: mass, supportEta: null }),
      entries: places.length,
      multiply(width, y, out) {
        const { csrRowsMatmul } = sparseRowsKernels();
        csrRowsMatmul(count, width, place, starts, columns, values, y, null, -Infinity, out);
      },
    };
    return view;
  };

  /** Tracked moments, or with the probabilities of rows corrected ones: those of the window, which is then written to the file. */
  moments(record: Moments, inclusion: Inclusion | null): MomentSource {
    const [window, local] = [this.#window, this.#local];
    const at = (batch: number): Float64Array => inclusion!.at(batch, this.#support);
    const source = inclusion
      ? momentsCorrectedBy({ at }, record, window, local)
      : trackedMoments(record, window, local);
    return {
      update: (view, seen) => {
        const support = this.#everyIndex(seen.count);
        const moments = source.update({ ...view, support }, seen);
        this.#file.replace(this.#support, window.data as Float32Array);
        return moments;
      },
      rotate: (r, side) => source.rotate(r, side),
      flops: (view) => source.flops(view),
    };
  }

  /** Measures the moments of all rows in the file. */
  measure(record: Moments): void {
    const rowsAt = (from: number, to: number) => {
      const { degrees, data }: FileRows = this.#file.readRange(from, to);
      const { mass, eta } = this.#weightsOf(degrees);
      return { supportMass: mass, supportEta: eta, data };
    };
    measureGroups(this.#file.size, rowsAt, record);
  }

  /** D and η of rows of these degrees, in kernel memory. */
  #weightsOf(degrees: Float64Array): { mass: Float64Array; eta: Float64Array | null } {
    const { graph, kind, deflate, factor } = this.#pencil;
    const count = degrees.length;
    if (this.#mass.length < count) [this.#mass, this.#eta] = [0, 1].map(() => allocate(2 * count, 'double'));
    const [mass, eta] = [this.#mass.subarray(0, count), this.#eta.subarray(0, count)];
    for (let i = 0; i < count; i++) mass[i] = factor * degrees[i];
    if (deflate) etaOf(kind, mass, factor * graph.volume, eta);
    return { mass: kind === 'random-walk' ? mass : mass.fill(1), eta: deflate ? eta : null };
  }

  /** The weights times the factor, normalized for the symmetric pencil, in single precision. Overwrites `weights`. */
  #valuesOf(caller: string, weights: Floats, starts: Int32Array, places: Int32Array, degrees: Float64Array): Floats {
    const { kind, factor } = this.#pencil;
    if (factor !== 1) for (let e = 0; e < weights.length; e++) weights[e] *= factor;
    let values = weights;
    if (weights instanceof Float64Array) {
      values = allocate(weights.length, 'single');
      values.set(weights);
      const lost = values.indexOf(0);
      if (lost >= 0) throw badValue(caller, 'weights that single precision can hold', weights[lost]);
    }
    if (kind === 'random-walk') return values;
    const roots = degrees.map((degree) => Math.sqrt(factor * degree));
    for (let i = 0; i + 1 < starts.length; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) values[e] /= roots[i] * roots[places[e]];
    }
    return values;
  }

  #everyIndex(count: number): Int32Array {
    if (this.#every.length < count) this.#every = everyIndex(2 * count);
    return this.#every.subarray(0, count);
  }
}
