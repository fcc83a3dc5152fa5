/** An editor for small graphs: a click adds a node, two nodes make an edge, and a click on an edge changes its weight. */

import { shape } from '../../../lib/pictures/browser/element.ts';

/** From 0 to 1, measured from the left and from the top. */
type Place = readonly [x: number, y: number];

export interface EditedGraph {
  readonly nodes: readonly Place[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly weight: number }[];
}

export const presets = {
  'two triangles': () => wired(ring(6), [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3]]), // oxfmt-ignore
  ring: () => wired(ring(7), ringEdges(7)),
  path: () => wired(ring(6), ringEdges(6).slice(0, -1)),
  star: () => wired([[0.5, 0.5], ...ring(6)], ring(6).map((_, i) => [0, i + 1])), // oxfmt-ignore
  'two halves': () => wired(ring(6), [[0, 3], [0, 4], [0, 5], [1, 3], [1, 4], [1, 5], [2, 3], [2, 4], [2, 5]]), // oxfmt-ignore
  complete: () => wired(ring(5), ring(5).flatMap((_, i) => ring(i).map((__, j) => [j, i] as const))), // oxfmt-ignore
} satisfies Record<string, () => EditedGraph>;

/** A click on an edge selects the next weight. After the last weight the edge is removed. */
const weights = [1, 2, 0.5, 0.1] as const;
const mostNodes = 12;

export class GraphEditor {
  readonly #svg: SVGSVGElement;
  readonly #onChange: (graph: EditedGraph) => void;
  #graph: EditedGraph;
  #chosen: number | null = null;

  constructor(svg: SVGSVGElement, graph: EditedGraph, onChange: (graph: EditedGraph) => void) {
    this.#svg = svg;
    this.#graph = graph;
    this.#onChange = onChange;
    svg.addEventListener('click', (event) => {
      if (event.target !== svg) return;
      const box = svg.getBoundingClientRect();
      this.#addNode([(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
    });
    this.#draw();
  }

  set graph(graph: EditedGraph) {
    this.#graph = graph;
    this.#chosen = null;
    this.#draw();
    this.#onChange(graph);
  }

  /** Adds a node where there is most room, because a keyboard gives no position. */
  addNode(): void {
    const { nodes } = this.#graph;
    const room = (place: Place): number => Math.min(...nodes.map((node) => distance(node, place)));
    const places = ring(24).concat(ring(8, 0.18), [[0.5, 0.5]]);
    this.#addNode(places.reduce((best, place) => (room(place) > room(best) ? place : best)));
  }

  /** Removes the selected node, or the last one. */
  removeNode(): void {
    this.#remove(this.#chosen ?? this.#graph.nodes.length - 1);
  }

  /** Connects the new node to the selected one, or to the nearest. */
  #addNode(node: Place): void {
    const { nodes, edges } = this.#graph;
    if (nodes.length >= mostNodes) return;
    const from = this.#chosen ?? nearestTo(nodes, node);
    const joined = from < 0 ? edges : [...edges, { from, to: nodes.length, weight: 1 }];
    this.graph = { nodes: [...nodes, node], edges: joined };
  }

  #choose(node: number): void {
    const from = this.#chosen;
    if (from === null || from === node) {
      this.#chosen = from === node ? null : node;
      return this.#draw();
    }
    this.#change(from, node);
  }

  /** Sets the next weight of the edge between two nodes. */
  #change(from: number, to: number): void {
    const { nodes, edges } = this.#graph;
    const isIt = (edge: EditedGraph['edges'][number]): boolean =>
      (edge.from === from && edge.to === to) || (edge.from === to && edge.to === from);
    const before = edges.find(isIt);
    const next = before ? weights[weights.indexOf(before.weight as 1) + 1] : weights[0];
    const others = edges.filter((edge) => !isIt(edge));
    this.graph = { nodes, edges: next === undefined ? others : [...others, { from, to, weight: next }] };
  }

  #remove(node: number): void {
    const { nodes, edges } = this.#graph;
    if (nodes.length <= 3) return;
    const shifted = (i: number): number => (i > node ? i - 1 : i);
    this.graph = {
      nodes: nodes.filter((_, i) => i !== node),
      edges: edges
        .filter(({ from, to }) => from !== node && to !== node)
        .map(({ from, to, weight }) => ({ from: shifted(from), to: shifted(to), weight })),
    };
  }

  /** Redraws everything and restores the focus. */
  #draw(): void {
    const { nodes, edges } = this.#graph;
    const focused = document.activeElement?.getAttribute('data-part');
    const at = (i: number): [string, string] => [`${100 * nodes[i][0]}%`, `${100 * nodes[i][1]}%`];
    const lines = edges.flatMap(({ from, to, weight }) => {
      const [[x1, y1], [x2, y2]] = [at(from), at(to)];
      const line = shape('line', { x1, y1, x2, y2, class: 'edge', 'stroke-width': `${1 + 2.5 * Math.sqrt(weight)}` });
      const target = shape('line', { x1, y1, x2, y2, class: 'edge-target', tabindex: '0', role: 'button' });
      target.setAttribute('data-part', `edge ${Math.min(from, to)} ${Math.max(from, to)}`);
      target.setAttribute('aria-label', `Edge ${from + 1} to ${to + 1}, weight ${weight}. Enter changes it.`);
      this.#act(target, () => this.#change(from, to));
      return [line, target];
    });
    const circles = nodes.map((_, i) => {
      const [cx, cy] = at(i);
      const state = i === this.#chosen ? 'node chosen' : 'node';
      const circle = shape('circle', { cx, cy, r: '13', class: state, tabindex: '0', role: 'button' });
      circle.setAttribute('data-part', `node ${i}`);
      circle.setAttribute('aria-pressed', String(i === this.#chosen));
      circle.setAttribute('aria-label', `Node ${i + 1}. Enter chooses it, Delete removes it.`);
      this.#act(circle, () => this.#choose(i));
      circle.addEventListener('keydown', ({ key }) => {
        if (key === 'Delete' || key === 'Backspace') this.#remove(i);
      });
      circle.addEventListener('dblclick', () => this.#remove(i));
      return circle;
    });
    const numbers = nodes.map((_, i) => {
      const [x, y] = at(i);
      const number = shape('text', { x, y, dy: '4', class: 'number' });
      number.textContent = String(i + 1);
      return number;
    });
    this.#svg.replaceChildren(...lines, ...circles, ...numbers);
    if (focused) this.#svg.querySelector<SVGElement>(`[data-part="${focused}"]`)?.focus();
  }

  #act(element: SVGElement, action: () => void): void {
    element.addEventListener('click', action);
    element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      action();
    });
  }
}

function ring(count: number, radius = 0.36): [number, number][] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count - Math.PI / 2;
    return [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)];
  });
}

function ringEdges(count: number): [number, number][] {
  return Array.from({ length: count }, (_, i) => [i, (i + 1) % count]);
}

function wired(nodes: EditedGraph['nodes'], pairs: readonly (readonly number[])[]): EditedGraph {
  return { nodes, edges: pairs.map(([from, to]) => ({ from, to, weight: 1 })) };
}

function distance([a, b]: Place, [x, y]: Place): number {
  return Math.hypot(a - x, b - y);
}

function nearestTo(nodes: EditedGraph['nodes'], place: Place): number {
  const distances = nodes.map((node) => distance(node, place));
  return distances.indexOf(Math.min(...distances));
}
