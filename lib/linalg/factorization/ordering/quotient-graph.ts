/** The quotient graph of approximate minimum degree: what is left to eliminate, without the fill. */

import { DegreeLists } from './degree-lists.ts';
import { NodeGroups } from './node-groups.ts';
import type { Pattern } from '../pattern.ts';

/** Nodes with more neighbors than this, and more than 10·√n, come last: each elimination would have to read their lists. */
const leastDense = 16;
/** Room for new lists beyond those of the matrix, as a fraction of it. When it is used up, all lists are moved together. */
const slack = 0.25;

/**
 * The graph of what is left to eliminate. Eliminated nodes are elements: the clique of an element's nodes stands for all fill that
 * it causes. A node has a list of elements, then of nodes to which an edge of the matrix leads that no element covers. Nodes
 * with equal lists are merged, and are eliminated together. The degree of a node is an upper bound, from the sizes of its elements
 * without the part that they share with the newest one.
 */
export class QuotientGraph {
  eliminated = 0;
  /** What was eliminated, in order. */
  readonly groups: NodeGroups;
  /** A bound of the flops of a factorization, up to here. */
  flops = 0;
  /** The number of list entries that were read. */
  work = 0;
  readonly #size: number;
  /** The lists of all nodes and elements. */
  #lists: Int32Array;
  #free: number;
  readonly #begins: Int32Array;
  readonly #lengths: Int32Array;
  /** How many elements a node's list begins with; −1 for an element, −2 for an element or a node that is no more. */
  readonly #elements: Int32Array;
  /** How many nodes each stands for: 0 once it is merged or eliminated, negative while it is in the newest element. */
  readonly #weights: Int32Array;
  /** The bound of a node's degree; the weight of an element's nodes. */
  readonly #degrees: Int32Array;
  readonly #byDegree: DegreeLists;
  /** The weight of an element outside of the newest one, plus the stamp. */
  readonly #outside: Int32Array;
  #stamp = 1;
  /** Nodes of the newest element with the same hash, as linked lists: the first of each hash, and the next ones. */
  readonly #buckets: Int32Array;
  readonly #chain: Int32Array;
  readonly #hashes: Int32Array;

