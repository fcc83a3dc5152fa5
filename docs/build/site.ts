/** All files of the site by name: the page, its data and the guide. */

import { type BuiltFile, bundlePage, firstLoadLimit, loadedLater, type Weight, weigh } from './bundle.ts';
import { buildGuide } from './guide.ts';
import { sampleMnist } from './mnist-sample.ts';

export interface Site {
  readonly files: readonly BuiltFile[];
  /** Size of the initial download. */
  readonly weights: readonly Weight[];
}

export async function buildSite(): Promise<Site> {
  const page = await bundlePage();
  const data = { name: 'mnist.bin', bytes: await sampleMnist() };
  return {
    files: [...page, data, ...buildGuide()],
    weights: weigh(page.filter(({ name }) => !loadedLater.includes(name))),
  };
}

export function firstLoad(weights: readonly Weight[]): { readonly gzip: number; readonly isWithin: boolean } {
  const gzip = weights.reduce((sum, weight) => sum + weight.gzip, 0);
  return { gzip, isWithin: gzip <= firstLoadLimit };
}
