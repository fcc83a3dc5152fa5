/** The outlines of marks, as SVG paths. */

import type { MarkShape } from './coloring.ts';

/** The outline of a mark relative to its center, for a path that begins there. */
export function outlineOf(shape: MarkShape, size: number): string {
  const at = (factor: number): number => Math.round(factor * size * 5) / 10;
  if (shape === 'round') return `m${at(-1)} 0a${at(1)} ${at(1)} 0 1 0 ${at(2)} 0a${at(1)} ${at(1)} 0 1 0 ${at(-2)} 0z`;
  if (shape === 'square') return `m${at(-0.92)} ${at(-0.92)}h${at(1.84)}v${at(1.84)}h${at(-1.84)}z`;
  if (shape === 'diamond')
    return `m0 ${at(-1.3)}l${at(1.3)} ${at(1.3)}l${at(-1.3)} ${at(1.3)}l${at(-1.3)} ${at(-1.3)}z`;
  return `m0 ${at(-1.5)}l${at(1.3)} ${at(2.25)}h${at(-2.6)}z`;
}
