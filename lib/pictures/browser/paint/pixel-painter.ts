/** Draws points without a graphics card, pixel by pixel. */

import { markShapes } from '../../shared/coloring.ts';
import type { Look, Painter } from './painter.ts';
import { mapOf, type Panel } from './panel.ts';
import { blend, packed, type Stamp, stampOf } from './stamp.ts';

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
  /** One packed color for each point. */
  #colors: Int32Array = new Int32Array(0);
  #shapes: Uint8Array = new Uint8Array(0);
  #image = new ImageData(1, 1);
  #pixels = new Int32Array(1);
  /** The depth of what each pixel shows, in space. */
  #depths = new Float32Array(0);

  constructor(context: CanvasRenderingContext2D, columns: readonly Float32Array[]) {
    this.#context = context;
    this.#columns = columns;
  }

  setColors(colors: Uint8Array): void {
    this.#colors = new Int32Array(colors.buffer);
  }

  setShapes(shapes: Uint8Array): void {
    this.#shapes = shapes;
  }

  draw(panels: readonly Panel[], look: Look): void {
    const { width, height } = this.#context.canvas;
    if (width === 0 || height === 0) return;
    if (this.#image.width !== width || this.#image.height !== height) {
      this.#image = new ImageData(width, height);
      this.#pixels = new Int32Array(this.#image.data.buffer);
    }
    this.#pixels.fill(packed(look.ground));
    const isSpatial = panels.some((panel) => panel.isSpatial);
    if (isSpatial) {
      if (this.#depths.length !== this.#pixels.length) this.#depths = new Float32Array(this.#pixels.length);
      this.#depths.fill(-Infinity);
    }
    const opacity = isSpatial ? 1 : look.opacity;
    const stamps = markShapes.map((shape) => {
      const { norm, factor } = outlines[shape];
      return flatten(stampOf(look.size * factor, norm), width, opacity);
    });
    for (const panel of panels) this.#drawPanel(panel, look, stamps);
    this.#context.putImageData(this.#image, 0, 0);
  }

  /** This loop runs for every point in every frame. It uses plain numbers and allocates nothing. */
  #drawPanel(panel: Panel, { ratio, ground }: Look, stamps: readonly FlatStamp[]): void {
    const { isSpatial } = panel;
    const [xs, ys, zs] = panel.columns.map((column) => this.#columns[column]);
    const edges = [panel.left, panel.top, panel.left + panel.width, panel.top + panel.height];
    const [left, top, right, bottom] = edges.map((edge) => Math.round(edge * ratio));
    const map = mapOf(panel);
    const [x0, x1, x2, x3] = map.left.map((factor) => factor * ratio);
    const [y0, y1, y2, y3] = map.top.map((factor) => factor * ratio);
    const [z0, z1, z2, z3] = map.depth;
    const back = packed(ground);
    const { width } = this.#image;
    const [pixels, depths, colors, shapes] = [this.#pixels, this.#depths, this.#colors, this.#shapes];
    for (let i = 0; i < xs.length; i++) {
      let color = colors[i];
      if (color >>> 24 === 0) continue;
      const x = Math.floor(x0 + x1 * xs[i] + x2 * ys[i] + x3 * zs[i]);
      const y = Math.floor(y0 + y1 * xs[i] + y2 * ys[i] + y3 * zs[i]);
      const { reach, offsets, across, down, weights } = stamps[shapes[i]];
      if (!(x + reach >= left && y + reach >= top && x - reach < right && y - reach < bottom)) continue;
      let depth = 0;
      if (isSpatial) {
        depth = z0 + z1 * xs[i] + z2 * ys[i] + z3 * zs[i];
        color = blend(back, color, nearness(depth));
      }
      const isWhole = x - reach >= left && y - reach >= top && x + reach < right && y + reach < bottom;
      const center = y * width + x;
      for (let k = 0; k < weights.length; k++) {
        if (!isWhole) {
          const u = x + across[k];
          const v = y + down[k];
          if (u < left || v < top || u >= right || v >= bottom) continue;
        }
        const at = center + offsets[k];
        if (isSpatial) {
          // Nearer points cover farther ones, in whatever order they are drawn.
          if (depth < depths[at]) continue;
          if (weights[k] >= 128) depths[at] = depth;
        }
        pixels[at] = blend(pixels[at], color, weights[k]);
      }
    }
  }
}

/** A stamp for images of one width: the distance of its pixels from the center in memory, and their opacity out of 256. */
interface FlatStamp extends Pick<Stamp, 'reach' | 'across' | 'down'> {
  readonly offsets: Int32Array;
  readonly weights: Int32Array;
}

function flatten({ reach, across, down, cover }: Stamp, width: number, opacity: number): FlatStamp {
  const offsets = Int32Array.from(across, (right, k) => down[k] * width + right);
  return { reach, across, down, offsets, weights: Int32Array.from(cover, (weight) => Math.round(weight * opacity)) };
}

/** How strongly a point differs from the background, out of 256: farther ones fade. */
function nearness(depth: number): number {
  return Math.round(256 * (0.4 + 0.6 * Math.max(0, Math.min(1, 0.5 + 0.4 * depth))));
}
