/** `EntryList`: entries of sparse rows whose number is not known in advance. */

export class EntryList {
  length = 0;
  columns: Int32Array;
  /** One or more matrices with entries at the same places. */
  readonly values: Float32Array[];

  constructor(capacity: number, matrices: number) {
    this.columns = new Int32Array(Math.max(16, capacity));
    this.values = Array.from({ length: matrices }, () => new Float32Array(this.columns.length));
  }

  /** Adds an entry whose values are set later. */
  push(column: number): void {
    if (this.length === this.columns.length) this.#grow();
    this.columns[this.length++] = column;
  }

  /** Copies without free space. */
  finish(): { columns: Int32Array; values: Float32Array[] } {
    return {
      columns: this.columns.slice(0, this.length),
      values: this.values.map((values) => values.slice(0, this.length)),
    };
  }

  #grow(): void {
    const capacity = Math.ceil(1.5 * this.length);
    const columns = new Int32Array(capacity);
    columns.set(this.columns);
    this.columns = columns;
    for (const [k, values] of this.values.entries()) {
      this.values[k] = new Float32Array(capacity);
      this.values[k].set(values);
    }
  }
}
