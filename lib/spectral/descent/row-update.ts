/** `RowUpdate`: the gradient or direction of a batch, as two K×K matrices that apply to each row and to its product with W. */

import { allocate } from '../../tensor/tensor.ts';
import { movingRowsKernels } from '../../wasm/families.ts';
import type { BatchView } from './view.ts';

/** The rows of a batch, with their mass and η. */
export type WeightedRows = Pick<BatchView, 'batch' | 'mass' | 'eta'>;

/** Y_B, its product W[B,S]·Y_S and the direction of its move, |B|×K each. */
export interface BatchArrays {
  readonly rows: Float64Array;
  readonly product: Float64Array;
  readonly direction: Float64Array;
}

/** For a row y of mass m and its affinity a, a row of (W − ηηᵀ)Y: (m·y·own + a·affinity)/m^massExponent, and 0 where m is 0. */
export class RowUpdate {
  readonly width: number;
  /** K×K. Applied to the row itself. */
  readonly own: Float64Array;
  /** K×K. Applied to the affinity of the row. */
  readonly affinity: Float64Array;
  massExponent = 0;
  readonly #shift: Float64Array;
  readonly #minusOne = allocate(1, 'double').fill(-1);

  constructor(width: number) {
    this.width = width;
    this.own = allocate(width * width, 'double');
    this.affinity = allocate(width * width, 'double');
    this.#shift = allocate(width, 'double');
  }

  /** Sets both matrices to multiples of the identity. */
  set(own: number, affinity: number, massExponent: number): void {
    clear(this.own);
    clear(this.affinity);
    for (let p = 0; p < this.own.length; p += this.width + 1) {
      this.own[p] = own;
      this.affinity[p] = affinity;
    }
    this.massExponent = massExponent;
  }

  copy({ own, affinity, massExponent }: RowUpdate): void {
    this.own.set(own);
    this.affinity.set(affinity);
    this.massExponent = massExponent;
  }

  scale(factor: number): void {
    for (let p = 0; p < this.own.length; p++) {
      this.own[p] *= factor;
      this.affinity[p] *= factor;
    }
  }

  /** direction[|B|×K] = the update of the rows Y_B; `mean` is ηᵀY, and `product` W[B,S]·Y_S. */
  apply(view: WeightedRows, { rows, product, direction }: BatchArrays, mean: Float64Array): void {
    const { batch, mass, eta } = view;
    const { width, own, affinity, massExponent } = this;
    const { mapRows } = movingRowsKernels();
    mapRows(batch.length, width, mass, eta, own, affinity, this.shift(mean), massExponent, rows, product, direction);
  }

  /** The deflation adds η·shift to product·affinity, before the division by the mass, with shift = −(ηᵀY)·affinity. Valid until the next call. */
  shift(mean: Float64Array): Float64Array {
    const { width, affinity } = this;
    const shift = this.#shift;
    if (width >= kernelFrom) {
      movingRowsKernels().multiplyRows(1, width, this.#minusOne, mean, affinity, shift);
      return shift;
    }
    clear(shift);
    // Row by row, as the matrix lies in memory.
    for (let k = 0, at = 0; k < width; k++) for (let j = 0; j < width; j++) shift[j] -= mean[k] * affinity[at++];
    return shift;
  }
}

/** The number of columns from which a kernel multiplies a row by a matrix faster than a loop. */
const kernelFrom = 24;
/** The length from which `fill` takes less time than a loop. */
const fillFrom = 128;

function clear(numbers: Float64Array): void {
  if (numbers.length >= fillFrom) numbers.fill(0);
  else for (let p = 0; p < numbers.length; p++) numbers[p] = 0;
}
