/** The Live tab: the points, the embedding of each method, curves and numbers, updated frame by frame. */

import type { Frame, Scene } from '../protocol.ts';
import type { Lane, Settings } from '../settings.ts';
import { drawChart, type Line, short } from './chart.ts';
import { methodTitles } from './controls.ts';
import { element, query } from '../../../lib/pictures/browser/element.ts';
import { History } from './history.ts';
import { colorsOf, groupsOf, legendOf } from './palette.ts';
import { Pane } from './pane.ts';
import { numbersTable } from './readout.ts';
import { cssColor, colorOf, shownTheme } from './theme.ts';

export interface LiveEvents {
  /** New points, with as many numbers each as the data have columns. */
  readonly onEmbed: (points: Float32Array) => void;
}

/** The largest number of new points shown at a time. */
const mostMarks = 24;
/** Milliseconds between two redraws of the curves. */
const chartPause = 120;

export class Live {
  readonly #events: LiveEvents;
  readonly #points: Pane;
  readonly #lanes: readonly [Pane, Pane];
  #settings: Settings;
  #scene: Scene | null = null;
  #frames: (Frame | null)[] = [null, null];
  #histories: History[] = [];
  #marks: Float32Array[] = [];
  /** The clusters that were found, one for each point. */
  #clusters: Int32Array | null = null;
  /** The groups in the legend. */
  #legend: Int32Array | undefined;
  #charted = 0;
  #stale = true;
  /** The number of pictures drawn, for measurements. */
  drawn = 0;

