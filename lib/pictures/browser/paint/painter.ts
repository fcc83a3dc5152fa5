/** The interface of the painters, and how points look. */

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
