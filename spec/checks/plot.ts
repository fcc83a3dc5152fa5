/** `npm run check:plot`: uses pages of plotEmbedding in Chromium, and measures them. Exit code 1 if a check fails. */

import { mkdirSync } from 'node:fs';
import { formatTable } from '../../lib/charts/table.ts';
import { launchChromium } from './chromium.ts';
import { plotScenarios } from './plot-scenarios.ts';
import { plotFrames } from './plot-frames.ts';
import { PlotPages } from './plot-pages.ts';

/** The folder for screenshots, from SHOTS=FOLDER. Default: no screenshots. */
const shots = process.env.SHOTS ?? null;
/** Runs only the actions with this word in their names: `npm run check:plot -- WORD`. Default: all. */
const word = process.argv[2] ?? '';

async function main(): Promise<void> {
  const browser = await launchChromium({ args: ['--enable-unsafe-swiftshader'] });
  if (typeof browser === 'string') {
    console.error(`check:plot: ${browser}`);
    process.exitCode = 1;
    return;
  }
  if (shots) mkdirSync(shots, { recursive: true });
  const pages = new PlotPages(browser);
  const rows: string[][] = [];
  for (const [name, { pages: needed, scenario }] of Object.entries({ ...plotScenarios, ...plotFrames })) {
    if (!name.includes(word)) continue;
    const verdict = await pages.run(needed, scenario, shots).catch((error: unknown) => {
      process.exitCode = 1;
      return `FAILED: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
    });
    rows.push([name, verdict]);
  }
  pages.close();
  await browser.close();
  console.log(formatTable(['what is done', 'what is seen'], rows, 2));
}

await main();
