/** The Verify tab: the paper's theorems on a graph that the user draws. Each verdict shows its number and its bound. */

import type { Evidence, Verdict } from '../../../lib/theory/instances/statement.ts';
import { Connection, plainClasses } from '../../../lib/worker/calls.ts';
import { portTo } from '../../../lib/worker/ports.ts';
import type { Tested, VerifyCalls } from '../verify-calls.ts';
import { element } from '../../../lib/pictures/browser/element.ts';
import { type EditedGraph, GraphEditor, presets } from './graph-editor.ts';
import { scientific } from './readout.ts';

const verdictWords: Record<Verdict, string> = { holds: 'holds', corrected: 'holds as corrected', fails: 'fails' };

export class Verify {
  readonly #connection: Connection<VerifyCalls>;
  readonly #list: HTMLElement;
  readonly #status: HTMLElement;
  #latest = new AbortController();
  #seen = new Map<string, HTMLElement>();
  #tally: Record<Verdict, number> = { holds: 0, corrected: 0, fails: 0 };

  /** Created when the tab is first opened. Its code is not loaded before. */
  constructor(page: HTMLElement) {
    const worker = new Worker(new URL('verify-worker.js', document.baseURI), { type: 'module' });
    this.#connection = new Connection<VerifyCalls>(portTo('Verify', worker), plainClasses);
    this.#list = page.querySelector('#verdicts')!;
    this.#status = page.querySelector('#verify-status')!;
    const first = presets['two triangles']();
    const editor = new GraphEditor(page.querySelector('#editor')!, first, (graph) => void this.#ask(graph));
    page.querySelector('#node-add')!.addEventListener('click', () => editor.addNode());
    page.querySelector('#node-remove')!.addEventListener('click', () => editor.removeNode());
    const choices = Object.entries(presets).map(([name, make]) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = name;
      button.addEventListener('click', () => (editor.graph = make()));
      return button;
    });
    page.querySelector('#graph-presets')!.replaceChildren(...choices);
    void this.#ask(first);
  }

  /** Tests the statements on this graph, and no longer on the one before. */
  async #ask({ nodes, edges }: EditedGraph): Promise<void> {
    const alone = nodes.findIndex((_, i) => !edges.some(({ from, to }) => from === i || to === i));
    this.#latest.abort();
    if (alone >= 0) {
      this.#status.textContent = `Node ${alone + 1} has no edge: its degree is 0, and D has no inverse. Join it to another.`;
      return;
    }
    this.#tally = { holds: 0, corrected: 0, fails: 0 };
    this.#status.textContent = 'Trying …';
    for (const row of this.#seen.values()) row.classList.add('old');
    const { signal } = (this.#latest = new AbortController());
    const notice = (tested: Tested): void => this.#show(tested);
    try {
      const seconds = await this.#connection.call(
        'Verify',
        'verify',
        { size: nodes.length, edges },
        { notice, signal },
      );
      const { holds, corrected, fails } = this.#tally;
      const failing = fails > 0 ? `, ${fails} fail` : '';
      this.#status.textContent = `${holds} hold, ${corrected} hold as corrected${failing}; ${seconds.toFixed(1)} s.`;
    } catch (error) {
      if (!signal.aborted) this.#status.textContent = (error as Error).message;
    }
  }

  #show({ statement, claim, evidence }: Tested): void {
    if (evidence) this.#tally[evidence.verdict]++;
    this.#put(statement, evidence ? rowOf(evidence) : emptyRow(statement, claim));
  }

  #put(name: string, row: HTMLElement): void {
    const before = this.#seen.get(name);
    if (before?.hasAttribute('open')) row.setAttribute('open', '');
    if (before) before.replaceWith(row);
    else this.#list.append(row);
    this.#seen.set(name, row);
  }
}

function rowOf({
  statement,
  label,
  claim,
  verdict,
  instances,
  measured,
  bound,
  printed,
  quantities,
}: Evidence): HTMLElement {
  const row = element('details', '', `verdict ${verdict}`);
  const head = element('summary');
  head.append(
    element('b', statement.replaceAll('-', ' ')),
    element('span', verdictWords[verdict], 'badge'),
    element('span', `${scientific(measured)} ≤ ${scientific(bound)}`, 'figure'),
  );
  row.append(head, element('p', claim));
  if (printed) {
    const { failed, counterexamples } = printed;
    row.append(element('p', `The paper has: ${printed.claim}`, 'printed'));
    const count = counterexamples.length;
    const found = count > 0 ? `${count} ${count === 1 ? 'counterexample was' : 'counterexamples were'} found; ` : '';
    row.append(element('p', `${found}on this graph it failed in ${failed} of ${instances} trials.`, 'printed'));
  }
  const list = element('ul');
  list.append(
    ...quantities.map(({ what, measured: value, bound: most }) =>
      element('li', `${what}: ${scientific(value)}, at most ${scientific(most)}`),
    ),
  );
  row.append(list, element('p', `${label}; ${instances} trials.`, 'printed'));
  return row;
}

function emptyRow(statement: string, claim: string): HTMLElement {
  const row = element('details', '', 'verdict empty');
  const head = element('summary');
  head.append(element('b', statement.replaceAll('-', ' ')), element('span', 'does not apply', 'badge'));
  row.append(head, element('p', claim), element('p', 'This graph does not meet its assumptions.', 'printed'));
  return row;
}
