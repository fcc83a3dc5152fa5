/** Chooses the painter: the graphics card if there is one, otherwise pixel by pixel. */

import { hasGraphicsCard } from './graphics-card.ts';
import type { Painter } from './painter.ts';
import { PixelPainter } from './pixel-painter.ts';
import { WebGlPainter } from './webgl-painter.ts';

/** The processor draws more points than this at one device pixel per CSS pixel, which is a quarter of the work. */
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
