/** Local joins of NN-descent: groups of points compared with each other, many groups in one call of a kernel. */

import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate } from '../../../tensor/tensor.ts';
import { kernels } from '../../../kernels/table.ts';
import { joinKernels } from '../../../wasm/families.ts';
import { measureDistances } from '../blocks/distances.ts';
import type { RoughPoints } from '../blocks/fewer-columns.ts';
import type { NeighborHeaps } from './neighbor-heaps.ts';

/** The number of pairs that the groups of one call may have: three megabytes of rows and distances. */
const pairsAtOnce = 2 ** 18;
/** The number of differences in one call: some ten milliseconds, so that a search can be aborted. */
const differencesAtOnce = 2 ** 25;

/**
 * Collects groups until there are enough for a call, compares their members, and offers each near pair to both heaps. The
 * threads share a call; the heaps change after it, each in the order of the groups, so that they do not depend on the threads.
 */
export class LocalJoins {
  /** The members of the next group are written here, from `base` on: the new ones first. */
  readonly members: Int32Array;
  readonly #rough: RoughPoints;
  readonly #power: number;
  readonly #heaps: NeighborHeaps;
  readonly #capacity: number;
  /** The largest number of pairs in a group, and of groups in a call. */
  readonly #room: number;
  readonly #most: number;
  #groups = 0;
  readonly #news: Int32Array;
  readonly #counts: Int32Array;
  readonly #surplus: Float32Array;
  /** For each member the distance below which another is a nearer neighbor. */
  readonly #limits: Float32Array;
  readonly #found: Int32Array;
  readonly #pairs: Int32Array;
  readonly #distances: Float32Array;
  /** Where the norm is not Euclidean: the members of a group side by side, sums of powers, and distances. */
  readonly #coordinates: Float32Array;
  readonly #sums: Float64Array;
  readonly #measured: Float32Array;

  /** For groups of up to `capacity` members, `news` of them new. */
  constructor(rough: RoughPoints, power: number, capacity: number, news: number, heaps: NeighborHeaps) {
    this.#rough = rough;
    this.#power = power;
    this.#heaps = heaps;
    this.#capacity = capacity;
    this.#room = news * capacity - (news * (news + 1)) / 2;
    const { cols } = rough.points;
    const pairs = Math.min(pairsAtOnce, differencesAtOnce / cols);
    this.#most = Math.max(1, Math.floor(pairs / Math.max(1, this.#room)));
    this.members = allocateIndices(this.#most * capacity);
    this.#news = allocateIndices(this.#most);
    this.#counts = allocateIndices(this.#most);
    this.#surplus = allocate(this.#most * capacity, 'single');
    this.#limits = allocate(this.#most * capacity, 'single');
    this.#found = allocateIndices(this.#most);
    this.#pairs = allocateIndices(2 * this.#most * this.#room);
    this.#distances = allocate(this.#most * this.#room, 'single');
    this.#coordinates = allocate(power === 2 ? 0 : capacity * cols, 'single');
    this.#sums = allocate(power === 2 ? 0 : news * capacity, 'double');
    this.#measured = allocate(power === 2 ? 0 : news * capacity, 'single');
  }

  get base(): number {
    return this.#groups * this.#capacity;
  }

  /** Adds the group of the `count` members from `base` on. The first `news` are compared with each other and with the rest. */
  add(news: number, count: number): void {
    this.#news[this.#groups] = news;
    this.#counts[this.#groups++] = count;
    if (this.#groups === this.#most) this.finish();
  }

  /** Joins the groups that are left. */
  finish(): void {
    this.#prepareLimits();
    if (this.#power === 2) {
      joinKernels().joinGroups(
        this.#groups,
        this.#capacity,
        this.#room,
        this.#rough.points.cols,
        this.members,
        this.#news,
        this.#counts,
        this.#rough.points.data as Float32Array,
        this.#surplus,
        this.#limits,
        this.#found,
        this.#pairs,
        this.#distances,
      );
    } else {
      for (let g = 0; g < this.#groups; g++) this.#joinByPowers(g);
    }
    const [found, pairs, distances] = [this.#found, this.#pairs, this.#distances];
    const { width, indices: tagged, distances: nearest } = this.#heaps;
    joinKernels().offerPairs(this.#groups, this.#room, width, found, pairs, distances, tagged, nearest);
    this.#groups = 0;
  }

  #prepareLimits(): void {
    const [members, surplus, limits] = [this.members, this.#surplus, this.#limits];
    for (let g = 0; g < this.#groups; g++) {
      const base = g * this.#capacity;
      for (let at = base; at < base + this.#counts[g]; at++) {
        surplus[at] = this.#rough.surplus[members[at]];
        limits[at] = this.#heaps.farthest(members[at]);
      }
    }
  }

  /** One group under another norm: the same as the kernel, without a surplus. */
  #joinByPowers(g: number): void {
    const { cols, data } = this.#rough.points;
    const [news, count, base] = [this.#news[g], this.#counts[g], g * this.#capacity];
    const [coordinates, measured] = [this.#coordinates, this.#measured];
    kernels.gatherRows(count, cols, this.members.subarray(base, base + count), data, coordinates);
    measureDistances(this.#power, news, count, cols, coordinates, coordinates, this.#sums, measured);
    let to = g * this.#room;
    for (let p = 0; p < news; p++) {
      for (let q = p + 1; q < count; q++) {
        const distance = measured[p * count + q];
        if (!(distance <= Math.max(this.#limits[base + p], this.#limits[base + q]))) continue;
        this.#pairs[2 * to] = this.members[base + p];
        this.#pairs[2 * to + 1] = this.members[base + q];
        this.#distances[to++] = distance;
      }
    }
    this.#found[g] = to - g * this.#room;
  }
}
