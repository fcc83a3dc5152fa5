/** One picture of points: a canvas animated from frame to frame, marks on top, and pointer interaction. */

import type { RotationAngles } from '../../../lib/pictures/browser/paint/rotation.ts';
import { shape } from '../../../lib/pictures/browser/element.ts';
import { Following, mixBounds } from './follow.ts';
import { type Camera, type Color, type Painter, painterOf } from './painter.ts';
import { type Bounds, boundsOf, cameraOf, nearest, noRotation, project, unproject } from './view.ts';

export interface PaneEvents {
  /** A place was clicked, or a mark dragged. `first` is true for a new one. */
  readonly onPlace?: (place: readonly [number, number, number], first: boolean) => void;
  /** The index of the point under the pointer, or −1. */
  readonly onHover: (index: number) => void;
}

export interface PaneLook {
  readonly edge: Color | null;
  readonly ghost: Color | null;
  readonly ground: Color;
}

/** Frames that would take longer than this to animate are shown at once. */
const longestGlide = 400;
/** If no frame comes for this many milliseconds, a picture with much empty room zooms in on its points. */
const restAfter = 600;
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class Pane {
  readonly #canvas: HTMLCanvasElement;
  readonly #marks: SVGSVGElement;
  readonly #painter: Painter;
  readonly #events: PaneEvents;
  #square = true;
  #spatial = false;
  /** Null if the points do not move. */
  #following: Following | null = null;
  #boundsBefore: Bounds = { middle: [0, 0, 0], reach: [1, 1, 1] };
  #boundsAfter: Bounds = this.#boundsBefore;
  #angles: RotationAngles = noRotation;
  #before: Float32Array = new Float32Array(0);
  #after: Float32Array = new Float32Array(0);
  #started = 0;
  #glide = 0;
  #look: PaneLook = { edge: null, ghost: null, ground: [0, 0, 0, 1] };
  #marked: Float32Array = new Float32Array(0);
  #hovered = -1;
  #cursor: [number, number] | null = null;
  #dirty = true;

  constructor(figure: HTMLElement, events: PaneEvents) {
    this.#canvas = figure.querySelector('canvas')!;
    this.#marks = figure.querySelector('svg')!;
    this.#painter = painterOf(this.#canvas);
    this.#events = events;
    new ResizeObserver(() => this.#resize()).observe(this.#canvas);
    this.#listen();
  }

  get places(): Float32Array {
    return this.#after;
  }

  /** Shows other points, fixed or moving. If they move, `home` and all points always stay in the picture. */
  open(places: Float32Array, home: Float32Array | null, spatial: boolean): void {
    this.#square = home === null;
    this.#spatial = spatial;
    this.#following = home ? new Following(boundsOf(home)) : null;
    this.#boundsAfter = this.#following?.bounds ?? boundsOf(places);
    this.#boundsBefore = this.#boundsAfter;
    this.#angles = spatial ? { around: 0.5, up: 0.35 } : noRotation;
    this.#before = places;
    this.#after = places;
    this.#glide = 0;
    this.#marked = new Float32Array(0);
    this.#hovered = -1;
    this.#painter.move(places, places);
    this.#dirty = true;
  }

  /** Animates to the next places, over about the time until the following frame. */
  glideTo(places: Float32Array, now: number): void {
    const since = now - this.#started;
    const from = this.#current(now);
    this.#boundsBefore = mixBounds(this.#boundsBefore, this.#boundsAfter, this.#fraction(now));
    this.#boundsAfter = this.#following?.next(places, this.#marked) ?? this.#boundsAfter;
    this.#before = from;
    this.#after = places;
    this.#glide = reducedMotion.matches || since > longestGlide ? 0 : Math.max(30, since);
    this.#started = now;
    this.#painter.move(from, places);
    this.#dirty = true;
  }

  setColors(colors: Uint8Array): void {
    this.#painter.paint(colors);
    this.#dirty = true;
  }

  setEdges(edges: Int32Array): void {
    this.#painter.setEdges(edges);
    this.#dirty = true;
  }

  setGhosts(places: Float32Array): void {
    this.#painter.setGhosts(places);
    this.#dirty = true;
  }

  setLook(look: PaneLook): void {
    this.#look = look;
    this.#dirty = true;
  }

  /** Numbered marks, three numbers each. */
  mark(places: Float32Array): void {
    this.#marked = places;
    this.#dirty = true;
  }

  hover(index: number): void {
    if (this.#hovered === index) return;
    this.#hovered = index;
    this.#dirty = true;
  }

  /** Returns whether anything was drawn. */
  draw(now: number): boolean {
    this.#rest(now);
    const fraction = this.#fraction(now);
    if (!this.#dirty && fraction >= 1) return false;
    this.#dirty = fraction < 1;
    const camera = this.#camera(fraction);
    const crowd = this.#after.length / 3;
    const { width } = this.#canvas;
    const pointSize = Math.max(2, Math.min(9, (width / 80) * Math.sqrt(1500 / Math.max(300, crowd)))) + 0.6;
    this.#painter.draw({ camera, fraction, pointSize, ...this.#look });
    this.#drawMarks(camera, fraction);
    return true;
  }

  #rest(now: number): void {
    if (!this.#following?.isRoomy || now - this.#started < restAfter) return;
    this.#boundsBefore = this.#boundsAfter;
    this.#boundsAfter = this.#following.rest(this.#after, this.#marked);
    this.#before = this.#after;
    this.#painter.move(this.#after, this.#after);
    this.#glide = reducedMotion.matches ? 0 : longestGlide;
    this.#started = now;
    this.#dirty = true;
  }

  #fraction(now: number): number {
    return this.#glide === 0 ? 1 : Math.min(1, (now - this.#started) / this.#glide);
  }

  #current(now: number): Float32Array {
    const fraction = this.#fraction(now);
    if (fraction >= 1) return this.#after.slice();
    return this.#before.map((value, i) => value + fraction * (this.#after[i] - value));
  }

  #camera(fraction = this.#fraction(performance.now())): Camera {
    const { width, height } = this.#canvas;
    const bounds = mixBounds(this.#boundsBefore, this.#boundsAfter, fraction);
    return cameraOf(bounds, this.#angles, width / height || 1, this.#square, this.#spatial);
  }

  #drawMarks(camera: Camera, fraction: number): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const at = (places: Float32Array, i: number): [number, number] => {
      const [left, top] = project(camera, places[3 * i], places[3 * i + 1], places[3 * i + 2]);
      return [width * left, height * top];
    };
    const inside = (value: number, size: number): number => Math.max(11, Math.min(size - 11, value));
    const marks = Array.from({ length: this.#marked.length / 3 }, (_, i) => {
      const [x, y] = at(this.#marked, i);
      const [left, top] = [inside(x, width), inside(y, height)];
      const isBeyond = Math.hypot(x - left, y - top) > 11;
      return shape('g', { class: isBeyond ? 'mark beyond' : 'mark', transform: `translate(${left} ${top})` }, [
        shape('circle', { r: '9' }),
        shape('text', { y: '4' }, [String(i + 1)]),
      ]);
    });
    const i = this.#hovered;
    if (i >= 0 && 3 * i < this.#after.length) {
      const part = (c: number): number =>
        this.#before[3 * i + c] + fraction * (this.#after[3 * i + c] - this.#before[3 * i + c]);
      const [left, top] = at(Float32Array.of(part(0), part(1), part(2)), 0);
      marks.push(shape('circle', { class: 'hovered', cx: `${left}`, cy: `${top}`, r: '7' }));
    }
    if (this.#cursor) {
      const [left, top] = this.#cursor;
      marks.push(shape('path', { class: 'cursor', d: `M${width * left - 12} ${height * top}h24m-12 -12v24` }));
    }
    this.#marks.replaceChildren(...marks);
  }

  #resize(): void {
    const ratio = Math.min(2, devicePixelRatio);
    const { clientWidth, clientHeight } = this.#canvas;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (width === 0 || (this.#canvas.width === width && this.#canvas.height === height)) return;
    this.#canvas.width = width;
    this.#canvas.height = height;
    this.#dirty = true;
    this.draw(performance.now());
  }

  #listen(): void {
    const canvas = this.#canvas;
    let pressed: { x: number; y: number; moved: boolean } | null = null;
    const where = (event: PointerEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    };
    canvas.addEventListener('pointerdown', (event) => {
      pressed = { x: event.clientX, y: event.clientY, moved: false };
      canvas.setPointerCapture(event.pointerId);
      if (!this.#spatial) this.#place(where(event), true);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!pressed) return this.#point(where(event));
      const [across, down] = [event.clientX - pressed.x, event.clientY - pressed.y];
      if (!this.#spatial) return this.#place(where(event), false);
      if (!pressed.moved && Math.hypot(across, down) < 4) return;
      this.#rotate(across / 150, down / 150);
      pressed = { x: event.clientX, y: event.clientY, moved: true };
    });
    canvas.addEventListener('pointerup', (event) => {
      if (pressed && !pressed.moved && this.#spatial) this.#place(where(event), true);
      pressed = null;
    });
    canvas.addEventListener('pointercancel', () => (pressed = null));
    canvas.addEventListener('pointerleave', () => this.#events.onHover(-1));
    canvas.addEventListener('blur', () => this.#moveCursor(null));
    canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  #key(event: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const way = ways[event.key];
    if (way) {
      event.preventDefault();
      if (this.#spatial) return this.#rotate(way[0] * 0.12, way[1] * 0.12);
      const [left, top] = this.#cursor ?? [0.5, 0.5];
      const inside = (value: number): number => Math.max(0, Math.min(1, value));
      return this.#moveCursor([inside(left + way[0] / 40), inside(top + way[1] / 40)]);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      this.#place(this.#cursor ?? [0.5, 0.5], true);
    }
  }

  #moveCursor(cursor: [number, number] | null): void {
    this.#cursor = cursor;
    if (cursor) this.#point(cursor);
    this.#dirty = true;
  }

  #rotate(around: number, up: number): void {
    const steep = Math.PI / 2;
    this.#angles = {
      around: this.#angles.around + around,
      up: Math.max(-steep, Math.min(steep, this.#angles.up + up)),
    };
    this.#dirty = true;
  }

  #point(at: readonly [number, number]): void {
    const { clientWidth, clientHeight } = this.#canvas;
    const { index, distance } = nearest(this.#camera(), this.#after, at, [clientWidth, clientHeight]);
    this.#events.onHover(distance < 24 ? index : -1);
  }

  /** For points in space, at the depth of the point nearest on the pane. */
  #place(at: readonly [number, number], first: boolean): void {
    const camera = this.#camera();
    const { clientWidth, clientHeight } = this.#canvas;
    const depth = this.#spatial ? nearest(camera, this.#after, at, [clientWidth, clientHeight]).depth : 0;
    this.#events.onPlace?.(unproject(camera, at[0], at[1], depth), first);
  }
}
