/** The view: which coordinates are shown, in which arrangement, and how far it is zoomed, moved and rotated. */

import type { Box, Panel } from './paint/panel.ts';
import { rotationOf, type RotationAngles } from './paint/rotation.ts';

export type Mode = 'plane' | 'pairs' | 'space';

interface Range {
  readonly low: number;
  readonly high: number;
}

/** Room for the labels of the axes, in CSS pixels. */
const margin = { left: 58, right: 14, top: 12, bottom: 42 };
const gap = 8;
const firstAngles: RotationAngles = { around: 0.6, up: 0.4 };
const noRotation = Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
const [deepest, farthest] = [5000, 4];

export class View {
  mode: Mode = 'plane';
  /** The columns of the axes. `pairs` shows the first `pairCount` columns instead. */
  axes: [x: number, y: number, z: number];
  pairCount: number;
  readonly #whole: readonly Range[];
  /** What is shown of each column. Panels with the same column share it. */
  readonly #shown: Range[];
  #angles = firstAngles;
  #zoom = 1;
  #pan: readonly [number, number] = [0, 0];

  constructor(columns: readonly Float32Array[], axes: readonly [number, number]) {
    this.#whole = columns.map(rangeOf);
    this.#shown = [...this.#whole];
    const third = columns.findIndex((_, k) => !axes.includes(k));
    this.axes = [axes[0], axes[1], Math.max(0, third)];
    this.pairCount = Math.min(4, columns.length);
  }

  /** The panels of a canvas of this size, in CSS pixels. */
  panels(width: number, height: number): Panel[] {
    const inner: Box = {
      left: margin.left,
      top: margin.top,
      width: Math.max(40, width - margin.left - margin.right),
      height: Math.max(40, height - margin.top - margin.bottom),
    };
    if (this.mode === 'space') return [this.#spatialPanel({ left: 0, top: 0, width, height })];
    if (this.mode === 'plane') return [this.#flatPanel(inner, this.axes[0], this.axes[1])];
    const cells = this.pairCount - 1;
    const [across, down] = [inner.width, inner.height].map((length) => (length - gap * (cells - 1)) / cells);
    const pairs = Array.from({ length: cells }, (_, y) => Array.from({ length: y + 1 }, (__, x) => [x, y] as const));
    return pairs.flat().map(([x, y]) => {
      const box = {
        left: inner.left + x * (across + gap),
        top: inner.top + y * (down + gap),
        width: across,
        height: down,
      };
      return this.#flatPanel(box, x, y + 1);
    });
  }

  /** What is shown of a column. */
  rangeOf(column: number): Range {
    return this.#shown[column];
  }

  /** Magnifies by `factor` around a position in CSS pixels. */
  zoomAt(panel: Panel, [left, top]: readonly [number, number], factor: number): void {
    const across = (left - panel.left) / panel.width;
    const up = 1 - (top - panel.top) / panel.height;
    if (panel.isSpatial) {
      const next = Math.max(0.3, Math.min(100, this.#zoom * factor));
      const ratio = next / this.#zoom;
      this.#zoom = next;
      const [x, y] = [2 * across - 1, 2 * up - 1];
      this.#pan = [x + (this.#pan[0] - x) * ratio, y + (this.#pan[1] - y) * ratio];
      return;
    }
    for (const [column, fraction] of [
      [panel.columns[0], across],
      [panel.columns[1], up],
    ] as const) {
      const { low, high } = this.#shown[column];
      const full = this.#whole[column].high - this.#whole[column].low;
      const width = Math.max(full / deepest, Math.min(full * farthest, (high - low) / factor));
      const fixed = low + fraction * (high - low);
      this.#shown[column] = { low: fixed - fraction * width, high: fixed + (1 - fraction) * width };
    }
  }

  /** Moves the points with the pointer, by CSS pixels. */
  panBy(panel: Panel, right: number, down: number): void {
    if (panel.isSpatial) {
      this.#pan = [this.#pan[0] + (2 * right) / panel.width, this.#pan[1] - (2 * down) / panel.height];
      return;
    }
    const move = (column: number, fraction: number): void => {
      const { low, high } = this.#shown[column];
      const by = fraction * (high - low);
      this.#shown[column] = { low: low - by, high: high - by };
    };
    move(panel.columns[0], right / panel.width);
    move(panel.columns[1], -down / panel.height);
  }

  /** Rotates the points in space, by radians. */
  rotateBy(around: number, up: number): void {
    const steep = Math.PI / 2;
    this.#angles = {
      around: this.#angles.around + around,
      up: Math.max(-steep, Math.min(steep, this.#angles.up + up)),
    };
  }

  /** Shows all points again. */
  reset(): void {
    for (const [column, range] of this.#whole.entries()) this.#shown[column] = range;
    [this.#angles, this.#zoom, this.#pan] = [firstAngles, 1, [0, 0]];
  }

  #flatPanel(box: Box, x: number, y: number): Panel {
    const ranges = [this.#shown[x], this.#shown[y]];
    const [cx, cy] = ranges.map(({ low, high }) => (low + high) / 2);
    const [sx, sy] = ranges.map(({ low, high }) => 2 / (high - low));
    return {
      ...box,
      columns: [x, y, y],
      center: [cx, cy, 0],
      scale: [sx, sy, 0],
      rotation: noRotation,
      zoom: [1, 1],
      pan: [0, 0],
      isSpatial: false,
    };
  }

  #spatialPanel(box: Box): Panel {
    const ranges = this.axes.map((column) => this.#whole[column]);
    const [cx, cy, cz] = ranges.map(({ low, high }) => (low + high) / 2);
    const [sx, sy, sz] = ranges.map(({ low, high }) => 2 / (high - low));
    const side = Math.min(box.width, box.height);
    const length = 0.58 * this.#zoom; // the corners of the cube stay inside in most rotations
    return {
      ...box,
      columns: this.axes,
      center: [cx, cy, cz],
      scale: [sx, sy, sz],
      rotation: rotationOf(this.#angles),
      zoom: [(length * side) / box.width, (length * side) / box.height],
      pan: this.#pan,
      isSpatial: true,
    };
  }
}

/** From the smallest to the largest value, with some room on both sides. */
function rangeOf(values: Float32Array): Range {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    if (values[i] < low) low = values[i];
    if (values[i] > high) high = values[i];
  }
  const room = high > low ? 0.04 * (high - low) : Math.max(Math.abs(high) * 0.1, 0.5);
  return { low: low - room, high: high + room };
}
