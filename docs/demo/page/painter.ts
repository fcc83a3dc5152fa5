/** How are thousands of points drawn sixty times a second? By the graphics card where there is one, else by hand. */

import { PlainPainter } from './painter-plain.ts';
import { WebGlPainter } from './painter-webgl.ts';

export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** Places to pixels: (turn·(place − middle))·scale, from −1 to 1. */
export interface Camera {
  readonly middle: readonly [number, number, number];
  /** Row by row, 3×3. */
  readonly turn: Float32Array;
  readonly scale: readonly [number, number];
}

export interface Look {
  readonly camera: Camera;
  /** How far on the way from the last places to the next ones. */
  readonly share: number;
  readonly pointSize: number;
  readonly edge: Color | null;
  readonly ghost: Color | null;
  /** What is behind everything. */
  readonly ground: Color;
}

/** One of the twins. */
export interface Painter {
  /** From where to where the points go, three numbers each. */
  move(before: Float32Array, after: Float32Array): void;
  /** Four bytes a point. */
  paint(colors: Uint8Array): void;
  setGhosts(places: Float32Array): void;
  /** Pairs of points. */
  setEdges(pairs: Int32Array): void;
  draw(look: Look): void;
}

/** A WebGL that the processor has to imitate is many times slower than what is written for it, and is not used. */
export function painterOf(canvas: HTMLCanvasElement): Painter {
  const gl = hasGraphicsCard() ? canvas.getContext('webgl2', { antialias: true, powerPreference: 'low-power' }) : null;
  return gl ? new WebGlPainter(gl) : new PlainPainter(canvas.getContext('2d', { alpha: false })!);
}

const imitations = /swiftshader|llvmpipe|software|basic render/i;

/** Asked of a canvas that nobody sees: one that has been asked keeps to its answer. */
function hasGraphicsCard(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const names = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !imitations.test(name);
}
