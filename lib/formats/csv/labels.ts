/** How do the words of a label column become whole numbers? Numbers stay what they are, names are numbered. */

import { badValue } from '../../core/check.ts';
import { isNumber, show } from './fields.ts';

export interface LabelResult {
  readonly labels: Int32Array;
  readonly labelNames?: readonly string[];
}

export class LabelColumn {
  readonly #caller: string;
  readonly #imposed: boolean;
  /** Numbers in the order of appearance, or as imposed. */
  readonly #codes = new Map<string, number>();
  /** A line on which each name stands. */
  readonly #lines: number[] = [];
  #labels = new Int32Array(1024);
  #count = 0;

  constructor(caller: string, names: readonly string[] | undefined) {
    this.#caller = caller;
    this.#imposed = names !== undefined;
    for (const name of names ?? []) {
      if (this.#codes.has(name)) throw badValue(caller, 'labelNames that differ', `'${name}' twice`);
      this.#codes.set(name, this.#codes.size);
    }
  }

  /** Says what is wrong with a label, if anything is. */
  add(text: string, line: number): { expected: string; got: string } | null {
    let code = this.#codes.get(text);
    if (code === undefined) {
      if (text === '') return { expected: 'a label', got: 'nothing' };
      if (this.#imposed) return { expected: 'a label among labelNames', got: show(text) };
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

  /** Whole numbers throughout are labels themselves; words, among numbers or not, are names in sorted order. */
  finish(): LabelResult {
    const labels = this.#labels.slice(0, this.#count);
    const names = [...this.#codes.keys()];
    if (this.#imposed) return { labels, labelNames: names };
    if (names.every(isNumber)) {
      const values = names.map(Number);
      const odd = values.findIndex((value) => !isInt32(value));
      if (odd >= 0) {
        const got = `${names[odd]} on line ${this.#lines[odd]}`;
        throw badValue(
          this.#caller,
          'labels that are words or whole numbers of 32 bits',
          got,
          'Measurements are points.',
        );
      }
      return { labels: labels.map((code) => values[code]) };
    }
    const sorted = names.toSorted();
    const order = Int32Array.from(names, () => 0);
    for (const [place, name] of sorted.entries()) order[this.#codes.get(name) as number] = place;
    return { labels: labels.map((code) => order[code]), labelNames: sorted };
  }
}

function isInt32(value: number): boolean {
  return (value | 0) === value;
}
