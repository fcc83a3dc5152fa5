/** The command `demo`: embeds two moons by two methods and writes a page with pictures. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, printReport } from '../../shared/command.ts';
import { drawPage } from './page.ts';
import { type Demo, runDemo } from './run.ts';
import { demoRows } from './table.ts';
import { commonFlags } from '../../flags/flags.ts';
import { pageWriters, prepareOutput } from '../../shared/output.ts';
import { formatMilliseconds, formatTable } from '../../../charts/table.ts';
import type { ExitCode } from '../../shared/terminal.ts';

const points = 2000;

export const demo: Command = {
  summary: 'learn an embedding of two moons in seconds, and draw it',
  operands: [],
  flags: ['epochs', ...commonFlags],
  overrides: {
    epochs: { help: 'epochs of SpecNet2; default: 20' },
    out: { help: "the page with the pictures; default: specnet-demo.html in the system's temporary folder" },
  },
  details: [
    '--out .html: a self-contained page',
    'JSON: eigenvalues (exact), seconds {graph, eigenvectors}, learned (per method: name, eigenvalues, errors,\n  accuracy {seen, unseen}, seconds), curve (epoch, accuracy), page',
  ],
  examples: [
    ['specnet demo', 'a table, and a page to open in a browser'],
    ['specnet demo --epochs 2 --out moons.html --json', 'faster, as JSON'],
  ],
  async run(call): Promise<ExitCode> {
    const { flags, terminal, progress } = call;
    const { out: page = join(tmpdir(), 'specnet-demo.html'), epochs = 20, seed = 0 } = flags;
    const write = await prepareOutput(page, pageWriters);
    const found = await runDemo({ points, epochs, seed, now: terminal.now, progress: (text) => progress.show(text) });
    progress.clear();
    await write(drawPage(found));
    const learned = found.learned.map(({ train: _train, test: _test, ...rest }) => rest);
    printReport(call, { ...found, learned, page }, () => `${describe(found)}\n\nPage: ${page}`);
    return 0;
  },
};

function describe(found: Demo): string {
  const { seconds, learned } = found;
  const [graph, exact] = [seconds.graph, seconds.eigenvectors].map((value) => formatMilliseconds(1000 * value));
  const title = `Two moons of ${points / 2} points each. Building the graph took ${graph}, its exact eigenvectors ${exact}.`;
  return `${title}\n\n${formatTable(['', ...learned.map(({ name }) => name)], demoRows(found), 1)}`;
}
