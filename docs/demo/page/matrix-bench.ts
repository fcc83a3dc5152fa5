/** The part of the Bench tab that measures products with a matrix: the user's file, or a generated one. */

import type { Cells } from '../../../lib/benchmark/report/describe.ts';
import type { MatrixName } from '../../../lib/matrices/catalog.ts';
import { element, query } from '../../../lib/pictures/browser/element.ts';
import { Connection, plainClasses } from '../../../lib/worker/calls.ts';
import { portTo } from '../../../lib/worker/ports.ts';
import type { MatrixCalls, MatrixReport } from '../matrix-calls.ts';
import type { UserFile } from '../user-file.ts';
import { download } from './files.ts';

export class MatrixBench {
  #connection: Connection<MatrixCalls> | null = null;
  #latest = new AbortController();
  #report: MatrixReport | null = null;

  constructor() {
    const chosen = query<HTMLSelectElement>('#matrix-name');
    query('#matrix-run').addEventListener('click', () => void this.measure(chosen.value as MatrixName));
    query('#matrix-save').addEventListener('click', () => {
      if (this.#report) download('benchmark.json', new TextEncoder().encode(this.#report.json));
    });
  }

  /** Shows why a file is not measured. */
  refuse(message: string): void {
    this.#clear();
    this.#say(message, true);
  }

  /** Measures a matrix, and aborts the measurement before it. The first call starts the worker. */
  async measure(input: UserFile | MatrixName): Promise<void> {
    const { signal } = this.#clear();
    this.#connection ??= this.#connect();
    this.#say('Starting …', false);
    try {
      const report = await this.#connection.call('Bench', 'measure', input, {
        signal,
        notice: ({ doing, fraction }) => this.#say(`${doing}: ${Math.round(100 * fraction)} %`, false),
      });
      this.#show(report);
    } catch (error) {
      if (!signal.aborted) this.#say((error as Error).message, true);
    }
  }

  /** Aborts the measurement that is running, and removes the last report, so that nothing under the next message is of another matrix. */
  #clear(): AbortController {
    this.#latest.abort();
    this.#report = null;
    query('#matrix-save').hidden = true;
    query('#matrix-result').replaceChildren();
    return (this.#latest = new AbortController());
  }

  #connect(): Connection<MatrixCalls> {
    const worker = new Worker(new URL('matrix-worker.js', document.baseURI), { type: 'module' });
    const port = portTo('Bench', worker);
    const connection = new Connection<MatrixCalls>(port, plainClasses);
    port.onFailure((reason) => connection.fail(new Error(`The worker failed: ${reason}. Reload the page.`)));
    return connection;
  }

  #say(text: string, isBad: boolean): void {
    query('#matrix-status').textContent = text;
    query('#matrix-status').classList.toggle('bad', isBad);
  }

  #show(report: MatrixReport): void {
    const { title, machine, limits, structure, products, findings, agrees, timed, charts } = report;
    this.#report = report;
    query('#matrix-save').hidden = false;
    const onCard = timed[1] > 0 ? `, and ${timed[1]} by WebGPU` : '';
    const verdict = agrees
      ? 'All results agree with those of the plain kernels'
      : 'Some results are wrong, and were not timed';
    this.#say(`${verdict}. Products timed: ${timed[0]}${onCard}.`, !agrees);
    const roofline = element('figure', '', 'card roofline');
    roofline.append(...(['light', 'dark'] as const).map((theme) => chartOf(charts[theme], theme, title)));
    query('#matrix-result').replaceChildren(
      element('pre', structure.join('\n'), 'structure'),
      listOf(findings),
      roofline,
      tableOf(products, 3),
      element('h3', 'Limits of this browser'),
      element('p', machine, 'note'),
      tableOf(limits, 1),
    );
  }
}

/** The chart in one theme. The style sheet shows one of the two. It is an image, so that its own styles apply in spite of the page's policy. */
function chartOf(svg: string, theme: 'light' | 'dark', title: string): HTMLImageElement {
  const image = document.createElement('img');
  image.className = `only-${theme}`;
  image.alt = `Roofline of ${title}`;
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return image;
}

function listOf(lines: readonly string[]): HTMLElement {
  const list = element('ul', '', 'findings');
  list.append(...lines.map((line) => element('li', line)));
  return list;
}

/** The first `words` columns are text. The frame scrolls if the table is wider than the screen. */
function tableOf({ header, lines }: Cells, words: number): HTMLElement {
  const table = element('table');
  const head = element('tr');
  head.append(...header.map((cell, k) => element('th', cell, k < words ? 'word' : '')));
  const rows = lines.map((line) => {
    const row = element('tr');
    row.append(...line.map((cell, k) => element('td', cell, k < words ? 'word' : '')));
    return row;
  });
  table.append(head, ...rows);
  const frame = element('div', '', 'card wide');
  frame.tabIndex = 0;
  frame.append(table);
  return frame;
}
