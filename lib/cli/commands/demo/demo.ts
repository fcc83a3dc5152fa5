/** What does all of this do, to see in a few seconds? The command `demo`, which learns two moons and draws a page. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, present } from '../../shared/command.ts';
import { drawPage } from './page.ts';
import { type Demo, runDemo } from './run.ts';
import { demoRows } from './table.ts';
import { commonFlags } from '../../shared/flags.ts';
import { pageWriters, prepareOutput } from '../../shared/output.ts';
import { formatMilliseconds, formatTable } from '../../../charts/table.ts';
import type { ExitCode } from '../../shared/terminal.ts';

const points = 2000;

export const demo: Command = {
  summary: 'learn two moons in seconds, and draw what was learned',
  operands: [],
  flags: ['epochs', ...commonFlags],
  meanings: {
    epochs: { help: 'epochs of SpecNet2; 20 unless said' },
    out: { help: "the page with the picture; specnet-demo.html in the system's temporary folder unless said" },
  },
  details: [
    '--out .html: one page that needs no network',
    'JSON: eigenvalues (exact), seconds {graph, eigenvectors}, learned (of each method: name, eigenvalues, errors,\n  accuracy {seen, unseen}, seconds), curve (epoch, accuracy), page',
  ],
  examples: [
    ['specnet demo', 'a table, and a picture to open in a browser'],
    ['specnet demo --epochs 2 --out moons.html --json', 'quicker, for a program to read'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, terminal, progress } = call;
    const { out: page = join(tmpdir(), 'specnet-demo.html'), epochs = 20, seed = 0 } = flags;
    const write = await prepareOutput(page, pageWriters);
    const found = await runDemo({ points, epochs, seed, now: terminal.now, progress: (text) => progress.show(text) });
    progress.clear();
    await write(drawPage(found));
    const learned = found.learned.map(({ seen: _seen, unseen: _unseen, ...rest }) => rest);
    present(call, { ...found, learned, page }, () => `${describe(found)}\n\nThe picture: ${page}`);
    return 0;
  },
};

function describe(found: Demo): string {
  const { seconds, learned } = found;
  const [graph, exact] = [seconds.graph, seconds.eigenvectors].map((value) => formatMilliseconds(1000 * value));
  const title = `Two moons of ${points / 2} points each. The graph took ${graph}, its exact eigenvectors ${exact}.`;
  return `${title}\n\n${formatTable(['what was learned', ...learned.map(({ name }) => name)], demoRows(found), 1)}`;
}