  constructor(settings: Settings, events: LiveEvents) {
    this.#settings = settings;
    this.#events = events;
    const onHover = (index: number): void => this.#hover(index);
    this.#points = new Pane(query('#pane-points'), { onHover, onPlace: (place, first) => this.#place(place, first) });
    this.#lanes = [new Pane(query('#pane-0'), { onHover }), new Pane(query('#pane-1'), { onHover })];
    const loop = (now: number): void => {
      this.#draw(now);
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  get scene(): Scene | null {
    return this.#scene;
  }

  frame(lane: number): Frame | null {
    return this.#frames[lane];
  }

  /** Whether nothing is left to learn. */
  get isDone(): boolean {
    const shown = this.#frames.filter((frame) => frame !== null);
    return shown.length > 0 && shown.every(({ done }) => done);
  }

  configure(settings: Settings): void {
    this.#settings = settings;
    const { rival } = settings;
    query('#panes').classList.toggle('race', rival !== null);
    query('#pane-1').hidden = rival === null;
    query('#title-0').textContent = methodTitles[settings.lane.method];
    query('#title-1').textContent = rival ? methodTitles[rival.method] : '';
    this.restyle();
  }

  /** Redraws after a change of theme or appearance. */
  restyle(): void {
    const { edges, truth } = this.#settings;
    const { size = 1, edges: pairs = [] } = this.#scene ?? {};
    // The more edges, the fainter each one: a dense graph looks like a veil, a sparse one like a net.
    const faint = Math.min(1, 3000 / Math.max(1, pairs.length));
    const ghost = truth ? colorOf('ink', Math.min(0.14, 110 / size)) : null;
    const ground = colorOf('card', 1);
    this.#points.setLook({ ground, edge: edges ? colorOf('ink', 0.025 + 0.25 * faint) : null, ghost: null });
    for (const pane of this.#lanes) {
      pane.setLook({ ground, edge: edges ? colorOf('ink', 0.016 + 0.12 * faint) : null, ghost });
    }
    this.#recolor();
    this.#stale = true;
  }

  open(scene: Scene): void {
    this.#scene = scene;
    this.#marks = [];
    this.#clusters = null;
    this.#legend = undefined;
    query('#legend').replaceChildren();
    this.forget();
    this.#points.open(scene.places, null, scene.spatial);
    this.#points.setEdges(scene.edges);
    const truth = lifted(scene.truth, scene.components);
    // Edges move in the embedding, and half of them are enough for the same impression.
    const moving = scene.edges.filter((_, i) => scene.edges.length < 16_000 || i % 4 < 2);
    for (const pane of this.#lanes) {
      pane.open(new Float32Array(3 * scene.size), truth, false);
      pane.setEdges(moving);
      pane.setGhosts(truth);
    }
    query('#title-points').textContent = scene.title;
    const [size, total, edges] = [scene.size, scene.totalRows, scene.edgeCount].map((n) => n.toLocaleString('en'));
    const parts = scene.parts > 1 ? ` in ${scene.parts} parts` : '';
    const sample = total === size ? '' : ` of ${total}, drawn at random`;
    query('#note-points').textContent = `${size} points${sample}, ${edges} edges${parts}`;
    query('#file-notes').replaceChildren(...scene.notes.map((note) => element('li', note)));
    query('#note-points').title = scene.graph;
    query('#pad-box').hidden = !scene.images;
    query('#peek').hidden = true;
    this.restyle();
  }

  showClusters(clusters: Int32Array | null): void {
    this.#clusters = clusters;
    this.restyle();
  }

  /** Discards the results so far. */
  forget(): void {
    this.#frames = [null, null];
    this.#histories = [new History(), new History()];
    this.#stale = true;
  }

  show(frame: Frame, now: number): void {
    if (!this.#scene || frame.coordinates.length !== 2 * this.#scene.size) return;
    const { lane } = frame;
    const isFirst = this.#frames[lane] === null;
    this.#frames[lane] = frame;
    this.#histories[lane].add(frame);
    const places = lifted(frame.coordinates, 2);
    const pane = this.#lanes[lane];
    pane.mark(lifted(frame.embedded, 2));
    if (isFirst) pane.glideTo(places, now - 1e6);
    pane.glideTo(places, now);
    if (lane === 0 && (this.#settings.color !== 'label' || isFirst)) this.#recolor();
    this.#stale = true;
  }

  clearMarks(): void {
    this.#marks = [];
    this.#tellMarks();
  }

  /** A point outside the displayed plane: its position there is computed. */
  embedPoint(point: Float32Array): void {
    this.#marks = [...this.#marks.slice(1 - mostMarks), point];
    this.#tellMarks();
  }

  #place(place: readonly [number, number, number], first: boolean): void {
    if (!this.#scene) return;
    const { origin, axes } = this.#scene;
    const point = origin.map((value, c) => axes.reduce((sum, axis, j) => sum + place[j] * axis[c], value));
    if (!first && this.#marks.length > 0) this.#marks = [...this.#marks.slice(0, -1), point];
    else this.#marks = [...this.#marks.slice(1 - mostMarks), point];
    this.#tellMarks();
  }

  #tellMarks(): void {
    const { columns, origin, axes } = this.#scene!;
    const all = new Float32Array(columns * this.#marks.length);
    const places = new Float32Array(3 * this.#marks.length);
    for (const [i, point] of this.#marks.entries()) {
      all.set(point, i * columns);
      for (const [j, axis] of axes.entries()) {
        for (let c = 0; c < columns; c++) places[3 * i + j] += (point[c] - origin[c]) * axis[c];
      }
    }
    this.#points.mark(places);
    this.#events.onEmbed(all);
  }

  #hover(index: number): void {
    for (const pane of [this.#points, ...this.#lanes]) pane.hover(index);
    const peek = query<HTMLCanvasElement>('#peek');
    const images = this.#scene?.images;
    peek.hidden = !images || index < 0;
    if (!images || index < 0) return;
    const { labels, labelNames = [] } = this.#scene!;
    peek.setAttribute('aria-label', labels ? `The point under the pointer: ${labelNames[labels[index]]}` : 'An image');
    const picture = new ImageData(28, 28);
    for (let i = 0; i < 784; i++) picture.data.fill(255 * images[784 * index + i], 4 * i, 4 * i + 3);
    for (let i = 0; i < 784; i++) picture.data[4 * i + 3] = 255;
    peek.getContext('2d')!.putImageData(picture, 0, 0);
  }

  #recolor(): void {
    if (!this.#scene) return;
    const { color } = this.#settings;
    const groups = groupsOf(this.#scene, color, this.#clusters);
    const colors = colorsOf(this.#scene, color, groups, this.#frames[0]?.coordinates ?? null, shownTheme());
    if (groups?.labels !== this.#legend) query('#legend').replaceChildren(...legendOf(groups));
    this.#legend = groups?.labels;
    for (const pane of [this.#points, ...this.#lanes]) pane.setColors(colors);
  }

  #draw(now: number): void {
    const drawn = [this.#points, this.#lanes[0]].map((pane) => pane.draw(now));
    if (this.#settings.rival) drawn.push(this.#lanes[1].draw(now));
    if (drawn.includes(true)) this.drawn++;
    if (!this.#stale || now - this.#charted < chartPause) return;
    this.#stale = false;
    this.#charted = now;
    this.#chart();
  }

  #chart(): void {
    const colors = { grid: cssColor('line'), text: cssColor('soft') };
    const lanes: readonly (Lane | null)[] = [this.#settings.lane, this.#settings.rival];
    const each = (make: (history: History, color: string) => Line[]): Line[] =>
      lanes.flatMap((lane, i) =>
        lane && this.#histories[i] ? make(this.#histories[i], cssColor(i === 0 ? 'a' : 'b')) : [],
      );
    const errors = each((history, color) =>
      history.errors.map((up, k) => ({
        color,
        dash:
          k === 0
            ? []
            : [
                [5, 4],
                [2, 3],
              ][Math.min(1, k - 1)],
        width: k === 0 ? 2.2 : 1.5,
        across: history.seconds,
        up,
      })),
    );
    const gaps = each((history, color) => [{ color, dash: [], width: 2.2, across: history.seconds, up: history.gaps }]);
    drawChart(query('#chart-errors'), errors, 's', colors);
    drawChart(query('#chart-gap'), gaps, 's', colors);
    if (!this.#scene) return;
    // Notes and numbers change together, so that they always describe the same frame.
    for (const [lane, frame] of this.#frames.entries()) {
      query(`#note-${lane}`).textContent = frame ? `${frame.detail}${frame.done ? ', done' : ''}` : '';
    }
    query('#numbers').replaceChildren(numbersTable(this.#scene, this.#frames));
    const rates = this.#frames.flatMap((frame) => (frame && frame.steps > 0 ? [short(frame.stepsPerSecond)] : []));
    query('#speed').textContent = rates.join(' · ') || '–';
  }
}

/** The first two of `columns` numbers per point, as points of the plane. */
function lifted(values: Float32Array, columns: number): Float32Array<ArrayBuffer> {
  const result = new Float32Array((3 * values.length) / columns);
  for (let i = 0, at = 0; at < result.length; i += columns, at += 3) {
    result[at] = values[i];
    result[at + 1] = values[i + 1];
  }
  return result;
}
