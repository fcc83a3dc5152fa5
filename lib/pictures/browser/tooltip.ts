/** The tooltip: the name of a point, its coordinates and its fields. */

import { fieldText, numberText, rowName } from '../shared/picture.ts';
import { element, query } from './element.ts';
import type { Scene } from './scene.ts';

/** More fields than this are shown only after a click. */
const mostFields = 12;

export class Tooltip {
  readonly #box = query('#tooltip');
  readonly #spoken = query('#spoken');
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  hide(): void {
    this.#box.hidden = true;
  }

  /** Shows a row next to a position in CSS pixels. `columns`: the coordinates on the axes, which come first. */
  show(row: number, columns: readonly number[], [left, top]: readonly [number, number], isPinned: boolean): void {
    const lines = this.#lines(row, columns);
    const rest = isPinned ? 0 : Math.max(0, lines.length - mostFields);
    const list = element('dl');
    for (const [name, value] of lines.slice(0, lines.length - rest))
      list.append(element('dt', name), element('dd', value));
    const title = element('strong', rowName(this.#scene.picture, row));
    const note = rest > 0 ? [element('p', `${rest} more fields: click the point`, 'hint')] : [];
    const box = this.#box;
    box.replaceChildren(title, list, ...note);
    box.classList.toggle('pinned', isPinned);
    box.hidden = false;
    const { clientWidth, clientHeight } = box.parentElement!;
    const [width, height] = [box.offsetWidth, box.offsetHeight];
    const x = left + 14 + width > clientWidth ? left - 14 - width : left + 14;
    const y = Math.min(top + 14, clientHeight - height - 4);
    box.style.transform = `translate(${Math.round(Math.max(4, x))}px, ${Math.round(Math.max(4, y))}px)`;
  }

  /** Tells a row to screen readers. */
  speak(row: number, columns: readonly number[]): void {
    const lines = this.#lines(row, columns).slice(0, mostFields);
    this.#spoken.textContent = [rowName(this.#scene.picture, row), ...lines.map((line) => line.join(' '))].join(', ');
  }

  /** The coordinates on the axes, the fields, then the other coordinates. */
  #lines(row: number, columns: readonly number[]): [name: string, value: string][] {
    const { picture } = this.#scene;
    const shown = [...new Set(columns)].filter((column) => column < picture.coordinates.length);
    const others = picture.coordinates.flatMap((_, k) => (shown.includes(k) ? [] : [k]));
    const coordinate = (k: number): [string, string] => {
      const { name, values } = picture.coordinates[k];
      return [name, numberText(values[row])];
    };
    const fields = picture.fields.map((field): [string, string] => [field.name, fieldText(field, row) || '–']);
    return [...shown.map(coordinate), ...fields, ...others.map(coordinate)];
  }
}
