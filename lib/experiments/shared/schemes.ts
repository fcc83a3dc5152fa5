/** How are the paper's six methods named and drawn? The scheme by colour, the method by the kind of line. */

import type { Method } from '../../spectral/descent/objective.ts';
import type { Scheme } from '../../spectral/descent/view.ts';
import type { Colour, Series, Style } from '../../charts/figure.ts';

export interface Pair {
  readonly method: Method;
  readonly scheme: Scheme;
}

export const pairs: readonly Pair[] = (['specnet1', 'specnet2'] as const).flatMap((method) =>
  (['full', 'local', 'neighbor'] as const).map((scheme) => ({ method, scheme })),
);

const words: Record<Method, string> = { specnet1: 'SpecNet1', specnet2: 'SpecNet2' };
const schemeColours: Record<Scheme, Colour> = { full: 'blue', local: 'vermilion', neighbor: 'green' };
const lines: Record<Method, NonNullable<Series['dash']>> = { specnet1: 'dashed', specnet2: 'solid' };

/** Curves are labelled so. */
export function nameOf({ method, scheme }: Pair): string {
  return `${words[method]}-${scheme}`;
}

export function styleOf(pair: Pair): Style {
  return { name: nameOf(pair), colour: schemeColours[pair.scheme], dash: lines[pair.method] };
}
