/** Views of a batch, one kind for each scheme: the batch alone, all rows, or the neighborhood of the batch. */

import { kernels } from '../../kernels/table.ts';
import type { Floats } from '../../kernels/types.ts';
import { BatchSlicer } from '../../sparse/slices/batch.ts';
import { allocateIndices, everyIndex } from '../../sparse/indices.ts';
import { NeighborUnion } from '../../sparse/slices/neighbor-union.ts';
import { neighborsOf } from '../../sparse/slices/slice.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { GrowableArray } from '../../tensor/growable-array.ts';
import { allocate } from '../../tensor/tensor.ts';
import { reduceKernels, sparseRowsKernels } from '../../wasm/families.ts';
import { etaOf, type Pencil } from '../pencil/pencil.ts';

export const schemes = ['local', 'full', 'neighbor'] as const;

/**
 * What a batch sees. 'local': its own rows, as a graph of its own (eq:gradYlocal). 'full': all rows, with their moments measured
 * anew (eq:gradYfull). 'neighbor': its own rows and their neighbors, with tracked moments (eq:gradYneighbor).
 */
export type Scheme = (typeof schemes)[number];

/** S, the rows of Y that a batch reads, with their D and η. */
export interface Support {
  /** The rows in S, null for all. */
  readonly support: Int32Array | null;
  readonly supportMass: Float64Array;
  readonly supportEta: Float64Array | null;
}

/** The rows of Y in S: Y_S = data·factor. */
export interface SeenRows {
  readonly count: number;
  /** count×K. */
  readonly data: Floats;
  /** K×K, upper triangular; null for the identity. */
  readonly factor: Float64Array | null;
}

/** What a batch B sees: its support S, W[B,S], D and η. Valid until the next view of the same viewer. */
export interface BatchView extends Support {
  readonly batch: Int32Array;
  /** The positions of the batch in the support: support[place[i]] = batch[i]. If the support is all rows, `place` is the batch. */
  readonly place: Int32Array;
  /** D and η of the batch's rows. */
  readonly mass: Float64Array;
  readonly eta: Float64Array | null;
  /** The n of the formulas: |B| for the local scheme, else the number of all rows. */
  readonly population: number;
  /** For kernels that move rows of the table: the batch, and D and η of all rows, in kernel memory. Null if there is no such table: the local scheme, stored graphs. */
  readonly listed: ListedRows | null;
  /** For the neighbor scheme N(B) of eq:def-B-nbh, which contains the batch; else the support. Without η. */
  neighborhood(): Support;
  /** The number of entries of W[B,S]. */
  readonly entries: number;
  /** out[|B|×width] = W[B,:]·y, all in the precision of W. y has all rows; for the local scheme and on stored graphs, those of the support. */
  multiply(width: number, y: Floats, out: Floats): void;
}

/** Rows of a table by number, with D and η of the whole table. */
export interface ListedRows {
  rows: Int32Array;
  readonly mass: Float64Array;
  readonly eta: Float64Array | null;
}

export type Viewer = (batch: Int32Array) => BatchView;

/** The viewers for free rows. Rows in memory are read in place, so full and neighbor differ only in their moments. */
export const viewers: Record<Scheme, (pencil: Pencil) => Viewer> = {
  local: localViewer,
  full: (pencil) => new WholeView(pencil).look,
  // N(B) is computed on demand.
  neighbor: (pencil) => new WholeViewWithNeighbors(pencil).look,
};

/**
 * The viewers for rows that a network computes. The neighbor scheme computes only the rows of N(B). They replace older values
 * in a table of all rows, and W[B,:] is multiplied by that table.
 */
export const networkViewers: Record<Scheme, (pencil: Pencil) => Viewer> = {
  ...viewers,
  neighbor: (pencil) => new NeighborhoodView(pencil).look,
};

/** The support is all rows. One object serves all batches: a new one would be a noticeable part of a step of a few microseconds. */
class WholeView implements BatchView {
  batch: Int32Array = new Int32Array(0);
  support: Int32Array | null = null;
  place = this.batch;
  readonly population: number;
  entries = 0;
  /** `rows` is a copy of the batch in kernel memory. */
  readonly listed: ListedRows;
  #mass: Float64Array | null = null;
  #eta: Float64Array | null = null;
  protected readonly pencil: Pencil;

  constructor(pencil: Pencil) {
    this.pencil = pencil;
    this.population = pencil.size;
    this.listed = { rows: allocateIndices(0), mass: pencil.mass, eta: pencil.eta };
  }

