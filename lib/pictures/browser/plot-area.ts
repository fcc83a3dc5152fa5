/** `PlotArea`: the canvas with its axes, and its reactions to pointer and keyboard. */

import { markOpacity, markSize } from '../shared/coloring.ts';
import { drawAxes } from './axes.ts';
import { query, shape } from './element.ts';
import { listen, type Position } from './gestures.ts';
import { createPainter } from './paint/create-painter.ts';
import { isInside, nearestPoint, type Panel, positionOf } from './paint/panel.ts';
import type { Scene } from './scene.ts';
import { cssColor, shownTheme } from './theme.ts';
import { Tooltip } from './tooltip.ts';
import type { View } from './view.ts';

/** How far from the pointer a point may be, in CSS pixels. */
const hoverReach = 20;

export class PlotArea {
  readonly #canvas = query<HTMLCanvasElement>('#points');
  readonly #axes = query<SVGSVGElement>('#axes');
  readonly #scene: Scene;
  readonly #view: View;
  readonly #tooltip: Tooltip;
  readonly #painter;
  /** A factor on the size of points, chosen by the reader. */
  pointSize = 1;
  #panels: Panel[] = [];
  /** The index of the marked point in drawing order, or −1. */
  #marked = -1;
  #isPinned = false;
  #isScheduled = false;
  #hoverAt: Position | null = null;

  constructor(scene: Scene, view: View) {
    this.#scene = scene;
    this.#view = view;
    this.#tooltip = new Tooltip(scene);
    this.#painter = createPainter(this.#canvas, scene.columns);
    this.recolor();
    this.#listen();
    new ResizeObserver(() => this.#draw()).observe(this.#canvas);
    this.#canvas.addEventListener('webglcontextrestored', () => this.redraw());
  }

  /** Draws before the next frame. */
  redraw(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      if (this.#hoverAt) this.#hover(this.#hoverAt);
      this.#draw();
    });
  }

  /** Takes the colors, shapes and hidden groups of the scene again. */
  recolor(): void {
    const { painter } = this.#painter;
    painter.setColors(this.#scene.colors(shownTheme()));
    painter.setShapes(this.#scene.shapes());
    if (this.#marked >= 0 && this.#scene.isHidden(this.#scene.order[this.#marked])) this.#mark(-1, false);
    this.redraw();
  }

  /** Marks a row, and tells it to screen readers. */
  showRow(row: number): void {
    this.#mark(this.#scene.order.indexOf(row), true);
    this.#tooltip.speak(row, this.#panels[0].columns);
  }

  reset(): void {
    this.#view.reset();
    this.redraw();
  }

  #draw(): void {
    const { painter, ratio } = this.#painter;
    const canvas = this.#canvas;
    const { clientWidth, clientHeight } = canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    const [width, height] = [clientWidth, clientHeight].map((length) => Math.round(length * ratio()));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    this.#panels = this.#view.panels(clientWidth, clientHeight);
    const { rows } = this.#scene.picture;
    const shrink = this.#panels.length > 1 ? 0.75 : 1;
    painter.draw(this.#panels, {
      size: Math.max(1, markSize(rows) * this.pointSize * shrink * ratio()),
      opacity: markOpacity(rows),
      ground: cssColor('page').map((byte) => byte / 255) as [number, number, number],
      ratio: ratio(),
    });
    this.#axes.setAttribute('viewBox', `0 0 ${clientWidth} ${clientHeight}`);
    this.#axes.replaceChildren(...drawAxes(this.#panels, this.#view, this.#scene.names), ...this.#drawMark());
  }

  /** A ring around the marked point in every panel, and the tooltip in the first panel that contains it. */
  #drawMark(): SVGElement[] {
    if (this.#marked < 0) {
      this.#tooltip.hide();
      return [];
    }
    const { columns, order } = this.#scene;
    const places = this.#panels.flatMap((panel) => {
      const [x, y, z] = panel.columns.map((column) => columns[column][this.#marked]);
      const at = positionOf(panel, x, y, z);
      return isInside(panel, ...at) ? [{ at, panel }] : [];
    });
    const near = places.find(({ panel }) => this.#hoverAt && isInside(panel, ...this.#hoverAt)) ?? places[0];
    if (near) this.#tooltip.show(order[this.#marked], near.panel.columns, near.at, this.#isPinned);
    else this.#tooltip.hide();
    return places.map(({ at: [x, y] }) =>
      shape('circle', { class: 'marked', cx: x.toFixed(1), cy: y.toFixed(1), r: '7' }),
    );
  }

  #mark(index: number, isPinned: boolean): void {
    this.#marked = index;
    this.#isPinned = isPinned;
    this.redraw();
  }

  #panelAt(at: Position | null): Panel {
    const found = at && this.#panels.find((panel) => isInside(panel, ...at));
    return found ?? this.#panels[0];
  }

  #find(at: Position): number {
    const { columns, order } = this.#scene;
    const isHidden = (index: number): boolean => this.#scene.isHidden(order[index]);
    return nearestPoint(this.#panelAt(at), columns, isHidden, at, hoverReach);
  }

  #hover(at: Position): void {
    if (!this.#isPinned) this.#marked = this.#find(at);
  }

  #listen(): void {
    listen(this.#canvas, {
      onHover: (at) => {
        this.#hoverAt = at;
        if (!at && !this.#isPinned) this.#marked = -1;
        this.redraw();
      },
      onClick: (at) => {
        const index = this.#find(at);
        this.#mark(index, index >= 0);
      },
      onDrag: (at, right, down, isAlternate) => {
        const panel = this.#panelAt(at);
        if (panel.isSpatial && !isAlternate) this.#view.rotateBy(right / 150, down / 150);
        else this.#view.panBy(panel, right, down);
        this.#hoverAt = null;
        this.redraw();
      },
      onPan: (at, right, down) => {
        this.#view.panBy(this.#panelAt(at), right, down);
        this.redraw();
      },
      onZoom: (at, factor) => {
        const panel = this.#panelAt(at);
        const middle: Position = [panel.left + panel.width / 2, panel.top + panel.height / 2];
        this.#view.zoomAt(panel, at ?? middle, factor);
        this.redraw();
      },
      onArrow: (right, down) => {
        if (this.#panels[0].isSpatial) this.#view.rotateBy(right * 0.12, down * 0.12);
        else this.#view.panBy(this.#panels[0], -right * 40, -down * 40);
        this.redraw();
      },
      onStep: (by) => this.#step(by),
      onReset: () => this.reset(),
      onEscape: () => this.#mark(-1, false),
    });
  }

  /** Marks the next visible row, in the order of the file. */
  #step(by: 1 | -1): void {
    const { order, picture } = this.#scene;
    const { rows } = picture;
    let row = this.#marked >= 0 ? order[this.#marked] : by > 0 ? -1 : rows;
    for (let tried = 0; tried < rows; tried++) {
      row = (row + by + rows) % rows;
      if (!this.#scene.isHidden(row)) return this.showRow(row);
    }
  }
}
