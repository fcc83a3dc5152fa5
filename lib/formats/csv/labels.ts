/** Labels of a CSV column as whole numbers: numbers are kept, names are numbered. */

import { badValue } from '../../core/check.ts';
import { isNumber, show } from './fields.ts';

export interface LabelResult {
  readonly labels: Int32Array;
  readonly labelNames?: readonly string[];
}

export class LabelColumn {
  readonly #caller: string;
  readonly #hasGivenNames: boolean;
  /** The code of each name: its index in the given names, or in the order of appearance. */
  readonly #codes = new Map<string, number>();
  /** The first line on which each name occurs. */
  readonly #lines: number[] = [];
  #labels = new Int32Array(1024);
  #count = 0;

  constructor(caller: string, names: readonly string[] | undefined) {
    this.#caller = caller;
    this.#hasGivenNames = names !== undefined;
    for (const name of names ?? []) {
      if (this.#codes.has(name)) throw badValue(caller, 'distinct labelNames', `'${name}' twice`);
      this.#codes.set(name, this.#codes.size);
    }
  }

  /** Adds a label. Returns what is wrong with it, or null. */
  add(text: string, line: number): { expected: string; got: string } | null {
    let code = this.#codes.get(text);
    if (code === undefined) {
      if (text === '') return { expected: 'a label', got: 'nothing' };
      if (this.#hasGivenNames) return { expected: 'a label among labelNames', got: show(text) };
      code = this.#codes.size;
      this.#codes.set(text, code);
      this.#lines.push(line);
    }
    if (this.#count === this.#labels.length) {
      const larger = new Int32Array(2 * this.#count);
      larger.set(this.#labels);
      this.#labels = larger;
    }
    this.#labels[this.#count++] = code;
    return null;
  }

  /** If all labels are whole numbers, they are kept. Else they are names, numbered in sorted order. */
  finish(): LabelResult {
    const labels = this.#labels.slice(0, this.#count);
    const names = [...this.#codes.keys()];
    if (this.#hasGivenNames) return { labels, labelNames: names };
    if (names.every(isNumber)) {
      const values = names.map(Number);
      const invalid = values.findIndex((value) => !isInt32(value));
      if (invalid >= 0) {
        const got = `${names[invalid]} on line ${this.#lines[invalid]}`;
        throw badValue(
          this.#caller,
          'labels that are words or 32-bit integers',
          got,
          'Choose another column as label.',
        );
      }
      return { labels: labels.map((code) => values[code]) };
    }
    const sorted = names.toSorted();
    const order = Int32Array.from(names, () => 0);
    for (const [index, name] of sorted.entries()) order[this.#codes.get(name) as number] = index;
    return { labels: labels.map((code) => order[code]), labelNames: sorted };
  }
}

function isInt32(value: number): boolean {
  return (value | 0) === value;
}
