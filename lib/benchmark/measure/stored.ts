/** A matrix in other formats, in the memory of the kernels, with the time that it took to convert it. */

import type { Floats } from '../../kernels/types.ts';
import { transpose } from '../../sparse/combine.ts';
import type { CsrMatrix, CsrView } from '../../sparse/csr.ts';
import { type BlockedMatrix, toBlocked } from '../../sparse/formats/blocked.ts';
import { type HalfMatrix, toHalf } from '../../sparse/formats/half.ts';
import { type SlicedMatrix, toSliced, toTransposedSlices } from '../../sparse/formats/sliced.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { Loans } from '../../wasm/loans.ts';
import type { Clock } from '../timing.ts';
import type { Format } from './operations.ts';
import type { Order } from './plan.ts';

/** What it takes to store a matrix in another format. */
export interface Conversion {
  readonly format: Format;
  readonly precision: Precision;
  readonly order: Order;
  readonly milliseconds: number;
  /** The bytes of the new format over those of compressed rows. */
  readonly size: number;
}

/** The formats of one matrix, each made when it is first needed. `close` gives their memory back. */
export class StoredFormats {
  readonly conversions: Conversion[] = [];
  readonly #matrix: CsrMatrix;
  readonly #order: Order;
  readonly #now: Clock;
  readonly #loans = new Loans();
  #half: HalfMatrix | null = null;
  #sliced: SlicedMatrix | null = null;
  #blocked: BlockedMatrix | null = null;
  #transposed: CsrView | null = null;
  #transposedSlices: SlicedMatrix | null = null;

  constructor(matrix: CsrMatrix, order: Order, now: Clock) {
    [this.#matrix, this.#order, this.#now] = [matrix, order, now];
  }

  half(): HalfMatrix {
    return (this.#half ??= this.#convert('half', () => {
      const made = toHalf(this.#matrix);
      return { made, arrays: [made.diagonal, made.marks, made.starts, made.columns, made.values] };
    }, (made) => ({ ...made, diagonal: this.#place(made.diagonal), starts: this.#place(made.starts), columns: this.#place(made.columns), values: this.#place(made.values) }))); // oxfmt-ignore
  }

  sliced(): SlicedMatrix {
    return (this.#sliced ??= this.#convertSlices('sliced', toSliced));
  }

  transposedSlices(): SlicedMatrix {
    return (this.#transposedSlices ??= this.#convertSlices('transposedSlices', toTransposedSlices));
  }

  blocked(): BlockedMatrix {
    return (this.#blocked ??= this.#convert('blocked', () => {
      const made = toBlocked(this.#matrix);
      return { made, arrays: [made.starts, made.firsts, made.values] };
    }, (made) => ({ ...made, starts: this.#place(made.starts), firsts: this.#place(made.firsts), values: this.#place(made.values) }))); // oxfmt-ignore
  }

  transposed(): CsrView {
    return (this.#transposed ??= this.#convert<CsrView>('transposed', () => {
      const { starts, columns, values } = transpose(this.#matrix);
      return { made: { starts, columns, values }, arrays: [starts, columns, values] };
    }, (made) => ({ starts: this.#place(made.starts), columns: this.#place(made.columns), values: this.#place(made.values) }))); // oxfmt-ignore
  }

  close(): void {
    this.#loans.giveBackAll();
  }

  #convertSlices(format: Format, make: (matrix: CsrMatrix) => SlicedMatrix): SlicedMatrix {
    return this.#convert(format, () => {
      const made = make(this.#matrix);
      return { made, arrays: [made.starts, made.order, made.columns, made.values] };
    }, (made) => ({ ...made, starts: this.#place(made.starts), order: this.#place(made.order), columns: this.#place(made.columns), values: this.#place(made.values) })); // oxfmt-ignore
  }

  #convert<T>(
    format: Format,
    make: () => { made: T; arrays: readonly { readonly byteLength: number }[] },
    place: (made: T) => T,
  ): T {
    const start = this.#now();
    const { made, arrays } = make();
    const milliseconds = this.#now() - start;
    const { starts, columns, values, precision } = this.#matrix;
    const bytesOf = (list: readonly { readonly byteLength: number }[]): number =>
      list.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const size = bytesOf(arrays) / bytesOf([starts, columns, values]);
    this.conversions.push({ format, precision, order: this.#order, milliseconds, size });
    return place(made);
  }

  /** A copy in borrowed memory, which does not count against the budget of the kernels' memory. */
  #place<T extends Floats | Int32Array>(array: T): T {
    const { length } = array;
    const copy =
      array instanceof Int32Array
        ? this.#loans.int32(length)
        : array instanceof Float32Array
          ? this.#loans.float32(length)
          : this.#loans.float64(length);
    copy.set(array);
    return copy as T;
  }
}
