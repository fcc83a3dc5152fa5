/** Draws points without a graphics card, pixel by pixel. */

import { markShapes } from '../../shared/coloring.ts';
import type { Look, Painter } from './painter.ts';
import type { Panel } from './panel.ts';
import { mixed, packed, type Stamp, stampOf } from './stamp.ts';

/** The outlines of the marks, each as a distance from the center. Marks with corners are larger, to look alike. */
const outlines: Record<(typeof markShapes)[number], { norm: (x: number, y: number) => number; factor: number }> = {
  round: { norm: (x, y) => Math.hypot(x, y), factor: 1 },
  diamond: { norm: (x, y) => Math.abs(x) + Math.abs(y), factor: 1.3 },
  square: { norm: (x, y) => Math.max(Math.abs(x), Math.abs(y)) * 1.2, factor: 1.1 },
  triangle: { norm: (x, y) => 2 * Math.max(y, 0.866 * Math.abs(x) - 0.5 * y), factor: 1.5 },
};

export class PixelPainter implements Painter {
  readonly #context: CanvasRenderingContext2D;
  readonly #columns: readonly Float32Array[];
  #colors: Uint8Array = new Uint8Array(0);
  #shapes: Uint8Array = new Uint8Array(0);
  #image = new ImageData(1, 1);
  #pixels = new Uint32Array(1);
  /** The depth of what each pixel shows, in space. */
  #depths = new Float32Array(0);

  constructor(context: CanvasRenderingContext2D, columns: readonly Float32Array[]) {
    this.#context = context;
    this.#columns = columns;
  }

  setColors(colors: Uint8Array): void {
    this.#colors = colors;
  }

  setShapes(shapes: Uint8Array): void {
    this.#shapes = shapes;
  }

  draw(panels: readonly Panel[], look: Look): void {
    const { width, height } = this.#context.canvas;
    if (width === 0 || height === 0) return;
    if (this.#image.width !== width || this.#image.height !== height) {
      this.#image = new ImageData(width, height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    }
    this.#pixels.fill(packed(look.ground));
    const stamps = markShapes.map((shape) => stampOf(look.size * outlines[shape].factor, outlines[shape].norm));
    for (const panel of panels) this.#drawPanel(panel, look, stamps);
    this.#context.putImageData(this.#image, 0, 0);
  }

  #drawPanel(panel: Panel, { ratio, opacity, ground }: Look, stamps: readonly Stamp[]): void {
    const { center, scale, rotation: r, zoom, pan, isSpatial } = panel;
    const [xs, ys, zs] = panel.columns.map((column) => this.#columns[column]);
    const bounds = [panel.left, panel.top, panel.left + panel.width, panel.top + panel.height];
    const [left, top, right, bottom] = bounds.map((edge) => Math.round(edge * ratio));
    const area = { left: Math.max(0, left), top: Math.max(0, top), right, bottom };
    const [halfWidth, halfHeight] = [(right - left) / 2, (bottom - top) / 2];
    const [colors, shapes] = [this.#colors, this.#shapes];
    const faded = ground.map((part) => 255 * part);
    if (isSpatial) {
      if (this.#depths.length !== this.#pixels.length) this.#depths = new Float32Array(this.#pixels.length);
      this.#depths.fill(-Infinity);
    }
    for (let i = 0; i < xs.length; i++) {
      if (colors[4 * i + 3] === 0) continue;
      const a = (xs[i] - center[0]) * scale[0];
      const b = (ys[i] - center[1]) * scale[1];
      const c = (zs[i] - center[2]) * scale[2];
      const x = left + (1 + (r[0] * a + r[1] * b + r[2] * c) * zoom[0] + pan[0]) * halfWidth;
      const y = top + (1 - (r[3] * a + r[4] * b + r[5] * c) * zoom[1] - pan[1]) * halfHeight;
      if (!(x > area.left - 9 && y > area.top - 9 && x < area.right + 9 && y < area.bottom + 9)) continue;
      const [red, green, blue] = [colors[4 * i], colors[4 * i + 1], colors[4 * i + 2]];
      const stamp = stamps[shapes[i]];
      if (isSpatial) {
        const depth = r[6] * a + r[7] * b + r[8] * c;
        const near = nearness(depth);
        const fade = (own: number, back: number): number => back + near * (own - back);
        const tones = [fade(red, faded[0]), fade(green, faded[1]), fade(blue, faded[2])];
        this.#stampSpatial(stamp, x, y, tones, depth, area);
      } else this.#stampFlat(stamp, x, y, red, green, blue, opacity, area);
    }
  }

  #stampFlat(
    { reach, across, down, cover }: Stamp,
    x: number,
    y: number,
    red: number,
    green: number,
    blue: number,
    opacity: number,
    area: Area,
  ): void {
    const { width } = this.#image;
    const pixels = this.#pixels;
    const [px, py] = [Math.floor(x), Math.floor(y)];
    const isWhole =
      px - reach >= area.left && py - reach >= area.top && px + reach < area.right && py + reach < area.bottom;
    for (let k = 0; k < cover.length; k++) {
      const [u, v] = [px + across[k], py + down[k]];
      if (!isWhole && (u < area.left || v < area.top || u >= area.right || v >= area.bottom)) continue;
      const at = v * width + u;
      pixels[at] = mixed(pixels[at], red, green, blue, cover[k] * opacity);
    }
  }

  /** Nearer points cover farther ones, in whatever order they are drawn. */
  #stampSpatial(stamp: Stamp, x: number, y: number, tones: readonly number[], depth: number, area: Area): void {
    const { across, down, cover } = stamp;
    const { width } = this.#image;
    const [px, py] = [Math.floor(x), Math.floor(y)];
    for (let k = 0; k < cover.length; k++) {
      const [u, v] = [px + across[k], py + down[k]];
      if (u < area.left || v < area.top || u >= area.right || v >= area.bottom) continue;
      const at = v * width + u;
      if (depth < this.#depths[at]) continue;
      if (cover[k] >= 128) this.#depths[at] = depth;
      this.#pixels[at] = mixed(this.#pixels[at], tones[0], tones[1], tones[2], cover[k]);
    }
  }
}

/** A rectangle in device pixels. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** How strongly a point differs from the background: farther ones fade. */
function nearness(depth: number): number {
  return 0.4 + 0.6 * Math.max(0, Math.min(1, 0.5 + 0.4 * depth));
}
