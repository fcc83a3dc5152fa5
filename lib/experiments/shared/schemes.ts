/** Names and line styles of the paper's six variants: the color shows the scheme, the dash shows the method. */

import type { Method } from '../../spectral/descent/objective.ts';
import type { Scheme } from '../../spectral/descent/view.ts';
import type { Color, Series, Style } from '../../charts/figure.ts';

/** A method with a scheme. */
export interface Pair {
  readonly method: Method;
  readonly scheme: Scheme;
}

export const pairs: readonly Pair[] = (['specnet1', 'specnet2'] as const).flatMap((method) =>
  (['full', 'local', 'neighbor'] as const).map((scheme) => ({ method, scheme })),
);

const methodNames: Record<Method, string> = { specnet1: 'SpecNet1', specnet2: 'SpecNet2' };
const schemeColors: Record<Scheme, Color> = { full: 'blue', local: 'vermilion', neighbor: 'green' };
const dashes: Record<Method, NonNullable<Series['dash']>> = { specnet1: 'dashed', specnet2: 'solid' };

/** The label of a curve, such as SpecNet2-neighbor. */
export function nameOf({ method, scheme }: Pair): string {
  return `${methodNames[method]}-${scheme}`;
}

export function styleOf(pair: Pair): Style {
  return { name: nameOf(pair), color: schemeColors[pair.scheme], dash: dashes[pair.method] };
}
