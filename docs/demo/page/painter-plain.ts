/** Draws points without a graphics card, pixel by pixel: lines are counted, discs are stamped. */

import { discStamp, mixed, packed, type Stamp } from '../../../lib/pictures/browser/paint/stamp.ts';
import type { Camera, Color, Look, Painter } from './painter.ts';

/** Further overlapping lines or ghosts make no visible difference. */
const mostLayers = 255;

export class PlainPainter implements Painter {
  readonly #context: CanvasRenderingContext2D;
  #before: Float32Array = new Float32Array(0);
  #after: Float32Array = new Float32Array(0);
  #colors: Uint8Array = new Uint8Array(0);
  #ghosts: Float32Array = new Float32Array(0);
  #edges: Int32Array = new Int32Array(0);
  #image: ImageData;
  #pixels: Uint32Array;
  /** How many times each pixel was drawn on. */
  #layers: Uint8Array;
  #spots: Float32Array = new Float32Array(0);
  /** The static part of the picture, and the inputs it was drawn for. */
  #still: Uint32Array = new Uint32Array(0);
  #stillFor = '';

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
    this.#image = new ImageData(1, 1);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#layers = new Uint8Array(1);
  }

  move(before: Float32Array, after: Float32Array): void {
    this.#before = before;
    this.#after = after;
  }

  paint(colors: Uint8Array): void {
    this.#colors = colors;
  }

  setGhosts(places: Float32Array): void {
    this.#ghosts = places;
    this.#stillFor = '';
  }

  setEdges(pairs: Int32Array): void {
    this.#edges = pairs;
  }

  draw({ camera, fraction, pointSize, edge, ghost, ground }: Look): void {
    const { width, height } = this.#context.canvas;
    if (width === 0 || height === 0) return;
    this.#resize(width, height);
    const stamp = discStamp(pointSize);
    this.#drawStill(stamp, camera, ghost, ground);
    this.#project(camera, this.#before, this.#after, fraction);
    if (edge) this.#drawLines(edge);
    this.#drawPoints(stamp);
    this.#context.putImageData(this.#image, 0, 0);
  }

  /** Background and ghosts: while nothing about them changes, a copy of the last drawing. */
  #drawStill(stamp: Stamp, camera: Camera, ghost: Color | null, ground: Color): void {
    const { width, height } = this.#image;
    const wanted = [
      width,
      height,
      stamp.cover.length,
      ghost,
      ground,
      camera.middle,
      camera.rotation,
      camera.scale,
    ].join();
    if (wanted === this.#stillFor) return this.#pixels.set(this.#still);
    this.#pixels.fill(packed(ground));
    if (ghost) {
      this.#project(camera, this.#ghosts, this.#ghosts, 1);
      this.#drawGhosts(stamp, ghost);
    }
    this.#still = this.#pixels.slice();
    this.#stillFor = wanted;
  }

  #resize(width: number, height: number): void {
    if (this.#image.width === width && this.#image.height === height) return;
    this.#image = new ImageData(width, height);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#layers = new Uint8Array(width * height);
  }

  /** Positions and depth of points on the canvas, three numbers each. */
  #project({ middle, rotation, scale }: Camera, before: Float32Array, after: Float32Array, fraction: number): void {
    if (this.#spots.length !== after.length) this.#spots = new Float32Array(after.length);
    const spots = this.#spots;
    const { width, height } = this.#image;
    for (let i = 0; i < after.length; i += 3) {
      const x = before[i] + fraction * (after[i] - before[i]) - middle[0];
      const y = before[i + 1] + fraction * (after[i + 1] - before[i + 1]) - middle[1];
      const z = before[i + 2] + fraction * (after[i + 2] - before[i + 2]) - middle[2];
      const across = rotation[0] * x + rotation[1] * y + rotation[2] * z;
      const up = rotation[3] * x + rotation[4] * y + rotation[5] * z;
      const depth = rotation[6] * x + rotation[7] * y + rotation[8] * z;
      spots[i] = (0.5 + 0.5 * across * scale[0]) * width;
      spots[i + 1] = (0.5 - 0.5 * up * scale[1]) * height;
      spots[i + 2] = Math.max(0, Math.min(1, 0.5 + 0.5 * depth * scale[1]));
    }
  }

  #drawLines(color: Color): void {
    const { width, height } = this.#image;
    const layers = this.#layers.fill(0);
    const spots = this.#spots;
    const edges = this.#edges;
    for (let e = 0; e < edges.length; e += 2) {
      const p = 3 * edges[e];
      const q = 3 * edges[e + 1];
      let x = spots[p];
      let y = spots[p + 1];
      const steps = Math.ceil(Math.max(Math.abs(spots[q] - x), Math.abs(spots[q + 1] - y)));
      if (!(steps > 0 && steps < 4096)) continue;
      const right = (spots[q] - x) / steps;
      const down = (spots[q + 1] - y) / steps;
      for (let s = 0; s < steps; s++, x += right, y += down) {
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        const at = (y | 0) * width + (x | 0);
        if (layers[at] < mostLayers) layers[at]++;
      }
    }
    const weights = layerWeights(color[3]);
    const pixels = this.#pixels;
    const [red, green, blue] = color.map((part) => 255 * part);
    for (let at = 0; at < layers.length; at++) {
      if (layers[at] > 0) pixels[at] = mixed(pixels[at], red, green, blue, weights[layers[at]]);
    }
  }

  #drawGhosts(stamp: Stamp, color: Color): void {
    const rgb = color.slice(0, 3).map((part) => 255 * part);
    const spots = this.#spots;
    for (let i = 0; i < spots.length; i += 3) {
      this.#stamp(stamp, spots[i], spots[i + 1], rgb[0], rgb[1], rgb[2], color[3]);
    }
  }

  #drawPoints(stamp: Stamp): void {
    const spots = this.#spots;
    const colors = this.#colors;
    for (let i = 0, c = 0; i < spots.length; i += 3, c += 4) {
      const opacity = 0.55 + 0.45 * spots[i + 2];
      this.#stamp(stamp, spots[i], spots[i + 1], colors[c], colors[c + 1], colors[c + 2], opacity);
    }
  }

  #stamp(
    { reach, across, down, cover }: Stamp,
    x: number,
    y: number,
    red: number,
    green: number,
    blue: number,
    a: number,
  ): void {
    const { width, height } = this.#image;
    const pixels = this.#pixels;
    const left = Math.floor(x);
    const top = Math.floor(y);
    const isInside = left >= reach && top >= reach && left < width - reach && top < height - reach;
    for (let k = 0; k < cover.length; k++) {
      const px = left + across[k];
      const py = top + down[k];
      if (!isInside && (px < 0 || py < 0 || px >= width || py >= height)) continue;
      const at = py * width + px;
      pixels[at] = mixed(pixels[at], red, green, blue, cover[k] * a);
    }
  }
}

/** The opacity, out of 256, of a translucent color after each number of layers. */
function layerWeights(alpha: number): Float32Array {
  return Float32Array.from({ length: mostLayers + 1 }, (_, count) => 256 * (1 - (1 - alpha) ** count));
}
