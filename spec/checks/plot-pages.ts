/** Pages of plotEmbedding for checks in Chromium, in a temporary folder. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { plotEmbedding, type PlotOptions, Random, Tensor } from '../../lib/index.ts';
import type { Browser } from './chromium.ts';
import { Pages, type Scenario } from './demo-visit.ts';

/** Markup that must stay text wherever a page shows it. */
export const hostile = '</script><script>smuggled = true</script><img src=x onerror="smuggled = true">';

/** Arcs of three classes, sorted by class, with noise. */
function arcs(rows: number, cols: number, classes = 3): { points: Tensor; labels: number[] } {
  const random = new Random(1);
  const labels = Array.from({ length: rows }, (_, i) => Math.floor((i * classes) / rows));
  const data = new Float32Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const angle = Math.PI * random.uniform() + 1.3 * labels[i];
    for (let k = 0; k < cols; k++) {
      data[i * cols + k] = Math.cos((k + 1) * angle) + 0.5 * Math.sin(labels[i] * (k + 2)) + 0.15 * random.normal();
    }
  }
  return { points: new Tensor(data, [rows, cols]), labels };
}

function labeled(rows: number, cols: number, options: PlotOptions = {}): string {
  const { points, labels } = arcs(rows, cols);
  return plotEmbedding(points, {
    title: `${rows} points`,
    labels: labels.map((label) => ['setosa', 'versicolor', 'virginica'][label]),
    ids: labels.map((_, i) => `plant ${i + 1}`),
    columns: [{ name: 'petal length', values: Float32Array.from(labels, (_, i) => points.data[cols * i] ** 2) }],
    eigenvalues: [0.99, 0.98, 0.97, 0.74, 0.72, 0.7],
    diagnostics: { method: 'regression', converged: true },
    ...options,
  });
}

function hostilePage(): string {
  const { points, labels } = arcs(1200, 10, 45);
  return plotEmbedding(points, {
    title: hostile,
    labels: labels.map((label) => `${hostile} and a long name that goes on, ${label}`),
    ids: labels.map((_, i) => `${hostile} ${i}`),
    columns: Array.from({ length: 16 }, (_, c) => ({
      name: `${hostile} ${c}`,
      values: labels.map((l, i) => (i % 9 ? l : NaN)),
    })),
    diagnostics: { [hostile]: hostile },
    warnings: [hostile],
  });
}

/** The texts of the pages, by file name. */
const pages: Readonly<Record<string, () => string>> = {
  'small.html': () => labeled(150, 4, { warnings: ['The graph has 3 components of 50, 50 and 50 nodes.'] }),
  'hostile.html': hostilePage,
  'medium.html': () => labeled(20_000, 4),
  'large.html': () => labeled(100_000, 4),
  'bare.html': () => plotEmbedding(arcs(100_000, 3).points),
  'line.html': () => labeled(800, 1),
  'medium.svg': () => labeled(20_000, 4, { format: 'svg' }),
  'shaded.svg': () => labeled(20_000, 4, { format: 'svg', colorBy: 'petal length' }),
};

/** Writes the pages that scenarios ask for, when they ask for them. */
export class PlotPages {
  readonly #folder = mkdtempSync(join(tmpdir(), 'specnet-'));
  readonly #written = new Set<string>();
  readonly #pages: Pages;

  constructor(browser: Browser) {
    this.#pages = new Pages(browser, `${pathToFileURL(this.#folder).href}/`);
  }

  /** Runs in an empty page, and fails on any console error. Saves screenshots in the folder if there is one. */
  async run(names: readonly string[], scenario: Scenario, shots: string | null = null): Promise<string> {
    for (const name of names.filter((one) => !this.#written.has(one))) {
      writeFileSync(join(this.#folder, name), pages[name]());
      this.#written.add(name);
    }
    return this.#pages.run(scenario, shots);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
