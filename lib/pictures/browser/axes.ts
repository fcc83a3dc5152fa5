/** Draws the axes of panels as SVG elements: ticks, grid lines and names, or a cube in space. */

import { linearTicks, tickLabels } from '../../charts/scale.ts';
import { shape } from './element.ts';
import { type Panel, positionOf } from './paint/panel.ts';
import type { View } from './view.ts';

/** The elements of all panels. Only the outer panels of a matrix have ticks and names. */
export function drawAxes(panels: readonly Panel[], view: View, names: readonly string[]): SVGElement[] {
  const [first] = panels;
  if (first.isSpatial) return drawCube(first, names);
  const lowest = Math.max(...panels.map(({ top }) => top));
  return panels.flatMap((panel) => [
    shape('rect', {
      class: 'frame',
      x: `${panel.left}`,
      y: `${panel.top}`,
      width: `${panel.width}`,
      height: `${panel.height}`,
    }),
    ...(panel.top === lowest ? horizontal(panel, view, names) : []),
    ...(panel.left === first.left ? vertical(panel, view, names) : []),
  ]);
}

function text(x: number, y: number, content: string, attributes: Record<string, string>): SVGElement {
  return shape('text', { x: x.toFixed(1), y: y.toFixed(1), ...attributes }, [content]);
}

function horizontal(panel: Panel, view: View, names: readonly string[]): SVGElement[] {
  const { left, top, width, height, columns } = panel;
  const ticks = ticksOf(view, columns[0], width / 80);
  const labels = ticks.flatMap(({ fraction, label }) => {
    const x = left + fraction * width;
    return [
      shape('path', { class: 'tick', d: `M${x.toFixed(1)} ${top + height}v4` }),
      text(x, top + height + 16, label, { 'text-anchor': 'middle' }),
    ];
  });
  const name = text(left + width / 2, top + height + 34, fitting(names[columns[0]], width), {
    class: 'name',
    'text-anchor': 'middle',
  });
  return [...labels, name];
}

function vertical(panel: Panel, view: View, names: readonly string[]): SVGElement[] {
  const { left, top, width, height, columns } = panel;
  const ticks = ticksOf(view, columns[1], height / 50);
  const labels = ticks.flatMap(({ fraction, label }) => {
    const y = top + (1 - fraction) * height;
    return [
      shape('path', { class: 'tick', d: `M${left} ${y.toFixed(1)}h-4` }),
      text(left - 7, y + 4, label, { 'text-anchor': 'end' }),
    ];
  });
  const at = `translate(13 ${(top + height / 2).toFixed(1)}) rotate(-90)`;
  const name = shape('text', { class: 'name', transform: at, 'text-anchor': 'middle' }, [
    fitting(names[columns[1]], Math.min(height, width * 2)),
  ]);
  return [...labels, name];
}

/** The name of a coordinate, shortened to a length in pixels. */
function fitting(name: string, length: number): string {
  const most = Math.max(4, Math.floor(length / 7));
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

interface Tick {
  /** From 0 to 1 along the axis. */
  readonly fraction: number;
  readonly label: string;
}

function ticksOf(view: View, column: number, most: number): Tick[] {
  const { low, high } = view.rangeOf(column);
  const ticks = linearTicks(low, high, Math.max(2, Math.min(10, most)));
  const every = Math.max(1, Math.ceil(ticks.length / Math.max(2, most)));
  const labels = tickLabels(ticks);
  return ticks
    .map((tick, i) => ({ fraction: (tick - low) / (high - low), label: labels[i] }))
    .filter((_, i) => i % every === 0);
}

/** The edges of the box around all points, with the names of the coordinates along three of them. */
function drawCube(panel: Panel, names: readonly string[]): SVGElement[] {
  const { center, scale, columns } = panel;
  const corner = (signs: readonly number[]): [number, number] => {
    const [x, y, z] = signs.map((sign, axis) => center[axis] + sign / scale[axis]);
    return positionOf(panel, x, y, z);
  };
  const signs = Array.from({ length: 8 }, (_, i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1].map((bit) => 2 * bit - 1));
  const edges = signs.flatMap((from) =>
    [0, 1, 2].flatMap((axis) => {
      if (from[axis] > 0) return [];
      const to = from.map((sign, other) => (other === axis ? 1 : sign));
      const isNamed = from.every((sign, other) => other === axis || sign < 0);
      const [[x, y], [u, v]] = [corner(from), corner(to)];
      const line = shape('path', {
        class: isNamed ? 'edge named' : 'edge',
        d: `M${x.toFixed(1)} ${y.toFixed(1)}L${u.toFixed(1)} ${v.toFixed(1)}`,
      });
      if (!isNamed) return [line];
      const label = text(u + (u - x) * 0.05, v + (v - y) * 0.05 + 4, fitting(names[columns[axis]], 140), {
        class: 'name',
        'text-anchor': 'middle',
      });
      return [line, label];
    }),
  );
  return edges;
}
