/** Draws thousands of points at 60 pictures a second: on the graphics card if there is one, otherwise pixel by pixel. */

import { hasGraphicsCard } from '../../../lib/pictures/browser/paint/graphics-card.ts';
import { PlainPainter } from './painter-plain.ts';
import { WebGlPainter } from './painter-webgl.ts';

export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** Maps places to the pane: (rotation·(place − middle))·scale, from −1 to 1. */
export interface Camera {
  readonly middle: readonly [number, number, number];
  /** 3×3, row-major. */
  readonly rotation: Float32Array;
  readonly scale: readonly [number, number];
}

export interface Look {
  readonly camera: Camera;
  /** The interpolation parameter between the last places and the next ones. */
  readonly fraction: number;
  readonly pointSize: number;
  readonly edge: Color | null;
  readonly ghost: Color | null;
  /** The background color. */
  readonly ground: Color;
}

/** The interface of both painters. */
export interface Painter {
  /** The places before and after the motion, three numbers per point each. */
  move(before: Float32Array, after: Float32Array): void;
  /** Four bytes per point. */
  paint(colors: Uint8Array): void;
  setGhosts(places: Float32Array): void;
  /** Pairs of point indices. */
  setEdges(pairs: Int32Array): void;
  draw(look: Look): void;
}

/** A WebGL emulated by the processor is many times slower than the plain painter, and is not used. */
export function painterOf(canvas: HTMLCanvasElement): Painter {
  const gl = hasGraphicsCard() ? canvas.getContext('webgl2', { antialias: true, powerPreference: 'low-power' }) : null;
  return gl ? new WebGlPainter(gl) : new PlainPainter(canvas.getContext('2d', { alpha: false })!);
}
