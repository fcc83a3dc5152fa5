/** `npm run check:demo`: does the page do what it shows, in Chromium, under a strict policy? Exit 1 where it does not. */

import { mkdirSync } from 'node:fs';
import { formatTable } from '../../lib/charts/table.ts';
import { deeds } from './demo-deeds.ts';
import { frameRates } from './demo-frames.ts';
import { Stage } from './demo-stage.ts';

/** Pictures of each state are put there where it is said: SHOTS=FOLDER. */
const shots = process.env.SHOTS ?? null;
/** Only deeds with this word in their name, where one is said: `npm run check:demo -- WORD`. */
const word = process.argv[2] ?? '';

async function main(): Promise<void> {
  const stage = await Stage.open();
  if (typeof stage === 'string') {
    console.error(`check:demo: ${stage}`);
    process.exitCode = 1;
    return;
  }
  if (shots) mkdirSync(shots, { recursive: true });
  const rows: string[][] = [];
  for (const [name, deed] of Object.entries({ ...deeds, ...frameRates })) {
    if (!name.includes(word)) continue;
    const start = performance.now();
    const verdict = await stage.act(deed, shots).catch((error: unknown) => {
      process.exitCode = 1;
      return `FAILED: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
    });
    rows.push([name, ((performance.now() - start) / 1000).toFixed(1), verdict]);
    console.error(rows[rows.length - 1].join(': '));
  }
  await stage.close();
  console.log(`Chromium ${stage.browser.version()}, ${stage.firstLoad} bytes at first load\n`);
  console.log(formatTable(['what is done', 'seconds', 'what is seen'], rows, 3));
}

await main();
