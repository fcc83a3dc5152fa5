/** Nodes that are eliminated together, in the order of elimination. */

export class NodeGroups {
  readonly #size: number;
  /** The next node of the same group, −1 for the last one; and the last node of the group that a node begins. */
  readonly #next: Int32Array;
  readonly #last: Int32Array;
  readonly #firsts: number[] = [];

  /** Every node is a group of its own. */
  constructor(size: number) {
    this.#size = size;
    this.#next = new Int32Array(size).fill(-1);
    this.#last = new Int32Array(size).map((_, i) => i);
  }

  /** Appends the group that begins with node j to the one that begins with node i. */
  join(i: number, j: number): void {
    this.#next[this.#last[i]] = j;
    this.#last[i] = this.#last[j];
  }

  /** The group that begins with this node comes next in the order. Others may still join it. */
  eliminate(first: number): void {
    this.#firsts.push(first);
  }

  /** All nodes in the order of elimination, then those that were not eliminated. */
  order(): Int32Array {
    const order = new Int32Array(this.#size);
    const isPlaced = new Uint8Array(this.#size);
    let end = 0;
    for (const first of this.#firsts) {
      for (let i = first; i >= 0; i = this.#next[i]) {
        order[end++] = i;
        isPlaced[i] = 1;
      }
    }
    for (let i = 0; i < this.#size; i++) if (isPlaced[i] === 0) order[end++] = i;
    return order;
  }
}
