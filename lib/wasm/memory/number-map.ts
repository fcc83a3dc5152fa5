/** A map from numbers, for keys that are deleted and set again all the time. */

/**
 * A `Map` keeps deleted keys in its chains until it is rebuilt. If a few keys of a large one come and go, those chains grow to
 * thousands of places, and every operation walks along one. Here a deleted key keeps its place, and the map is rebuilt after as many
 * deletions as it has places.
 */
export class NumberMap<T> {
  #values = new Map<number, T | undefined>();
  #deletions = 0;

  get(key: number): T | undefined {
    return this.#values.get(key);
  }

  set(key: number, value: T): void {
    this.#values.set(key, value);
  }

  delete(key: number): void {
    if (this.#values.get(key) === undefined) return;
    this.#values.set(key, undefined);
    if (++this.#deletions < this.#values.size + 64) return;
    this.#values = new Map([...this.#values].filter(([, value]) => value !== undefined));
    this.#deletions = 0;
  }
}
