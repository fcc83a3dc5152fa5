/** Draws points: on the graphics card if there is one, otherwise pixel by pixel. */

import { hasGraphicsCard } from './graphics-card.ts';
import { PixelPainter } from './painter-pixels.ts';
import { WebGlPainter } from './painter-webgl.ts';
import type { Panel } from './panel.ts';

/** How points look, all of them alike. */
export interface Look {
  /** The diameter of a point in device pixels. */
  readonly size: number;
  readonly opacity: number;
  /** The color of the background, from 0 to 1. */
  readonly ground: readonly [red: number, green: number, blue: number];
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
}

/** The interface of both painters. Points are drawn in the order of the arrays. */
export interface Painter {
  /** Red, green, blue and 255 for each point, or 0 in place of 255 for a hidden one. */
  setColors(colors: Uint8Array): void;
  /** The index of the shape of each point, in the order of `markShapes`. */
  setShapes(shapes: Uint8Array): void;
  draw(panels: readonly Panel[], look: Look): void;
}

/** The largest number of points that the processor draws smoothly at two device pixels per CSS pixel. */
const mostFinePoints = 30_000;

/** A painter for the columns of the points, and the number of device pixels per CSS pixel that it draws. */
export function createPainter(
  canvas: HTMLCanvasElement,
  columns: readonly Float32Array[],
): { painter: Painter; ratio: () => number } {
  const gl = hasGraphicsCard() ? canvas.getContext('webgl2', { alpha: false, antialias: false }) : null;
  if (gl) return { painter: new WebGlPainter(gl, columns), ratio: () => Math.min(2, devicePixelRatio) };
  const context = canvas.getContext('2d', { alpha: false })!;
  const most = columns[0].length > mostFinePoints ? 1 : 2;
  return { painter: new PixelPainter(context, columns), ratio: () => Math.min(most, devicePixelRatio) };
}