  get mass(): Float64Array {
    return (this.#mass ??= gathered(this.pencil.mass, this.batch));
  }

  get eta(): Float64Array | null {
    return (this.#eta ??= this.pencil.eta && gathered(this.pencil.eta, this.batch));
  }

  get supportMass(): Float64Array {
    return this.pencil.mass;
  }

  get supportEta(): Float64Array | null {
    return this.pencil.eta;
  }

  readonly look: Viewer = (batch) => {
    this.moveTo(batch);
    return this;
  };

  protected moveTo(batch: Int32Array): void {
    const { starts } = this.pencil.weights;
    const { listed } = this;
    if (listed.rows.length !== batch.length) listed.rows = allocateIndices(batch.length);
    const { rows } = listed;
    let entries = 0;
    for (let i = 0; i < batch.length; i++) {
      const row = batch[i];
      rows[i] = row;
      entries += starts[row + 1] - starts[row];
    }
    this.batch = this.place = batch;
    this.entries = entries;
    this.#mass = this.#eta = null;
  }

  neighborhood(): Support {
    return { support: this.support, supportMass: this.supportMass, supportEta: null };
  }

  multiply(width: number, y: Floats, out: Floats): void {
    const { starts, columns, values } = this.pencil.weights;
    const { csrRowsMatmul } = sparseRowsKernels();
    csrRowsMatmul(this.batch.length, width, this.listed.rows, starts, columns, values, y, null, -Infinity, out);
  }
}

/** The support is all rows, and N(B) is known too. */
class WholeViewWithNeighbors extends WholeView {
  override neighborhood(): Support {
    const { weights, mass } = this.pencil;
    const support = neighborsOf(weights, this.batch, true);
    return { support, supportMass: gathered(mass, support), supportEta: null };
  }
}

/** The support is N(B) of eq:def-B-nbh, with the batch first. The rows of a batch differ. */
class NeighborhoodView extends WholeView {
  readonly #union: NeighborUnion;
  #places = allocateIndices(0);

  constructor(pencil: Pencil) {
    super(pencil);
    this.#union = new NeighborUnion(pencil.weights);
  }

  /** Computed only if asked for: tracked and corrected moments read the pencil instead. */
  override get supportMass(): Float64Array {
    return gathered(this.pencil.mass, this.support!);
  }

  override get supportEta(): Float64Array | null {
    return this.pencil.eta && gathered(this.pencil.eta, this.support!);
  }

  protected override moveTo(batch: Int32Array): void {
    super.moveTo(batch);
    if (this.#places.length !== batch.length) this.#places = everyIndex(batch.length);
    this.place = this.#places;
    this.support = this.#union.of(batch);
  }
}

/**
 * W[B,B] with degrees of its own: eq:gradYlocal, and the problem eq:specnet1-batch with SpecNet1. A row without neighbors in its
 * batch has degree 0, and its gradient is 0. The rows of a batch differ.
 */
function localViewer(pencil: Pencil): Viewer {
  const slicer = new BatchSlicer(pencil.affinity);
  const buffer = new GrowableArray(pencil.affinity.precision);
  const walk = pencil.kind === 'random-walk';
  // In kernel memory, and reused by batches of the same size.
  let [degrees, ownMass, ownEta, massOfSupport, etaOfSupport] = localArrays(0);
  return (batch) => {
    const { support, batchInSupport, weights } = slicer.local(batch);
    if (degrees.length !== batch.length) {
      [degrees, ownMass, ownEta, massOfSupport, etaOfSupport] = localArrays(batch.length);
    }
    reduceKernels().csrRowSums(batch.length, weights.starts, weights.values, degrees);
    const volume = reduceKernels().sum(batch.length, degrees);
    for (let i = 0; i < batch.length; i++) ownMass[i] = walk ? degrees[i] : Math.sign(degrees[i]);
    const [eta, supportEta] = pencil.eta ? [ownEta, etaOfSupport] : [null, null];
    if (eta && volume > 0) etaOf(pencil.kind, degrees, volume, eta);
    else eta?.fill(0);
    for (let i = 0; i < batch.length; i++) {
      massOfSupport[batchInSupport[i]] = ownMass[i];
      if (supportEta) supportEta[batchInSupport[i]] = ownEta[i];
    }
    const supportMass = massOfSupport;
    return {
      batch,
      support,
      supportMass,
      supportEta,
      place: batchInSupport,
      mass: ownMass,
      eta,
      population: batch.length,
      listed: null,
      neighborhood: () => ({ support, supportMass, supportEta: null }),
      entries: weights.nonzeros,
      multiply: walk
        ? (width, y, out) => multiply(weights, width, y, out)
        : normalizedProduct(weights, degrees, batchInSupport, buffer),
    };
  };
}

function localArrays(length: number): Float64Array[] {
  return Array.from({ length: 5 }, () => allocate(length, 'double'));
}

function multiply({ rows, starts, columns, values }: CsrMatrix, width: number, y: Floats, out: Floats): void {
  kernels.csrMatmul(rows, width, starts, columns, values, y, out, false);
}

/** D^-½WD^-½·y for a batch with these places in its support. Rows of degree 0 are 0. */
function normalizedProduct(
  weights: CsrMatrix,
  degrees: Float64Array,
  places: Int32Array,
  buffer: GrowableArray,
): BatchView['multiply'] {
  const factors = degrees.map((degree) => (degree > 0 ? 1 / Math.sqrt(degree) : 0));
  const ofSupport = new Float64Array(factors.length);
  for (let i = 0; i < factors.length; i++) ofSupport[places[i]] = factors[i];
  return (width, y, out) => {
    const scaled = buffer.take(y.length);
    kernels.scaleRows(weights.cols, width, ofSupport, y, scaled, false);
    multiply(weights, width, scaled, out);
    kernels.scaleRows(weights.rows, width, factors, out, out, false);
  };
}

/** values[rows[0]], values[rows[1]], … */
export function gathered(values: Float64Array, rows: Int32Array): Float64Array {
  const result = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) result[i] = values[rows[i]];
  return result;
}