  constructor({ size, starts, columns }: Pattern) {
    this.#size = size;
    const filled = (value: number): Int32Array => new Int32Array(size).fill(value);
    this.#lists = new Int32Array(columns.length + size + Math.ceil(slack * columns.length));
    this.#begins = filled(0);
    this.#lengths = filled(0);
    this.#elements = filled(0);
    this.#weights = filled(1);
    this.#degrees = filled(0);
    this.#byDegree = new DegreeLists(size);
    this.#outside = filled(0);
    this.groups = new NodeGroups(size);
    this.#buckets = filled(-1);
    this.#chain = filled(-1);
    this.#hashes = filled(0);
    const dense = Math.max(leastDense, 10 * Math.sqrt(size));
    for (let i = 0; i < size; i++) if (starts[i + 1] - starts[i] > dense) this.#weights[i] = 0;
    let end = 0;
    for (let i = 0; i < size; i++) {
      this.#begins[i] = end;
      if (this.#weights[i] === 0) continue;
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const j = columns[e];
        if (j !== i && this.#weights[j] > 0) this.#lists[end++] = j;
      }
      this.#lengths[i] = this.#degrees[i] = end - this.#begins[i];
    }
    this.#free = end;
    for (let i = size - 1; i >= 0; i--) {
      if (this.#weights[i] > 0) this.#byDegree.add(i, this.#degrees[i]);
      else {
        // Dense nodes are left out, and come last.
        this.#elements[i] = -2;
        this.eliminated++;
      }
    }
  }

  /** Eliminates a node of least degree, and all nodes that are equal to it. */
  eliminateNext(): void {
    const pivot = this.#byDegree.removeLeast();
    this.groups.eliminate(pivot);
    const before = this.eliminated;
    this.eliminated += this.#weights[pivot];
    this.#formElement(pivot);
    this.#measureElements(pivot);
    this.#updateNodes(pivot);
    this.#mergeEqualNodes(pivot);
    this.#finishElement(pivot);
    const together = this.eliminated - before;
    this.flops += together * (together + this.#degrees[pivot]) ** 2;
  }

  /** Makes the pivot an element of all nodes that it or its elements are connected to. */
  #formElement(pivot: number): void {
    const [begins, lengths, elements, weights] = [this.#begins, this.#lengths, this.#elements, this.#weights];
    let needed = lengths[pivot] - elements[pivot];
    for (let k = 0; k < elements[pivot]; k++) needed += lengths[this.#lists[begins[pivot] + k]];
    if (this.#free + needed > this.#lists.length) this.#compact(needed);
    const lists = this.#lists;
    const begin = this.#free;
    let [end, weight] = [begin, 0];
    weights[pivot] = -weights[pivot];
    const count = elements[pivot];
    for (let k = 0; k <= count; k++) {
      // The elements of the pivot, then its nodes.
      const source = k < count ? lists[begins[pivot] + k] : pivot;
      const from = begins[source] + (k < count ? 0 : count);
      const to = begins[source] + lengths[source];
      this.work += to - from;
      for (let at = from; at < to; at++) {
        const i = lists[at];
        const own = weights[i];
        if (own <= 0) continue;
        weight += own;
        weights[i] = -own;
        lists[end++] = i;
        this.#byDegree.remove(i, this.#degrees[i]);
      }
      if (k < count) elements[source] = -2;
    }
    this.#free = end;
    begins[pivot] = begin;
    lengths[pivot] = end - begin;
    elements[pivot] = -1;
    this.#degrees[pivot] = weight;
  }

  /** The weight of each element outside of the newest one: outside[e] − stamp. */
  #measureElements(pivot: number): void {
    const [lists, begins, elements, weights] = [this.#lists, this.#begins, this.#elements, this.#weights];
    const [outside, degrees] = [this.#outside, this.#degrees];
    // Stamps and marks of earlier calls, plus a weight of at most n, are below this one.
    this.#stamp += this.#size + 1;
    if (this.#stamp > 2 ** 30) {
      outside.fill(0);
      this.#stamp = this.#size + 2;
    }
    const stamp = this.#stamp;
    const end = begins[pivot] + this.#lengths[pivot];
    for (let at = begins[pivot]; at < end; at++) {
      const i = lists[at];
      const weight = -weights[i];
      const last = begins[i] + elements[i];
      this.work += elements[i];
      for (let k = begins[i]; k < last; k++) {
        const e = lists[k];
        if (outside[e] >= stamp) outside[e] -= weight;
        else if (elements[e] === -1) outside[e] = degrees[e] + stamp - weight;
      }
    }
  }

  /** Removes from the lists of the element's nodes what the element covers, and adds the element. Bounds their degrees. */
  #updateNodes(pivot: number): void {
    const [lists, begins, lengths, elements] = [this.#lists, this.#begins, this.#lengths, this.#elements];
    const [weights, outside, degrees, stamp] = [this.#weights, this.#outside, this.#degrees, this.#stamp];
    const end = begins[pivot] + lengths[pivot];
    for (let at = begins[pivot]; at < end; at++) {
      const i = lists[at];
      const begin = begins[i];
      const firstNode = begin + elements[i];
      const last = begin + lengths[i];
      this.work += lengths[i];
      let [kept, degree, hash] = [begin, 0, pivot];
      for (let k = begin; k < firstNode; k++) {
        const e = lists[k];
        if (elements[e] !== -1) continue;
        const rest = outside[e] - stamp;
        if (rest > 0) {
          degree += rest;
          hash += e;
          lists[kept++] = e;
        } else {
          // All of it is in the newest element.
          elements[e] = -2;
        }
      }
      const firstKept = kept;
      for (let k = firstNode; k < last; k++) {
        const j = lists[k];
        if (weights[j] <= 0) continue;
        degree += weights[j];
        hash += j;
        lists[kept++] = j;
      }
      if (kept === begin) {
        // Nothing is left beyond the newest element: the node can be eliminated with the pivot.
        const weight = -weights[i];
        this.eliminated += weight;
        weights[i] = 0;
        elements[i] = -2;
        degrees[pivot] -= weight;
        this.groups.join(pivot, i);
        continue;
      }
      // The pivot or one of its elements was removed, so there is a place for the new element: the first one.
      lists[kept] = lists[firstKept];
      lists[firstKept] = lists[begin];
      lists[begin] = pivot;
      elements[i] = firstKept - begin + 1;
      lengths[i] = kept - begin + 1;
      degrees[i] = Math.min(degrees[i], degree);
      this.#hashes[i] = hash % this.#size;
    }
  }

  /** Merges nodes of the newest element whose lists have the same entries. */
  #mergeEqualNodes(pivot: number): void {
    const [lists, begins, lengths, weights] = [this.#lists, this.#begins, this.#lengths, this.#weights];
    const [buckets, hashes, chain] = [this.#buckets, this.#hashes, this.#chain];
    // Marks are beyond all weights that `#outside` still holds.
    this.#stamp += this.#size;
    const end = begins[pivot] + lengths[pivot];
    for (let at = begins[pivot]; at < end; at++) {
      const i = lists[at];
      if (weights[i] >= 0) continue;
      chain[i] = buckets[hashes[i]];
      buckets[hashes[i]] = i;
    }
    for (let at = begins[pivot]; at < end; at++) {
      const node = lists[at];
      if (weights[node] >= 0) continue;
      let i = buckets[hashes[node]];
      buckets[hashes[node]] = -1;
      for (; i >= 0 && chain[i] >= 0; i = chain[i]) {
        this.#mark(i);
        for (let before = i, j = chain[i]; j >= 0; j = chain[j]) {
          if (!this.#isEqual(i, j)) {
            before = j;
            continue;
          }
          weights[i] += weights[j];
          weights[j] = 0;
          this.#elements[j] = -2;
          this.groups.join(i, j);
          chain[before] = chain[j];
        }
      }
    }
  }

  #mark(i: number): void {
    const end = this.#begins[i] + this.#lengths[i];
    const stamp = ++this.#stamp;
    for (let k = this.#begins[i]; k < end; k++) this.#outside[this.#lists[k]] = stamp;
  }

  /** Whether the list of j has the entries that were marked last, those of i. */
  #isEqual(i: number, j: number): boolean {
    if (this.#lengths[i] !== this.#lengths[j] || this.#elements[i] !== this.#elements[j]) return false;
    const end = this.#begins[j] + this.#lengths[j];
    for (let k = this.#begins[j]; k < end; k++) if (this.#outside[this.#lists[k]] !== this.#stamp) return false;
    return true;
  }

  /** Removes merged nodes from the newest element, and lists the others by their new degrees. */
  #finishElement(pivot: number): void {
    const [lists, begins, weights, degrees] = [this.#lists, this.#begins, this.#weights, this.#degrees];
    const left = this.#size - this.eliminated;
    const [begin, end] = [begins[pivot], begins[pivot] + this.#lengths[pivot]];
    let kept = begin;
    for (let at = begin; at < end; at++) {
      const i = lists[at];
      if (weights[i] >= 0) continue;
      const weight = (weights[i] = -weights[i]);
      degrees[i] = Math.max(0, Math.min(degrees[i] + degrees[pivot], left) - weight);
      lists[kept++] = i;
      this.#byDegree.add(i, degrees[i]);
    }
    weights[pivot] = 0;
    this.#lengths[pivot] = kept - begin;
    this.#free = kept;
    if (kept === begin) this.#elements[pivot] = -2;
  }

  /** Moves all lists together, in the order of their places, and makes room for `needed` more entries. */
  #compact(needed: number): void {
    const living: number[] = [];
    for (let i = 0; i < this.#size; i++) if (this.#elements[i] >= -1 && this.#lengths[i] > 0) living.push(i);
    living.sort((i, j) => this.#begins[i] - this.#begins[j]);
    let end = 0;
    for (const i of living) {
      this.#lists.copyWithin(end, this.#begins[i], this.#begins[i] + this.#lengths[i]);
      this.#begins[i] = end;
      end += this.#lengths[i];
    }
    this.#free = end;
    if (end + needed <= this.#lists.length) return;
    const larger = new Int32Array(Math.ceil(1.5 * (end + needed)));
    larger.set(this.#lists.subarray(0, end));
    this.#lists = larger;
  }
}
