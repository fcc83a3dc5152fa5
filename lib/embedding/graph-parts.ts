/** The parts of a graph in the diagnostics of a fit, and the warning about them. */

import { type Components, findComponents } from '../graph/components.ts';
import type { Graph } from '../graph/graph.ts';
import { dropEdges } from '../sparse/combine.ts';

/** The sizes of the parts, the largest first, and a warning if there are several. */
export function describeParts(graph: Graph): { parts: readonly number[]; warnings: readonly string[] } {
  const { sizes } = partsOf(graph);
  const parts = [...sizes].toSorted((a, b) => b - a);
  return { parts, warnings: parts.length === 1 ? [] : [warningOf(graph, parts)] };
}

/** The components of the graph without the edges that joined its parts. */
function partsOf({ weights, components, origin: { joins } }: Graph): Components {
  return joins && joins.length > 0 ? findComponents(dropEdges(weights, joins)) : components;
}

/** The largest number of sizes in a warning. */
const mostSizes = 6;

function warningOf({ origin: { joins, kind } }: Graph, parts: readonly number[]): string {
  const listed = parts.slice(0, mostSizes).join(', ') + (parts.length > mostSizes ? ', …' : '');
  const found = `The graph falls into ${parts.length} parts of ${listed} points.`;
  const more = 'More neighbors or a larger bandwidth make it one part.';
  if (joins) {
    const farthest = joins.reduce((most, { distance }) => Math.max(most, distance), 0);
    const edges = joins.length === 1 ? '1 edge joins' : `${joins.length} edges join`;
    return `${found} ${edges} them, of length up to ${farthest.toPrecision(3)}. ${more}`;
  }
  const first =
    parts.length === 2 ? 'The first coordinate only tells' : `The first ${parts.length - 1} coordinates only tell`;
  const effect = `${first} the parts apart.`;
  if (kind === 'given') return `${found} ${effect} Add edges between them if they belong together.`;
  return `${found} ${effect} ${more} connect: 'join' adds the shortest edges between them.`;
}
