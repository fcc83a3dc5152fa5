/** The Bench tab: one bar per kernel twin, and the ratio of their speeds in this browser. */

import type { CheckReport, KernelReport } from '../../../lib/wasm/kernel-check.ts';
import { element, query } from '../../../lib/pictures/browser/element.ts';

const kernelTitles: Partial<Record<KernelReport['kernel'], string>> = {
  matmul: 'Dense product',
  dense: 'Dense layer',
  squaredDistances: 'Squared distances',
  csrMatmul: 'Sparse · dense product',
  activate: 'Activation',
  adamStep: 'Adam step',
};

export function prepareBench(measure: () => void): void {
  query('#bench-run').addEventListener('click', measure);
}

export function showBenchProgress(text: string): void {
  query('#bench-status').textContent = text;
}

export function showBench({ simd, kernels, agree }: CheckReport): void {
  const worst = Math.max(...kernels.map(({ difference }) => difference));
  showBenchProgress(
    simd.enabled
      ? `${agree ? 'The twins agree' : 'The twins do not agree'}, to ${worst.toExponential(1)} of the largest result.`
      : `No SIMD here: ${simd.reason}.`,
  );
  const chart = element('figure', '', 'card');
  const caption = element('figcaption');
  caption.append(
    element('b', 'Work per second'),
    element('span', 'longer bars are faster; at the right, how many times faster SIMD is'),
  );
  const list = element('ul', '', 'bars');
  list.append(...kernels.map(kernelBars));
  chart.append(caption, list);
  query('#bench-result').replaceChildren(chart);
}

function kernelBars(report: KernelReport): HTMLElement {
  const { kernel, size, plain, simd, reaches, unit } = report;
  const item = element('li');
  const what = element('div', '', 'what');
  what.append(
    element('b', kernelTitles[kernel] ?? kernel),
    element('span', size),
    element('b', `${(plain / simd).toFixed(1)}×`, 'times'),
  );
  item.append(what);
  for (const [name, milliseconds] of [
    ['SIMD', simd],
    ['plain', plain],
  ] as const) {
    const bar = element('div', '', `bar ${name.toLowerCase()}`);
    const fill = element('i');
    const rate = (reaches * simd) / milliseconds;
    fill.style.width = `${(100 * Math.min(simd, plain)) / milliseconds}%`;
    bar.append(element('span', name), fill, element('span', `${rate.toFixed(rate < 10 ? 2 : 1)} ${unit}`));
    item.append(bar);
  }
  return item;
}
