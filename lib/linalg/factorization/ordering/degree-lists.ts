/** Nodes by their degrees, as doubly linked lists, so that one of least degree is found without a search. */

export class DegreeLists {
  /** The first node of each degree, and the nodes after and before each one; −1 for none. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  /** No list of a smaller degree has a node. */
  #least = 0;

  constructor(size: number) {
    this.#heads = new Int32Array(size + 1).fill(-1);
    this.#next = new Int32Array(size).fill(-1);
    this.#previous = new Int32Array(size).fill(-1);
  }

  /** Adds a node in front of the others of its degree. */
  add(node: number, degree: number): void {
    const head = this.#heads[degree];
    this.#next[node] = head;
    this.#previous[node] = -1;
    if (head >= 0) this.#previous[head] = node;
    this.#heads[degree] = node;
    if (degree < this.#least) this.#least = degree;
  }

  remove(node: number, degree: number): void {
    const [before, after] = [this.#previous[node], this.#next[node]];
    if (before >= 0) this.#next[before] = after;
    else this.#heads[degree] = after;
    if (after >= 0) this.#previous[after] = before;
  }

  /** Removes a node of least degree. There must be one. */
  removeLeast(): number {
    while (this.#heads[this.#least] < 0) this.#least++;
    const node = this.#heads[this.#least];
    this.remove(node, this.#least);
    return node;
  }
}
