/** The points of the page in drawing order, with their colors. */

import type { Theme } from '../../charts/sequential.ts';
import { rampAt, sequential } from '../../charts/sequential.ts';
import { type Coloring, coloringBy, markShapes, fractionOf } from '../shared/coloring.ts';
import { drawOrder } from '../shared/draw-order.ts';
import { type Coordinate, type Picture, rowAxis } from '../shared/picture.ts';
import { cssColor } from './theme.ts';

export class Scene {
  readonly picture: Picture;
  /** The row of each drawn point. */
  readonly order: Int32Array;
  readonly names: readonly string[];
  /** The coordinates in drawing order. If there is only one coordinate, the row is the second. */
  readonly columns: readonly Float32Array[];
  coloring: Coloring;
  /** The groups that are not shown. */
  readonly hidden = new Set<number>();

  constructor(picture: Picture) {
    this.picture = picture;
    this.order = drawOrder(picture.rows);
    const { coordinates, rows } = picture;
    const shown: readonly Coordinate[] = coordinates.length === 1 ? [coordinates[0], rowAxis(rows)] : coordinates;
    this.names = shown.map(({ name }) => name);
    this.columns = shown.map(({ values }) => Float32Array.from(this.order, (row) => values[row]));
    this.coloring = coloringBy(picture, picture.colorBy);
  }

  /** Colors by another field, and shows all points. */
  colorBy(name: string | null): void {
    this.coloring = coloringBy(this.picture, name);
    this.hidden.clear();
  }

  isHidden(row: number): boolean {
    return this.coloring.kind === 'groups' && this.hidden.has(this.coloring.groupOf[row]);
  }

  /** Four bytes for each point in drawing order. The last one is 0 for hidden points. */
  colors(theme: Theme): Uint8Array {
    const { coloring, order } = this;
    const result = new Uint8Array(4 * order.length);
    const put = (i: number, color: readonly number[], alpha: number): void => {
      result[4 * i] = color[0];
      result[4 * i + 1] = color[1];
      result[4 * i + 2] = color[2];
      result[4 * i + 3] = alpha;
    };
    if (coloring.kind === 'groups') {
      const colors = coloring.groups.map(({ color }) => cssColor(color));
      for (let i = 0; i < order.length; i++) {
        const group = coloring.groupOf[order[i]];
        put(i, colors[group], this.hidden.has(group) ? 0 : 255);
      }
      return result;
    }
    const none = cssColor('pale');
    const ramp = Array.from({ length: 256 }, (_, step) => rampAt(sequential[theme], step / 255));
    for (let i = 0; i < order.length; i++) {
      const fraction = fractionOf(coloring, coloring.values[order[i]]);
      put(i, Number.isNaN(fraction) ? none : ramp[Math.round(255 * fraction)], 255);
    }
    return result;
  }

  /** The index of the shape of each point in drawing order. */
  shapes(): Uint8Array {
    const { coloring, order } = this;
    if (coloring.kind === 'scale') return new Uint8Array(order.length);
    const shapes = coloring.groups.map(({ shape }) => markShapes.indexOf(shape));
    return Uint8Array.from(order, (row) => shapes[coloring.groupOf[row]]);
  }
}
